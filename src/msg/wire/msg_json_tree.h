/** @file
 *  Internal: messages from JSON that jansson has parsed. The bridges use it, too. */
#ifndef SN_MSG_WIRE_MSG_JSON_TREE_H
#define SN_MSG_WIRE_MSG_JSON_TREE_H

#include "sinew/msg.h"
#include "sinew/status.h"

struct json_t; /* of jansson.h */

/** As sn_msg_from_json(), without parsing. @param root  unchanged; jansson iterates over non-const
 *  objects only */
SN_API sn_status sn__msg_from_json_tree(const sn_msg_type *type, struct json_t *root, void *msg,
                                        sn_error *err);

#endif
