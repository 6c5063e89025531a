/* A closer look at one pair: it is followed on the way to a stop. */
#include <math.h>

#include "guard/guard_internal.h"

/* Poses on the way that are looked at. */
enum { STEPS_MAX = 16 };

/* The joints of a pair while all of them brake. */
typedef struct sn__braking {
  sn__guard *guard;
  const sn__guard_motion *motion;
  sn__path path;
} sn__braking;

/* What is left of the speed of a joint after braking for a time. */
static double speed_at(const sn__braking *b, int joint, double time_s) {
  return fmax(0.0, fabs(b->motion->qd[joint]) - b->guard->limits[joint].brake * time_s);
}

/* From that speed to a stop. */
static double rest_of(const sn__braking *b, int joint, double speed) {
  const double brake = b->guard->limits[joint].brake;
  return brake > 0.0 ? speed * speed / (2.0 * brake) : 0.0;
}

/* How fast the two may move against each other, and how far until they stop. */
static void approach_at(const sn__braking *b, double time_s, double *speed, double *rest) {
  *speed = *rest = 0.0;
  for (size_t side = 0; side < 2; side++) {
    for (size_t i = 0; i < b->path.counts[side]; i++) {
      const sn__path_joint *joint = &b->path.joints[side][i];
      const double now = speed_at(b, joint->coord, time_s);
      *speed += joint->lever * now;
      *rest += joint->lever * rest_of(b, joint->coord, now);
    }
  }
}

/* How far they may have moved against each other in this cycle. */
static double step_of(const sn__braking *b) {
  double step = 0.0;
  for (size_t side = 0; side < 2; side++) {
    for (size_t i = 0; i < b->path.counts[side]; i++) {
      const sn__path_joint *joint = &b->path.joints[side][i];
      step += joint->lever * fabs(b->motion->q[joint->coord] - b->guard->from[joint->coord]);
    }
  }
  return step;
}

/* How deep two links overlap matters only if they did so before. */
static double least_of_interest(double floor) {
  return floor > 0.0 ? 0.0 : -INFINITY;
}

/* The distance after braking for a time. */
static double distance_at(const sn__braking *b, size_t pair, double time_s, double window,
                          double floor) {
  double *q = b->guard->probe;
  for (size_t side = 0; side < 2; side++) {
    for (size_t i = 0; i < b->path.counts[side]; i++) {
      const int joint = b->path.joints[side][i].coord;
      const double qd = b->motion->qd[joint];
      const double way =
          rest_of(b, joint, fabs(qd)) - rest_of(b, joint, speed_at(b, joint, time_s));
      q[joint] = b->motion->q[joint] + copysign(way, qd);
    }
  }
  b->guard->looks++;
  return sn__collision_gap_at(b->guard->collision, pair, q, window, least_of_interest(floor));
}

/* From pose to pose until the rest of the way is too short to matter. Between two poses the
   distance is at least half of (both distances - the way between them). Braking in steps of a
   cycle lags behind braking without steps by half a period of motion.
   Two links in contact already have no such bound: only the poses count. */
static bool can_stop(const sn__braking *b, size_t pair, const sn__guard_pair *now,
                     double distance) {
  double time_s = 0.0, speed = 0.0, rest = 0.0;
  approach_at(b, 0.0, &speed, &rest);
  const double lag = speed * b->guard->lag_s;
  for (size_t k = 0; k < STEPS_MAX; k++) {
    if (rest <= 0.0 || distance - rest >= fmax(now->margin, lag)) {
      return true;
    }
    const double way = now->floor > 0.0 ? distance + now->floor - 2.0 * lag : b->guard->margin;
    if (way <= 0.0) {
      return false;
    }
    time_s += way / speed; /* it only gets slower */
    approach_at(b, time_s, &speed, &rest);
    distance = distance_at(b, pair, time_s, fmax(now->margin, lag) + rest, now->floor);
    if (distance < now->floor) {
      return false;
    }
  }
  return false;
}

bool sn__guard_is_safe(sn__guard *guard, size_t pair, const sn__guard_motion *motion,
                       double *distance) {
  const sn__guard_pair now = sn__guard_pair_now(guard, pair);
  const sn__braking b = {guard, motion, sn__collision_path(guard->collision, pair)};
  double speed = 0.0, rest = 0.0;
  approach_at(&b, 0.0, &speed, &rest);
  const double step = step_of(&b);
  guard->looks++;
  *distance = sn__collision_gap_at(guard->collision, pair, motion->q,
                                   now.margin + rest + step + speed * guard->lag_s,
                                   least_of_interest(now.floor));
  if (*distance < now.floor || (now.floor > 0.0 && now.distance + *distance <= step)) {
    return false;
  }
  return can_stop(&b, pair, &now, *distance);
}
