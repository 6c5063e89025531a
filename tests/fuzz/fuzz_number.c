/* Fuzzes src/base/number.c against strtod() of the C library, which rounds correctly and here runs
   in the C locale. Over the letters of our grammar both accept the same texts. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_only_letters_of_the_grammar(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '\0' || strchr("+-.0123456789eE", text[i]) == NULL) {
      return false;
    }
  }
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const double untouched = 12345.0;
  double actual = untouched;
  /* libFuzzer gives exactly size bytes, so the sanitizer sees a byte too many. */
  const sn__number_result result = sn__number_parse((const char *)data, size, &actual);

  char *text = malloc(size + 1);
  SN_ASSERT(text != NULL);
  if (size > 0) {
    memcpy(text, data, size);
  }
  text[size] = '\0';
  char *end = text;
  double expected = 0.0;
  if (has_only_letters_of_the_grammar(text, size)) {
    expected = strtod(text, &end);
  }
  const bool is_number = size > 0 && end == text + size;
  free(text);

  SN_ASSERT((result == SN__NUMBER_NOT_A_NUMBER) == !is_number);
  SN_ASSERT(!is_number || (result == SN__NUMBER_OUT_OF_RANGE) == (isinf(expected) != 0));
  if (result != SN__NUMBER_OK) {
    expected = untouched;
  }
  SN_ASSERT(memcmp(&actual, &expected, sizeof actual) == 0); /* distinguishes -0 from 0 */
  return 0;
}
