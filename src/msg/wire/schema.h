/** @file
 *  Internal: parts of message definitions. */
#ifndef SN_MSG_WIRE_SCHEMA_H
#define SN_MSG_WIRE_SCHEMA_H

#include <stdbool.h>

#include "base/sink.h"
#include "sinew/msg.h"

/** `float64`, `string`, …; NULL for nested types, and for times in ROS 2, which nests them too. */
const char *sn__kind_word(sn_msg_kind kind, bool is_ros1);

/** The nested type of a field in ROS 2, where times are messages, too. */
const sn_msg_type *sn__nested_type(const sn_msg_field *field);

/** The types that a type refers to, each once. */
#define SN__NEEDED_MAX 32
typedef struct sn__needed {
  const sn_msg_type *types[SN__NEEDED_MAX];
  size_t count;
} sn__needed;

/** Add the types of the fields that are missing in the list. */
void sn__needed_add(sn__needed *list, const sn_msg_type *type, bool is_ros1);

/** `[]`, `[4]` or nothing. */
void sn__put_shape(sn__sink *sink, const sn_msg_field *field);

#endif
