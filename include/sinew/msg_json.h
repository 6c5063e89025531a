/** @file
 *  Messages as JSON: an object with the names of the fields. A time is
 *  `{"sec": …, "nanosec": …}` as in ROS 2; a number that is not finite is `null`. */
#ifndef SINEW_MSG_JSON_H
#define SINEW_MSG_JSON_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Bytes of JSON that are read at most. */
#define SN_MSG_JSON_SIZE_MAX (1u << 20)

/** Write a message on one line. Numbers read back to the same value; bytes that are not UTF-8
 * become U+FFFD.
 *  @param out  @p size bytes, truncated if too small, always ends with a NUL if size > 0
 *  @return the length of the whole text without the NUL
 *  RT: no, formats.  Threads: owner of the message. */
SN_API size_t sn_msg_to_json(const sn_msg_type *type, const void *msg, char *out, size_t size);

/** Read a message. Fields that are not mentioned become zero or empty, `null` in the place of a
 *  floating-point number becomes NaN, and the nanoseconds of a time may be called `nsec`. Integers
 *  are read up to 2^63 - 1.
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
