/** @file
 *  A simulated robot: servos with the model of servo_model.h drive rigid bodies, over a bus and
 *  with encoders of configurable quality. See docs/plant.md.
 *
 *  Once a cycle: sn__plant_take_goals() for received goals, sn__plant_step(), sn__plant_measure().
 *  The base is fixed in the world, or it floats and rests on the ground. The state stays finite and
 *  within the stops of the joints for any input. The same seed and calls give identical bits.
 *
 *  Vectors are sorted poses: rad, rad/s and N·m, or m, m/s and N where a joint slides. */
#ifndef SN_PLANT_PLANT_H
#define SN_PLANT_PLANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"
#include "sinew/names.h"
#include "sinew/pose.h"
#include "sinew/servo_model.h"
#include "sinew/spatial.h"
#include "sinew/status.h"
#include "sinew/vec3.h"

SN_BEGIN_DECLS

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_plant sn_plant;

/** Coupling of the joints. */
typedef enum sn_plant_dynamics {
  SN_PLANT_COUPLED,  /**< the whole robot with gravity. Links without inertia are massless; each
                      *  joint has at least the inertia of the rotor */
  SN_PLANT_DECOUPLED /**< independent joints without gravity, each with its inertia at the start
                      *  pose with the others fixed */
} sn_plant_dynamics;

/** The servo of one joint. */
typedef struct sn_plant_servo {
  sn_servo_params params; /**< alpha3 > 0. `inertia` is that of the rotor */
  double torque_max;      /**< of the motor, N·m; may be infinite. Friction of the gear may hold
                           *  more */
  double speed_max;       /**< of the motor, rad/s; may be infinite. A push may turn it faster */
} sn_plant_servo;

#define SN_PLANT_VOLTAGE 12.0 /**< default of the battery, V */
#define SN_PLANT_DELAY_MAX 64 /**< cycles on the bus */

/** A box that does not move. */
typedef struct sn_plant_box {
  sn_pose pose_world_box; /**< of its centre */
  sn_vec3 size;           /**< its edges, m; > 0 */
} sn_plant_box;

/** The ground. Zero-initialise for a level one. */
typedef struct sn_plant_ground {
  double friction;           /**< coefficient; 0 means 0.8. Negative: none */
  double slope_x, slope_y;   /**< rise per metre along x and y of the world; -10 .. 10 */
  const sn_plant_box *boxes; /**< on the ground; copied */
  size_t box_count;
} sn_plant_ground;

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn_plant_config {
  sn_plant_dynamics dynamics;
  const sn_plant_servo *servos; /**< pose_size, copied; NULL: sn__plant_default_servos() */
  const double *start_pose;     /**< pose_size, copied. NaN, or NULL for all: zero, clamped to the
                                 *  limits */
  double step_max_s;            /**< of integration; 0 means 0.00025 */
  bool without_stops;           /**< ignore the position limits of the file */
  uint64_t seed;                /**< of noise and faults */
  /** The base floats and rests on this ground, with the contacts of the model's chains or else the
   *  tips of its limbs; NULL: fixed base without ground. Needs
   *  SN_PLANT_COUPLED. */
  const sn_plant_ground *ground;
  /** Where a floating base starts; inside the ground it is lifted. NULL: above the origin of the
   *  world, with the lowest contact on the ground. */
  const sn_pose *start_base;
  /** Path of the URDF, and folders with packages, to read collision meshes; NULL: unknown. A link
   *  with a mesh that cannot be read touches the ground with the box of its inertia. */
  const char *robot_file, *package_path;
} sn_plant_config;

/** Settings that may change between steps. */
typedef struct sn_plant_settings {
  size_t bus_delay;          /**< cycles until a goal has an effect, 0 .. SN_PLANT_DELAY_MAX */
  bool smooth_goals;         /**< servos move evenly from goal to goal, instead of at once */
  double goal_timeout_s;     /**< time without goals after which the servos go limp; 0: never */
  double encoder_step;       /**< rad or m; 0: exact */
  double position_noise;     /**< standard deviation, rad or m, before the encoder rounds */
  double velocity_noise;     /**< rad/s or m/s */
  double effort_noise;       /**< N·m or N */
  double dropout_rate;       /**< probability that a message lacks a servo, for each */
  double message_loss_rate;  /**< probability that a measured message is lost */
  double goal_loss_rate;     /**< probability that goals are lost */
  double battery_voltage;    /**< open-circuit, V; > 0 */
  double battery_resistance; /**< Ohm */
  double current_per_torque; /**< of a motor, A/(N·m) or A/N */
  bool omit_velocity, omit_effort; /**< omit from messages */
  sn_vec3 gravity; /**< m/s², in the frame of the world, which is the root link's if it is fixed */
  sn_vec3 gyro_bias, accel_bias;  /**< of the IMU, rad/s and m/s² */
  double gyro_noise, accel_noise; /**< standard deviations on each axis, rad/s and m/s² */
  size_t imu_delay;               /**< cycles, 0 .. SN_PLANT_DELAY_MAX */
  double contact_threshold_N;     /**< a foot touches with more force than this */
} sn_plant_settings;

