/** @file
 *  JSON Schema of messages and of the server's own channels. */
#ifndef SN_FOXGLOVE_SCHEMA_H
#define SN_FOXGLOVE_SCHEMA_H

#include "base/json.h"
#include "sinew/msg.h"

/** Append the schema of a message. @param type  NULL: an empty object */
void sn__fox_write_schema(sn__buffer *reply, const sn_msg_type *type);

/** Of the topics /sinew/components and /sinew/timing, as JSON. */
extern const char sn__fox_components_schema[], sn__fox_timing_schema[];

/** rcl_interfaces/msg/Log */
typedef struct sn__fox_log_msg {
  int64_t stamp_ns;
  uint8_t level; /**< 10 debug, 20 info, 30 warning, 40 error */
  sn_msg_text name, msg, file, function;
  uint32_t line;
} sn__fox_log_msg;
extern const sn_msg_type sn__fox_log_type;

/** std_msgs/msg/String */
typedef struct sn__fox_string_msg {
  sn_msg_text data;
} sn__fox_string_msg;
extern const sn_msg_type sn__fox_string_type;

#endif
