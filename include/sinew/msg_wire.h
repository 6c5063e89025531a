/** @file
 *  Messages on the wire of ROS 2 and DDS, and in MCAP files with encoding `cdr`: plain CDR,
 *  little-endian, behind its four-byte header. */
#ifndef SINEW_MSG_WIRE_H
#define SINEW_MSG_WIRE_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Write a message.
 *  @param out      @p size bytes, unspecified if the call fails; may be NULL if size is 0
 *  @param written  the bytes that it takes, also with SN_ENOSPC
 *  @return SN_OK, SN_ENOSPC (no room), or SN_ELIMIT (a time whose seconds do not fit into 32 bits)
 *  RT: yes, O(bytes).  Threads: owner of the message. */
SN_API sn_status sn_cdr_write(const sn_msg_type *type, const void *msg, void *out, size_t size,
                              size_t *written) SN_RT;

/** Read a message from untrusted bytes.
 *  @param msg  unchanged if the call fails; names become its own texts
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, SN_ESYNTAX (malformed), SN_ENOSPC (it does not fit into the
 *  room of @p msg), or SN_EUNSUPPORTED (another form of CDR)
 *  RT: yes if it succeeds, O(bytes); a failure formats its reason.  Threads: owner of the message.
 */
SN_API sn_status sn_cdr_read(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                             sn_error *err);

/** Make a message with exactly the room that these bytes need, however many there are.
 *  @param arena  that grows; unchanged if the call fails
 *  @param out    the struct of the type; untouched if the call fails
 *  @param err    receives the reason on failure; may be NULL
 *  @return SN_OK, SN_ESYNTAX (malformed), SN_EUNSUPPORTED (another form of
 *          CDR), or SN_ENOMEM
 *  RT: no, allocates.  Threads: owner of the arena. */
SN_API sn_status sn_cdr_make(const sn_msg_type *type, const void *bytes, size_t size,
                             sn_arena *arena, void **out, sn_error *err);

/* ---- msg json ---- */

/** Bytes of JSON that are read at most. */
#define SN_MSG_JSON_SIZE_MAX (1u << 20)

/** Write a message on one line. Numbers read back to the same value; bytes that are not UTF-8
 * become U+FFFD.
 *  @param out  @p size bytes, truncated if too small, always ends with a NUL if size > 0
 *  @return the length of the whole text without the NUL
 *  RT: no, formats.  Threads: owner of the message. */
SN_API size_t sn_msg_to_json(const sn_msg_type *type, const void *msg, char *out, size_t size);

/** Read a message. Fields that are not mentioned become zero or empty, `null` in the place of a
 *  floating-point number becomes NaN, and the parts of a time may be called `secs`, `nsec` and
 *  `nsecs`. Integers are read up to 2^63 - 1.
 *  @param text  @p size bytes, no NUL needed
 *  @param msg   unchanged if the call fails
 *  @param err   receives the reason on failure; may be NULL
 *  @return SN_OK, SN_ESYNTAX (not JSON), SN_EINVAL (an unknown field or a wrong value), SN_ENOSPC
 *  (does not fit into the message), SN_ELIMIT (longer than SN_MSG_JSON_SIZE_MAX), or
 *  SN_EUNSUPPORTED (built without JSON)
 *  RT: no, allocates.  Threads: owner of the message. */
SN_API sn_status sn_msg_from_json(const sn_msg_type *type, const char *text, size_t size, void *msg,
                                  sn_error *err);

SN_END_DECLS

#endif
