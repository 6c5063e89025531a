/** @file
 *  Smoothing of joint references: what stands between a source that may jump and joints that must
 *  not. One interface (`TransientJointStateInterface`), several filters behind it:
 *
 *  - `transient_exp` removes the initial error only. The difference between the joint and the first
 *    reference fades critically damped within the transient time; from then on the reference passes
 *    unchanged. Velocities of the reference pass too; without them they count as 0.
 *  - `filter_exp` is a critically damped second-order low-pass, exact for any period: a step is
 *    followed to 99 % within the transient time, without overshoot. With velocities in the
 *    reference it filters the difference to a reference that moves with them, and follows ramps
 *    without lag.
 *  - `jerk_limited` goes to the reference as fast as limits of velocity, acceleration and jerk
 *    allow (otg.h), and never exceeds them. With velocities in the reference it meets the moving
 *    reference (sn_otg_follow()), without them it heads for a stop at each one.
 *
 *  A reference is meant for the end of the period that the update is for. */
#ifndef SINEW_SMOOTH_H
#define SINEW_SMOOTH_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/otg.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Zero-initialise, then set the fields that differ from their default. Arrays are copied. */
typedef struct sn_smooth_config {
  size_t joint_count; /**< 1 .. SN_OTG_JOINTS_MAX, no default */
  /** transient_exp, filter_exp: common to all joints, s; 0 means 1 */
  double transient_time_s;
  /** transient_exp, filter_exp: [joint_count], s, > 0; NULL means the common one */
  const double *transient_times_s;
  const sn_otg_limits *limits; /**< jerk_limited: [joint_count], no default */
  bool synchronise;            /**< jerk_limited: joints arrive together; not with each by itself */
} sn_smooth_config;

/** Joint vectors of an instance's length. */
typedef struct sn_smooth_state {
  double *q;   /**< rad or m */
  double *qd;  /**< rad/s or m/s */
  double *qdd; /**< rad/s^2 or m/s^2 */
} sn_smooth_state;

/** Where to go. */
typedef struct sn_smooth_reference {
  const double *q;  /**< rad or m */
  const double *qd; /**< rad/s or m/s; NULL if the source knows none */
} sn_smooth_reference;

/** A kind of filter. All functions are called by the interface, which has checked every number:
 *  finite, and within SN_OTG_VALUE_MAX. */
typedef struct sn_smooth_type {
  const char *name;
  const char *doc;   /**< one line for people */
  bool forms_motion; /**< it makes a motion of references that jump; else they pass in the end */

  /** Create the filter's own state in the arena.
   *  @return SN_OK, SN_EINVAL (bad configuration) or SN_ENOMEM, with the reason in @p err */
  sn_status (*create)(sn_arena *arena, const sn_smooth_config *config, void **out, sn_error *err);

  /** Start joint @p joint anew from a state. RT: yes. */
  void (*reset)(void *filter, size_t joint, sn_otg_state state, double period_s);

  /** One period. @p state is where the robot is, NULL if not told; a filter may ignore it.
   *  @p reference is NULL if there was no good one: go on to the last one, or stay where the reset
   *  was, and hold there. RT: yes. */
  void (*update)(void *filter, const sn_smooth_state *state, const sn_smooth_reference *reference,
                 const sn_smooth_state *new_state);
} sn_smooth_type;

/** The built-in filter of a name, or NULL; `-` and `_` are the same. RT: yes.  Threads: any. */
SN_API const sn_smooth_type *sn_smooth_find(const char *name) SN_RT;

/** The built-in filters; NULL behind the last. RT: yes.  Threads: any. */
SN_API const sn_smooth_type *sn_smooth_at(size_t index) SN_RT;

/** Opaque: a filter at work. Lives in the arena it was created from. */
typedef struct sn_smooth sn_smooth;

/** Create a built-in filter, with all joints at rest in zero until they are reset.
 *  @param name  as for sn_smooth_find()
 *  @param out   set on success, untouched on failure
 *  @param err   receives the reason on failure; may be NULL
 *  @return SN_OK, SN_ENOENT (no such filter), SN_EINVAL (bad configuration) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_smooth_create(sn_arena *arena, const char *name, const sn_smooth_config *config,
                                  sn_smooth **out, sn_error *err);

/** Likewise, a filter of any type; the type must outlive it. */
SN_API sn_status sn_smooth_create_type(sn_arena *arena, const sn_smooth_type *type,
                                       const sn_smooth_config *config, sn_smooth **out,
                                       sn_error *err);

/** Start all joints anew.
 *  @param state     where they are; qd and qdd may be NULL, at rest then
 *  @param period_s  time between two updates from now on, > 0 .. 1e3
 *  @return SN_OK, or SN_EINVAL (a number not finite or out of range): nothing changes
 *  RT: yes, O(joints).  Threads: owner. */
SN_API sn_status sn_smooth_reset(sn_smooth *smooth, const sn_smooth_state *state,
                                 double period_s) SN_RT;

/** Start one joint anew, for instance because it is newly owned; the others go on undisturbed. Only
 *  after a sn_smooth_reset(), which sets the period.
 *  @param joint  less than the number of joints
 *  @return SN_OK, SN_EINVAL (a number not finite or out of range) or SN_ENOTCONFIGURED (never
 *          reset); on failure nothing changes
 *  RT: yes.  Threads: owner. */
SN_API sn_status sn_smooth_reset_joint(sn_smooth *smooth, size_t joint, sn_otg_state state) SN_RT;

/** One period: from the reference to what the joints shall do. A bad reference never gets through:
 *  the joints go on to the last good one and hold there, at rest.
 *  @param state      where the robot is; may be NULL. The built-in filters do not look at it, but
 *                    it must be finite if given
 *  @param reference  where to go
 *  @param new_state  out; written unless the answer is SN_ENOTCONFIGURED; may be the arrays of
 *                    @p state, but not those of @p reference
 *  @return SN_OK; SN_EINVAL (a number not finite or above SN_OTG_VALUE_MAX, the joints hold);
 *          SN_ENOTCONFIGURED (never reset)
 *  RT: yes, O(joints).  Threads: owner. */
SN_API sn_status sn_smooth_update(sn_smooth *smooth, const sn_smooth_state *state,
                                  const sn_smooth_reference *reference,
                                  const sn_smooth_state *new_state) SN_RT;

/** Number of joints. RT: yes. */
SN_API size_t sn_smooth_joint_count(const sn_smooth *smooth) SN_RT;

/** The kind of filter. RT: yes. */
SN_API const sn_smooth_type *sn_smooth_kind(const sn_smooth *smooth) SN_RT;

SN_END_DECLS

#endif
