#include "estimation/filter/foot_watch.h"

#include <math.h>

static const double SMOOTH_S = 0.015;
static const double LANDING_S = 0.03; /* a foot that touched down is loose for this time */
static const double LANDING_LOOSE = 5.0;
static const double FLATTEN_S = 0.1; /* until a sole that touched down with an edge lies flat */
static const double FLATTEN_LOOSE = 20.0;
static const double SLIP_S = 0.1; /* likewise after a slip */
static const double SLIP_LOOSE = 20.0;
static const double FAST_SHARE = 0.4; /* of the speed of a slip: a foot this fast drifts twice as
                                         much, and soon much more */
static const double FAST_LOOSE = 50.0;
static const double STUCK_ON_S = 0.15;   /* of motion in contact */
static const double STUCK_OFF_S = 0.5;   /* of a missing contact */
static const double STANDS_SPEED = 0.03; /* m/s: slower than this it may stand */
static const double LONG_AGO_S = 1e3;

static void smooth(sn__foot_watch *w, const sn__foot_evidence *e, double dt_s) {
  if (!e->has_velocity) {
    w->has_velocity = false;
    w->velocity = sn_vec3_make(0, 0, 0);
    return;
  }
  const double gain = w->has_velocity ? dt_s / (SMOOTH_S + dt_s) : 1.0;
  const sn_vec3 change = sn_vec3_sub(e->velocity_world, w->velocity);
  w->velocity = sn_vec3_add_scaled(w->velocity, gain, change);
  w->has_velocity = true;
}

/* A sensor that is stuck on: the foot moves as long as a swing takes, in contact. */
static void watch_on(sn__foot_watch *w, const sn__foot_evidence *e, double speed, double slip_speed,
                     double dt_s) {
  const bool moves = e->is_measured && speed > slip_speed;
  w->moves_s = moves ? w->moves_s + dt_s : e->is_measured ? fmax(0.0, w->moves_s - dt_s) : 0.0;
  if (!e->is_measured && w->fault == SN__FOOT_STUCK_ON) {
    w->fault = SN__FOOT_GOOD;
  } else if (w->moves_s > STUCK_ON_S) {
    w->fault = SN__FOOT_STUCK_ON;
  }
}

static void watch_off(sn__foot_watch *w, const sn__foot_evidence *e, double speed, double dt_s) {
  const bool is_missing = e->has_command && e->is_commanded && !e->is_measured && e->others_touch &&
                          speed < STANDS_SPEED;
  w->missing_s = is_missing ? w->missing_s + dt_s : 0.0;
  if (w->missing_s > STUCK_OFF_S) {
    w->fault = SN__FOOT_STUCK_OFF;
  } else if (w->fault == SN__FOOT_STUCK_OFF && (e->is_measured || !e->is_commanded)) {
    w->fault = SN__FOOT_GOOD;
  }
}

bool sn__foot_watch_step(sn__foot_watch *w, const sn__foot_evidence *e, double slip_speed,
                         double dt_s) {
  smooth(w, e, dt_s);
  const double speed = sn_vec3_norm(w->velocity);
  watch_on(w, e, speed, slip_speed, dt_s);
  watch_off(w, e, speed, dt_s);
  w->slip_s = fmin(w->slip_s + dt_s, LONG_AGO_S);
  if (w->fault == SN__FOOT_SLIPS && w->slip_s > SLIP_S) {
    w->fault = SN__FOOT_GOOD;
  }
  const bool in_stance = (e->is_measured && speed <= slip_speed) || w->fault == SN__FOOT_STUCK_OFF;
  w->stance_s = in_stance ? w->stance_s + dt_s : 0.0;
  return in_stance;
}

void sn__foot_watch_slipped(sn__foot_watch *w) {
  w->slip_s = 0.0;
  if (w->fault == SN__FOOT_GOOD) {
    w->fault = SN__FOOT_SLIPS;
  }
}

sn__foot_looseness sn__foot_watch_looseness(const sn__foot_watch *w, double slip_speed) {
  if (w->fault == SN__FOOT_SLIPS) {
    return (sn__foot_looseness){SLIP_LOOSE, SLIP_LOOSE};
  }
  const double share = sn_vec3_norm(w->velocity) / (FAST_SHARE * slip_speed);
  const double fast = 1.0 + share * share * share * share;
  const double landing = w->stance_s < LANDING_S ? LANDING_LOOSE : 1.0;
  return (sn__foot_looseness){.level = fmin(fmax(fast, landing), FAST_LOOSE),
                              .height = w->stance_s < FLATTEN_S ? FLATTEN_LOOSE : 1.0};
}
