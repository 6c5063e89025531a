#include "gate/limiter.h"

#include <math.h>

/* The highest velocity of this step from which the rest of @p way suffices to brake to a stop:
   v dt + v^2 / (2 brake) = way, in the form that loses no digits. */
static double stoppable(double way, double brake, double dt_s) {
  if (!(way > 0.0)) {
    return 0.0;
  }
  if (isinf(way)) {
    return INFINITY;
  }
  return 2.0 * way / dt_s / (1.0 + sqrt(1.0 + 2.0 * way / (brake * dt_s * dt_s)));
}

/* The highest velocity that can be reached in one step. What still goes backwards has to brake
   first, and speeds up with what is left of the step. */
static double reachable(double qd, double accel, double brake, double dt_s) {
  if (qd >= 0.0) {
    return qd + accel * dt_s;
  }
  const double left_s = dt_s + qd / brake;
  return left_s <= 0.0 ? qd + brake * dt_s : accel * left_s;
}

static void move(const sn__limits *limits, double wanted, double dt_s, sn__motion *motion) {
  const double upwards =
      fmin(limits->speed, reachable(motion->qd, limits->accel, limits->brake, dt_s));
  const double downwards =
      fmax(-limits->speed, -reachable(-motion->qd, limits->accel, limits->brake, dt_s));
  double qd = fmax(downwards, fmin(upwards, wanted));
  /* The ends come last: should rounding ever put the two at odds, they matter more. */
  qd = fmin(qd, stoppable(limits->upper - motion->q, limits->brake, dt_s));
  qd = fmax(qd, -stoppable(motion->q - limits->lower, limits->brake, dt_s));
  motion->qdd = (qd - motion->qd) / dt_s;
  motion->qd = qd;
  motion->q = fmax(limits->lower, fmin(limits->upper, motion->q + qd * dt_s));
}

void sn__limiter_follow(const sn__limits *limits, double way, double drift, double dt_s,
                        sn__motion *motion) {
  /* As seen from the target: come to rest on it. The weaker of the two, since braking towards a
     target that moves may mean to speed up. */
  const double gentle = fmin(limits->accel, limits->brake);
  const double rest = way - drift * dt_s;
  move(limits, drift + copysign(stoppable(fabs(rest), gentle, dt_s), rest), dt_s, motion);
}

void sn__limiter_brake(const sn__limits *limits, double dt_s, sn__motion *motion) {
  move(limits, 0.0, dt_s, motion);
}

/* The highest velocity from which @p way suffices to stop. */
static double fastest(const sn__limits *limits, double way) {
  return fmin(limits->speed, sqrt(2.0 * limits->brake * fmax(way, 0.0)));
}

void sn__limiter_place(const sn__limits *limits, double q, double qd, sn__motion *motion) {
  motion->q = fmax(limits->lower, fmin(limits->upper, q));
  motion->qd = fmax(-fastest(limits, motion->q - limits->lower),
                    fmin(fastest(limits, limits->upper - motion->q), qd));
  motion->qdd = 0.0;
}
