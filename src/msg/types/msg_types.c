#include "sinew/msg_types.h"

#include <string.h>

#include "msg/arm/msg_gripper.h"
#include "msg/arm/msg_jog.h"
#include "msg/table.h"
#include "msg/types/msg_collision.h"
#include "msg/walk.h"
#include "sinew/fault.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_estimation.h"
#include "sinew/msg_locomotion.h"

static const sn_msg_field joint_state_accel_fields[] = {
    SN_MSG_FIELD_NESTED(sn_joint_state_accel, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_joint_state_accel, "name", name, ""),
    SN_MSG_FIELD(sn_joint_state_accel, "position", position, "rad or m"),
    SN_MSG_FIELD(sn_joint_state_accel, "velocity", velocity, "rad/s or m/s"),
    SN_MSG_FIELD(sn_joint_state_accel, "acceleration", acceleration, "rad/s² or m/s²"),
    SN_MSG_FIELD(sn_joint_state_accel, "effort", effort, "N·m or N"),
};
const sn_msg_type sn_joint_state_accel_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "JointStateAccel"),
                                               .brief = "A joint state with accelerations.",
                                               .size = sizeof(sn_joint_state_accel),
                                               SN__FIELDS(joint_state_accel_fields)};

static const sn_msg_field support_state_fields[] = {
    SN_MSG_FIELD_NESTED(sn_support_state, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_support_state, "name", name, ""),
    SN_MSG_FIELD(sn_support_state, "contact", contact, ""),
    SN_MSG_FIELD(sn_support_state, "support", support, "0 … 1"),
};
const sn_msg_type sn_support_state_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "SupportState"), .brief = "Which chains carry the robot.",
    .size = sizeof(sn_support_state), SN__FIELDS(support_state_fields)};

static const sn_msg_field limb_state_fields[] = {
    SN_MSG_FIELD_NESTED(sn_limb_state, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_limb_state, "name", name, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_limb_state, "pose", pose, &sn_pose_type, "m"),
    SN_MSG_FIELD_NESTED_SEQ(sn_limb_state, "twist", twist, &sn_twist_type, "m/s and rad/s"),
};
const sn_msg_type sn_limb_state_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "LimbState"),
                                        .brief = "Poses and twists of the last links of chains.",
                                        .size = sizeof(sn_limb_state),
                                        SN__FIELDS(limb_state_fields)};

static const sn_msg_field rigid_body_state_fields[] = {
    SN_MSG_FIELD_NESTED(sn_rigid_body_state, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_rigid_body_state, "name", name, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_rigid_body_state, "pose", pose, &sn_pose_type, "m"),
    SN_MSG_FIELD_NESTED_SEQ(sn_rigid_body_state, "twist", twist, &sn_twist_type, "m/s and rad/s"),
    SN_MSG_FIELD_NESTED_SEQ(sn_rigid_body_state, "wrench", wrench, &sn_wrench_type, "N and N·m"),
};
const sn_msg_type sn_rigid_body_state_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "RigidBodyState"),
    .brief = "Poses, twists and wrenches of rigid bodies.", .size = sizeof(sn_rigid_body_state),
    SN__FIELDS(rigid_body_state_fields)};

static const sn_msg_field timer_event_fields[] = {
    SN_MSG_FIELD_TIME(sn_timer_event, "stamp", stamp_ns, SN_MSG_TIME),
    SN_MSG_FIELD_TIME(sn_timer_event, "period", period_ns, SN_MSG_DURATION),
    SN_MSG_FIELD(sn_timer_event, "cycle", cycle, ""),
};
const sn_msg_type sn_timer_event_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "TimerEvent"),
                                         .brief = "The tick.", .size = sizeof(sn_timer_event),
                                         .is_flat = true, SN__FIELDS(timer_event_fields)};

static const sn_msg_field servo_model_fields[] = {
    SN_MSG_FIELD(sn_servo_model, "name", name, ""),
    SN_MSG_FIELD(sn_servo_model, "kp", kp, "1/rad"),
    SN_MSG_FIELD(sn_servo_model, "kgear", kgear, ""),
    SN_MSG_FIELD_ARRAY(sn_servo_model, "alpha", alpha, "V·s/rad, V, V, V/(N·m)"),
    SN_MSG_FIELD(sn_servo_model, "qs", qs, "rad/s"),
    SN_MSG_FIELD(sn_servo_model, "delta", delta, ""),
    SN_MSG_FIELD(sn_servo_model, "inertia", inertia, "V·s²/rad"),
    SN_MSG_FIELD_ARRAY(sn_servo_model, "load_friction", load_friction, "V/(N·m), V/(N·m)²"),
    SN_MSG_FIELD(sn_servo_model, "has_load_friction", has_load_friction, ""),
};
const sn_msg_type sn_servo_model_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "ServoModel"), .brief = "The parameters of one servo.",
    .size = sizeof(sn_servo_model), SN__FIELDS(servo_model_fields)};

