/** @file
 *  Execution of trajectories: the pure part of the controller `execute_joint_trajectory`.
 *
 *  It always has a commanded state for every joint of the sorted pose. A goal moves some of them
 *  along its trajectory, from wherever they are and however they move; the others stand. A new goal
 *  replaces one that is under way without a jump in position or velocity. Whatever ends a goal
 *  early, the joints stop as fast as their limits allow, and stay. */
#ifndef SINEW_EXECUTE_H
#define SINEW_EXECUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/smooth.h"
#include "sinew/status.h"
#include "sinew/trajectory.h"

SN_BEGIN_DECLS

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_execute sn_execute;

/** How a goal stands; those from SN_EXECUTE_DONE on are the end of it. */
typedef enum sn_execute_state {
  SN_EXECUTE_NONE,     /**< there is no goal */
  SN_EXECUTE_WAITING,  /**< its start lies ahead */
  SN_EXECUTE_MOVING,   /**< under way */
  SN_EXECUTE_SETTLING, /**< its time is over, some joint is not yet where it should be */
  SN_EXECUTE_DONE,     /**< success */
  SN_EXECUTE_OFF_PATH, /**< a joint was too far from the trajectory */
  SN_EXECUTE_OFF_GOAL, /**< a joint did not get there in time */
  SN_EXECUTE_CANCELLED /**< stopped on request */
} sn_execute_state;

/** Zero-initialise, then set what differs. */
typedef struct sn_execute_config {
  const sn_model *model;      /**< must outlive it */
  double velocity;            /**< of joints whose description states no limit; 0 means 10 */
  double acceleration_time_s; /**< from rest to full speed, where it states none; 0 means 0.25 */
  double jerk_time_s; /**< from none to full acceleration, where it states none; 0 means 0.1 */
} sn_execute_config;

/** A goal; all it points to must live until it has ended. Arrays are as long as the trajectory has
 *  joints. */
typedef struct sn_execute_goal {
  sn_trajectory *trajectory;
  const int *joints;             /**< places in the sorted pose, each once */
  const double *start_tolerance; /**< how far a joint may be from where the trajectory says that it
                                      begins, rad or m; 0: any distance */
  const double *path_tolerance;  /**< how far a measured joint may be off the path; 0: any */
  const double *goal_tolerance;  /**< and at the end; 0: any */
  double goal_time_s; /**< how long after its end joints may take to be within the tolerance */
  int64_t start_ns;   /**< when it begins; the past: at its first step */
} sn_execute_goal;

/** @return SN_OK, SN_EINVAL (a value that is negative or not finite) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_execute_create(sn_arena *arena, const sn_execute_config *config,
                                   sn_execute **out, sn_error *err);

/** A joint is taken over: this is how it is commanded so far. A goal that moves it is cancelled.
 *  @param joint  place in the sorted pose. RT: yes.  Threads: owner. */
SN_API void sn_execute_seed(sn_execute *execute, size_t joint, double q, double qd) SN_RT;

/** Begin a goal, in place of the one that is under way.
 *  @return -1: begun; else the first joint of the goal (its place in the goal) that is too far from
 *          where the trajectory begins: nothing changes then
 *  RT: yes, O(joints).  Threads: owner. */
SN_API int sn_execute_begin(sn_execute *execute, const sn_execute_goal *goal) SN_RT;

/** End the goal; its state is SN_EXECUTE_CANCELLED. Without a goal nothing happens. RT: yes. */
SN_API void sn_execute_cancel(sn_execute *execute) SN_RT;

/** One cycle.
 *  @param now_ns    never less than before
 *  @param measured  [pose size] where the joints are, rad or m; NULL: not known, no tolerance is
 *                   looked at
 *  @param out       [pose size] the commanded state
 *  @return how the goal stands. One that has ended is told once, then there is none
 *  RT: yes, O(joints).  Threads: owner. */
SN_API sn_execute_state sn_execute_step(sn_execute *execute, int64_t now_ns, const double *measured,
                                        const sn_smooth_state *out) SN_RT;

/** How much of the goal's time was over in the last step, ns; 0 before it began. RT: yes. */
SN_API int64_t sn_execute_elapsed_ns(const sn_execute *execute) SN_RT;

/** The joint (its place in the goal) that violated a tolerance last; -1: none. RT: yes. */
SN_API int sn_execute_failed_joint(const sn_execute *execute) SN_RT;

/** `moving`, `off_path`, …; static. RT: yes. */
SN_API const char *sn_execute_state_text(sn_execute_state state) SN_RT;

SN_END_DECLS

#endif
