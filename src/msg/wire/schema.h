/** @file
 *  Internal: parts of message definitions. */
#ifndef SN_MSG_WIRE_SCHEMA_H
#define SN_MSG_WIRE_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"
#include "sinew/api.h"
#include "sinew/msg.h"

/** `float64`, `string`, …; NULL for nested types, and for times in ROS 2, which nests them too. */
const char *sn__kind_word(sn_msg_kind kind, bool is_ros1);
/** The same for a field: some bytes are `byte`. */
const char *sn__field_word(const sn_msg_field *field, bool is_ros1);

/** The type of a field as ROS 2 describes it (type_description_interfaces/msg/FieldType). */
typedef struct sn__field_description {
  uint8_t type_id;
  uint64_t capacity, string_capacity; /**< 0: unbounded */
  const char *nested;                 /**< name of the nested type; empty: none */
} sn__field_description;

/** @param field  NULL means the dummy field of a message without fields */
SN_API sn__field_description sn__describe_field(const sn_msg_field *field);

/** The name of the field of a message without fields, which IDL does not allow. */
#define SN__DUMMY_FIELD "structure_needs_at_least_one_member"

/** The nested type of a field in ROS 2, where times are messages, too. */
const sn_msg_type *sn__nested_type(const sn_msg_field *field);

/** The types that a type refers to, each once. */
#define SN__NEEDED_MAX 32
typedef struct sn__needed {
  const sn_msg_type *types[SN__NEEDED_MAX];
  size_t count;
} sn__needed;

/** Add the types of the fields that are missing in the list. */
SN_API void sn__needed_add(sn__needed *list, const sn_msg_type *type, bool is_ros1);

/** `[]`, `[4]`, `[<=4]` or nothing. */
void sn__put_shape(sn__sink *sink, const sn_msg_field *field);

#endif
