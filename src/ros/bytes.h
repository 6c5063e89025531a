/** @file
 *  Internal: a growing byte buffer with a bound, and little-endian integers. A write that exceeds
 *  the bound or finds no memory sets `failed`; callers check it once, at the end. */
#ifndef SN_ROS_BYTES_H
#define SN_ROS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"

SN_BEGIN_DECLS

/** Zero-initialised it is empty. */
typedef struct sn__bytes {
  char *data;
  size_t used, capacity;
  size_t limit; /**< 0 means SN__BYTES_MAX */
  bool failed;
} sn__bytes;

#define SN__BYTES_MAX ((size_t)32 << 20)

/** Room for @p size more bytes; NULL on failure. */
char *sn__bytes_reserve(sn__bytes *bytes, size_t size);
void sn__bytes_put(sn__bytes *bytes, const void *data, size_t size);
void sn__bytes_text(sn__bytes *bytes, const char *text);
/** Little-endian. */
void sn__bytes_u32(sn__bytes *bytes, uint32_t value);
void sn__bytes_signed(sn__bytes *bytes, int64_t value);
/** Remove the first @p size bytes. */
void sn__bytes_drop(sn__bytes *bytes, size_t size);
void sn__bytes_free(sn__bytes *bytes);

uint32_t sn__u32_at(const void *data);
void sn__u32_set(void *data, uint32_t value);

SN_END_DECLS

#endif
