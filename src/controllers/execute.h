/** @file
 *  Execution of trajectories: the pure part of the controller `execute_joint_trajectory`.
 *
 *  It always has a commanded state for every joint of the sorted pose. A goal moves some of them
 *  along its trajectory, from their present position and velocity; the others are held. A new goal
 *  replaces one in execution without a jump in position or velocity. If a goal ends early, the
 *  joints stop as fast as their limits allow. */
#ifndef SN_CONTROLLERS_EXECUTE_H
#define SN_CONTROLLERS_EXECUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/status.h"
#include "traj/smooth.h"
#include "traj/trajectory.h"

SN_BEGIN_DECLS

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_execute sn_execute;

/** State of a goal; those from SN_EXECUTE_DONE on are final. */
typedef enum sn_execute_state {
  SN_EXECUTE_NONE,     /**< no goal */
  SN_EXECUTE_WAITING,  /**< its start is in the future */
  SN_EXECUTE_MOVING,   /**< in execution */
  SN_EXECUTE_SETTLING, /**< its time is over, some joint has not arrived */
  SN_EXECUTE_DONE,     /**< success */
  SN_EXECUTE_OFF_PATH, /**< a joint was too far from the trajectory */
  SN_EXECUTE_OFF_GOAL, /**< a joint did not arrive in time */
  SN_EXECUTE_CANCELLED /**< stopped on request */
} sn_execute_state;

/** Zero-initialise, then set what differs. */
typedef struct sn_execute_config {
  const sn_model *model;      /**< must outlive it */
  double velocity;            /**< of joints whose description states no limit; 0 means 10 */
  double acceleration_time_s; /**< from rest to full speed, where it states none; 0 means 0.25 */
  double jerk_time_s; /**< from zero to full acceleration, where it states none; 0 means 0.1 */
} sn_execute_config;

/** A goal; all it points to must live until it has ended. Arrays are as long as the trajectory has
 *  joints. */
typedef struct sn_execute_goal {
  sn_trajectory *trajectory;
  const int *joints; /**< indices in the sorted pose, each once */
  const double
      *start_tolerance; /**< maximum distance from the start of the trajectory, rad or m; 0: any */
  const double *path_tolerance; /**< maximum distance of a measured joint from the path; 0: any */
  const double *goal_tolerance; /**< likewise at the end; 0: any */
  double goal_time_s;           /**< time after its end in which joints must arrive */
  int64_t start_ns;             /**< when it begins; in the past: at its first step */
} sn_execute_goal;

/** @return SN_OK, SN_EINVAL (a value that is negative or not finite) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
sn_status sn__execute_create(sn_arena *arena, const sn_execute_config *config, sn_execute **out,
                             sn_error *err);

/** A joint is taken over: its commanded state so far. A goal that moves it is cancelled.
 *  @param joint  index in the sorted pose. RT: yes.  Threads: owner. */
void sn__execute_seed(sn_execute *execute, size_t joint, double q, double qd) SN_RT;

/** Begin a goal; it replaces one in execution.
 *  @return -1: begun; else the first joint of the goal (its index in the goal) that is too far from
 *          where the trajectory begins: nothing changes then
 *  RT: yes, O(joints).  Threads: owner. */
int sn__execute_begin(sn_execute *execute, const sn_execute_goal *goal) SN_RT;

/** End the goal; its state is SN_EXECUTE_CANCELLED. Without a goal nothing happens. RT: yes. */
void sn__execute_cancel(sn_execute *execute) SN_RT;

/** One cycle.
 *  @param now_ns    never less than before
 *  @param measured  [pose size] measured positions, rad or m; NULL: unknown, tolerances are not
 *  checked
 *  @param out       [pose size] the commanded state
 *  @return the state of the goal. A final state is returned once, then SN_EXECUTE_NONE
 *  RT: yes, O(joints).  Threads: owner. */
sn_execute_state sn__execute_step(sn_execute *execute, int64_t now_ns, const double *measured,
                                  const sn_smooth_state *out) SN_RT;

/** Elapsed time of the goal in the last step, ns; 0 before it began. RT: yes. */
int64_t sn__execute_elapsed_ns(const sn_execute *execute) SN_RT;

/** The joint (its index in the goal) that last violated a tolerance; -1: none. RT: yes. */
int sn__execute_failed_joint(const sn_execute *execute) SN_RT;

SN_END_DECLS

#endif
