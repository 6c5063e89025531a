/** @file
 *  Internal: bytes that are put together, as many as a bound allows. What does not fit, or finds no
 *  memory, sets `is_lost`; whoever sends asks once, at the end. */
#ifndef SN_ROS_BYTES_H
#define SN_ROS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** All zero is empty. */
typedef struct sn__bytes {
  char *data;
  size_t used, room;
  size_t limit; /**< 0 means SN__BYTES_MAX */
  bool is_lost;
} sn__bytes;

#define SN__BYTES_MAX ((size_t)32 << 20)

/** Room for @p size more bytes behind the used ones, NULL if there is none. */
char *sn__bytes_reserve(sn__bytes *bytes, size_t size);
void sn__bytes_put(sn__bytes *bytes, const void *data, size_t size);
void sn__bytes_text(sn__bytes *bytes, const char *text);
/** Four bytes, the lowest first, as on every wire of ROS. */
void sn__bytes_u32(sn__bytes *bytes, uint32_t value);
void sn__bytes_signed(sn__bytes *bytes, int64_t value);
/** The first @p size bytes go. */
void sn__bytes_drop(sn__bytes *bytes, size_t size);
void sn__bytes_free(sn__bytes *bytes);

uint32_t sn__u32_at(const void *data);
void sn__u32_set(void *data, uint32_t value);

#endif
