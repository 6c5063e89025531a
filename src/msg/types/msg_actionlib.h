/** @file
 *  Actions of ROS 1 (actionlib) are made of topics: the messages that all of them have in common,
 * and those of control_msgs/FollowJointTrajectory. Times are those of the graph. */
#ifndef SN_MSG_TYPES_MSG_ACTIONLIB_H
#define SN_MSG_TYPES_MSG_ACTIONLIB_H

#include <stdint.h>

#include "msg/types/msg_follow.h"
#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_calls.h"
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

/** control_msgs/FollowJointTrajectoryActionGoal. */
typedef struct sn_follow_action_goal {
  sn_header header;
  sn_actionlib_id goal_id;
  sn_trajectory_goal goal;
} sn_follow_action_goal;

/** control_msgs/FollowJointTrajectoryActionResult. */
typedef struct sn_follow_action_result {
  sn_header header;
  sn_actionlib_status status;
  sn_action_result result;
} sn_follow_action_result;

/** control_msgs/FollowJointTrajectoryFeedback: that of ROS 2 has more. */
typedef struct sn_follow_feedback_ros1 {
  sn_header header;
  sn_msg_names joint_names;
  sn_joint_trajectory_point desired;
  sn_joint_trajectory_point actual;
  sn_joint_trajectory_point error; /**< desired less actual */
} sn_follow_feedback_ros1;

/** control_msgs/FollowJointTrajectoryActionFeedback. */
typedef struct sn_follow_action_feedback {
  sn_header header;
  sn_actionlib_status status;
  sn_follow_feedback_ros1 feedback;
} sn_follow_action_feedback;

SN_API extern const sn_msg_type sn__actionlib_id_type;
extern const sn_msg_type sn_actionlib_status_type;
SN_API extern const sn_msg_type sn__actionlib_status_array_type;
SN_API extern const sn_msg_type sn__follow_action_goal_type;
SN_API extern const sn_msg_type sn__follow_action_result_type;
SN_API extern const sn_msg_type sn__follow_action_feedback_type;

SN_END_DECLS

#endif
