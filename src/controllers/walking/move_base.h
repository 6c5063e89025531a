/** @file
 *  Internal: the component `MoveBase`. Plans are made in the caller's thread (move_base_goal.c);
 * the cycle only notes where the robot is and publishes. */
#ifndef SN_CONTROLLERS_WALKING_MOVE_BASE_H
#define SN_CONTROLLERS_WALKING_MOVE_BASE_H

#include <pthread.h>
#include <stdatomic.h>

#include "controllers/inverse_kinematics.h"
#include "controllers/walking/step_drives.h"
#include "gait/planner.h"
#include "legs/legs.h"
#include "msg/name_map.h"
#include "rt/components/robot_model_client.h"
#include "sinew/msg_calls.h"
#include "sinew/tap.h"

enum {
  SN__MOVE_GOALS_MAX = 8,
  SN__MOVE_BASE_NUMBERS = 7,    /**< of the base: position, quaternion */
  SN__MOVE_PLAN_POINTS_MAX = 80 /**< of the plan that is published */
};

/** Who has the message of the output `plan`. */
typedef enum sn__move_stage {
  SN__MOVE_EMPTY,  /**< callers may fill it */
  SN__MOVE_FILLED, /**< callers or the cycle may take it */
  SN__MOVE_FILLING,
  SN__MOVE_PUBLISHING
} sn__move_stage;

/** A goal of this component, and that of the controller that executes it. */
typedef struct sn__move_goal {
  uint64_t id, steps_id; /**< steps_id 0: it was planned only */
} sn__move_goal;

typedef struct sn__move_base {
  sn_component component;
  const char *steps;  /**< the controller */
  const char *ground; /**< the component whose boxes are obstacles */
  double zmp_margin_m, step_height_m, friction, stretch_max;
  sn_bags servo_models;
  sn_input in_base, in_joints_sorted, in_state;
  sn_output plan, trajectory_state;
  sn_requester robot_model, kinematics_inv;

  const sn_model *model;
  size_t chain_count;
  sn__limb_ik *limbs; /**< [chain_count] */
  sn_balance *balance;
  sn__step_drive *drives; /**< [joints] */
  sn__name_map names;

  /* Written by the cycle. */
  _Atomic(double) *pose_now;                       /**< [joints] commanded */
  _Atomic(double) base_now[SN__MOVE_BASE_NUMBERS]; /**< in odom */
  _Atomic uint32_t base_version;                   /**< odd while it is written */
  _Atomic bool has_pose, has_base;
  _Atomic int stage; /**< sn__move_stage */

  /* Of callers, under the lock. */
  pthread_mutex_t lock;
  sn_arena arena;           /**< of the planner and the messages */
  sn__legs legs;            /**< and their nominal stance */
  sn__planner *planner;     /**< NULL: not made yet */
  sn__collision *collision; /**< NULL: the robot has no shapes */
  double *start;            /**< [joints] */
  sn_step_goal *message;    /**< the last plan */
  bool has_plan;
  sn__walk_plan walk;
  sn__plan_request request;
  sn_trajectory_answer *answer;
  sn_call_outcome *outcome;
  uint64_t last_id;
  sn__move_goal goals[SN__MOVE_GOALS_MAX];
  _Atomic uint64_t shown_id, shown_steps_id; /**< the newest goal, for the cycle */
} sn__move_base;

/* Operations, in the thread of the caller. */
sn_status sn__move_base_plan(sn_component *component, const void *request, void *response,
                             sn_error *err);
sn_status sn__move_base_move(sn_component *component, const void *request, void *response,
                             sn_error *err);
sn_status sn__move_base_cancel(sn_component *component, const void *request, void *response,
                               sn_error *err);
sn_status sn__move_base_get_goal(sn_component *component, const void *request, void *response,
                                 sn_error *err);
sn_status sn__move_base_get_plan(sn_component *component, const void *request, void *response,
                                 sn_error *err);

sn_status sn__move_base_get_nominal(sn_component *component, const void *request, void *response,
                                    sn_error *err);

/** Write a sequence into a message, in the path frame at the start.
 *  @param stride  every how many points; the last one is always there
 *  @return SN_OK or SN_ENOSPC */
sn_status sn__move_base_write(const sn_model *model, const sn__step_sequence *sequence,
                              size_t stride, sn_step_goal *out, sn_error *err);
/** The base of such a message in odom. @param frame  the path frame at the start in odom */
void sn__move_base_to_odom(sn_pose frame, sn_step_goal *out);

/** The code of a request to move the base for one of a step sequence. RT: yes */
int32_t sn__move_base_code(int32_t step_error) SN_RT;

#endif
