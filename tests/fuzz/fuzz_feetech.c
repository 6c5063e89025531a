/* Fuzzes src/bus/families/feetech.c: all bytes after the header add up to 255. */
#include "bus_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int oracle(const uint8_t *packet, size_t size) {
  unsigned sum = 0;
  for (size_t i = 2; i < size; i++) {
    sum += packet[i];
  }
  return sum % 256 == 255 && packet[3] + 4u == size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return bus_target(&sn_bus_feetech, oracle, data, size);
}
