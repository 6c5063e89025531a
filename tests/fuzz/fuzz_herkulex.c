/* Fuzzes src/bus/families/herkulex.c: all bytes after the header except the second checksum cancel
 * out, except for the lowest bit. */
#include "bus_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int oracle(const uint8_t *packet, size_t size) {
  unsigned sum = 0;
  for (size_t i = 2; i < size; i++) {
    sum ^= i == 6 ? 0 : packet[i];
  }
  return (sum & 0xFE) == 0 && packet[5] + packet[6] == 0xFE && packet[2] == size &&
         (packet[4] & 0xF0) == 0x40;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return bus_target(&sn_bus_herkulex, oracle, data, size);
}
