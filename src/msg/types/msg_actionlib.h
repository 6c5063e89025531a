/** @file
 *  Actions of ROS 1 (actionlib) are made of topics: the messages that all of them have in common.
 *  Times are those of the graph. */
#ifndef SN_MSG_TYPES_MSG_ACTIONLIB_H
#define SN_MSG_TYPES_MSG_ACTIONLIB_H

#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_locomotion.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** actionlib_msgs/GoalID; as a request to cancel: this goal, and those until then; empty: all. */
typedef struct sn_actionlib_id {
  int64_t stamp_ns;
  sn_msg_text id;
} sn_actionlib_id;

/** Values of sn_actionlib_status.status. */
typedef enum sn_actionlib_code {
  SN_ACTIONLIB_PENDING,
  SN_ACTIONLIB_ACTIVE,
  SN_ACTIONLIB_PREEMPTED, /**< cancelled, or replaced, after it began */
  SN_ACTIONLIB_SUCCEEDED,
  SN_ACTIONLIB_ABORTED,
  SN_ACTIONLIB_REJECTED,
  SN_ACTIONLIB_PREEMPTING,
  SN_ACTIONLIB_RECALLING,
  SN_ACTIONLIB_RECALLED, /**< cancelled before it began */
  SN_ACTIONLIB_LOST
} sn_actionlib_code;

/** actionlib_msgs/GoalStatus. */
typedef struct sn_actionlib_status {
  sn_actionlib_id goal_id;
  uint8_t status; /**< sn_actionlib_code */
  sn_msg_text text;
} sn_actionlib_status;

SN_SEQ_DEFINE(sn_seq_actionlib_status, sn_actionlib_status);

/** actionlib_msgs/GoalStatusArray. */
typedef struct sn_actionlib_status_array {
  sn_header header;
  sn_seq_actionlib_status status_list;
} sn_actionlib_status_array;

/** What a goal begins with. */
typedef struct sn_actionlib_goal_head {
  sn_header header;
  sn_actionlib_id goal_id;
} sn_actionlib_goal_head;

/** A result. */
typedef struct sn_actionlib_result {
  sn_header header;
  sn_actionlib_status status;
  sn_action_result result;
} sn_actionlib_result;

/** What feedback begins with. */
typedef struct sn_actionlib_feedback_head {
  sn_header header;
  sn_actionlib_status status;
} sn_actionlib_feedback_head;

SN_API extern const sn_msg_type sn__actionlib_id_type;
extern const sn_msg_type sn_actionlib_status_type;
SN_API extern const sn_msg_type sn__actionlib_status_array_type;

SN_END_DECLS

#endif
