/** @file
 *  Random tasks for jerk-limited motion, and the check of a profile by plain integration. */
#ifndef SN_OTG_CASE_H
#define SN_OTG_CASE_H

#include "sinew/otg.h"
#include "sinew/random.h"
#include "traj/otg_offline.h"

/** Kinds of cases; combine with |. */
enum {
  SN_CASE_WIDE = 1,    /**< limits log-uniform: v 0.1 .. 1e3, a 0.1 .. 1e4, j 0.1 .. 1e5;
                            otherwise uniform, each 0.1 .. 10 */
  SN_CASE_MOVING = 2,  /**< the target moves */
  SN_CASE_OUTSIDE = 4, /**< the start is up to three times outside the limits */
  SN_CASE_EDGE = 8     /**< many numbers on a limit, equal, zero or nearly so */
};

typedef struct sn_otg_case {
  sn_otg_limits limits;
  sn_otg_state start, target;
} sn_otg_case;

/** Positions are within 5. Unless SN_CASE_OUTSIDE, the start is inside the limits and stays there
 *  if its acceleration is taken back. */
void sn_otg_case_draw(sn_otg_case *c, sn_random *random, unsigned what);

/** The largest deviations found so far. */
typedef struct sn_otg_worst {
  double limit;      /**< relative excess over a limit */
  double jump;       /**< between phases: position, in rad or m */
  double jump_rates; /**< between phases: velocity and acceleration, relative to the limits */
  double end;        /**< of the state at the end, by sn__otg_profile_at() */
  double forward;    /**< of the position at the end, by integration from start to end */
} sn_otg_worst;

/** Integrate the profile phase by phase in long double and check every extremum. Limits hold to
 *  1e-12; outside, the velocity and acceleration must never be worse than braking makes
 *  unavoidable. Phases join, and the end is the target, to 1e-8 or to the rounding error of a
 * motion of that length. Fails the test otherwise.
 *  @param worst  updated; may be NULL */
void sn_otg_case_check(const sn_otg_case *c, const sn_otg_profile *profile, sn_otg_worst *worst);

#endif
