/** @file
 *  Internal: bytes and lists that grow on the heap. The bridges and the program use it, too. */
#ifndef SN_BASE_BUFFER_H
#define SN_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "sinew/api.h"

/** The bound of a buffer whose `max` is 0, in bytes. */
#define SN__BUFFER_MAX ((size_t)1 << 20)

/** Bytes up to a bound. All zero is an empty buffer. After a failure nothing more is appended, so
 *  callers check `failed` once, at the end. */
typedef struct sn__buffer {
  char *data; /**< without a NUL at the end */
  size_t used;
  size_t size;
  size_t max;  /**< 0: SN__BUFFER_MAX */
  bool failed; /**< longer than `max`, or out of memory */
} sn__buffer;

/** Free the memory; `max` stays. */
SN_API void sn__buffer_free(sn__buffer *buffer);

/** Drop the contents and the failure; the memory stays. */
SN_API void sn__buffer_clear(sn__buffer *buffer);

/** Drop the contents; memory above @p keep bytes is freed. */
SN_API void sn__buffer_shrink(sn__buffer *buffer, size_t keep);

/** Room for @p length more bytes. The caller fills them and adds to `used`.
 *  @return NULL on failure */
SN_API char *sn__buffer_reserve(sn__buffer *buffer, size_t length);

/** As sn__buffer_append(), for whatever does not fit. */
SN_API void sn__buffer_append_growing(sn__buffer *buffer, const void *bytes, size_t length);

/** Most appends are short and fit: they need no call.
 *  @param bytes  may be NULL if @p length is 0 */
static inline void sn__buffer_append(sn__buffer *buffer, const void *bytes, size_t length) {
  const size_t max = buffer->max == 0 ? SN__BUFFER_MAX : buffer->max;
  const size_t limit = buffer->size < max ? buffer->size : max;
  if (length > 0 && !buffer->failed && buffer->used < limit && length <= limit - buffer->used) {
    memcpy(buffer->data + buffer->used, bytes, length);
    buffer->used += length;
  } else {
    sn__buffer_append_growing(buffer, bytes, length);
  }
}

/** Room for at least @p count items in a list from malloc(). It grows by doubling.
 *  @param list      NULL: allocate it
 *  @param capacity  items that there is room for; updated
 *  @return the list, which may have moved; NULL: out of memory, and the list is as it was */
SN_API void *sn__list_grow(void *list, size_t *capacity, size_t count, size_t item_size);

#endif
