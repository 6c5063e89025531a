/* The definitions are those of the original robot: sweetie-bot-project/sweetie_bot_rt_control,
   motion_msgs (FollowStepSequence.action, RigidBodyTrajectory.msg, RigidBodyTrajectoryPoint.msg,
   SetOperational.action) and sweetie-bot-project/sweetie_bot, behavior/sweetie_bot_gait_generator
   (MoveBase.action, EndEffectorGoal.msg). kdl_msgs/Twist of those files has the fields and the MD5
   sum of geometry_msgs/Twist. */
#include "sinew/msg_locomotion.h"

#include "msg/table.h"
#include "sinew/msg_calls.h"

#define STEP_NAMES(part) \
  SN__ACTION_PART_NAMES("sweetie_bot_control_msgs", "FollowStepSequence", part)
#define OPERATIONAL_NAMES(part) \
  SN__ACTION_PART_NAMES("sweetie_bot_resource_control_msgs", "SetOperational", part)
#define MOVE_BASE_NAMES(part) SN__ACTION_PART_NAMES("sweetie_bot_gait_generator", "MoveBase", part)

static const sn_msg_field result_fields[] = {
    SN_MSG_FIELD(sn_action_result, "error_code", error_code, ""),
    SN_MSG_FIELD(sn_action_result, "error_string", error_string, ""),
};

/* ---- step sequences ---- */

static const sn_msg_field point_fields[] = {
    SN_MSG_FIELD_NESTED(sn_rigid_body_point, "pose", pose, &sn_pose_type, "m"),
    SN_MSG_FIELD_NESTED(sn_rigid_body_point, "twist", twist, &sn_twist_type, "m/s and rad/s"),
    SN_MSG_FIELD_NESTED(sn_rigid_body_point, "accel", accel, &sn_twist_type, "m/s² and rad/s²"),
    SN_MSG_FIELD(sn_rigid_body_point, "contact", contact, ""),
};
const sn_msg_type sn_rigid_body_point_type = {
    SN_MSG_TYPE_NAMES("sweetie_bot_control_msgs", "RigidBodyTrajectoryPoint"),
    .brief = "A point of the trajectory of a rigid body.", .size = sizeof(sn_rigid_body_point),
    SN__FIELDS(point_fields)};

static const sn_msg_field trajectory_fields[] = {
    SN_MSG_FIELD(sn_rigid_body_trajectory, "name", name, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_rigid_body_trajectory, "points", points, &sn_rigid_body_point_type,
                            ""),
};
const sn_msg_type sn_rigid_body_trajectory_type = {
    SN_MSG_TYPE_NAMES("sweetie_bot_control_msgs", "RigidBodyTrajectory"),
    .brief = "The trajectory of a rigid body.", .size = sizeof(sn_rigid_body_trajectory),
    SN__FIELDS(trajectory_fields)};

static const sn_msg_field step_goal_fields[] = {
    SN_MSG_FIELD_NESTED(sn_step_goal, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_step_goal, "append", append, ""),
    SN_MSG_FIELD(sn_step_goal, "time_from_start", time_from_start, "s"),
    SN_MSG_FIELD_NESTED(sn_step_goal, "base_motion", base_motion, &sn_rigid_body_trajectory_type,
                        ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_step_goal, "ee_motion", ee_motion, &sn_rigid_body_trajectory_type,
                            ""),
    SN_MSG_FIELD(sn_step_goal, "position_tolerance", position_tolerance, "m"),
    SN_MSG_FIELD(sn_step_goal, "orientation_tolerance", orientation_tolerance, "rad"),
};
const sn_msg_type sn_step_goal_type = {STEP_NAMES("Goal"), .brief = "A step sequence to execute.",
                                       .size = sizeof(sn_step_goal), SN__FIELDS(step_goal_fields)};

static const sn_msg_constant step_constants[] = {
    {"SUCCESSFUL", SN_MSG_INT32, SN_STEP_SUCCESSFUL},
    {"INVALID_TRAJECTORY", SN_MSG_INT32, SN_STEP_INVALID_TRAJECTORY},
    {"INVALID_END_EFFECTOR", SN_MSG_INT32, SN_STEP_INVALID_END_EFFECTOR},
    {"UNABLE_TO_APPEND", SN_MSG_INT32, SN_STEP_UNABLE_TO_APPEND},
    {"TOLERANCE_VIOLATED", SN_MSG_INT32, SN_STEP_TOLERANCE_VIOLATED},
    {"INTERNAL_ERROR", SN_MSG_INT32, SN_STEP_INTERNAL_ERROR},
};
const sn_msg_type sn_step_result_type = {
    STEP_NAMES("Result"), .brief = "Result of a step sequence.", .size = sizeof(sn_action_result),
    SN__FIELDS(result_fields), SN__CONSTANTS(step_constants)};

