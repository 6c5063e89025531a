/** @file
 *  Internal: integers and times of a message by their kind. */
#ifndef SN_MSG_SCALAR_H
#define SN_MSG_SCALAR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sinew/msg.h"

#define SN__NS_PER_S 1000000000u

/** A time as on the wire. */
typedef struct sn__wire_time {
  int64_t sec;
  uint32_t nanosec; /**< less than 10^9, also if sec is negative */
} sn__wire_time;

static inline sn__wire_time sn__wire_time_split(int64_t time_ns) {
  int64_t sec = time_ns / (int64_t)SN__NS_PER_S;
  int64_t rest = time_ns % (int64_t)SN__NS_PER_S;
  if (rest < 0) {
    rest += (int64_t)SN__NS_PER_S;
    sec--;
  }
  const sn__wire_time time = {sec, (uint32_t)rest};
  return time;
}

/** Seconds must fit into 33 bits with their sign. */
static inline int64_t sn__wire_time_join(int64_t sec, int64_t nanosec) {
  return sec * (int64_t)SN__NS_PER_S + nanosec;
}

/** Bytes of a number on the wires of ROS; 0 for other kinds. */
static inline size_t sn__kind_size(sn_msg_kind kind) {
  switch (kind) {
    case SN_MSG_BOOL:
    case SN_MSG_INT8:
    case SN_MSG_UINT8:
      return 1;
    case SN_MSG_INT16:
    case SN_MSG_UINT16:
      return 2;
    case SN_MSG_INT32:
    case SN_MSG_UINT32:
    case SN_MSG_FLOAT32:
      return 4;
    case SN_MSG_INT64:
    case SN_MSG_UINT64:
    case SN_MSG_FLOAT64:
      return 8;
    default:
      return 0;
  }
}

/** Is it a signed integer? */
static inline bool sn__kind_is_signed(sn_msg_kind kind) {
  return kind == SN_MSG_INT8 || kind == SN_MSG_INT16 || kind == SN_MSG_INT32 ||
         kind == SN_MSG_INT64;
}

/** Do elements of this kind have the same form in memory and on the wire: numbers of the same
 *  size, little-endian? Not bool, which must only hold 0 or 1. */
static inline bool sn__kind_is_wire_bytes(sn_msg_kind kind) {
  const uint16_t one = 1;
  uint8_t first = 0;
  memcpy(&first, &one, sizeof first);
  return first == 1 && kind != SN_MSG_BOOL && sn__kind_size(kind) > 0;
}

/** The bits of a number in memory; negative integers are sign-extended to 64 bits. */
static inline uint64_t sn__scalar_load(sn_msg_kind kind, const void *at) {
  uint8_t bits8 = 0;
  uint16_t bits16 = 0;
  uint32_t bits32 = 0;
  uint64_t bits = 0;
  const size_t size = sn__kind_size(kind);
  if (kind == SN_MSG_BOOL) {
    bool value = false;
    memcpy(&value, at, sizeof value);
    return value;
  }
  if (size == 1) {
    memcpy(&bits8, at, size);
    bits = bits8;
  } else if (size == 2) {
    memcpy(&bits16, at, size);
    bits = bits16;
  } else if (size == 4) {
    memcpy(&bits32, at, size);
    bits = bits32;
  } else {
    memcpy(&bits, at, sizeof bits);
  }
  const uint64_t sign = UINT64_C(1) << (8 * size - 1);
  return sn__kind_is_signed(kind) ? (bits ^ sign) - sign : bits;
}

/** Store the low bits of a number; a bool is true if any bit is set. */
static inline void sn__scalar_store(sn_msg_kind kind, void *at, uint64_t bits) {
  const uint8_t bits8 = (uint8_t)bits;
  const uint16_t bits16 = (uint16_t)bits;
  const uint32_t bits32 = (uint32_t)bits;
  const size_t size = sn__kind_size(kind);
  if (kind == SN_MSG_BOOL) {
    const bool value = bits != 0;
    memcpy(at, &value, sizeof value);
  } else if (size == 1) {
    memcpy(at, &bits8, size);
  } else if (size == 2) {
    memcpy(at, &bits16, size);
  } else if (size == 4) {
    memcpy(at, &bits32, size);
  } else {
    memcpy(at, &bits, sizeof bits);
  }
}

#endif