/** No delay, no noise, no faults, contacts from 1 N, 12 V without resistance, 0.5 A/(N·m), 9.81
 * m/s² downwards. */
void sn__plant_settings_init(sn_plant_settings *settings) SN_RT;

/** Suitable servos for a robot from its file alone: geared motors for 12 V with the effort and
 *  velocity limits of the joint as stall torque and no-load speed. If the file has no limit, or one
 *  too low to hold the robot up, the weight of the links determines the torque.
 *  @param servos  out: pose_size
 *  @return SN_OK or SN_ENOMEM (the arena is unchanged)
 *  RT: no. */
SN_API sn_status sn__plant_default_servos(sn_arena *arena, const sn_model *model,
                                          sn_plant_servo *servos, sn_error *err);

/** Does a robot stand on feet: have at least two chains a contact, all below the root link?
 *  @param pose  pose_size; NaN: zero.  RT: no. */
bool sn__plant_has_feet(sn_arena *arena, const sn_model *model, const double *pose);

/** Create a plant at rest that holds its start pose, with the initial settings.
 *  @param model  must outlive the plant
 *  @param out    set on success, untouched on failure
 *  @param err    receives the reason on failure; may be NULL
 *  @return SN_OK; SN_EINVAL (a servo, a start pose outside of the stops, a step that is not above
 *          0) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn__plant_create(sn_arena *arena, const sn_model *model,
                                  const sn_plant_config *config, sn_plant **out, sn_error *err);

/** Back to the start: pose, random numbers, counters. Settings and faults of servos stay.
 *  RT: yes.  Threads: owner. */
void sn__plant_reset(sn_plant *plant) SN_RT;

/** Change settings; values out of range, or beyond 1e6, are clamped; an invalid voltage or gravity
 *  is ignored. RT: yes.  Threads: owner. */
void sn__plant_set(sn_plant *plant, const sn_plant_settings *settings) SN_RT;

/** Verdict on a message. */
typedef enum sn_plant_verdict {
  SN_PLANT_TAKEN,
  SN_PLANT_LENGTHS,    /**< refused whole: sequences do not fit each other, or are all empty */
  SN_PLANT_NOT_FINITE, /**< refused whole: NaN or infinity in it */
  SN_PLANT_DUPLICATE,  /**< refused whole: a joint twice */
  SN_PLANT_UNKNOWN,    /**< taken, except unknown names */
  SN_PLANT_LOST,       /**< the bus lost it: goal_loss_rate */
  SN_PLANT_VERDICT_COUNT
} sn_plant_verdict;

/** A sentence about a verdict; static. RT: yes. */
const char *sn__plant_verdict_text(sn_plant_verdict verdict) SN_RT;

/** Goals for some servos; the others keep theirs. A servo that is limp has no drive, only friction.
 *  Goals of mimic joints are ignored: they follow their master.
 *  RT: yes.  Threads: owner. */
SN_API sn_plant_verdict sn__plant_take_goals(sn_plant *plant, const sn_servo_goal *goals) SN_RT;

/** Torques on joints from outside, until the next message: zero for joints that it does not name.
 *  RT: yes.  Threads: owner. */
sn_plant_verdict sn__plant_push(sn_plant *plant, const sn_joint_state *msg) SN_RT;

/** Wrenches on links, until the next message: none on links that it does not name.
 *  @param names     links
 *  @param wrenches  one for each name: in the axes of the world, about the link's centre of mass
 *  RT: yes.  Threads: owner. */
sn_plant_verdict sn__plant_push_links(sn_plant *plant, const sn_msg_names *names,
                                      const sn_seq_spatial *wrenches) SN_RT;

/** Place the robot, at rest. The servos hold its joints.
 *  @param q                positions, clamped to the stops; NaN, or NULL for all: as they are
 *  @param pose_world_base  of a floating base
 *  @param on_ground        change its height so that the lowest contact touches the ground
 *  @return how far the base was lifted because it was inside the ground, m; 0 with on_ground
 *  RT: yes.  Threads: owner. */
double sn__plant_place(sn_plant *plant, const double *q, sn_pose pose_world_base,
                       bool on_ground) SN_RT;

/** How far the base was lifted at the start, m. RT: yes. */
double sn__plant_start_lift(const sn_plant *plant) SN_RT;

/** Simulate one cycle. Goals received since the last step take effect now, or bus_delay steps
 *  later.
 *  @param dt_s  clamped to 0.1 s; ignored if not above 0
 *  RT: yes, O(dt).  Threads: owner. */
SN_API void sn__plant_step(sn_plant *plant, double dt_s) SN_RT;

/** Read the encoders; every call draws new noise.
 *  @param out  names, position, velocity and effort are written; room for all joints
 *  @return false if this message is lost or empty: @p out is unchanged
 *  RT: yes.  Threads: owner. */
bool sn__plant_measure(sn_plant *plant, sn_joint_state *out) SN_RT;

/** The battery now: voltage, V, and current, A, at its terminals. RT: yes. */
void sn__plant_battery(const sn_plant *plant, double *voltage, double *current_A) SN_RT;

