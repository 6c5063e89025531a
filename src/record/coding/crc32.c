#include "record/coding/crc32.h"

#define POLYNOMIAL 0xedb88320u /* reflected: the lowest bit is the highest power */

/* Eight bytes at a time by eight tables: M. E. Kounavis, F. L. Berry, "Novel Table Lookup-Based
   Algorithms for High-Performance CRC Generation", IEEE Transactions on Computers 57 (2008). */
void sn__crc32_init(sn__crc32_table *table) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; bit++) {
      rest = (rest >> 1) ^ ((rest & 1) != 0 ? POLYNOMIAL : 0);
    }
    table->step[0][byte] = rest;
  }
  for (int k = 1; k < 8; k++) {
    for (int byte = 0; byte < 256; byte++) {
      const uint32_t rest = table->step[k - 1][byte];
      table->step[k][byte] = (rest >> 8) ^ table->step[0][rest & 0xff];
    }
  }
}

static uint32_t step_eight(const sn__crc32_table *table, uint32_t rest, const uint8_t *at) {
  const uint32_t first = rest ^ ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                                 (uint32_t)at[3] << 24);
  return table->step[7][first & 0xff] ^ table->step[6][(first >> 8) & 0xff] ^
         table->step[5][(first >> 16) & 0xff] ^ table->step[4][first >> 24] ^
         table->step[3][at[4]] ^ table->step[2][at[5]] ^ table->step[1][at[6]] ^
         table->step[0][at[7]];
}

uint32_t sn__crc32(const sn__crc32_table *table, uint32_t crc, const void *bytes, size_t size) {
  const uint8_t *at = bytes;
  uint32_t rest = ~crc;
  for (; size >= 8; size -= 8, at += 8) {
    rest = step_eight(table, rest, at);
  }
  for (; size > 0; size--, at++) {
    rest = (rest >> 8) ^ table->step[0][(rest ^ *at) & 0xff];
  }
  return ~rest;
}
