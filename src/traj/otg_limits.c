#include "traj/otg_limits.h"

#include <math.h>

/* A joint with a limit of zero still needs limits to plan with: it gets a small one. */
static double limit_of(double stated, double otherwise) {
  return isfinite(stated) ? fmax(stated, 1e-6) : otherwise;
}

sn_otg_limits sn__otg_limits_of(const sn_joint *joint, const sn__otg_defaults *defaults) {
  const double velocity = limit_of(joint->velocity_max, defaults->velocity);
  const double acceleration = limit_of(fmin(joint->acceleration_max, joint->deceleration_max),
                                       velocity / defaults->acceleration_time_s);
  const double jerk = limit_of(joint->jerk_max, acceleration / defaults->jerk_time_s);
  return (sn_otg_limits){.velocity = velocity, .acceleration = acceleration, .jerk = jerk};
}