static const sn_msg_field servo_model_array_fields[] = {
    SN_MSG_FIELD_NESTED(sn_servo_model_array, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_servo_model_array, "models", models, &sn_servo_model_type, ""),
};
const sn_msg_type sn_servo_model_array_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "ServoModelArray"), .brief = "The parameters of some servos.",
    .size = sizeof(sn_servo_model_array), SN__FIELDS(servo_model_array_fields)};

static const sn_msg_field servo_goal_fields[] = {
    SN_MSG_FIELD_NESTED(sn_servo_goal, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_servo_goal, "name", name, ""),
    SN_MSG_FIELD(sn_servo_goal, "goal", goal, "rad"),
    SN_MSG_FIELD(sn_servo_goal, "limp", limp, ""),
};
const sn_msg_type sn_servo_goal_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "ServoGoal"), .brief = "Goals of the servos.",
    .size = sizeof(sn_servo_goal), SN__FIELDS(servo_goal_fields)};

static const sn_msg_field servo_health_fields[] = {
    SN_MSG_FIELD_NESTED(sn_servo_health, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_servo_health, "name", name, ""),
    SN_MSG_FIELD(sn_servo_health, "state", state, ""),
    SN_MSG_FIELD(sn_servo_health, "voltage", voltage, "V"),
    SN_MSG_FIELD(sn_servo_health, "temperature", temperature, "°C"),
    SN_MSG_FIELD(sn_servo_health, "load", load, "-1 … 1"),
    SN_MSG_FIELD(sn_servo_health, "faults", faults, ""),
    SN_MSG_FIELD(sn_servo_health, "age", age, "s"),
    SN_MSG_FIELD(sn_servo_health, "missed", missed, ""),
    SN_MSG_FIELD(sn_servo_health, "retried", retried, ""),
    SN_MSG_FIELD(sn_servo_health, "damaged", damaged, ""),
    SN_MSG_FIELD(sn_servo_health, "doubted", doubted, ""),
    SN_MSG_FIELD(sn_servo_health, "connected", connected, ""),
    SN_MSG_FIELD(sn_servo_health, "in_turn", in_turn, ""),
    SN_MSG_FIELD(sn_servo_health, "bus", bus, ""),
    SN_MSG_FIELD(sn_servo_health, "bus_rate", bus_rate, "Hz"),
    SN_MSG_FIELD(sn_servo_health, "bus_load", bus_load, "0 … 1"),
    SN_MSG_FIELD(sn_servo_health, "bus_bytes", bus_bytes, "1/s"),
    SN_MSG_FIELD(sn_servo_health, "jitter", jitter, "s"),
    SN_MSG_FIELD(sn_servo_health, "jitter_max", jitter_max, "s"),
    SN_MSG_FIELD(sn_servo_health, "bus_retried", bus_retried, ""),
    SN_MSG_FIELD(sn_servo_health, "bus_missed", bus_missed, ""),
    SN_MSG_FIELD(sn_servo_health, "bus_damaged", bus_damaged, ""),
};
const sn_msg_type sn_servo_health_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "ServoHealth"),
                                          .brief = "Health of the servos and their buses.",
                                          .size = sizeof(sn_servo_health),
                                          SN__FIELDS(servo_health_fields)};

static const sn_msg_field resource_request_fields[] = {
    SN_MSG_FIELD_NESTED(sn_resource_request, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_resource_request, "request_id", request_id, ""),
    SN_MSG_FIELD(sn_resource_request, "name", name, ""),
    SN_MSG_FIELD(sn_resource_request, "resources", resources, ""),
    SN_MSG_FIELD(sn_resource_request, "priority", priority, ""),
    SN_MSG_FIELD(sn_resource_request, "wait", wait, ""),
};
const sn_msg_type sn_resource_request_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "ResourceRequest"),
                                              .brief = "A controller's request for resources.",
                                              .size = sizeof(sn_resource_request),
                                              SN__FIELDS(resource_request_fields)};

static const sn_msg_field resource_assignment_fields[] = {
    SN_MSG_FIELD_NESTED(sn_resource_assignment, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_resource_assignment, "request_id", request_id, ""),
    SN_MSG_FIELD(sn_resource_assignment, "name", name, ""),
    SN_MSG_FIELD(sn_resource_assignment, "resources", resources, ""),
    SN_MSG_FIELD(sn_resource_assignment, "owners", owners, ""),
    SN_MSG_FIELD(sn_resource_assignment, "reason", reason, ""),
};
const sn_msg_type sn_resource_assignment_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "ResourceAssignment"), .brief = "The complete table of owners.",
    .size = sizeof(sn_resource_assignment), SN__FIELDS(resource_assignment_fields)};

