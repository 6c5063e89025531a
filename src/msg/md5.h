/** @file
 *  Internal: MD5 (RFC 1321), which ROS 1 uses to tell definitions apart. Not for secrets. */
#ifndef SN_MSG_MD5_H
#define SN_MSG_MD5_H

#include <stddef.h>
#include <stdint.h>

typedef struct sn__md5 {
  uint32_t state[4];
  uint64_t size;     /**< bytes so far */
  uint8_t block[64]; /**< the last size % 64 of them */
} sn__md5;

void sn__md5_init(sn__md5 *md5);
void sn__md5_add(sn__md5 *md5, const void *bytes, size_t size);

/** 32 hexadecimal digits and a NUL. */
void sn__md5_end(sn__md5 *md5, char out[33]);

#endif
