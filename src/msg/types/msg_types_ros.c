/* Types of ROS with the names, order and constants of their definitions: the MD5 sum that ROS 1
   compares depends on each of them. */
#include "msg/table.h"
#include "sinew/msg_types.h"

static const sn_msg_field header_fields[] = {
    /* Set by publishers of ROS 1; not visible to components. */
    {.name = "seq", .kind = SN_MSG_UINT32, .flags = SN_MSG_ROS1_ONLY, .unit = ""},
    SN_MSG_FIELD_TIME(sn_header, "stamp", stamp_ns, SN_MSG_TIME),
    SN_MSG_FIELD(sn_header, "frame_id", frame_id, ""),
};
const sn_msg_type sn_header_type = {SN_MSG_TYPE_NAMES("std_msgs", "Header"),
                                    .brief = "Time and frame.", .size = sizeof(sn_header),
                                    SN__FIELDS(header_fields)};

static const sn_msg_field vec3_fields[] = {
    SN_MSG_FIELD(sn_vec3, "x", x, ""),
    SN_MSG_FIELD(sn_vec3, "y", y, ""),
    SN_MSG_FIELD(sn_vec3, "z", z, ""),
};
const sn_msg_type sn_point_type = {SN_MSG_TYPE_NAMES("geometry_msgs", "Point"),
                                   .brief = "A point, m.", .size = sizeof(sn_vec3), .is_flat = true,
                                   SN__FIELDS(vec3_fields)};
const sn_msg_type sn_vector3_type = {SN_MSG_TYPE_NAMES("geometry_msgs", "Vector3"),
                                     .brief = "A vector in space.", .size = sizeof(sn_vec3),
                                     .is_flat = true, SN__FIELDS(vec3_fields)};

static const sn_msg_field quaternion_fields[] = {
    SN_MSG_FIELD(sn_quat, "x", x, ""),
    SN_MSG_FIELD(sn_quat, "y", y, ""),
    SN_MSG_FIELD(sn_quat, "z", z, ""),
    SN_MSG_FIELD(sn_quat, "w", w, ""),
};
const sn_msg_type sn_quaternion_type = {SN_MSG_TYPE_NAMES("geometry_msgs", "Quaternion"),
                                        .brief = "A rotation.", .size = sizeof(sn_quat),
                                        .is_flat = true, SN__FIELDS(quaternion_fields)};

static const sn_msg_field pose_fields[] = {
    SN_MSG_FIELD_NESTED(sn_msg_pose, "position", position, &sn_point_type, "m"),
    SN_MSG_FIELD_NESTED(sn_msg_pose, "orientation", orientation, &sn_quaternion_type, ""),
};
const sn_msg_type sn_pose_type = {SN_MSG_TYPE_NAMES("geometry_msgs", "Pose"),
                                  .brief = "Position and orientation.", .size = sizeof(sn_msg_pose),
                                  .is_flat = true, SN__FIELDS(pose_fields)};

/* Spatial vectors have the angular part first, ROS sends it last. */
static const sn_msg_field twist_fields[] = {
    SN_MSG_FIELD_NESTED(sn_spatial, "linear", lin, &sn_vector3_type, "m/s"),
    SN_MSG_FIELD_NESTED(sn_spatial, "angular", ang, &sn_vector3_type, "rad/s"),
};
const sn_msg_type sn_twist_type = {SN_MSG_TYPE_NAMES("geometry_msgs", "Twist"),
                                   .brief = "A velocity.", .size = sizeof(sn_spatial),
                                   .is_flat = true, SN__FIELDS(twist_fields)};

static const sn_msg_field wrench_fields[] = {
    SN_MSG_FIELD_NESTED(sn_spatial, "force", lin, &sn_vector3_type, "N"),
    SN_MSG_FIELD_NESTED(sn_spatial, "torque", ang, &sn_vector3_type, "N·m"),
};
const sn_msg_type sn_wrench_type = {SN_MSG_TYPE_NAMES("geometry_msgs", "Wrench"),
                                    .brief = "A force and a torque.", .size = sizeof(sn_spatial),
                                    .is_flat = true, SN__FIELDS(wrench_fields)};

static const sn_msg_field joint_state_fields[] = {
    SN_MSG_FIELD_NESTED(sn_joint_state, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_joint_state, "name", name, ""),
    SN_MSG_FIELD(sn_joint_state, "position", position, "rad or m"),
    SN_MSG_FIELD(sn_joint_state, "velocity", velocity, "rad/s or m/s"),
    SN_MSG_FIELD(sn_joint_state, "effort", effort, "N·m or N"),
};
const sn_msg_type sn_joint_state_type = {SN_MSG_TYPE_NAMES("sensor_msgs", "JointState"),
                                         .brief = "Positions, velocities and efforts of joints.",
                                         .size = sizeof(sn_joint_state),
                                         SN__FIELDS(joint_state_fields)};