static const sn_msg_field controller_state_fields[] = {
    SN_MSG_FIELD_NESTED(sn_controller_state, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_controller_state, "name", name, ""),
    SN_MSG_FIELD(sn_controller_state, "request_id", request_id, ""),
    SN_MSG_FIELD(sn_controller_state, "operational", operational, ""),
    SN_MSG_FIELD(sn_controller_state, "resources", resources, ""),
    SN_MSG_FIELD(sn_controller_state, "requested", requested, ""),
};
const sn_msg_type sn_controller_state_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "ControllerState"), .brief = "State of a controller.",
    .size = sizeof(sn_controller_state), SN__FIELDS(controller_state_fields)};

static const sn_msg_field balance_state_fields[] = {
    SN_MSG_FIELD_NESTED(sn_balance_state, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_balance_state, "mass", mass, "kg"),
    SN_MSG_FIELD_NESTED(sn_balance_state, "com", com, &sn_point_type, "m"),
    SN_MSG_FIELD_NESTED(sn_balance_state, "com_velocity", com_velocity, &sn_vector3_type, "m/s"),
    SN_MSG_FIELD_NESTED(sn_balance_state, "zmp", zmp, &sn_point_type, "m"),
    SN_MSG_FIELD_NESTED_SEQ(sn_balance_state, "polygon", polygon, &sn_point_type, "m"),
    SN_MSG_FIELD(sn_balance_state, "margin", margin, "m"),
    SN_MSG_FIELD(sn_balance_state, "contact", contact, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_balance_state, "wrench", wrench, &sn_wrench_type, "N and N·m"),
};
const sn_msg_type sn_balance_state_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "BalanceState"), .brief = "Balance of the robot.",
    .size = sizeof(sn_balance_state), SN__FIELDS(balance_state_fields)};

static const sn_msg_type *const types[] = {
    &sn_joint_state_type,
    &sn_joint_state_accel_type,
    &sn_support_state_type,
    &sn_limb_state_type,
    &sn_rigid_body_state_type,
    &sn_timer_event_type,
    &sn_servo_model_type,
    &sn_servo_model_array_type,
    &sn_servo_goal_type,
    &sn_servo_health_type,
    &sn_battery_state_type,
    &sn_imu_type,
    &sn_odometry_type,
    &sn_pose_stamped_type,
    &sn_point_stamped_type,
    &sn_twist_stamped_type,
    &sn_joint_jog_type,
    &sn__jog_state_type,
    &sn__gripper_state_type,
    &sn_resource_request_type,
    &sn_resource_assignment_type,
    &sn_controller_state_type,
    &sn_balance_state_type,
    &sn_estimator_status_type,
    &sn_fall_state_type,
    &sn_trajectory_state_type,
    &sn_stop_state_type,
    &sn_collision_state_type,
    &sn_world_change_type,
    &sn_world_object_type,
    &sn_world_object_list_type,
    &sn_joint_trajectory_type,
    &sn_joint_trajectory_point_type,
    &sn_joint_tolerance_type,
    &sn_step_goal_type,
    &sn_rigid_body_trajectory_type,
    &sn_rigid_body_point_type,
    &sn_move_base_goal_type,
    &sn_ee_goal_type,
    &sn_header_type,
    &sn_point_type,
    &sn_vector3_type,
    &sn_quaternion_type,
    &sn_pose_type,
    &sn_twist_type,
    &sn_wrench_type,
    &sn_pose_covariance_type,
    &sn_twist_covariance_type,
};

int64_t sn_msg_stamp_ns(const sn_msg_type *type, const void *msg) {
  const sn_msg_field *first = sn__first_field(type);
  if (first == NULL || first->shape != SN_MSG_SINGLE) {
    return 0;
  }
  const char *at = (const char *)msg + first->offset;
  int64_t stamp_ns = 0;
  if (first->kind == SN_MSG_TIME) {
    memcpy(&stamp_ns, at, sizeof stamp_ns);
  } else if (first->nested == &sn_header_type) {
    memcpy(&stamp_ns, at + offsetof(sn_header, stamp_ns), sizeof stamp_ns);
  }
  return stamp_ns;
}

size_t sn_msg_type_count(void) {
  return sizeof types / sizeof types[0];
}

const sn_msg_type *sn_msg_type_at(size_t index) {
  SN_ASSERT(index < sizeof types / sizeof types[0]);
  return types[index];
}

const sn_msg_type *sn_msg_type_find(const char *name) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    const sn_msg_type *type = types[i];
    if (strcmp(name, type->name) == 0 || strcmp(name, type->ros1_name) == 0 ||
        strcmp(name, type->ros2_name) == 0 || strcmp(name, type->dds_name) == 0) {
      return type;
    }
  }
  return NULL;
}
