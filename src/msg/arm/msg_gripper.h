/** @file
 *  Messages of grippers: control_msgs/GripperCommand, and the state of the controller `Gripper`. */
#ifndef SN_MSG_ARM_MSG_GRIPPER_H
#define SN_MSG_ARM_MSG_GRIPPER_H

#include <stdbool.h>
#include <stdint.h>

#include "msg/types/action_types.h"
#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** control_msgs/GripperCommand. */
typedef struct sn_gripper_command {
  double position;   /**< of the joint, rad or m */
  double max_effort; /**< N·m or N; 0: as the gripper is configured */
} sn_gripper_command;

/** The goal of the action control_msgs/GripperCommand. */
typedef struct sn_gripper_goal {
  sn_gripper_command command;
} sn_gripper_goal;

/** Result and feedback of that action. */
typedef struct sn_gripper_result {
  double position; /**< rad or m */
  double effort;   /**< N·m or N */
  bool stalled, reached_goal;
} sn_gripper_result;

/** State of a gripper. */
typedef struct sn_gripper_state {
  sn_header header;
  uint64_t goal_id; /**< the goal that it executes, or has just ended */
  sn_msg_text joint;
  double position;   /**< measured, rad or m */
  double effort;     /**< likewise, N·m or N; 0 if it is not measured */
  bool stalled;      /**< something is in the way, and bears the load */
  bool reached_goal; /**< it is where it was commanded to */
} sn_gripper_state;

SN_API extern const sn_msg_type sn__gripper_command_type;
SN_API extern const sn_msg_type sn__gripper_goal_type;
SN_API extern const sn_msg_type sn__gripper_result_type;
SN_API extern const sn_msg_type sn__gripper_feedback_type; /**< sn_gripper_result */
SN_API extern const sn_msg_type sn__gripper_state_type;
SN_API extern const sn__action_types sn__gripper_action;
SN__ACTION_DECLARE(sn__gripper);

SN_END_DECLS

#endif