/* A float field in which NaN means "not measured". */
#define MEASURED(member_name, field_unit)                                                          \
  {                                                                                                \
    .name = #member_name, .kind = SN_MSG_KIND_OF(((sn_battery_state *)0)->member_name),            \
    .shape = SN_MSG_SHAPE_OF(((sn_battery_state *)0)->member_name), .flags = SN_MSG_MAY_BE_NAN,    \
    .offset = offsetof(sn_battery_state, member_name), .size = sizeof(float), .unit = (field_unit) \
  }
static const sn_msg_field battery_state_fields[] = {
    SN_MSG_FIELD_NESTED(sn_battery_state, "header", header, &sn_header_type, ""),
    MEASURED(voltage, "V"),
    MEASURED(temperature, "°C"),
    MEASURED(current, "A"),
    MEASURED(charge, "A·h"),
    MEASURED(capacity, "A·h"),
    MEASURED(design_capacity, "A·h"),
    MEASURED(percentage, "0 … 1"),
    SN_MSG_FIELD(sn_battery_state, "power_supply_status", power_supply_status, ""),
    SN_MSG_FIELD(sn_battery_state, "power_supply_health", power_supply_health, ""),
    SN_MSG_FIELD(sn_battery_state, "power_supply_technology", power_supply_technology, ""),
    SN_MSG_FIELD(sn_battery_state, "present", present, ""),
    MEASURED(cell_voltage, "V"),
    MEASURED(cell_temperature, "°C"),
    SN_MSG_FIELD(sn_battery_state, "location", location, ""),
    SN_MSG_FIELD(sn_battery_state, "serial_number", serial_number, ""),
};
static const sn_msg_constant battery_state_constants[] = {
    {"POWER_SUPPLY_STATUS_UNKNOWN", SN_MSG_UINT8, SN_BATTERY_UNKNOWN},
    {"POWER_SUPPLY_STATUS_CHARGING", SN_MSG_UINT8, SN_BATTERY_CHARGING},
    {"POWER_SUPPLY_STATUS_DISCHARGING", SN_MSG_UINT8, SN_BATTERY_DISCHARGING},
    {"POWER_SUPPLY_STATUS_NOT_CHARGING", SN_MSG_UINT8, SN_BATTERY_NOT_CHARGING},
    {"POWER_SUPPLY_STATUS_FULL", SN_MSG_UINT8, SN_BATTERY_FULL},
    {"POWER_SUPPLY_HEALTH_UNKNOWN", SN_MSG_UINT8, 0},
    {"POWER_SUPPLY_HEALTH_GOOD", SN_MSG_UINT8, 1},
    {"POWER_SUPPLY_HEALTH_OVERHEAT", SN_MSG_UINT8, 2},
    {"POWER_SUPPLY_HEALTH_DEAD", SN_MSG_UINT8, 3},
    {"POWER_SUPPLY_HEALTH_OVERVOLTAGE", SN_MSG_UINT8, 4},
    {"POWER_SUPPLY_HEALTH_UNSPEC_FAILURE", SN_MSG_UINT8, 5},
    {"POWER_SUPPLY_HEALTH_COLD", SN_MSG_UINT8, 6},
    {"POWER_SUPPLY_HEALTH_WATCHDOG_TIMER_EXPIRE", SN_MSG_UINT8, 7},
    {"POWER_SUPPLY_HEALTH_SAFETY_TIMER_EXPIRE", SN_MSG_UINT8, 8},
    {"POWER_SUPPLY_TECHNOLOGY_UNKNOWN", SN_MSG_UINT8, 0},
    {"POWER_SUPPLY_TECHNOLOGY_NIMH", SN_MSG_UINT8, 1},
    {"POWER_SUPPLY_TECHNOLOGY_LION", SN_MSG_UINT8, 2},
    {"POWER_SUPPLY_TECHNOLOGY_LIPO", SN_MSG_UINT8, 3},
    {"POWER_SUPPLY_TECHNOLOGY_LIFE", SN_MSG_UINT8, 4},
    {"POWER_SUPPLY_TECHNOLOGY_NICD", SN_MSG_UINT8, 5},
    {"POWER_SUPPLY_TECHNOLOGY_LIMN", SN_MSG_UINT8, 6},
};
const sn_msg_type sn_battery_state_type = {
    SN_MSG_TYPE_NAMES("sensor_msgs", "BatteryState"),
    .brief = "State of the battery.",
    .size = sizeof(sn_battery_state),
    SN__FIELDS(battery_state_fields),
    .constants = battery_state_constants,
    .constant_count = sizeof battery_state_constants / sizeof battery_state_constants[0]};

