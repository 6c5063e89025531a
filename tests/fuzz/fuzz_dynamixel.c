/* Fuzzes src/bus/families/dynamixel.c against a bitwise CRC. */
#include "bus_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int oracle(const uint8_t *packet, size_t size) {
  unsigned crc = 0;
  for (size_t bit = 0; bit < 8 * (size - 2); bit++) {
    const unsigned in = (unsigned)packet[bit / 8] >> (7 - bit % 8) & 1u;
    const unsigned out = crc >> 15 & 1u;
    crc = (crc << 1 & 0xFFFFu) ^ (in != out ? 0x8005u : 0u);
  }
  return packet[7] == 0x55 && packet[size - 2] + 256u * packet[size - 1] == crc &&
         packet[5] + 256u * packet[6] + 7u == size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return bus_target(&sn_bus_dynamixel, oracle, data, size);
}
