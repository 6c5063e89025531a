/** @file
 *  Internal: SHA-256 (FIPS 180-4), by which ROS 2 tells types apart. Not for secrets. */
#ifndef SN_MSG_SHA256_H
#define SN_MSG_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sn__sha256 {
  uint32_t state[8];
  uint64_t size;     /**< bytes so far */
  uint8_t block[64]; /**< the last size % 64 of them */
} sn__sha256;

void sn__sha256_init(sn__sha256 *sha);
void sn__sha256_add(sn__sha256 *sha, const void *bytes, size_t size);

/** 64 hexadecimal digits and a NUL. */
void sn__sha256_end(sn__sha256 *sha, char out[65]);

#endif
