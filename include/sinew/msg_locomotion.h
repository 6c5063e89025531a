/** @file
 *  Messages of walking: step sequences, requests to move the base, activation of controllers as an
 *  action. Names and fields are those of the ROS 1 packages sweetie_bot_control_msgs,
 *  sweetie_bot_resource_control_msgs and sweetie_bot_gait_generator, so that nodes and files of
 *  those packages fit. */
#ifndef SINEW_MSG_LOCOMOTION_H
#define SINEW_MSG_LOCOMOTION_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"
#include "sinew/spatial.h"
#include "sinew/vec3.h"

SN_BEGIN_DECLS

/** Result of an action. */
typedef struct sn_action_result {
  int32_t error_code; /**< 0: success; else a code of the action */
  sn_msg_text error_string;
} sn_action_result;

/* ---- step sequences ---- */

/** sweetie_bot_control_msgs/RigidBodyTrajectoryPoint. */
typedef struct sn_rigid_body_point {
  sn_msg_pose pose;
  sn_spatial twist; /**< m/s and rad/s */
  sn_spatial accel; /**< m/s² and rad/s² */
  bool contact;     /**< the end of the limb touches the ground */
} sn_rigid_body_point;

SN_SEQ_DEFINE(sn_seq_rigid_body_point, sn_rigid_body_point);

/** sweetie_bot_control_msgs/RigidBodyTrajectory. */
typedef struct sn_rigid_body_trajectory {
  sn_msg_text name; /**< a chain, or the root link */
  sn_seq_rigid_body_point points;
} sn_rigid_body_trajectory;

SN_SEQ_DEFINE(sn_seq_rigid_body_trajectory, sn_rigid_body_trajectory);

/** Goal of sweetie_bot_control_msgs/FollowStepSequence. All lists of points are as long as the list
 *  of times. */
typedef struct sn_step_goal {
  sn_header header;                       /**< the frame of base_motion */
  bool append;                            /**< continue the sequence under way */
  sn_seq_f64 time_from_start;             /**< s, increasing */
  sn_rigid_body_trajectory base_motion;   /**< of the base in header.frame_id */
  sn_seq_rigid_body_trajectory ee_motion; /**< of the ends of chains in the base */
  double position_tolerance;              /**< m; 0: the default */
  double orientation_tolerance;           /**< rad; 0: the default */
} sn_step_goal;

/** Values of error_code in the result. */
typedef enum sn_step_error {
  SN_STEP_SUCCESSFUL = 0,
  SN_STEP_INVALID_TRAJECTORY = -1,
  SN_STEP_INVALID_END_EFFECTOR = -2,
  SN_STEP_UNABLE_TO_APPEND = -3,
  SN_STEP_TOLERANCE_VIOLATED = -4,
  SN_STEP_INTERNAL_ERROR = -5
} sn_step_error;

/** Progress. */
typedef struct sn_step_feedback {
  int64_t time_from_start_ns; /**< elapsed */
} sn_step_feedback;

/* ---- activation of a controller; the goal is sn_set_operational ---- */

/** Values of error_code in the result. */
typedef enum sn_set_operational_error {
  SN_SET_OPERATIONAL_SUCCESSFUL = 0,
  SN_SET_OPERATIONAL_NOT_READY = -1,           /**< COMPONENT_IS_NOT_READY */
  SN_SET_OPERATIONAL_INVALID_RESOURCES = -2,   /**< INVALID_RESOURCE_SET */
  SN_SET_OPERATIONAL_CONDITIONS_VIOLATED = -3, /**< START_CONDITIONS_VIOLATED */
  SN_SET_OPERATIONAL_EXECUTION_ERROR = -4
} sn_set_operational_error;

/** Progress: the controller is active. */
typedef struct sn_set_operational_feedback {
  sn_msg_names resources; /**< that it owns */
} sn_set_operational_feedback;

/* ---- requests to move the base ---- */

