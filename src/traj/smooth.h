/** @file
 *  Smoothing of joint references, between a source that may jump and joints that must not. One
 * interface (`TransientJointStateInterface`) with several filters:
 *
 *  - `transient_exp` removes the initial error only. The difference between the joint and the first
 *    reference decays critically damped within the transient time; from then on the reference
 * passes unchanged. Velocities of the reference pass too; without them they count as 0.
 *  - `filter_exp` is a critically damped second-order low-pass, exact for any period: a step is
 *    followed to 99 % within the transient time, without overshoot. With velocities in the
 *    reference it filters the difference to a reference that moves with them, and follows ramps
 *    without lag.
 *  - `jerk_limited` goes to the reference as fast as limits of velocity, acceleration and jerk
 *    allow (otg.h), and never exceeds them. With velocities in the reference it meets the moving
 *    reference (sn_otg_follow()), without them it heads for a stop at each one.
 *
 *  A reference is for the end of the period of its update. */
#ifndef SN_TRAJ_SMOOTH_H
#define SN_TRAJ_SMOOTH_H

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
  bool synchronise;            /**< jerk_limited: joints arrive together instead of independently */
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
  const double *qd; /**< rad/s or m/s; NULL if unknown */
} sn_smooth_reference;

/** A kind of filter. All functions are called by the interface, which has checked every number:
 *  finite, and within SN_OTG_VALUE_MAX. */
typedef struct sn_smooth_type {
  const char *name;
  const char *doc;   /**< one line for people */
  bool forms_motion; /**< it limits the motion even if references jump; otherwise jumps pass through
                      */

  /** Create the state of the filter in the arena.
   *  @return SN_OK, SN_EINVAL (bad configuration) or SN_ENOMEM, with the reason in @p err */
  sn_status (*create)(sn_arena *arena, const sn_smooth_config *config, void **out, sn_error *err);

  /** Restart joint @p joint from a state. RT: yes. */
  void (*reset)(void *filter, size_t joint, sn_otg_state state, double period_s);

  /** One period. @p state is the state of the robot, NULL if unknown; a filter may ignore it. @p
   * reference is NULL if none is valid: continue to the last one, or stay at the state of
   * the reset, and hold there. RT: yes. */
  void (*update)(void *filter, const sn_smooth_state *state, const sn_smooth_reference *reference,
                 const sn_smooth_state *new_state);
} sn_smooth_type;

/** The built-in filter of a name, or NULL; `-` and `_` are the same. RT: yes.  Threads: any. */
const sn_smooth_type *sn__smooth_find(const char *name) SN_RT;

/** The built-in filters; NULL after the last. RT: yes.  Threads: any. */
const sn_smooth_type *sn__smooth_at(size_t index) SN_RT;

/** Opaque: an instance of a filter. Lives in the arena it was created from. */
typedef struct sn_smooth sn_smooth;

/** Create a built-in filter, with all joints at rest at zero until they are reset.
 *  @param name  as for sn__smooth_find()
 *  @param out   set on success, untouched on failure
 *  @param err   receives the reason on failure; may be NULL
 *  @return SN_OK, SN_ENOENT (no such filter), SN_EINVAL (bad configuration) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
sn_status sn__smooth_create(sn_arena *arena, const char *name, const sn_smooth_config *config,
                            sn_smooth **out, sn_error *err);

/** The same for a filter of any type; the type must outlive it. */
sn_status sn__smooth_create_type(sn_arena *arena, const sn_smooth_type *type,
                                 const sn_smooth_config *config, sn_smooth **out, sn_error *err);

/** Restart all joints.
 *  @param state     where they are; qd and qdd may be NULL, at rest then
 *  @param period_s  time between two updates from now on, > 0 .. 1e3
 *  @return SN_OK, or SN_EINVAL (a number not finite or out of range): nothing changes
 *  RT: yes, O(joints).  Threads: owner. */
sn_status sn__smooth_reset(sn_smooth *smooth, const sn_smooth_state *state, double period_s) SN_RT;

/** Restart one joint, for instance because it has a new owner; the others continue unchanged. Only
 *  after a sn__smooth_reset(), which sets the period.
 *  @param joint  less than the number of joints
 *  @return SN_OK, SN_EINVAL (a number not finite or out of range) or SN_ENOTCONFIGURED (never
 *          reset); on failure nothing changes
 *  RT: yes.  Threads: owner. */
sn_status sn__smooth_reset_joint(sn_smooth *smooth, size_t joint, sn_otg_state state) SN_RT;

/** One period: compute the command of the joints from the reference. An invalid reference is never
 * passed on: the joints continue to the last valid one and hold there, at rest.
 *  @param state      state of the robot; may be NULL. The built-in filters ignore it, but it must
 * be finite if given
 *  @param reference  where to go
 *  @param new_state  out; written unless the answer is SN_ENOTCONFIGURED; may be the arrays of
 *                    @p state, but not those of @p reference
 *  @return SN_OK; SN_EINVAL (a number not finite or above SN_OTG_VALUE_MAX, the joints hold);
 *          SN_ENOTCONFIGURED (never reset)
 *  RT: yes, O(joints).  Threads: owner. */
sn_status sn__smooth_update(sn_smooth *smooth, const sn_smooth_state *state,
                            const sn_smooth_reference *reference,
                            const sn_smooth_state *new_state) SN_RT;

/** The kind of filter. RT: yes. */
const sn_smooth_type *sn__smooth_kind(const sn_smooth *smooth) SN_RT;

SN_END_DECLS

#endif
