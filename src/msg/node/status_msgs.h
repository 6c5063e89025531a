/** @file
 *  Internal: what a node reports about itself: its log, its state, its time. */
#ifndef SN_MSG_NODE_STATUS_MSGS_H
#define SN_MSG_NODE_STATUS_MSGS_H

#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** rcl_interfaces/Log. */
typedef struct sn__ros_log {
  int64_t stamp_ns;
  uint8_t level; /**< 10: debug, 20: info, 30: warning, 40: error */
  sn_msg_text name, msg, file, function;
  uint32_t line;
} sn__ros_log;

/** rosgraph_msgs/Clock. */
typedef struct sn__ros_clock {
  int64_t clock_ns;
} sn__ros_clock;

/** diagnostic_msgs/KeyValue. */
typedef struct sn__key_value {
  sn_msg_text key, value;
} sn__key_value;

SN_SEQ_DEFINE(sn__seq_key_value, sn__key_value);

/** Values of `level`. */
typedef enum sn__diagnostic_level {
  SN__DIAGNOSTIC_OK,
  SN__DIAGNOSTIC_WARN,
  SN__DIAGNOSTIC_ERROR
} sn__diagnostic_level;

/** diagnostic_msgs/DiagnosticStatus. */
typedef struct sn__diagnostic_status {
  uint8_t level; /**< sn__diagnostic_level */
  sn_msg_text name, message, hardware_id;
  sn__seq_key_value values;
} sn__diagnostic_status;

SN_SEQ_DEFINE(sn__seq_diagnostic_status, sn__diagnostic_status);

/** diagnostic_msgs/DiagnosticArray. */
typedef struct sn__diagnostic_array {
  sn_header header;
  sn__seq_diagnostic_status status;
} sn__diagnostic_array;

SN_API extern const sn_msg_type sn__ros_log_type;
SN_API extern const sn_msg_type sn__ros_clock_type;
SN_API extern const sn_msg_type sn__diagnostic_array_type;

SN_END_DECLS

#endif
