#include "controllers/jog/joint_common.h"

#include <math.h>
#include <stdbool.h>

/* Shares of acceleration and jerk that change the motion. The rest is for its curve. */
static const double COMMON_ACCELERATION = 0.7;
static const double COMMON_JERK = 0.6;
/* Shares of them that the curve may take; at the wanted velocities less, so that a stop is
   possible. */
static const double BEND_ACCELERATION = 0.3;
static const double BEND_JERK = 0.4;
static const double BEND_WANTED = 0.8;
/* Share of these with which a stop is planned; the real one has all of them. */
static const double PLANNED = 0.9;
/* What rounding may add to a difference of positions. */
static const double ROUNDING = 1e-12;
/* Steps of a planned stop. */
enum { STOP_STEPS = 32 };
/* The least singular value of what is kept, as share of the present one, that counts. */
static const double LEAST = 1e-3;
/* Square of the share of the speed that is left, where a stop is as good as done. */
static const double STOPPED = 1e-4;

/* ---- one cycle ---- */

/* Accelerate all joints by the same share of the ways to their velocities.
   @param ability  share of the common acceleration and jerk */
static void change_together(const sn__jog_joint *joints, sn__jog_choice *choices, size_t count,
                            double ability, double dt_s) {
  double rate = 1.0 / dt_s;
  double share = 1.0;
  for (size_t j = 0; j < count; j++) {
    const double way = fabs(choices[j].way);
    const sn_otg_limits *limits = &joints[j].limits;
    if (way > 0.0) {
      rate = fmin(rate, sn__jog_approach(way, ability * COMMON_ACCELERATION * limits->acceleration,
                                         ability * COMMON_JERK * limits->jerk, dt_s) /
                            way);
    }
  }
  for (size_t j = 0; j < count; j++) {
    const double change = fabs(rate * choices[j].way - choices[j].along);
    const double most = ability * COMMON_JERK * joints[j].limits.jerk * dt_s;
    share = change * share > most ? most / change : share;
  }
  for (size_t j = 0; j < count; j++) {
    choices[j].along += share * (rate * choices[j].way - choices[j].along);
  }
}

/* Velocities that go on along the curve of what is kept, and the accelerations for that. */
static void go_on(const sn__jog_joint *joints, size_t count, const sn__jog_kept *kept,
                  sn__jog_choice *choices, double dt_s) {
  for (size_t j = 0; j < count; j++) {
    const sn__jog_range r = sn__jog_range_of(&joints[j], dt_s);
    const double most = joints[j].limits.acceleration;
    choices[j] =
        (sn__jog_choice){.low = r.low, .high = r.high, .qd = joints[j].qd, .weight = most * most};
  }
  if (kept->jac != NULL) {
    sn__jog_follow_curve(kept, choices, count, dt_s);
  }
  for (size_t j = 0; j < count; j++) {
    sn__jog_choice *c = &choices[j];
    c->base = joints[j].qd + c->bend;
    c->bend /= dt_s;
    c->corner /= dt_s;
  }
}

/* Within the ranges, with what is kept. */
static void settle(const sn__jog_kept *kept, sn__jog_choice *choices, size_t count, double dt_s) {
  for (size_t j = 0; j < count; j++) {
    sn__jog_choice *c = &choices[j];
    c->qd = fmax(c->low, fmin(c->high, c->qd));
  }
  if (kept->jac != NULL) {
    sn__jog_keep(kept, choices, count);
  }
  for (size_t j = 0; j < count; j++) {
    choices[j].along = (choices[j].qd - choices[j].base) / dt_s;
  }
}

/* Towards the wanted velocities.
   @param wanted  NULL: to a stop */
static void choose(const sn__jog_joint *joints, size_t count, const double *wanted,
                   const sn__jog_kept *kept, sn__jog_choice *choices, double dt_s) {
  for (size_t j = 0; j < count; j++) {
    choices[j].way = (wanted == NULL ? 0.0 : wanted[j]) - choices[j].base;
    choices[j].along = joints[j].qdd - joints[j].bend;
  }
  change_together(joints, choices, count, 1.0, dt_s);
  for (size_t j = 0; j < count; j++) {
    choices[j].qd = choices[j].base + dt_s * choices[j].along;
  }
  settle(kept, choices, count, dt_s);
}

/* Are the wanted velocities possible in this cycle? Then they are chosen. */
static bool admit(sn__jog_choice *choices, size_t count, const double *wanted, double dt_s) {
  for (size_t j = 0; j < count; j++) {
    if (!(wanted[j] >= choices[j].low - ROUNDING && wanted[j] <= choices[j].high + ROUNDING)) {
      return false;
    }
  }
  for (size_t j = 0; j < count; j++) {
    choices[j].qd = wanted[j];
    choices[j].along = (wanted[j] - choices[j].base) / dt_s;
  }
  return true;
}

/* ---- the stop that must remain possible ---- */

/* @param bend_before  a step before */
static bool is_within(const sn__jog_joint *joint, const sn__jog_choice *c, double bend_before,
                      double dt_s) {
  const sn_otg_limits *limits = &joint->limits;
  return !(c->q_ahead > joint->upper && c->qd_ahead > 0.0) &&
         !(c->q_ahead < joint->lower && c->qd_ahead < 0.0) &&
         fabs(c->qd_ahead) <= limits->velocity &&
         fabs(c->bend_ahead) <= BEND_ACCELERATION * limits->acceleration &&
         fabs(c->bend_ahead - bend_before) <= BEND_JERK * limits->jerk * dt_s;
}

