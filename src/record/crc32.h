/** @file
 *  Internal: the checksum of MCAP, which is that of zip, gzip and PNG (ISO 3309). */
#ifndef SN_RECORD_CRC32_H
#define SN_RECORD_CRC32_H

#include <stddef.h>
#include <stdint.h>

/** What one byte does to the checksum, k bytes before the end of a group of eight. */
typedef struct sn__crc32_table {
  uint32_t step[8][256];
} sn__crc32_table;

void sn__crc32_init(sn__crc32_table *table);

/** The checksum of bytes that follow others.
 *  @param crc  checksum of what came before; 0 if nothing did */
uint32_t sn__crc32(const sn__crc32_table *table, uint32_t crc, const void *bytes, size_t size);

#endif
