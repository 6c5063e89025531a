/** @file
 *  Internal: the component `ExecuteStepSequence`. Goals are checked and prepared in the sender's
 *  thread (execute_step_sequence_goal.c), executed in the cycle (execute_step_sequence_cycle.c). */
#ifndef SN_CONTROLLERS_WALKING_EXECUTE_STEP_SEQUENCE_H
#define SN_CONTROLLERS_WALKING_EXECUTE_STEP_SEQUENCE_H

#include <stdatomic.h>

#include "controllers/goals.h"
#include "controllers/inverse_kinematics.h"
#include "controllers/walking/step_drives.h"
#include "msg/name_map.h"
#include "sinew/controller.h"
#include "sinew/msg_estimation.h"
#include "sinew/msg_locomotion.h"
#include "steps/step_walker.h"

enum { SN__STEP_VIOLATION_SIZE = 160 };

/** Content of a goal. */
typedef struct sn__step_goal_content {
  sn__step_sequence sequence;
  sn__step_plan plan;
  sn__step_leg legs[SN__STEP_LIMBS_MAX]; /**< with the solvers of the cycle */
  bool append;
  const char *note;                        /**< for the result; "" if it was not stretched */
  char violation[SN__STEP_VIOLATION_SIZE]; /**< of a tolerance, written by the cycle */
} sn__step_goal_content;

/** What the last accepted goal ends with, for one that is appended; of senders. */
typedef struct sn__step_last {
  uint64_t id; /**< 0: none */
  size_t limb_count;
  size_t chains[SN__STEP_LIMBS_MAX];
  sn_pose poses[SN__STEP_LIMBS_MAX]; /**< of the limbs in the base */
  double *q;                         /**< [joints] */
} sn__step_last;

/** Of a goal in execution. */
typedef enum sn__step_phase {
  SN__STEP_FOLLOWS, /**< the plan */
  SN__STEP_STOPS,   /**< comes to rest as soon as all feet bear weight */
  SN__STEP_SETTLES  /**< the plan is over */
} sn__step_phase;

typedef struct sn__execute_step_sequence {
  sn_controller controller;
  bool release_when_done, use_base;
  double start_tolerance_m, start_tolerance_rad;
  double position_tolerance_m, orientation_tolerance_rad; /**< defaults; 0: any */
  double reach_m, reach_rad, clearance_m;
  double contact_tolerance_m, settle_time_s, stretch_max, friction, zmp_margin_m;
  sn__step_gains gains;
  sn_bags servo_models;
  sn_input in_base, in_joints_measured, in_fall;
  sn_output trajectory_state, out_base_ref, out_limbs_ref;
  sn_requester kinematics_inv;

  size_t chain_count;
  sn__goals goals;

  /* Of senders, one at a time. */
  sn__limb_ik *planning;  /**< [chain_count] */
  sn_balance *balance;    /**< NULL: the robot has no mass */
  sn__step_drive *drives; /**< [joints] */
  double *start;          /**< [joints] */
  sn__step_last last;

  _Atomic(double) *pose_now; /**< [joints] the commanded pose; written by the cycle */

  /* Of the cycle. */
  sn__limb_ik *walking; /**< [chain_count] */
  sn__step_walker walker;
  bool is_walking;       /**< the walker commands its limbs: it executes a goal or stands */
  bool is_goals_limbs;   /**< the limbs were taken for a goal, not by an operation */
  sn__goal *goal, *next; /**< in execution; appended to it */
  sn__step_phase phase;
  double time_s;     /**< of the plan, stretched */
  double rate;       /**< of the plan's time; less than 1 while it stops */
  double settling_s; /**< since the end of the plan */
  double off_path_s; /**< for how long a tolerance has been violated */
  sn__goal_end end;  /**< how the goal ends when it has stopped */
  double *solved;    /**< [joints] command of the walker */
  double *offset;    /**< [joints] of the command at the start, which fades */
  double fade_s;     /**< since the start */
  double *measured;  /**< [joints] */
  bool has_measured, has_base;
  sn_pose base;
  int64_t base_ns, last_ns;
  sn__name_map measured_names;
  sn_log_limit silent_base;
} sn__execute_step_sequence;

/** Is a measured limb farther off its path than the goal allows, for a while? (step_tolerance.c)
 *  @param end  set then.  RT: yes */
bool sn__step_is_off_path(sn__execute_step_sequence *self, double dt_s, sn__goal_end *end) SN_RT;

/** Is the base farther from its last point than the goal allows? @param end  set then.  RT: yes */
bool sn__step_is_off_goal(sn__execute_step_sequence *self, sn__goal_end *end) SN_RT;

/** A reader of goals: @p msg is an sn_step_goal, the codes are sn_step_error. */
sn_status sn__step_goal_read(void *context, const void *msg, sn__goal *goal, int32_t *error,
                             sn_error *err);

/** The hook. */
sn_status sn__execute_step_sequence_step(sn_component *component, int64_t now_ns) SN_RT;

#endif
