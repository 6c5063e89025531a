#include "controllers/jog/joint_follow.h"

#include <math.h>
#include <stdbool.h>

/* Share of an acceleration that is used to stop before a limit. */
static const double STOP_SHARE = 0.5;
/* Distance from a limit that wanted velocities keep, rad or m: what comes later has room to stop.
 */
static const double SOFT_MARGIN = 2e-3;
/* Share of an acceleration with which a joint recovers that others have slowed down. */
static const double RECOVERY_SHARE = 0.1;
/* What rounding may add to a difference of positions. */
static const double ROUNDING = 1e-12;
enum { BISECTIONS = 16 };

double sn__jog_approach(double way, double acceleration, double jerk, double dt_s) {
  const double half = 0.5 * jerk * dt_s;
  return fmin(acceleration, sqrt(half * half + 2.0 * jerk * way) - half);
}

/* v^2 / 2a, and v a / 2j until the acceleration has built up. */
double sn__jog_stop_speed(const sn_otg_limits *limits, double room) {
  const double a = STOP_SHARE * limits->acceleration;
  const double build_up = a * a / limits->jerk;
  return sqrt(build_up * build_up + 2.0 * a * fmax(room, 0.0)) - build_up;
}

double sn__jog_speed_max(const sn__jog_joint *joint, double qd) {
  const double room = qd > 0.0 ? joint->upper - joint->q : joint->q - joint->lower;
  const double allowed = qd > 0.0 ? joint->up_max : joint->down_max;
  return fmin(allowed, sn__jog_stop_speed(&joint->limits, room - SOFT_MARGIN));
}

double sn__jog_stop_share(const sn__jog_joint *joints, size_t count, const double *wanted,
                          int *joint) {
  sn_otg_limits common = {.acceleration = INFINITY, .jerk = INFINITY};
  double room = INFINITY;
  *joint = -1;
  for (size_t j = 0; j < count; j++) {
    const sn__jog_joint *at = &joints[j];
    const double speed = fabs(wanted[j]);
    if (speed > 0.0) {
      const double left = wanted[j] > 0.0 ? at->upper - at->q : at->q - at->lower;
      common.acceleration = fmin(common.acceleration, at->limits.acceleration / speed);
      common.jerk = fmin(common.jerk, at->limits.jerk / speed);
      *joint = left < room * speed ? (int)j : *joint;
      room = fmin(room, fmax(left, 0.0) / speed);
    }
  }
  return isfinite(room) ? fmin(1.0, sn__jog_stop_speed(&common, room)) : 1.0;
}

void sn__jog_go_on_from(sn__jog_joint *joint, double q, double qd) {
  if (joint->qd > fmax(qd, 0.0) + ROUNDING) {
    joint->up_max = fmax(qd, 0.0);
  } else if (joint->qd < fmin(qd, 0.0) - ROUNDING) {
    joint->down_max = fmax(-qd, 0.0);
  }
  joint->q = q;
  /* Others that catch up are faster for a moment: that is not what the joint wants. */
  joint->qd = joint->qd * qd > 0.0 && fabs(joint->qd) < fabs(qd) ? joint->qd : qd;
  /* Braking goes on. Begun anew in each cycle, it would be limited to what the jerk allows in one,
     and a joint that is changed again and again would hardly stop. */
  joint->qdd = joint->qdd * qd < 0.0 ? joint->qdd : 0.0;
  joint->bend = 0.0;
}

double sn__jog_step_time_s(int64_t passed_ns, int64_t period_ns) {
  const int64_t most_ns = 2 * period_ns;
  return 1e-9 * (double)(passed_ns <= 0 ? period_ns : passed_ns < most_ns ? passed_ns : most_ns);
}

/* The greatest acceleration upwards after which the jerk can still end it below the limit of
   velocity. */
static double most_upwards(double qd, const sn_otg_limits *limits, double dt_s) {
  const double step = limits->jerk * dt_s;
  return sqrt(step * step + 2.0 * limits->jerk * fmax(limits->velocity - qd, 0.0)) - step;
}

/* The way in which a joint stops that moves with v > 0 and already brakes with b >= 0: the jerk
   raises b to its peak p and ends it again, p = acceleration for a while if that does not do. */
