/** @file
 *  Internal: the records of an MCAP file and their numbers, all little-endian. A record is its
 *  opcode, the length of what follows (8 bytes) and that. */
#ifndef SN_RECORD_MCAP_FORMAT_H
#define SN_RECORD_MCAP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
  SN__MCAP_HEADER = 0x01,
  SN__MCAP_FOOTER = 0x02,
  SN__MCAP_SCHEMA = 0x03,
  SN__MCAP_CHANNEL = 0x04,
  SN__MCAP_MESSAGE = 0x05,
  SN__MCAP_CHUNK = 0x06,
  SN__MCAP_MESSAGE_INDEX = 0x07,
  SN__MCAP_CHUNK_INDEX = 0x08,
  SN__MCAP_ATTACHMENT = 0x09,
  SN__MCAP_ATTACHMENT_INDEX = 0x0a,
  SN__MCAP_STATISTICS = 0x0b,
  SN__MCAP_METADATA = 0x0c,
  SN__MCAP_METADATA_INDEX = 0x0d,
  SN__MCAP_SUMMARY_OFFSET = 0x0e,
  SN__MCAP_DATA_END = 0x0f
};

/** First and last bytes of a file. */
#define SN__MCAP_MAGIC "\x89MCAP0\r\n"
#define SN__MCAP_MAGIC_SIZE 8

/** The note of the recorder about the system, and its key with the name of the robot. */
#define SN__MCAP_SYSTEM_NOTE "system"
#define SN__MCAP_ROBOT_KEY "robot"

/** Bytes before the contents of a record. */
#define SN__MCAP_PREFIX 9

/** Bytes of a message record before its data. */
#define SN__MCAP_MESSAGE_PREFIX 22

/* ---- putting a record together ---- */

/** A bounded buffer: what does not fit is counted and omitted. */
typedef struct sn__mcap_out {
  uint8_t *bytes;
  size_t size;
  size_t used; /**< including those that do not fit */
} sn__mcap_out;

static inline void sn__mcap_put(sn__mcap_out *out, const void *bytes, size_t size) {
  if (out->used <= out->size && size <= out->size - out->used && size > 0) {
    memcpy(out->bytes + out->used, bytes, size);
  }
  out->used += size;
}

/** The lowest @p size bytes of a number. */
static inline void sn__mcap_put_number(sn__mcap_out *out, uint64_t value, size_t size) {
  uint8_t bytes[8];
  for (size_t i = 0; i < size; i++) {
    bytes[i] = (uint8_t)(value >> (8 * i));
  }
  sn__mcap_put(out, bytes, size);
}

static inline void sn__mcap_put_text(sn__mcap_out *out, const char *text) {
  const size_t length = strlen(text);
  sn__mcap_put_number(out, length, 4);
  sn__mcap_put(out, text, length);
}

static inline bool sn__mcap_fits(const sn__mcap_out *out) {
  return out->used <= out->size;
}

/** Overwrite a number: lengths are known at the end. */
static inline void sn__mcap_set_number(sn__mcap_out *out, size_t at, uint64_t value, size_t size) {
  if (sn__mcap_fits(out)) {
    sn__mcap_out part = {out->bytes + at, size, 0};
    sn__mcap_put_number(&part, value, size);
  }
}

/** Begin a record. @return its position, for sn__mcap_end() */
static inline size_t sn__mcap_begin(sn__mcap_out *out, uint8_t opcode) {
  const size_t start = out->used;
  sn__mcap_put_number(out, opcode, 1);
  sn__mcap_put_number(out, 0, 8);
  return start;
}

static inline void sn__mcap_end(sn__mcap_out *out, size_t start) {
  sn__mcap_set_number(out, start + 1, out->used - start - SN__MCAP_PREFIX, 8);
}

/* ---- taking a record apart ---- */

/** A cursor over bytes; reading beyond the end returns zeros and sets a flag. */
typedef struct sn__mcap_in {
  const uint8_t *bytes;
  size_t size;
  size_t used;
  bool is_short;
} sn__mcap_in;

/** @return the next @p size bytes, or NULL if there are fewer */
static inline const uint8_t *sn__mcap_take(sn__mcap_in *in, uint64_t size) {
  if (in->is_short || size > in->size - in->used) {
    in->is_short = true;
    return NULL;
  }
  const uint8_t *at = in->bytes + in->used;
  in->used += (size_t)size;
  return at;
}

static inline uint64_t sn__mcap_take_number(sn__mcap_in *in, size_t size) {
  const uint8_t *at = sn__mcap_take(in, size);
  uint64_t value = 0;
  for (size_t i = 0; at != NULL && i < size; i++) {
    value |= (uint64_t)at[i] << (8 * i);
  }
  return value;
}

/** A text in a record, without a NUL. */
typedef struct sn__mcap_text {
  const char *data;
  size_t size;
} sn__mcap_text;

static inline sn__mcap_text sn__mcap_take_text(sn__mcap_in *in) {
  const uint64_t length = sn__mcap_take_number(in, 4);
  const uint8_t *at = sn__mcap_take(in, length);
  const sn__mcap_text text = {at == NULL ? "" : (const char *)at, at == NULL ? 0 : (size_t)length};
  return text;
}

#endif
