#include "traj/otg_brake.h"

#include <math.h>
#include <stdbool.h>

/* Rounding of a state on a limit, relative to the limit. Such a state counts as inside and needs no
 * correction. */
static const double velocity_slack = 2e-13;
static const double acceleration_slack = 1e-14;

static void add(sn__otg_brake *brake, double jerk, double time) {
  if (time > 0.0) {
    brake->jerk[brake->count] = jerk;
    brake->time[brake->count] = time;
    brake->count++;
  }
}

/* The velocity is too high, or will be; seen from the other side if @p side is -1. Decelerate as
   hard as possible until it is at the limit. There the deceleration may be so strong that taking it
   back ends at the opposite limit, but no stronger. */
static void brake_velocity(sn__otg_brake *brake, double v_max, double side) {
  const double v = side * brake->v;
  const double a = side * brake->a;
  const double end_max = fmin(1.0, 2.0 * sqrt(v_max));
  const double end = sqrt(fmax(a * a + 2.0 * (v - v_max), 0.0)); /* with one phase only */
  if (end <= end_max) {
    add(brake, -side, a + end);
    brake->a = -side * end;
  } else {
    const double peak_free = sqrt(fmax(v - v_max + 0.5 * (a * a + end_max * end_max), 0.0));
    const double peak = fmin(fmax(peak_free, -a), 1.0);
    const double hold = peak_free > 1.0 ? peak_free * peak_free - 1.0 : 0.0;
    add(brake, -side, a + peak);
    add(brake, 0.0, hold);
    add(brake, side, peak - end_max);
    brake->a = -side * end_max;
  }
  brake->v = side * v_max;
}

void sn__otg_brake_plan(double v_max, double v, double a, sn__otg_brake *brake) {
  brake->count = 0;
  if (fabs(a) > 1.0) {
    const double side = a > 0.0 ? 1.0 : -1.0;
    if (fabs(a) > 1.0 + acceleration_slack) {
      add(brake, -side, fabs(a) - 1.0);
      v += side * 0.5 * (fabs(a) - 1.0) * (fabs(a) + 1.0);
    }
    a = side;
  }
  brake->v = v;
  brake->a = a;
  const double most = v_max * (1.0 + velocity_slack);
  const double rest = v + 0.5 * a * fabs(a); /* with the acceleration taken back to 0 */
  if (a > 0.0 && rest > most) {
    brake_velocity(brake, v_max, 1.0);
  } else if (a < 0.0 && rest < -most) {
    brake_velocity(brake, v_max, -1.0);
  } else if (fabs(v) > most) {
    brake_velocity(brake, v_max, v > 0.0 ? 1.0 : -1.0);
  }
}