static double brake_way(const sn_otg_limits *limits, double v, double b) {
  const double j = limits->jerk;
  const double a = limits->acceleration;
  const double ending = 2.0 * j * v - b * b; /* < 0: v ends before b does */
  if (ending < 0.0) {
    const double t = (b - sqrt(b * b - 2.0 * j * v)) / j;
    return t * (v - t * (b / 2.0 - t * j / 6.0));
  }
  const double p = fmin(a, sqrt(b * b + 0.5 * ending));
  const double rise_s = (p - b) / j;
  const double held = fmax(0.0, v - (p * p - 0.5 * b * b) / j); /* of v, lost at the peak */
  const double v_peak = held + 0.5 * p * p / j;
  return rise_s * (v - rise_s * (b / 2.0 + rise_s * j / 6.0)) +
         (held > 0.0 ? 0.5 * (v_peak * v_peak - 0.25 * p * p * p * p / (j * j)) / p : 0.0) +
         p * p * p / (6.0 * j * j);
}

/* The same for an acceleration a0: one forwards is ended by the jerk first. */
static double stop_way(const sn_otg_limits *limits, double v, double a0) {
  const double forwards = fmax(a0, 0.0);
  const double ends_s = forwards / limits->jerk;
  const double top = v + 0.5 * forwards * ends_s;
  const double brake = fmin(fmax(-a0, 0.0), limits->acceleration);
  return ends_s * (v + forwards * ends_s / 3.0) + brake_way(limits, top, brake);
}

/* Would a joint that goes on with v, upwards, still stop in the room that is left? */
static bool can_stop(const sn__jog_joint *joint, double v, double now, double room, double dt_s) {
  return v <= 0.0 || stop_way(&joint->limits, v, (v - now) / dt_s) + v * dt_s <= fmax(room, 0.0);
}

/* The highest velocity within a range from which a joint stops in the room that is left; the lowest
   if there is none. */
static double highest_that_stops(const sn__jog_joint *joint, sn__jog_range r, double now,
                                 double room, double dt_s) {
  if (can_stop(joint, r.high, now, room, dt_s)) {
    return r.high;
  }
  sn__jog_range left = r;
  for (int i = 0; i < BISECTIONS; i++) {
    const double middle = 0.5 * (left.low + left.high);
    if (can_stop(joint, middle, now, room, dt_s)) {
      left.low = middle;
    } else {
      left.high = middle;
    }
  }
  return left.low;
}

sn__jog_range sn__jog_range_of(const sn__jog_joint *joint, double dt_s) {
  const sn_otg_limits *limits = &joint->limits;
  const double step = limits->jerk * dt_s;
  const double least = fmax(-limits->acceleration, joint->qdd - step);
  const double most = fmin(limits->acceleration, joint->qdd + step);
  const double high = fmin(most, most_upwards(joint->qd, limits, dt_s));
  const double low = fmax(least, -most_upwards(-joint->qd, limits, dt_s));
  const sn__jog_range r = {joint->qd + dt_s * fmin(low, most),
                           joint->qd + dt_s * fmax(high, least)};
  const sn__jog_range mirrored = {-r.high, -r.low};
  const double up = highest_that_stops(joint, r, joint->qd, joint->upper - joint->q, dt_s);
  const double down =
      -highest_that_stops(joint, mirrored, -joint->qd, joint->q - joint->lower, dt_s);
  return (sn__jog_range){fmin(down, up), up};
}

/* One joint alone: the velocity of the next cycle. */
static double follow_one(const sn__jog_joint *joint, double wanted, double dt_s) {
  const sn_otg_limits *limits = &joint->limits;
  const double way = wanted - joint->qd;
  const double change =
      dt_s * sn__jog_approach(fabs(way), limits->acceleration, limits->jerk, dt_s);
  const sn__jog_range r = sn__jog_range_of(joint, dt_s);
  const double next = joint->qd + copysign(fmin(change, fabs(way)), way);
  return fmax(r.low, fmin(r.high, next));
}

void sn__jog_move(sn__jog_joint *joint, double qd, double dt_s) {
  const double more = RECOVERY_SHARE * joint->limits.acceleration * dt_s;
  joint->up_max += more;
  joint->down_max += more;
  joint->qdd = (qd - joint->qd) / dt_s;
  joint->qd = qd;
  joint->q += dt_s * qd;
}

void sn__jog_follow_each(sn__jog_joint *joints, size_t count, const double *wanted, double dt_s) {
  for (size_t j = 0; j < count; j++) {
    sn__jog_move(&joints[j], follow_one(&joints[j], wanted[j], dt_s), dt_s);
  }
}
