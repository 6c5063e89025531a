#include "ros/bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

char *sn__bytes_reserve(sn__bytes *bytes, size_t size) {
  const size_t limit = bytes->limit == 0 ? SN__BYTES_MAX : bytes->limit;
  if (bytes->failed || size > limit - bytes->used) {
    bytes->failed = true;
    return NULL;
  }
  char *grown = sn__list_grow(bytes->data, &bytes->capacity, bytes->used + size, 1);
  if (grown == NULL) {
    bytes->failed = true;
    return NULL;
  }
  bytes->data = grown;
  return grown + bytes->used;
}

void sn__bytes_put(sn__bytes *bytes, const void *data, size_t size) {
  char *at = size == 0 ? NULL : sn__bytes_reserve(bytes, size);
  if (at != NULL) {
    memcpy(at, data, size);
    bytes->used += size;
  }
}

void sn__bytes_text(sn__bytes *bytes, const char *text) {
  sn__bytes_put(bytes, text, strlen(text));
}

void sn__bytes_u32(sn__bytes *bytes, uint32_t value) {
  unsigned char raw[4];
  sn__u32_set(raw, value);
  sn__bytes_put(bytes, raw, sizeof raw);
}

void sn__bytes_signed(sn__bytes *bytes, int64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRId64, value);
  sn__bytes_text(bytes, digits);
}

void sn__bytes_drop(sn__bytes *bytes, size_t size) {
  bytes->used -= size;
  if (bytes->used > 0) {
    memmove(bytes->data, bytes->data + size, bytes->used);
  }
}

void sn__bytes_free(sn__bytes *bytes) {
  free(bytes->data);
  *bytes = (sn__bytes){.limit = bytes->limit};
}

uint32_t sn__u32_at(const void *data) {
  const unsigned char *b = data;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

void sn__u32_set(void *data, uint32_t value) {
  unsigned char *b = data;
  for (int i = 0; i < 4; i++) {
    b[i] = (unsigned char)(value >> (8 * i));
  }
}
