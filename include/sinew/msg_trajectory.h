/** @file
 *  Messages about trajectories: those of ROS that a goal is made of, and what became of it. */
#ifndef SINEW_MSG_TRAJECTORY_H
#define SINEW_MSG_TRAJECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_names.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** trajectory_msgs/JointTrajectoryPoint. Sequences are empty or as long as the list of joints. */
typedef struct sn_joint_trajectory_point {
  sn_seq_f64 positions;     /**< rad or m */
  sn_seq_f64 velocities;    /**< rad/s or m/s */
  sn_seq_f64 accelerations; /**< rad/s² or m/s² */
  sn_seq_f64 effort;        /**< N·m or N */
  int64_t time_from_start_ns;
} sn_joint_trajectory_point;

SN_SEQ_DEFINE(sn_seq_trajectory_point, sn_joint_trajectory_point);

/** trajectory_msgs/JointTrajectory. */
typedef struct sn_joint_trajectory {
  sn_header header; /**< its stamp is when it begins; 0: at once */
  sn_msg_names joint_names;
  sn_seq_trajectory_point points;
} sn_joint_trajectory;

/** control_msgs/JointTolerance: 0 means the default, a negative number none. */
typedef struct sn_joint_tolerance {
  sn_msg_text name;
  double position;     /**< rad or m */
  double velocity;     /**< rad/s or m/s */
  double acceleration; /**< rad/s² or m/s² */
} sn_joint_tolerance;

SN_SEQ_DEFINE(sn_seq_joint_tolerance, sn_joint_tolerance);

/** control_msgs/FollowJointTrajectory, the goal, as ROS 1 sends it. */
typedef struct sn_trajectory_goal {
  sn_joint_trajectory trajectory;
  sn_seq_joint_tolerance path_tolerance;
  sn_seq_joint_tolerance goal_tolerance;
  int64_t goal_time_tolerance_ns; /**< 0 means the default */
} sn_trajectory_goal;

/** The number of a goal. */
typedef struct sn_trajectory_id {
  uint64_t goal_id;
} sn_trajectory_id;

/** Whether a goal was taken, and its number. */
typedef struct sn_trajectory_answer {
  bool accepted;
  uint64_t goal_id;   /**< 0 if not */
  int32_t error_code; /**< as in TrajectoryState */
  sn_msg_text message;
} sn_trajectory_answer;

/** Values of error_code: those of control_msgs/FollowJointTrajectory. */
typedef enum sn_trajectory_error {
  SN_TRAJECTORY_SUCCESSFUL = 0,
  SN_TRAJECTORY_INVALID_GOAL = -1,
  SN_TRAJECTORY_INVALID_JOINTS = -2,
  SN_TRAJECTORY_OLD_STAMP = -3,
  SN_TRAJECTORY_OFF_PATH = -4,
  SN_TRAJECTORY_OFF_GOAL = -5
} sn_trajectory_error;

/** Values of state: those of action_msgs/GoalStatus. */
typedef enum sn_trajectory_status {
  SN_TRAJECTORY_UNKNOWN,
  SN_TRAJECTORY_ACCEPTED, /**< waits for its time */
  SN_TRAJECTORY_EXECUTING,
  SN_TRAJECTORY_CANCELING,
  SN_TRAJECTORY_SUCCEEDED,
  SN_TRAJECTORY_CANCELED,
  SN_TRAJECTORY_ABORTED
} sn_trajectory_status;

/** State of a goal. */
typedef struct sn_trajectory_state {
  sn_header header;
  uint64_t goal_id; /**< 0: there is none */
  uint8_t state;    /**< sn_trajectory_status */
  int32_t error_code;
  sn_msg_text message;        /**< why it ended; empty before */
  int64_t time_from_start_ns; /**< elapsed */
  int64_t duration_ns;
  sn_msg_names name;  /**< its joints */
  sn_seq_f64 desired; /**< rad or m */
  sn_seq_f64 actual;  /**< measured; empty if not measured */
} sn_trajectory_state;

SN_API extern const sn_msg_type sn_joint_trajectory_point_type;
SN_API extern const sn_msg_type sn_joint_trajectory_type;
SN_API extern const sn_msg_type sn_joint_tolerance_type;
SN_API extern const sn_msg_type sn_trajectory_goal_type;
SN_API extern const sn_msg_type sn_trajectory_id_type;
SN_API extern const sn_msg_type sn_trajectory_answer_type;
SN_API extern const sn_msg_type sn_trajectory_state_type;

SN_END_DECLS

#endif