/** What is wrong with a servo; several at once are possible. */
typedef enum sn_plant_fault {
  SN_PLANT_FROZEN = 1,  /**< the encoder repeats its value */
  SN_PLANT_SILENT = 2,  /**< missing in every measured message; it still obeys */
  SN_PLANT_HOT = 4,     /**< its protection against heat has switched the torque off */
  SN_PLANT_STUCK = 8,   /**< the gear is jammed */
  SN_PLANT_NOISY = 16,  /**< the encoder is off by 0.02 rad or m, standard deviation */
  SN_PLANT_DELAYED = 32 /**< it obeys its goals 20 cycles late */
} sn_plant_fault;
enum { SN_PLANT_FAULT_COUNT = 6 };

/** Set the faults of a servo.
 *  @param joint   place in the sorted pose
 *  @param faults  a sum of sn_plant_fault; 0: it works.  RT: yes.  Threads: owner. */
void sn__plant_set_faults(sn_plant *plant, size_t joint, unsigned faults) SN_RT;

/** True state: position, velocity and torque delivered to each joint; pose_size, valid until the
 *  next step. RT: yes.  Threads: owner. */
SN_API const double *sn__plant_q(const sn_plant *plant) SN_RT;
const double *sn__plant_qd(const sn_plant *plant) SN_RT;
const double *sn__plant_tau(const sn_plant *plant) SN_RT;

/** True state of the base: its pose in the world, and its twist relative to the world in its own
 *  frame; the identity and zero if it is fixed.
 *  @param twist,acceleration  may be NULL; the acceleration is the mean of the last step of
 *                             integration
 *  RT: yes.  Threads: owner. */
sn_pose sn__plant_base(const sn_plant *plant, sn_spatial *twist, sn_spatial *acceleration) SN_RT;

/** Does the base float? RT: yes. */
bool sn__plant_floats(const sn_plant *plant) SN_RT;

/** A reading of the IMU, which is at the origin of the root link, in its axes. */
typedef struct sn_plant_imu {
  sn_mat3 rot_world_base; /**< exact */
  sn_vec3 gyro;           /**< rad/s, mean of the cycle */
  sn_vec3 accel;          /**< specific force, m/s², mean of the cycle: at rest, g upwards */
} sn_plant_imu;

/** Read the IMU, once in each cycle; every call draws new noise.
 *  RT: yes.  Threads: owner. */
sn_plant_imu sn__plant_read_imu(sn_plant *plant) SN_RT;

/** A foot: a chain with a contact; without contacts in the model, a limb with its tip. */
typedef struct sn_plant_foot {
  sn_vec3 point;   /**< centre of pressure in the world; in the air, of its contact points */
  sn_vec3 force_N; /**< on the foot, in the world */
  bool touches;    /**< the switch: the force exceeds contact_threshold_N */
} sn_plant_foot;

/** Chains of the feet; NULL: the base is fixed. RT: yes. */
const sn_names *sn__plant_foot_names(const sn_plant *plant) SN_RT;

/** Name of a foot's contact; empty: none. RT: yes. */
const char *sn__plant_foot_contact(const sn_plant *plant, size_t foot) SN_RT;

/** RT: yes.  Threads: owner. */
sn_plant_foot sn__plant_foot_at(const sn_plant *plant, size_t foot) SN_RT;

/** A link with a mesh, in place of which the box with its mass and inertia touches the ground;
 * NULL: none. RT: yes. */
const char *sn__plant_boxed_link(const sn_plant *plant) SN_RT;

/** Points that may touch the ground. RT: yes. */
size_t sn__plant_contact_count(const sn_plant *plant) SN_RT;

/** A contact point: its chain (-1: none), its position and the force on it, both in the world. */
typedef struct sn_plant_contact {
  int chain;
  sn_vec3 point;
  sn_vec3 force_N;
} sn_plant_contact;

/** RT: yes.  Threads: owner. */
sn_plant_contact sn__plant_contact_at(const sn_plant *plant, size_t index) SN_RT;

/** Torque of each motor, before the friction of its gear. */
const double *sn__plant_drive(const sn_plant *plant) SN_RT;

/** The servos in use. RT: yes. */
const sn_plant_servo *sn__plant_servos(const sn_plant *plant) SN_RT;

/** Are the servos limp because goals timed out? RT: yes. */
bool sn__plant_is_deserted(const sn_plant *plant) SN_RT;

/** Counters since the start. */
typedef struct sn_plant_counts {
  uint64_t goals[SN_PLANT_VERDICT_COUNT];  /**< messages with goals */
  uint64_t pushes[SN_PLANT_VERDICT_COUNT]; /**< on joints and on links */
  uint64_t measured;                       /**< messages */
  uint64_t measured_lost;                  /**< messages */
  uint64_t dropouts;                       /**< servos missing in a message */
} sn_plant_counts;

/** RT: yes.  Threads: owner. */
const sn_plant_counts *sn__plant_counts_now(const sn_plant *plant) SN_RT;

SN_END_DECLS

#endif
