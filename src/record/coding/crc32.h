/** @file
 *  Internal: the CRC-32 of MCAP, zip, gzip and PNG (ISO 3309). */
#ifndef SN_RECORD_CRC32_H
#define SN_RECORD_CRC32_H

#include <stddef.h>
#include <stdint.h>

/** Contribution of one byte to the checksum, k bytes before the end of a group of eight. */
typedef struct sn__crc32_table {
  uint32_t step[8][256];
} sn__crc32_table;

void sn__crc32_init(sn__crc32_table *table);

/** Continue a checksum. @param crc of the preceding bytes; 0 at the start */
uint32_t sn__crc32(const sn__crc32_table *table, uint32_t crc, const void *bytes, size_t size);

#endif
