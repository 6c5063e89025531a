/** @file
 *  The messages that components exchange. Units are SI; a sequence that does not apply is empty.
 *  Fields have the names of the wire; docs/messages.md shows them as tables.
 *
 *  Where ROS has a type of the same name the wire form is that of ROS, else the package is
 *  `sinew_msgs`. */
#ifndef SINEW_MSG_TYPES_H
#define SINEW_MSG_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/pose.h"
#include "sinew/quat.h"
#include "sinew/spatial.h"
#include "sinew/vec3.h"

SN_BEGIN_DECLS

/** std_msgs/Header. */
typedef struct sn_header {
  int64_t stamp_ns;     /**< when what the message says was so */
  sn_msg_text frame_id; /**< the frame that it is expressed in */
} sn_header;

/** geometry_msgs/Pose: a pose as it goes over wires. */
typedef struct sn_msg_pose {
  sn_vec3 position;    /**< m */
  sn_quat orientation; /**< a unit quaternion */
} sn_msg_pose;

SN_SEQ_DEFINE(sn_seq_vec3, sn_vec3);
SN_SEQ_DEFINE(sn_seq_pose, sn_msg_pose);
SN_SEQ_DEFINE(sn_seq_spatial, sn_spatial);

/** The pose of the wire. RT: yes.  Threads: any. */
static inline sn_msg_pose sn_msg_pose_from(sn_pose pose) {
  const sn_msg_pose p = {pose.pos, sn_quat_from_mat3(pose.rot)};
  return p;
}

/** Of an orientation that need not have unit length; one of length zero gives a zero matrix.
 *  RT: yes.  Threads: any. */
static inline sn_pose sn_pose_from_msg(sn_msg_pose pose) {
  const sn_pose p = {sn_mat3_from_quat(sn_quat_normalize(pose.orientation)), pose.position};
  return p;
}

/** sensor_msgs/JointState. Each sequence is empty or as long as the list of names. */
typedef struct sn_joint_state {
  sn_header header;
  sn_msg_names name;   /**< joints */
  sn_seq_f64 position; /**< rad or m */
  sn_seq_f64 velocity; /**< rad/s or m/s */
  sn_seq_f64 effort;   /**< N·m or N */
} sn_joint_state;

/** A joint state with accelerations. */
typedef struct sn_joint_state_accel {
  sn_header header;
  sn_msg_names name;
  sn_seq_f64 position;
  sn_seq_f64 velocity;
  sn_seq_f64 acceleration; /**< rad/s² or m/s² */
  sn_seq_f64 effort;
} sn_joint_state_accel;

/** Which chains carry the robot. */
typedef struct sn_support_state {
  sn_header header;
  sn_msg_names name;    /**< chains */
  sn_msg_names contact; /**< the contact of each chain; an empty text if none */
  sn_seq_f64 support;   /**< 0 (in the air) .. 1 (carries its full share) */
} sn_support_state;

/** Where the last links of chains are and how they move, in header.frame_id. */
typedef struct sn_limb_state {
  sn_header header;
  sn_msg_names name; /**< chains */
  sn_seq_pose pose;
  sn_seq_spatial twist; /**< of the last link's origin: rad/s and m/s */
} sn_limb_state;

/** Rigid bodies: where they are in header.frame_id and how they move. The state of the base has the
 *  name of the root link and the frame `odom`. */
typedef struct sn_rigid_body_state {
  sn_header header;
  sn_msg_names name; /**< links, chains or joints: what the port says */
  sn_seq_pose pose;
  sn_seq_spatial twist;  /**< of the origin, in the axes of the frame: rad/s and m/s */
  sn_seq_spatial wrench; /**< that acts on it, in the axes of the frame: N·m and N; may be empty */
} sn_rigid_body_state;

/** The tick. */
typedef struct sn_timer_event {
  int64_t stamp_ns;  /**< when the tick was due */
  int64_t period_ns; /**< between two ticks */
  uint64_t cycle;    /**< ticks since the start, this one not counted */
} sn_timer_event;

