/** @file
 *  Internal: writing profiles, and moving along their phases. */
#ifndef SN_TRAJ_OTG_PROFILE_H
#define SN_TRAJ_OTG_PROFILE_H

#include "sinew/otg.h"

/** The state after a time of constant jerk. */
static inline sn_otg_state sn__otg_move(sn_otg_state s, double jerk, double t) {
  const double half = 0.5 * jerk * t;
  return (sn_otg_state){s.q + t * (s.qd + t * (0.5 * s.qdd + half * (1.0 / 3.0))),
                        s.qd + t * (s.qdd + half), s.qdd + jerk * t};
}

/** Add a phase, unless it is empty. */
static inline void sn__otg_profile_add(sn_otg_profile *profile, double duration_s, double jerk,
                                       sn_otg_state start) {
  if (duration_s > 0.0) {
    profile->phases[profile->count++] = (sn_otg_phase){duration_s, jerk, start};
    profile->duration_s += duration_s;
  }
}

/** Add the mixture (1 - share) a + share b of two motions from the same start to the same velocity
 *  in the same time. Limits are convex: what both keep, the mixture keeps. */
void sn__otg_profile_add_mixture(sn_otg_profile *profile, const sn_otg_profile *a,
                                 const sn_otg_profile *b, double share);

#endif
