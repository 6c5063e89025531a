/* Fuzzes the quick way through XML: what it accepts, expat accepts, with the same tree. */
#include <stdint.h>

#include "sinew/fault.h"
#include "xml_both.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SN_ASSERT(xml_both_read((const char *)data, size) != XML_BOTH_DIFFER);
  return 0;
}
