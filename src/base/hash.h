/** @file
 *  Internal: a hash of names, for tables. */
#ifndef SN_BASE_HASH_H
#define SN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/** FNV-1a of a text up to its NUL, or its first @p length_max bytes, folded to 32 bits. */
static inline uint32_t sn__hash_text(const char *text, size_t length_max) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < length_max && text[i] != '\0'; i++) {
    hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
  }
  return (uint32_t)(hash ^ (hash >> 32));
}

#endif
