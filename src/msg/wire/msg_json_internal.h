/** @file
 *  Internal: messages from JSON that jansson has parsed, and to JSON in a buffer. The bridges use
 * it, too. */
#ifndef SN_MSG_WIRE_MSG_JSON_INTERNAL_H
#define SN_MSG_WIRE_MSG_JSON_INTERNAL_H

#include "base/buffer.h"
#include "sinew/msg.h"
#include "sinew/status.h"

struct json_t; /* of jansson.h */

/** As sn_msg_from_json(), without parsing. @param root  unchanged; jansson iterates over non-const
 *  objects only */
SN_API sn_status sn__msg_from_json_tree(const sn_msg_type *type, struct json_t *root, void *msg,
                                        sn_error *err);

/** Append a message as JSON. @param member  its name in the object that is open; NULL: none */
SN_API void sn__msg_append_json(sn__buffer *out, const char *member, const sn_msg_type *type,
                                const void *msg);

#endif
