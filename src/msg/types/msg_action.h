/** @file
 *  Messages that all actions of ROS 2 have in common: the goal, its state, which goals to
 *  cancel. Times are those of the graph. */
#ifndef SN_MSG_TYPES_MSG_ACTION_H
#define SN_MSG_TYPES_MSG_ACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_locomotion.h"

SN_BEGIN_DECLS

/** unique_identifier_msgs/UUID. */
typedef struct sn_uuid {
  uint8_t uuid[16];
} sn_uuid;

/** action_msgs/GoalInfo. */
typedef struct sn_goal_info {
  sn_uuid goal_id;
  int64_t stamp_ns; /**< when the goal was accepted */
} sn_goal_info;

SN_SEQ_DEFINE(sn_seq_goal_info, sn_goal_info);

/** action_msgs/GoalStatus; its values are those of sn_trajectory_status. */
typedef struct sn_goal_status {
  sn_goal_info goal_info;
  int8_t status;
} sn_goal_status;

SN_SEQ_DEFINE(sn_seq_goal_status, sn_goal_status);

/** action_msgs/GoalStatusArray. */
typedef struct sn_goal_status_array {
  sn_seq_goal_status status_list;
} sn_goal_status_array;

/** The request of action_msgs/CancelGoal: this goal, and those accepted until then; all zero: all.
 */
typedef struct sn_cancel_goal_request {
  sn_goal_info goal_info;
} sn_cancel_goal_request;

/** Values of return_code. */
typedef enum sn_cancel_code {
  SN_CANCEL_NONE, /**< no error */
  SN_CANCEL_REJECTED,
  SN_CANCEL_UNKNOWN_GOAL,
  SN_CANCEL_TERMINATED
} sn_cancel_code;

/** The response of action_msgs/CancelGoal. */
typedef struct sn_cancel_goal_response {
  int8_t return_code; /**< sn_cancel_code */
  sn_seq_goal_info goals_canceling;
} sn_cancel_goal_response;

/** Whether a goal was accepted. */
typedef struct sn_action_send_response {
  bool accepted;
  int64_t stamp_ns; /**< when; 0 if not */
} sn_action_send_response;

/** A request for the result of a goal. */
typedef struct sn_action_result_request {
  sn_uuid goal_id;
} sn_action_result_request;

/** The result of a goal. */
typedef struct sn_action_result_response {
  int8_t status; /**< sn_trajectory_status */
  sn_action_result result;
} sn_action_result_response;

extern const sn_msg_field sn__action_send_response_fields[2];
extern const sn_msg_field sn__action_result_request_fields[1];
extern const sn_msg_type sn_uuid_type;
extern const sn_msg_type sn_goal_info_type;
extern const sn_msg_type sn_goal_status_type;
SN_API extern const sn_msg_type sn__goal_status_array_type;
SN_API extern const sn_msg_type sn__cancel_goal_request_type;
SN_API extern const sn_msg_type sn__cancel_goal_response_type;

SN_END_DECLS

#endif
