/** @file
 *  Internal: the planner of steps: from the pose of a standing robot and a request to move its base
 *  to a step sequence.
 *
 *  Footholds are those of the nominal stance along the way. The base follows a spline, found by
 *  quadratic programmes, that keeps the zero-moment point inside of the feet that bear weight
 *  (planner_body.c). Every point is solved by the inverse kinematics of the legs; joint speeds and
 *  torques are compared with the drives, and the plan is stretched in time where they are exceeded
 *  (planner_check.c).
 *
 *  Everything is in the path frame at the start: below the base on the ground, x along its
 * heading. */
#ifndef SN_GAIT_PLANNER_H
#define SN_GAIT_PLANNER_H

#include "collision/collision.h"
#include "dyn/balance.h"
#include "gait/gait.h"
#include "gait/outline.h"
#include "sinew/msg_locomotion.h"
#include "steps/step_plan.h"

/** Zero-initialise, then set the fields that differ from their default. All is copied but the
 *  model, the legs' solvers, the balance and the collision checker, which must outlive the planner.
 */
typedef struct sn__planner_config {
  const sn_model *model;
  const sn__step_leg *legs;      /**< [leg_count] the feet */
  size_t leg_count;              /**< 1 .. SN__GAIT_LEGS_MAX */
  const double *nominal;         /**< [pose_size] the pose in which the robot stands */
  const sn__step_drive *drives;  /**< [pose_size] */
  sn_balance *balance;           /**< NULL: the mass is at the base, torques are not checked */
  sn__collision *collision;      /**< of the own links; NULL: not checked */
  const sn__obstacle *obstacles; /**< [obstacle_count] */
  size_t obstacle_count;
  double margin_m; /**< of the zero-moment point in the feet's polygon; 0 means 0.8 of that in the
                         middle of the smallest polygon of all feet but one */
  double step_height_m; /**< clearance of the feet; 0 means 0.15 of the height of the base */
  double friction;      /**< of the ground; 0 means 0.4 */
  double stretch_max;   /**< 0 means 4: longer plans are rejected */
} sn__planner_config;

/** Where a foot ends. */
typedef struct sn__plan_foot_goal {
  size_t leg;
  sn_ee_frame frame;
  sn_vec3 position;
  unsigned free; /**< coordinates; from the low bit x, y, z */
  bool contact;
} sn__plan_foot_goal;

/** A request that was checked. */
typedef struct sn__plan_request {
  sn__gait_kind kind;
  bool is_right;
  double duration_s;
  size_t step_count;
  sn_pose base;            /**< wanted, in the path frame at the start */
  unsigned free;           /**< from the low bit roll, pitch, yaw, x, y, z */
  sn_pose pose_world_path; /**< the path frame at the start in the world */
  size_t foot_count;
  sn__plan_foot_goal feet[SN__GAIT_LEGS_MAX];
  double position_tolerance_m, orientation_tolerance_rad;
} sn__plan_request;

/** A plan. */
typedef struct sn__walk_plan {
  int32_t error;              /**< sn_move_base_error */
  sn__step_sequence sequence; /**< of the planner: valid until its next call */
  sn_pose base_goal;          /**< where the base ends */
  size_t step_count;          /**< strides; may be more than requested */
  double duration_s;
  double stretch;     /**< duration over that of the request */
  double margin_m;    /**< least one of the zero-moment point, by inverse dynamics; of two feet: its
                           distance from their line, negated */
  double speed_peak;  /**< of a joint, rad/s or m/s */
  double load_peak;   /**< largest share of a drive's torque */
  size_t round_count; /**< quadratic programmes */
} sn__walk_plan;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn__planner sn__planner;

/** @return SN_OK; SN_EINVAL: the nominal pose is not one of a robot that stands; SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
sn_status sn__planner_create(sn_arena *arena, const sn__planner_config *config, sn__planner **out,
                             sn_error *err);

/** Check a message.
 *  @param pose_world_base  of the robot
 *  @param error  out: sn_move_base_error
 *  @return SN_OK, SN_EINVAL or SN_ENOENT with the reason.  RT: no, formats text. */
sn_status sn__planner_read(const sn__planner *planner, const sn_move_base_goal *msg,
                           sn_pose pose_world_base, sn__plan_request *out, int32_t *error,
                           sn_error *err);

/** Plan. Equal inputs give equal plans; no memory is allocated and no clock is read.
 *  @param q     [pose_size] of the robot, which stands on all feet
 *  @param out   on failure only `error` is set
 *  @return SN_OK; SN_EINVAL with the constraint that failed.  RT: no, takes milliseconds. */
sn_status sn__planner_solve(sn__planner *planner, const sn__plan_request *request, const double *q,
                            sn__walk_plan *out, sn_error *err);

#endif