static const sn_msg_field imu_fields[] = {
    SN_MSG_FIELD_NESTED(sn_imu, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD_NESTED(sn_imu, "orientation", orientation, &sn_quaternion_type, ""),
    SN_MSG_FIELD_ARRAY(sn_imu, "orientation_covariance", orientation_covariance, "rad²"),
    SN_MSG_FIELD_NESTED(sn_imu, "angular_velocity", angular_velocity, &sn_vector3_type, "rad/s"),
    SN_MSG_FIELD_ARRAY(sn_imu, "angular_velocity_covariance", angular_velocity_covariance,
                       "rad²/s²"),
    SN_MSG_FIELD_NESTED(sn_imu, "linear_acceleration", linear_acceleration, &sn_vector3_type,
                        "m/s²"),
    SN_MSG_FIELD_ARRAY(sn_imu, "linear_acceleration_covariance", linear_acceleration_covariance,
                       "m²/s⁴"),
};
const sn_msg_type sn_imu_type = {SN_MSG_TYPE_NAMES("sensor_msgs", "Imu"),
                                 .brief = "Measurements of an inertial sensor.",
                                 .size = sizeof(sn_imu), SN__FIELDS(imu_fields)};

static const sn_msg_field pose_covariance_fields[] = {
    SN_MSG_FIELD_NESTED(sn_pose_covariance, "pose", pose, &sn_pose_type, "m"),
    SN_MSG_FIELD_ARRAY(sn_pose_covariance, "covariance", covariance, "m² and rad²"),
};
const sn_msg_type sn_pose_covariance_type = {
    SN_MSG_TYPE_NAMES("geometry_msgs", "PoseWithCovariance"),
    .brief = "A pose and how certain it is.", .size = sizeof(sn_pose_covariance), .is_flat = true,
    SN__FIELDS(pose_covariance_fields)};

static const sn_msg_field twist_covariance_fields[] = {
    SN_MSG_FIELD_NESTED(sn_twist_covariance, "twist", twist, &sn_twist_type, "m/s and rad/s"),
    SN_MSG_FIELD_ARRAY(sn_twist_covariance, "covariance", covariance, "m²/s² and rad²/s²"),
};
const sn_msg_type sn_twist_covariance_type = {
    SN_MSG_TYPE_NAMES("geometry_msgs", "TwistWithCovariance"),
    .brief = "A velocity and how certain it is.", .size = sizeof(sn_twist_covariance),
    .is_flat = true, SN__FIELDS(twist_covariance_fields)};

static const sn_msg_field odometry_fields[] = {
    SN_MSG_FIELD_NESTED(sn_odometry, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_odometry, "child_frame_id", child_frame_id, ""),
    SN_MSG_FIELD_NESTED(sn_odometry, "pose", pose, &sn_pose_covariance_type, ""),
    SN_MSG_FIELD_NESTED(sn_odometry, "twist", twist, &sn_twist_covariance_type, ""),
};
const sn_msg_type sn_odometry_type = {SN_MSG_TYPE_NAMES("nav_msgs", "Odometry"),
                                      .brief = "Pose and twist of the base.",
                                      .size = sizeof(sn_odometry), SN__FIELDS(odometry_fields)};

static const sn_msg_field pose_stamped_fields[] = {
    SN_MSG_FIELD_NESTED(sn_pose_stamped, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD_NESTED(sn_pose_stamped, "pose", pose, &sn_pose_type, "m"),
};
const sn_msg_type sn_pose_stamped_type = {
    SN_MSG_TYPE_NAMES("geometry_msgs", "PoseStamped"), .brief = "A pose with its time and frame.",
    .size = sizeof(sn_pose_stamped), SN__FIELDS(pose_stamped_fields)};

static const sn_msg_field point_stamped_fields[] = {
    SN_MSG_FIELD_NESTED(sn_point_stamped, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD_NESTED(sn_point_stamped, "point", point, &sn_point_type, "m"),
};
const sn_msg_type sn_point_stamped_type = {
    SN_MSG_TYPE_NAMES("geometry_msgs", "PointStamped"), .brief = "A point with its time and frame.",
    .size = sizeof(sn_point_stamped), SN__FIELDS(point_stamped_fields)};
