/** @file
 *  Internal: digests by which ROS identifies definitions. Not for security. MD5 and SHA-256 differ
 *  in the processing of a block of 64 bytes and in the byte order; filling and padding of blocks
 *  are the same. */
#ifndef SN_MSG_WIRE_DIGEST_H
#define SN_MSG_WIRE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sn__digest_kind {
  size_t word_count; /**< of 32 bits, of state and result */
  bool is_little_endian;
  uint32_t begin[8];
  void (*add_block)(uint32_t *state, const uint8_t block[64]);
} sn__digest_kind;

extern const sn__digest_kind sn__md5, sn__sha256;

typedef struct sn__digest {
  const sn__digest_kind *kind;
  uint32_t state[8];
  uint64_t size;     /**< bytes so far */
  uint8_t block[64]; /**< the last size % 64 of them */
} sn__digest;

void sn__digest_init(sn__digest *digest, const sn__digest_kind *kind);
void sn__digest_add(sn__digest *digest, const void *bytes, size_t size);

/** @param out  8 hexadecimal digits for each word, and a NUL */
void sn__digest_end(sn__digest *digest, char *out);

#endif
