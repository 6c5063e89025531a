#include "msg/wire/digest.h"

#include <string.h>

void sn__digest_init(sn__digest *digest, const sn__digest_kind *kind) {
  *digest = (sn__digest){.kind = kind};
  memcpy(digest->state, kind->begin, sizeof kind->begin);
}

void sn__digest_add(sn__digest *digest, const void *bytes, size_t size) {
  const uint8_t *in = bytes;
  for (size_t i = 0; i < size; i++) {
    digest->block[digest->size++ % 64] = in[i];
    if (digest->size % 64 == 0) {
      digest->kind->add_block(digest->state, digest->block);
    }
  }
}

/* Where byte @p i of a number of @p size bytes begins. */
static size_t shift_of(const sn__digest *digest, size_t i, size_t size) {
  return 8 * (digest->kind->is_little_endian ? i : size - 1 - i);
}

void sn__digest_end(sn__digest *digest, char *out) {
  static const char hex[] = "0123456789abcdef";
  const uint64_t bits = 8 * digest->size;
  sn__digest_add(digest, "\x80", 1);
  while (digest->size % 64 != 56) {
    sn__digest_add(digest, "", 1);
  }
  for (size_t i = 0; i < 8; i++) {
    const uint8_t byte = (uint8_t)(bits >> shift_of(digest, i, 8));
    sn__digest_add(digest, &byte, 1);
  }
  for (size_t i = 0; i < 4 * digest->kind->word_count; i++) {
    const uint32_t byte = digest->state[i / 4] >> shift_of(digest, i % 4, 4) & 0xFF;
    *out++ = hex[byte >> 4];
    *out++ = hex[byte & 15];
  }
  *out = '\0';
}
