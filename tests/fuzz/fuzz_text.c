/* Fuzzes src/base/text.c: whatever comes in, what goes out to a terminal is bounded, valid UTF-8
   without control characters, and clean text goes through unchanged. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sinew/fault.h"

#define OUT_SIZE_MAX 300

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The oracle: decode to code points and look at their values, where text.c compares bytes with
   tables. Length of the character at bytes, or 0 if there is none that a terminal may see. */
static size_t visible_length(const unsigned char *bytes, size_t size) {
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000}; /* that needs so many bytes */
  const unsigned char lead = bytes[0];
  size_t length = 1;
  uint32_t code = lead;
  if (lead >= 0x80) {
    length = (lead & 0xE0) == 0xC0 ? 2 : (lead & 0xF0) == 0xE0 ? 3 : (lead & 0xF8) == 0xF0 ? 4 : 0;
    if (length == 0 || length > size) {
      return 0;
    }
    code = lead & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
      if ((bytes[i] & 0xC0) != 0x80) {
        return 0;
      }
      code = code << 6 | (bytes[i] & 0x3Fu);
    }
  }
  const bool is_scalar = code >= smallest[length] && code <= 0x10FFFF && code >> 11 != 0x1B;
  const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  return is_scalar && !is_control ? length : 0;
}

static bool is_visible(const char *text) {
  const unsigned char *bytes = (const unsigned char *)text;
  const size_t size = strlen(text);
  size_t at = 0;
  while (at < size) {
    const size_t length = visible_length(bytes + at, size - at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) {
    return 0;
  }
  /* Both buffers have exactly the size promised, so that the sanitizer sees a byte too many. */
  const size_t out_size = 1 + (data[0] | (size_t)data[1] << 8) % OUT_SIZE_MAX;
  const size_t text_size = size - 2;
  char *text = malloc(text_size + 1);
  char *out = malloc(out_size);
  SN_ASSERT(text != NULL && out != NULL);
  memcpy(text, data + 2, text_size);
  text[text_size] = '\0';

  const size_t length = sn__text_clean(text, out, out_size);
  SN_ASSERT(length < out_size);
  SN_ASSERT(out[length] == '\0');
  SN_ASSERT(strlen(out) == length);
  SN_ASSERT(is_visible(out));
  SN_ASSERT(sn__text_has_control(text) == !is_visible(text));
  if (is_visible(text) && strlen(text) < out_size) {
    SN_ASSERT(strcmp(out, text) == 0);
  }

  free(out);
  free(text);
  return 0;
}
