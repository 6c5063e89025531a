#include "value_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_props(sn_value_parse_yaml, data, size);
  return 0;
}