/** kp V (g / kgear - q) = alpha0 qd + alpha1 sgn(qd) + alpha2 sgn(qd) exp(-|qd / qs|^delta)
 *  + alpha3 tau + inertia qdd */
typedef struct sn_servo_model {
  sn_msg_text name;        /**< of the servo, that is of its joint */
  double kp;               /**< gain of the regulator, 1/rad */
  double kgear;            /**< goal of the servo over position of the joint */
  double alpha[4];         /**< V·s/rad, V, V, V/(N·m) */
  double qs;               /**< Stribeck velocity, rad/s */
  double delta;            /**< Stribeck exponent */
  double inertia;          /**< V·s²/rad; 0: neglected */
  double load_friction[2]; /**< that grows with load: V/(N·m), V/(N·m)² */
  bool has_load_friction;  /**< false: load_friction says nothing, the receiver keeps its own */
} sn_servo_model;

SN_SEQ_DEFINE(sn_seq_servo_model, sn_servo_model);

/** `ServoModel[]`. */
typedef struct sn_servo_model_array {
  sn_header header;
  sn_seq_servo_model models;
} sn_servo_model_array;

/** Goals of the servos. */
typedef struct sn_servo_goal {
  sn_header header;
  sn_msg_names name; /**< servos */
  sn_seq_f64 goal;   /**< position for the regulator of each, times its gear: rad */
  sn_seq_bool limp;  /**< true: torque off; empty: hold all */
} sn_servo_goal;

/** Health of the servos, from their driver. */
typedef struct sn_servo_health {
  sn_header header;
  sn_msg_names name;      /**< servos */
  sn_seq_u8 state;        /**< sn_servo_health_state */
  sn_seq_f64 voltage;     /**< V; 0: unknown */
  sn_seq_f64 temperature; /**< degrees Celsius; 0: unknown */
  sn_seq_f64 load;        /**< -1 .. 1 of the full drive */
  sn_seq_u8 faults;       /**< SN_SERVO_FAULT_… of bus_protocol.h, added up */
  sn_seq_f64 age;         /**< s since the position was read; 0: never */
  sn_seq_u64 missed;      /**< answers missing after all retries */
  sn_seq_u64 retried;     /**< retries */
  sn_seq_u64 damaged;     /**< answers with a wrong checksum */
  sn_seq_u64 doubted;     /**< implausible positions */
  bool connected;         /**< every port is open */
  uint64_t in_turn;       /**< cycles in which not all servos could be read */
  sn_msg_names bus;       /**< ports; the lists below have a value for each */
  sn_seq_f64 bus_rate;    /**< cycles a second */
  sn_seq_f64 bus_load;    /**< 0 .. 1: share of the time that bytes take on the wire */
  sn_seq_f64 bus_bytes;   /**< bytes a second, both ways */
  sn_seq_f64 jitter;      /**< s, lateness of cycles, 99th percentile */
  sn_seq_f64 jitter_max;  /**< s, maximum lateness */
  sn_seq_u64 bus_retried; /**< requests that were sent again */
  sn_seq_u64 bus_missed;  /**< answers missing after all retries */
  sn_seq_u64 bus_damaged; /**< packets with a wrong checksum */
} sn_servo_health;

/** `state` of a servo's health. */
typedef enum sn_servo_health_state {
  SN_SERVO_ABSENT,
  SN_SERVO_STRANGE, /**< of another model, or two have its id */
  SN_SERVO_FOUND,
  SN_SERVO_LIMP,
  SN_SERVO_HOLDS
} sn_servo_health_state;

