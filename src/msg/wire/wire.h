/** @file
 *  Internal: the wire formats of ROS. Both are little-endian with the same fields in the same
 *  order; they differ in alignment, in the NUL of a text and in the sign of a time's seconds. */
#ifndef SN_MSG_WIRE_WIRE_H
#define SN_MSG_WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/msg.h"

typedef enum sn__wire {
  SN__WIRE_CDR, /**< without its header: alignment counts from here */
  SN__WIRE_ROS1
} sn__wire;

/** Write a message.
 *  @param out  @p size bytes; unspecified if the call fails
 *  @param written  the bytes that it takes, also with SN_ENOSPC
 *  @return SN_OK, SN_ENOSPC, or SN_ELIMIT (a time that the wire cannot hold) */
sn_status sn__wire_write(sn__wire wire, const sn_msg_type *type, const void *msg, uint8_t *out,
                         size_t size, size_t *written) SN_RT;

/** Read a message, which is unchanged if the call fails.
 *  @return SN_OK, SN_ESYNTAX or SN_ENOSPC, with the reason in @p err */
sn_status sn__wire_read(sn__wire wire, const sn_msg_type *type, const uint8_t *bytes, size_t size,
                        void *msg, sn_error *err);

/** Create a message from these bytes in a growing arena, which is unchanged on failure. A sequence
 *  of structs with many sequences takes a few times as much memory as bytes.
 *  @return SN_OK, SN_ESYNTAX or SN_ENOMEM, with the reason in @p err */
sn_status sn__wire_make(sn__wire wire, const sn_msg_type *type, const uint8_t *bytes, size_t size,
                        sn_arena *arena, void **out, sn_error *err);

#endif
