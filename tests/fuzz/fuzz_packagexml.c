/* Fuzzes the name in a package.xml: what is found fits, is plain, and is in the text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/urdf/package_xml.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1); /* of exactly this size, so that reading beyond it is seen */
  SN_ASSERT(text != NULL);
  memcpy(text, data, size);
  text[size] = '\0';
  char name[16];
  if (sn__package_name(text, size, name, sizeof name)) {
    const size_t length = strlen(name);
    SN_ASSERT(length > 0 && length < sizeof name);
    SN_ASSERT(strpbrk(name, "/.\\ <>") == NULL);
    SN_ASSERT(strlen(text) < size || strstr(text, name) != NULL);
  }
  free(text);
  return 0;
}
