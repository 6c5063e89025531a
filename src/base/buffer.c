#include "base/buffer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MIN = 512, ITEMS_MIN = 16 };

void *sn__list_grow(void *list, size_t *capacity, size_t count, size_t item_size) {
  if (list != NULL && count <= *capacity) {
    return list;
  }
  size_t wanted = *capacity <= SIZE_MAX / 2 ? 2 * *capacity : SIZE_MAX;
  wanted = wanted < ITEMS_MIN ? ITEMS_MIN : wanted;
  wanted = wanted < count ? count : wanted;
  if (wanted > SIZE_MAX / 2 / item_size) {
    return NULL;
  }
  void *grown = realloc(list, wanted * item_size);
  if (grown != NULL) {
    *capacity = wanted;
  }
  return grown;
}

void sn__buffer_free(sn__buffer *buffer) {
  free(buffer->data);
  *buffer = (sn__buffer){.max = buffer->max};
}

void sn__buffer_clear(sn__buffer *buffer) {
  buffer->used = 0;
  buffer->failed = false;
}

void sn__buffer_shrink(sn__buffer *buffer, size_t keep) {
  if (buffer->size > keep) {
    sn__buffer_free(buffer);
  }
  sn__buffer_clear(buffer);
}

char *sn__buffer_reserve(sn__buffer *buffer, size_t length) {
  const size_t max = buffer->max == 0 ? SN__BUFFER_MAX : buffer->max;
  if (buffer->failed || buffer->used > max || length > max - buffer->used) {
    buffer->failed = true;
    return NULL;
  }
  const size_t wanted = buffer->used + length;
  char *data =
      sn__list_grow(buffer->data, &buffer->size, wanted < BYTES_MIN ? BYTES_MIN : wanted, 1);
  if (data == NULL) {
    buffer->failed = true;
    return NULL;
  }
  buffer->data = data;
  return data + buffer->used;
}

void sn__buffer_append_growing(sn__buffer *buffer, const void *bytes, size_t length) {
  char *room = sn__buffer_reserve(buffer, length);
  if (room != NULL && length > 0) {
    memcpy(room, bytes, length);
    buffer->used += length;
  }
}