/** sensor_msgs/BatteryState; NaN where nothing is measured. */
typedef struct sn_battery_state {
  sn_header header;
  float voltage;                   /**< V */
  float temperature;               /**< degrees Celsius, as in ROS */
  float current;                   /**< A, negative while discharging */
  float charge;                    /**< A·h */
  float capacity;                  /**< A·h */
  float design_capacity;           /**< A·h */
  float percentage;                /**< 0 .. 1 */
  uint8_t power_supply_status;     /**< sn_battery_status */
  uint8_t power_supply_health;     /**< as in ROS */
  uint8_t power_supply_technology; /**< as in ROS */
  bool present;
  sn_seq_f32 cell_voltage;     /**< V */
  sn_seq_f32 cell_temperature; /**< degrees Celsius */
  sn_msg_text location;
  sn_msg_text serial_number;
} sn_battery_state;

/** Values of power_supply_status. */
typedef enum sn_battery_status {
  SN_BATTERY_UNKNOWN,
  SN_BATTERY_CHARGING,
  SN_BATTERY_DISCHARGING,
  SN_BATTERY_NOT_CHARGING,
  SN_BATTERY_FULL
} sn_battery_status;

/** sensor_msgs/Imu, in the axes of header.frame_id. A covariance of zeros: not known; one that
 *  begins with -1: the value itself is not measured. */
typedef struct sn_imu {
  sn_header header;
  sn_quat orientation;                      /**< of the sensor in a frame with z up */
  double orientation_covariance[9];         /**< rad², row-major about x, y, z */
  sn_vec3 angular_velocity;                 /**< rad/s */
  double angular_velocity_covariance[9];    /**< rad²/s² */
  sn_vec3 linear_acceleration;              /**< specific force, m/s²: at rest 9.81 upwards */
  double linear_acceleration_covariance[9]; /**< m²/s⁴ */
} sn_imu;

/** geometry_msgs/PoseWithCovariance; the order is x, y, z and rotations about them. */
typedef struct sn_pose_covariance {
  sn_msg_pose pose;
  double covariance[36];
} sn_pose_covariance;

/** geometry_msgs/TwistWithCovariance; likewise. */
typedef struct sn_twist_covariance {
  sn_spatial twist;
  double covariance[36];
} sn_twist_covariance;

/** nav_msgs/Odometry: a body in header.frame_id; its twist is in the axes of the body. */
typedef struct sn_odometry {
  sn_header header;
  sn_msg_text child_frame_id; /**< the body */
  sn_pose_covariance pose;
  sn_twist_covariance twist;
} sn_odometry;

/** geometry_msgs/PoseStamped. */
typedef struct sn_pose_stamped {
  sn_header header;
  sn_msg_pose pose;
} sn_pose_stamped;

/** geometry_msgs/PointStamped. */
typedef struct sn_point_stamped {
  sn_header header;
  sn_vec3 point; /**< m */
} sn_point_stamped;

/** geometry_msgs/TwistStamped. */
typedef struct sn_twist_stamped {
  sn_header header;
  sn_spatial twist; /**< rad/s, m/s */
} sn_twist_stamped;

/** control_msgs/JointJog. */
typedef struct sn_joint_jog {
  sn_header header;
  sn_msg_names joint_names;
  sn_seq_f64 displacements; /**< rad or m */
  sn_seq_f64 velocities;    /**< rad/s or m/s */
  double duration;          /**< s */
} sn_joint_jog;

/** A controller asks for resources. */
typedef struct sn_resource_request {
  sn_header header;
  uint64_t request_id;    /**< chosen by the requester, echoed in the answer */
  sn_msg_text name;       /**< of the requester */
  sn_msg_names resources; /**< empty: release all */
  int32_t priority;
  bool wait; /**< wait instead of being refused because of a higher priority */
} sn_resource_request;

/** The complete table of owners. */
typedef struct sn_resource_assignment {
  sn_header header;
  uint64_t request_id;    /**< of the request that led to it; 0 if none did */
  sn_msg_text name;       /**< of the controller that led to it; empty if none did */
  sn_msg_names resources; /**< all that exist */
  sn_msg_names owners;    /**< of each resource; an empty text if it is free */
  sn_msg_text reason;
} sn_resource_assignment;