static const sn_msg_field step_feedback_fields[] = {
    SN_MSG_FIELD_TIME(sn_step_feedback, "time_from_start", time_from_start_ns, SN_MSG_DURATION)};
const sn_msg_type sn_step_feedback_type = {
    STEP_NAMES("Feedback"), .brief = "Progress of a step sequence.",
    .size = sizeof(sn_step_feedback), .is_flat = true, SN__FIELDS(step_feedback_fields)};

/* ---- activation of a controller ---- */

static const sn_msg_field operational_goal_fields[] = {
    SN_MSG_FIELD(sn_set_operational, "operational", operational, ""),
    SN_MSG_FIELD(sn_set_operational, "resources", resources, ""),
};
const sn_msg_type sn_set_operational_goal_type = {
    OPERATIONAL_NAMES("Goal"), .brief = "Whether a controller is active, and with which limbs.",
    .size = sizeof(sn_set_operational), SN__FIELDS(operational_goal_fields)};

static const sn_msg_constant operational_constants[] = {
    {"SUCCESSFUL", SN_MSG_INT32, SN_SET_OPERATIONAL_SUCCESSFUL},
    {"COMPONENT_IS_NOT_READY", SN_MSG_INT32, SN_SET_OPERATIONAL_NOT_READY},
    {"INVALID_RESOURCE_SET", SN_MSG_INT32, SN_SET_OPERATIONAL_INVALID_RESOURCES},
    {"START_CONDITIONS_VIOLATED", SN_MSG_INT32, SN_SET_OPERATIONAL_CONDITIONS_VIOLATED},
    {"EXECUTION_ERROR", SN_MSG_INT32, SN_SET_OPERATIONAL_EXECUTION_ERROR},
};
const sn_msg_type sn_set_operational_result_type = {
    OPERATIONAL_NAMES("Result"), .brief = "Why a controller is no longer active.",
    .size = sizeof(sn_action_result), SN__FIELDS(result_fields),
    SN__CONSTANTS(operational_constants)};

static const sn_msg_field operational_feedback_fields[] = {
    SN_MSG_FIELD(sn_set_operational_feedback, "resources", resources, "")};
const sn_msg_type sn_set_operational_feedback_type = {
    OPERATIONAL_NAMES("Feedback"), .brief = "The limbs that an active controller owns.",
    .size = sizeof(sn_set_operational_feedback), SN__FIELDS(operational_feedback_fields)};

/* ---- requests to move the base ---- */

static const sn_msg_constant ee_constants[] = {
    {"NOMINAL_POSE", SN_MSG_INT32, SN_EE_NOMINAL_POSE},
    {"BASE_INITIAL", SN_MSG_INT32, SN_EE_BASE_INITIAL},
    {"BASE_FINAL", SN_MSG_INT32, SN_EE_BASE_FINAL},
    {"PATH_INITIAL", SN_MSG_INT32, SN_EE_PATH_INITIAL},
    {"PATH_FINAL", SN_MSG_INT32, SN_EE_PATH_FINAL},
    {"WORLD", SN_MSG_INT32, SN_EE_WORLD},
    {"POSITION_FIXED", SN_MSG_UINT32, 0},
    {"POSITION_FREE_XY", SN_MSG_UINT32, 3},
    {"POSITION_FREE_Z", SN_MSG_UINT32, 4},
    {"POSITION_FREE", SN_MSG_UINT32, 7},
};
static const sn_msg_field ee_fields[] = {
    SN_MSG_FIELD(sn_ee_goal, "name", name, ""),
    SN_MSG_FIELD(sn_ee_goal, "frame_type", frame_type, ""),
    SN_MSG_FIELD_NESTED(sn_ee_goal, "position", position, &sn_point_type, "m"),
    SN_MSG_FIELD(sn_ee_goal, "position_bounds", position_bounds, ""),
    SN_MSG_FIELD(sn_ee_goal, "contact", contact, ""),
};
const sn_msg_type sn_ee_goal_type = {
    SN_MSG_TYPE_NAMES("sweetie_bot_gait_generator", "EndEffectorGoal"),
    .brief = "Where the end of a limb has to be.", .size = sizeof(sn_ee_goal),
    SN__FIELDS(ee_fields), SN__CONSTANTS(ee_constants)};