/** Values of sn_ee_goal.frame_type. */
typedef enum sn_ee_frame {
  SN_EE_NOMINAL_POSE,
  SN_EE_BASE_INITIAL,
  SN_EE_BASE_FINAL,
  SN_EE_PATH_INITIAL,
  SN_EE_PATH_FINAL,
  SN_EE_WORLD
} sn_ee_frame;

/** sweetie_bot_gait_generator/EndEffectorGoal: where a limb ends. */
typedef struct sn_ee_goal {
  sn_msg_text name;         /**< a chain */
  uint32_t frame_type;      /**< sn_ee_frame */
  sn_vec3 position;         /**< m */
  uint32_t position_bounds; /**< free coordinates; from the low bit x, y, z */
  bool contact;             /**< touches the ground at the end */
} sn_ee_goal;

SN_SEQ_DEFINE(sn_seq_ee_goal, sn_ee_goal);

/** Goal of sweetie_bot_gait_generator/MoveBase. */
typedef struct sn_move_base_goal {
  sn_header header;
  sn_msg_text gait_type;
  double duration; /**< s */
  uint32_t n_steps;
  sn_msg_pose base_goal;     /**< in header.frame_id */
  uint32_t base_goal_bounds; /**< free coordinates; from the low bit roll, pitch, yaw, x, y, z */
  sn_seq_ee_goal ee_goal;
  double position_tolerance;    /**< m */
  double orientation_tolerance; /**< rad */
  bool visualize_only;          /**< plan, do not execute */
  bool execute_only;            /**< execute the last plan */
} sn_move_base_goal;

/** Values of error_code in the result. */
typedef enum sn_move_base_error {
  SN_MOVE_BASE_SUCCESS = 0,
  SN_MOVE_BASE_SOLUTION_NOT_FOUND = -1,
  SN_MOVE_BASE_INVALID_GOAL = -2,
  SN_MOVE_BASE_INTERNAL_ERROR = -3,
  SN_MOVE_BASE_TOLERANCE_VIOLATED = -4,
  SN_MOVE_BASE_INVALID_INITIAL_POSE = -5,
  SN_MOVE_BASE_EXECUTION_FAILED = -6
} sn_move_base_error;

/** Progress. */
typedef struct sn_move_base_feedback {
  double time_from_start; /**< s */
} sn_move_base_feedback;

/** A plan of steps, in short. */
typedef struct sn_move_base_plan {
  int32_t error_code; /**< sn_move_base_error */
  sn_msg_text error_string;
  uint32_t n_steps;        /**< of each leg */
  double duration;         /**< s */
  double stretch;          /**< duration over that of the request */
  double zmp_margin;       /**< least one of the zero-moment point in the feet's polygon, m */
  double peak_joint_speed; /**< rad/s */
  double peak_load;        /**< largest share of a drive's torque */
  sn_msg_pose base_goal;   /**< of the base in odom */
} sn_move_base_plan;

/** The types; constant. Those of actions have the names of both graphs. */
SN_API extern const sn_msg_type sn_rigid_body_point_type;
SN_API extern const sn_msg_type sn_rigid_body_trajectory_type;
SN_API extern const sn_msg_type sn_step_goal_type;
SN_API extern const sn_msg_type sn_step_result_type; /**< sn_action_result */
SN_API extern const sn_msg_type sn_step_feedback_type;
SN_API extern const sn_msg_type sn_set_operational_goal_type;   /**< sn_set_operational */
SN_API extern const sn_msg_type sn_set_operational_result_type; /**< sn_action_result */
SN_API extern const sn_msg_type sn_set_operational_feedback_type;
SN_API extern const sn_msg_type sn_ee_goal_type;
SN_API extern const sn_msg_type sn_move_base_goal_type;
SN_API extern const sn_msg_type sn_move_base_result_type; /**< sn_action_result */
SN_API extern const sn_msg_type sn_move_base_feedback_type;
SN_API extern const sn_msg_type sn_move_base_plan_type;

SN_END_DECLS

#endif