/** State of a controller. */
typedef struct sn_controller_state {
  sn_header header;
  sn_msg_text name;       /**< of the controller */
  uint64_t request_id;    /**< the last request that it made */
  bool operational;       /**< is active: may own resources and get them back */
  sn_msg_names resources; /**< that it owns now */
  sn_msg_names requested; /**< that it wants, owned or not */
} sn_controller_state;

/** Balance of the robot, in header.frame_id. */
typedef struct sn_balance_state {
  sn_header header;
  double mass;           /**< kg, of the whole robot */
  sn_vec3 com;           /**< centre of mass, m */
  sn_vec3 com_velocity;  /**< m/s */
  sn_vec3 zmp;           /**< zero-moment point, m; zero without support */
  sn_seq_vec3 polygon;   /**< corners of the support polygon, counter-clockwise, m; empty: none */
  double margin;         /**< from the ZMP to the edge of the polygon, m; negative: outside */
  sn_msg_names contact;  /**< contacts that carry */
  sn_seq_spatial wrench; /**< that acts on the robot at each of them: N·m and N */
} sn_balance_state;

/** The types; constant. */
SN_API extern const sn_msg_type sn_header_type;
SN_API extern const sn_msg_type sn_point_type;
SN_API extern const sn_msg_type sn_vector3_type;
SN_API extern const sn_msg_type sn_quaternion_type;
SN_API extern const sn_msg_type sn_pose_type;
SN_API extern const sn_msg_type sn_twist_type;
SN_API extern const sn_msg_type sn_wrench_type;
SN_API extern const sn_msg_type sn_joint_state_type;
SN_API extern const sn_msg_type sn_joint_state_accel_type;
SN_API extern const sn_msg_type sn_support_state_type;
SN_API extern const sn_msg_type sn_limb_state_type;
SN_API extern const sn_msg_type sn_rigid_body_state_type;
SN_API extern const sn_msg_type sn_timer_event_type;
SN_API extern const sn_msg_type sn_servo_model_type;
SN_API extern const sn_msg_type sn_servo_model_array_type;
SN_API extern const sn_msg_type sn_servo_goal_type;
SN_API extern const sn_msg_type sn_servo_health_type;
SN_API extern const sn_msg_type sn_battery_state_type;
SN_API extern const sn_msg_type sn_imu_type;
SN_API extern const sn_msg_type sn_pose_covariance_type;
SN_API extern const sn_msg_type sn_twist_covariance_type;
SN_API extern const sn_msg_type sn_odometry_type;
SN_API extern const sn_msg_type sn_pose_stamped_type;
SN_API extern const sn_msg_type sn_point_stamped_type;
SN_API extern const sn_msg_type sn_twist_stamped_type;
SN_API extern const sn_msg_type sn_joint_jog_type;
SN_API extern const sn_msg_type sn_resource_request_type;
SN_API extern const sn_msg_type sn_resource_assignment_type;
SN_API extern const sn_msg_type sn_controller_state_type;
SN_API extern const sn_msg_type sn_balance_state_type;

/** When what a message says was so: the stamp of its header, or its first field if that is a time.
 *  @return nanoseconds; 0 if it does not say
 *  RT: yes.  Threads: owner of the message. */
SN_API int64_t sn_msg_stamp_ns(const sn_msg_type *type, const void *msg) SN_RT;

/** @return how many types there are. RT: yes.  Threads: any. */
SN_API size_t sn_msg_type_count(void) SN_RT;

/** @return the type at @p index, which must be less than the count. RT: yes.  Threads: any. */
SN_API const sn_msg_type *sn_msg_type_at(size_t index) SN_RT;

/** @return the type with this name (its own, or that of ROS 1, ROS 2 or DDS), or NULL.
 *  RT: yes.  Threads: any. */
SN_API const sn_msg_type *sn_msg_type_find(const char *name) SN_RT;

SN_END_DECLS

#endif