static const sn_msg_constant move_base_constants[] = {
    {"POSE_FIXED", SN_MSG_UINT32, 0},
    {"POSE_FREE_XY", SN_MSG_UINT32, 3},
    {"POSE_FREE_Z", SN_MSG_UINT32, 4},
    {"POSE_FIXED_POSITION", SN_MSG_UINT32, 56},
    {"POSE_FIXED_ORIENTATION", SN_MSG_UINT32, 7},
    {"POSE_FREE", SN_MSG_UINT32, 63},
};
static const sn_msg_field move_base_fields[] = {
    SN_MSG_FIELD_NESTED(sn_move_base_goal, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_move_base_goal, "gait_type", gait_type, ""),
    SN_MSG_FIELD(sn_move_base_goal, "duration", duration, "s"),
    SN_MSG_FIELD(sn_move_base_goal, "n_steps", n_steps, ""),
    SN_MSG_FIELD_NESTED(sn_move_base_goal, "base_goal", base_goal, &sn_pose_type, "m"),
    SN_MSG_FIELD(sn_move_base_goal, "base_goal_bounds", base_goal_bounds, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_move_base_goal, "ee_goal", ee_goal, &sn_ee_goal_type, ""),
    SN_MSG_FIELD(sn_move_base_goal, "position_tolerance", position_tolerance, "m"),
    SN_MSG_FIELD(sn_move_base_goal, "orientation_tolerance", orientation_tolerance, "rad"),
    SN_MSG_FIELD(sn_move_base_goal, "visualize_only", visualize_only, ""),
    SN_MSG_FIELD(sn_move_base_goal, "execute_only", execute_only, ""),
};
const sn_msg_type sn_move_base_goal_type = {
    MOVE_BASE_NAMES("Goal"), .brief = "Where the base has to go.",
    .size = sizeof(sn_move_base_goal), SN__FIELDS(move_base_fields),
    SN__CONSTANTS(move_base_constants)};

static const sn_msg_constant move_base_result_constants[] = {
    {"SUCCESS", SN_MSG_INT32, SN_MOVE_BASE_SUCCESS},
    {"SOLUTION_NOT_FOUND", SN_MSG_INT32, SN_MOVE_BASE_SOLUTION_NOT_FOUND},
    {"INVALID_GOAL", SN_MSG_INT32, SN_MOVE_BASE_INVALID_GOAL},
    {"INTERNAL_ERROR", SN_MSG_INT32, SN_MOVE_BASE_INTERNAL_ERROR},
    {"TOLERANCE_VIOLATED", SN_MSG_INT32, SN_MOVE_BASE_TOLERANCE_VIOLATED},
    {"INVALID_INITIAL_POSE", SN_MSG_INT32, SN_MOVE_BASE_INVALID_INITIAL_POSE},
    {"EXECUTION_FAILED", SN_MSG_INT32, SN_MOVE_BASE_EXECUTION_FAILED},
};
const sn_msg_type sn_move_base_result_type = {
    MOVE_BASE_NAMES("Result"), .brief = "Result of a request to move the base.",
    .size = sizeof(sn_action_result), SN__FIELDS(result_fields),
    SN__CONSTANTS(move_base_result_constants)};

static const sn_msg_field move_base_feedback_fields[] = {
    SN_MSG_FIELD(sn_move_base_feedback, "time_from_start", time_from_start, "s")};
const sn_msg_type sn_move_base_feedback_type = {
    MOVE_BASE_NAMES("Feedback"), .brief = "Progress of a request to move the base.",
    .size = sizeof(sn_move_base_feedback), .is_flat = true, SN__FIELDS(move_base_feedback_fields)};

static const sn_msg_field move_base_plan_fields[] = {
    SN_MSG_FIELD(sn_move_base_plan, "error_code", error_code, ""),
    SN_MSG_FIELD(sn_move_base_plan, "error_string", error_string, ""),
    SN_MSG_FIELD(sn_move_base_plan, "n_steps", n_steps, ""),
    SN_MSG_FIELD(sn_move_base_plan, "duration", duration, "s"),
    SN_MSG_FIELD(sn_move_base_plan, "stretch", stretch, ""),
    SN_MSG_FIELD(sn_move_base_plan, "zmp_margin", zmp_margin, "m"),
    SN_MSG_FIELD(sn_move_base_plan, "peak_joint_speed", peak_joint_speed, "rad/s"),
    SN_MSG_FIELD(sn_move_base_plan, "peak_load", peak_load, ""),
    SN_MSG_FIELD_NESTED(sn_move_base_plan, "base_goal", base_goal, &sn_pose_type, "m"),
};
const sn_msg_type sn_move_base_plan_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "MoveBasePlan"), .brief = "A plan of steps, in short.",
    .size = sizeof(sn_move_base_plan), SN__FIELDS(move_base_plan_fields)};
