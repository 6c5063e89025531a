/** @file
 *  Online trajectory generation: the fastest motion of a joint from any state to a target under
 * limits of velocity, acceleration and jerk, for one joint as a value (sn_otg_profile) or for many
 * as an instance that is stepped every cycle (sn_otg).
 *
 *  Limits are symmetric. A start outside them is first brought back as fast as the limits of jerk
 *  and acceleration allow, without making the violation worse; from there on the motion is the
 *  fastest one. Planning never fails on numbers within SN_OTG_VALUE_MAX. */
#ifndef SINEW_OTG_H
#define SINEW_OTG_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** The largest position, velocity, acceleration, jerk and duration, and the inverse of the smallest
 *  limit, in SI units. */
#define SN_OTG_VALUE_MAX 1e12

/** Maximum number of phases of a profile: 4 to come back inside the limits, then at most 7 + 7. */
#define SN_OTG_PHASES_MAX 18

/** Maximum number of joints of an instance. */
#define SN_OTG_JOINTS_MAX 4096

/** Limits of a joint, equal in both directions; each 1/SN_OTG_VALUE_MAX .. SN_OTG_VALUE_MAX. */
typedef struct sn_otg_limits {
  double velocity;     /**< rad/s or m/s */
  double acceleration; /**< rad/s^2 or m/s^2 */
  double jerk;         /**< rad/s^3 or m/s^3 */
} sn_otg_limits;

/** Where a joint is. Each number within SN_OTG_VALUE_MAX. */
typedef struct sn_otg_state {
  double q;   /**< rad or m */
  double qd;  /**< rad/s or m/s */
  double qdd; /**< rad/s^2 or m/s^2 */
} sn_otg_state;

/** A phase of constant jerk. */
typedef struct sn_otg_phase {
  double duration_s;  /**< > 0 */
  double jerk;        /**< rad/s^3 or m/s^3 */
  sn_otg_state start; /**< the state where it begins */
} sn_otg_phase;

/** The motion of one joint: a value. After its end the joint continues with the final velocity.
 *  Each phase has its own start state, so that rounding errors do not add up; the last phases are
 * computed backwards from the end, which is therefore exact. */
typedef struct sn_otg_profile {
  size_t count; /**< of phases; 0 if start and end are the same */
  double duration_s;
  sn_otg_state end; /**< no acceleration */
  sn_otg_phase phases[SN_OTG_PHASES_MAX];
} sn_otg_profile;

/** Opaque: several joints in motion. Lives in the arena it was created from. */
typedef struct sn_otg sn_otg;

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn_otg_config {
  size_t joint_count;          /**< 1 .. SN_OTG_JOINTS_MAX, no default */
  const sn_otg_limits *limits; /**< [joint_count], no default; copied */
  bool synchronise; /**< all joints arrive at the same time; otherwise each as soon as it can */
} sn_otg_config;

/** Create an instance, at rest at zero.
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EINVAL (bad configuration) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_otg_create(sn_arena *arena, const sn_otg_config *config, sn_otg **out,
                               sn_error *err);

/** Put the joints into a state. Until they get a target, each stops as fast as it can.
 *  @param q    joint_count positions
 *  @param qd   joint_count velocities; NULL means at rest
 *  @param qdd  joint_count accelerations; NULL means none
 *  @return SN_OK, or SN_EINVAL (a number not finite or above SN_OTG_VALUE_MAX): nothing changes
 *  RT: yes, O(joint_count).  Threads: owner. */
SN_API sn_status sn_otg_reset(sn_otg *otg, const double *q, const double *qd,
                              const double *qdd) SN_RT;

/** Put one joint into a state, as sn_otg_reset(); the others continue unchanged.
 *  @param joint  less than joint_count */
SN_API sn_status sn_otg_reset_joint(sn_otg *otg, size_t joint, sn_otg_state state) SN_RT;

/** Go to a target from the current state of the trajectory, without a jump in position, velocity or
 *  acceleration, and pass it with the given velocity. The same target again changes nothing, not
 *  even a bit; where joints are independent, that holds for each joint.
 *  @param q   joint_count positions
 *  @param qd  joint_count velocities to arrive with, inside the limits; NULL means at rest
 *  @return SN_OK, or SN_EINVAL (a number not finite or above SN_OTG_VALUE_MAX, a velocity above its
 *          limit): the joints continue to the last target
 *  RT: yes, O(joint_count); joints that pass moving targets together, its square at worst.
 *  Threads: owner. */
SN_API sn_status sn_otg_set_target(sn_otg *otg, const double *q, const double *qd) SN_RT;

/** The fraction of the velocity limit that a followed target may have; the rest is needed to catch
 * up with it. */
#define SN_OTG_FOLLOW_SHARE 0.999

/** Meet a moving target: it is at q now and moves with qd; the joint meets it and then stays with
 * it. This is what a stream of references with velocities needs; joints that are with their target
 * follow it without lag. With a target at rest this is sn_otg_set_target().
 *  @param q   joint_count positions
 *  @param qd  joint_count velocities; more than SN_OTG_FOLLOW_SHARE of the limit counts as that;
 *             NULL means at rest
 *  @return SN_OK, or SN_EINVAL (a number not finite, or above SN_OTG_VALUE_MAX): the joints
 * continue to the last target RT: yes, O(joint_count).  Threads: owner. */
SN_API sn_status sn_otg_follow(sn_otg *otg, const double *q, const double *qd) SN_RT;

/** Advance by a time and read the state. Arrays have joint_count entries.
 *  @param dt_s  >= 0; 0 reads the current state
 *  @param q, qd, qdd  out; may be NULL
 *  RT: yes, O(joint_count).  Threads: owner. */
SN_API void sn_otg_step(sn_otg *otg, double dt_s, double *q, double *qd, double *qdd) SN_RT;

/** Time from now until the last joint arrives, s; 0 if all have. RT: yes.  Threads: owner. */
SN_API double sn_otg_duration(const sn_otg *otg) SN_RT;

/** Have all joints arrived, or stopped if they have no target? RT: yes.  Threads: owner. */
SN_API bool sn_otg_is_done(const sn_otg *otg) SN_RT;

SN_END_DECLS

#endif