/* The greatest speed, as share of that of its joint. */
static double speed_ahead(const sn__jog_joint *joints, const sn__jog_choice *choices,
                          size_t count) {
  double most = 0.0;
  for (size_t j = 0; j < count; j++) {
    most = fmax(most, fabs(choices[j].qd_ahead) / joints[j].limits.velocity);
  }
  return most;
}

/* A time that is enough to stop all joints. */
static double stop_time_s(const sn__jog_joint *joints, const sn__jog_choice *choices,
                          size_t count) {
  double longest = 0.0;
  for (size_t j = 0; j < count; j++) {
    const double a = PLANNED * COMMON_ACCELERATION * joints[j].limits.acceleration;
    const double jerk = PLANNED * COMMON_JERK * joints[j].limits.jerk;
    const double speed =
        fabs(choices[j].qd_ahead) + 0.5 * choices[j].along * choices[j].along / jerk;
    longest = fmax(longest, speed / a + (fabs(choices[j].along) + a) / jerk);
  }
  return longest;
}

/* What has become of the motion on the way to a stop. */
typedef struct ahead {
  double square;    /* of the speed that is left, as share */
  double tightness; /* of the corner, as share of that at the beginning */
} ahead;

/* One step of a stop. What follows the curve goes with the square of the speed.
   @return whether that is within the limits */
static bool step_ahead(const sn__jog_joint *joints, sn__jog_choice *choices, size_t count, ahead at,
                       double dt_s) {
  bool is_possible = true;
  for (size_t j = 0; j < count; j++) {
    choices[j].way = -choices[j].qd_ahead;
  }
  change_together(joints, choices, count, PLANNED, dt_s);
  for (size_t j = 0; j < count; j++) {
    sn__jog_choice *c = &choices[j];
    const double before = c->bend_ahead;
    c->bend_ahead = at.square * (c->bend + (at.tightness - 1.0) * c->corner);
    c->qd_ahead += dt_s * (c->along + c->bend_ahead);
    c->q_ahead += dt_s * c->qd_ahead;
    is_possible = is_possible && is_within(&joints[j], c, before, dt_s);
  }
  return is_possible;
}

/* Can all joints stop together after this cycle, within their limits?
   @param growth  of the least singular value of what is kept, 1/s */
static bool can_stop(const sn__jog_joint *joints, sn__jog_choice *choices, size_t count,
                     double growth, double dt_s) {
  for (size_t j = 0; j < count; j++) {
    choices[j].qd_ahead = choices[j].qd;
    choices[j].q_ahead = joints[j].q + dt_s * choices[j].qd;
    choices[j].bend_ahead = choices[j].bend;
  }
  const double begin = speed_ahead(joints, choices, count);
  const double step_s = fmax(dt_s, stop_time_s(joints, choices, count) / STOP_STEPS);
  ahead at = {begin > 0.0 ? 1.0 : 0.0, 1.0};
  double least = 1.0;
  for (int k = 0; k < STOP_STEPS && at.square > STOPPED; k++) {
    if (!step_ahead(joints, choices, count, at, step_s)) {
      return false;
    }
    const double share = speed_ahead(joints, choices, count) / begin;
    least = fmax(LEAST, least + step_s * share * growth);
    at = (ahead){share * share, fmax(1.0, 1.0 / least)};
  }
  return true;
}

/* ---- cycles ---- */

/* Accelerations on the curve go with the square of the speed, and so do their changes while the
   joints brake: twice the acceleration, by the share of the speed that is lost in a second. */
double sn__jog_bend_share(const sn__jog_joint *joints, size_t count, const double *wanted) {
  double speed = 0.0; /* as times of the acceleration, s */
  double speed_wanted = 0.0;
  double bend = 0.0;
  double jerk = 0.0;
  for (size_t j = 0; j < count; j++) {
    const sn_otg_limits *limits = &joints[j].limits;
    speed = fmax(speed, fabs(joints[j].qd) / limits->acceleration);
    speed_wanted = fmax(speed_wanted, fabs(wanted[j]) / limits->acceleration);
    bend = fmax(bend, fabs(joints[j].bend) / (BEND_ACCELERATION * limits->acceleration));
    jerk =
        fmax(jerk, 2.0 * COMMON_ACCELERATION * fabs(joints[j].bend) / (BEND_JERK * limits->jerk));
  }
  const double most = bend > 0.0 ? speed * fmin(1.0 / sqrt(bend), speed / jerk) : INFINITY;
  return speed_wanted > BEND_WANTED * most ? BEND_WANTED * most / speed_wanted : 1.0;
}

void sn__jog_follow(sn__jog_joint *joints, size_t count, const double *wanted,
                    const sn__jog_kept *kept, sn__jog_choice *choices, double dt_s) {
  go_on(joints, count, kept, choices, dt_s);
  if (!admit(choices, count, wanted, dt_s)) {
    choose(joints, count, wanted, kept, choices, dt_s);
  }
  const double growth = kept->jac == NULL ? 0.0 : kept->curve->growth;
  if (!can_stop(joints, choices, count, growth, dt_s)) {
    choose(joints, count, NULL, kept, choices, dt_s);
  }
  for (size_t j = 0; j < count; j++) {
    joints[j].bend = choices[j].bend;
    sn__jog_move(&joints[j], choices[j].qd, dt_s);
  }
}
