/** @file
 *  Internal: messages from JSON that jansson has parsed, and to JSON in a buffer. The bridges use
 * it, too. */
#ifndef SN_MSG_WIRE_MSG_JSON_INTERNAL_H
#define SN_MSG_WIRE_MSG_JSON_INTERNAL_H

#include "base/buffer.h"
#include "sinew/msg.h"
#include "sinew/report.h"
#include "sinew/status.h"

struct json_t; /* of jansson.h */

/** As sn_msg_from_json(), without parsing. @param root  unchanged; jansson iterates over non-const
 *  objects only */
SN_API sn_status sn__msg_from_json_tree(const sn_msg_type *type, struct json_t *root, void *msg,
                                        sn_error *err);

/** Make a message with exactly the room that it needs, from a file. Numbers must be finite, unknown
 *  fields are warnings, `seq` of a header is ignored.
 *  @param file      what messages begin with; outlives @p warnings
 *  @param arena     that grows; unchanged if the call fails, unless it holds @p warnings
 *  @param warnings  may be NULL: unknown fields are errors
 *  @return SN_OK, SN_EINVAL (a wrong value, with its path), SN_ENOMEM, or SN_EUNSUPPORTED (built
 *          without JSON) */
SN_API sn_status sn__msg_make_from_json_tree(const sn_msg_type *type, struct json_t *root,
                                             const char *file, sn_arena *arena, sn_report *warnings,
                                             void **out, sn_error *err);

/** As sn_msg_to_json(), in the form of `rospy_message_converter`: times are `secs` and `nsecs`,
 *  headers have a `seq` of 0. */
size_t sn__msg_to_json_ros1(const sn_msg_type *type, const void *msg, char *out, size_t size);

/** Append a message as JSON. @param member  its name in the object that is open; NULL: none */
SN_API void sn__msg_append_json(sn__buffer *out, const char *member, const sn_msg_type *type,
                                const void *msg);

#endif
