#include "files/value_cpf.h"
#include "value_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_props(sn__value_parse_cpf, data, size);
  return 0;
}
