/** @file
 *  Internal: words of message definitions. */
#ifndef SN_MSG_SCHEMA_INTERNAL_H
#define SN_MSG_SCHEMA_INTERNAL_H

#include <stdbool.h>

#include "base/sink.h"
#include "sinew/msg.h"

/** `float64`, `string`, …; NULL for nested types, and for times in ROS 2, which nests them too. */
const char *sn__kind_word(sn_msg_kind kind, bool is_ros1);

/** `[]`, `[4]` or nothing. */
void sn__put_shape(sn__sink *sink, const sn_msg_field *field);

#endif
