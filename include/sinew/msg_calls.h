/** @file
 *  Requests and responses of many operations. An operation with other arguments declares its own
 *  messages in the same way. */
#ifndef SINEW_MSG_CALLS_H
#define SINEW_MSG_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** Request of std_srvs/SetBool. */
typedef struct sn_call_switch {
  bool data;
} sn_call_switch;

/** Response of std_srvs/SetBool and std_srvs/Trigger. */
typedef struct sn_call_outcome {
  bool success;
  sn_msg_text message;
} sn_call_outcome;

/** Yes or no. */
typedef struct sn_call_flag {
  bool value;
} sn_call_flag;

/** A position in a list; -1: not found. */
typedef struct sn_call_index {
  int32_t index;
} sn_call_index;

/** One name. */
typedef struct sn_call_name {
  sn_msg_text name;
} sn_call_name;

/** One text. */
typedef struct sn_call_text {
  sn_msg_text text;
} sn_call_text;

/** A list of names. */
typedef struct sn_call_names {
  sn_msg_names names;
} sn_call_names;

/** A key of something that has a name. */
typedef struct sn_call_key {
  sn_msg_text name;
  sn_msg_text key;
} sn_call_key;

/** Whether a controller is active, and with which limbs; no names: those of its configuration. */
typedef struct sn_set_operational {
  bool operational;
  sn_msg_names resources; /**< chains or groups, or joints, whose limbs are meant */
} sn_set_operational;

/** A chain, with or without the links and joints beyond its last physical link. */
typedef struct sn_call_chain {
  sn_msg_text name;
  bool with_virtual_joints;
} sn_call_chain;

/** Links with the joints above them, parents before their children: a tree or a chain. Entry i of
 *  every list belongs to link i. */
typedef struct sn_call_tree {
  sn_msg_names links;
  sn_seq_i32 parents;  /**< place of the parent in `links`; -1: it is the first */
  sn_msg_names joints; /**< that connect them to their parents; empty for the first */
  sn_msg_names types;  /**< of joints, as in URDF; empty for the first */
  sn_seq_pose origins; /**< of joints in the frame of the parent */
  sn_seq_vec3 axes;    /**< of joints, unit vectors in the frame of the joint */
} sn_call_tree;

/** Points in space, m. */
typedef struct sn_call_points {
  sn_seq_vec3 points;
} sn_call_points;

/** A buffer of points that those of a contact are appended to. */
typedef struct sn_call_contact_buffer {
  sn_msg_text name; /**< of the contact */
  sn_seq_vec3 points;
} sn_call_contact_buffer;

/** The buffer afterwards. */
typedef struct sn_call_contact_points {
  int32_t appended; /**< number of points; -1: no such contact */
  sn_seq_vec3 points;
} sn_call_contact_points;

SN_API extern const sn_msg_type sn_call_switch_type;
SN_API extern const sn_msg_type sn_call_outcome_type;
SN_API extern const sn_msg_type sn_call_flag_type;
SN_API extern const sn_msg_type sn_call_index_type;
SN_API extern const sn_msg_type sn_call_name_type;
SN_API extern const sn_msg_type sn_call_text_type;
SN_API extern const sn_msg_type sn_call_names_type;
SN_API extern const sn_msg_type sn_call_key_type;
SN_API extern const sn_msg_type sn_set_operational_type;
SN_API extern const sn_msg_type sn_call_points_type;
SN_API extern const sn_msg_type sn_call_chain_type;
SN_API extern const sn_msg_type sn_call_tree_type;
SN_API extern const sn_msg_type sn_call_contact_buffer_type;
SN_API extern const sn_msg_type sn_call_contact_points_type;

/* ---- msg stop ---- */

/** Request of `emergencyStop`. */
typedef struct sn_call_stop {
  sn_msg_text who; /**< who requests it */
  sn_msg_text why;
} sn_call_stop;

/** State of the emergency stop. */
typedef struct sn_stop_state {
  sn_header header;
  bool stopped;           /**< latched until `resume` */
  bool at_rest;           /**< no joint is commanded to move */
  sn_msg_text who;        /**< of this stop, or of the last; empty: none so far */
  sn_msg_text why;        /**< likewise */
  int64_t since_ns;       /**< when it took effect */
  sn_msg_text resumed_by; /**< who ended the last one */
  int64_t resumed_ns;     /**< when */
  uint64_t count;         /**< how often a stop was asked for */
} sn_stop_state;

SN_API extern const sn_msg_type sn_call_stop_type;
SN_API extern const sn_msg_type sn_stop_state_type;

/* ---- msg trajectory ---- */

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

/** A target of a tool. */
typedef struct sn_tool_target {
  sn_msg_text kind;  /**< "ptp", "lin", "circ" or "spline" */
  sn_seq_f64 joints; /**< positions of the chain's joints, from base to tip, rad or m; ptp goes
                          there, others to where the tool is then; empty: the pose counts */
  sn_msg_pose pose;  /**< of the tool in the first link of the chain */
  sn_vec3 via;       /**< circ: a point of the arc, m */
  double blend;      /**< lin, circ: radius of the corner there, m; 0: it stops */
} sn_tool_target;

SN_SEQ_DEFINE(sn_seq_tool_target, sn_tool_target);

/** A motion of a tool. */
typedef struct sn_tool_goal {
  sn_seq_tool_target targets;
  double speed;      /**< share of the full speed, 0 .. 1; 0 means 1 */
  bool other_branch; /**< where a line cannot be followed, first go to another pose of the joints */
} sn_tool_goal;

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
SN_API extern const sn_msg_type sn_tool_target_type;
SN_API extern const sn_msg_type sn_tool_goal_type;
SN_API extern const sn_msg_type sn_trajectory_id_type;
SN_API extern const sn_msg_type sn_trajectory_answer_type;
SN_API extern const sn_msg_type sn_trajectory_state_type;

SN_END_DECLS

#endif
