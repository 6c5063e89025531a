/** @file
 *  Internal: writes text into a bounded buffer and counts what does not fit. */
#ifndef SN_BASE_SINK_H
#define SN_BASE_SINK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct sn__sink {
  char *out;
  size_t size;
  size_t used; /**< bytes written, including those that did not fit */
} sn__sink;

static inline void sn__sink_put(sn__sink *sink, const char *text, size_t length) {
  if (sink->used < sink->size) {
    const size_t room = sink->size - sink->used;
    memcpy(sink->out + sink->used, text, length < room ? length : room);
  }
  sink->used += length;
}

static inline void sn__sink_text(sn__sink *sink, const char *text) {
  sn__sink_put(sink, text, strlen(text));
}

/** Decimal digits. */
void sn__sink_unsigned(sn__sink *sink, uint64_t value);
void sn__sink_signed(sn__sink *sink, int64_t value);

/** A time in seconds with nine decimals. */
void sn__sink_seconds(sn__sink *sink, int64_t time_ns);

/** As few digits as read back to the same number if it is finite; a negative zero keeps its sign.
 */
void sn__sink_number(sn__sink *sink, double value);

/** The text in quotes, as JSON and YAML read it (base/json.h). */
void sn__sink_quoted(sn__sink *sink, const char *text);

/** Ends the text with a NUL, in place of the last byte if the buffer is full. @return the bytes
 * written */
static inline size_t sn__sink_end(sn__sink *sink) {
  if (sink->size > 0) {
    sink->out[sink->used < sink->size ? sink->used : sink->size - 1] = '\0';
  }
  return sink->used;
}

#endif
