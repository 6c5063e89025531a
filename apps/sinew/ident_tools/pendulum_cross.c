/* Which extension of the model pays: each model is identified from a part of the logs and simulates
   the others. */
#include <math.h>

#include "ident_tools/pendulum.h"

enum { STARTS = 2 };
#define ABOUT 1.05 /* times the least error: not worth more parameters */

/* The parts are the gains of the logs, or every second log if all have the same gain. */
static bool is_in_first(const pendulum_work *w, size_t i, bool has_gains) {
  return has_gains ? w->fitted[i].log.gain == w->fitted[0].log.gain : i % 2 == 0;
}

static bool has_several_gains(const pendulum_work *w) {
  bool found = false;
  for (size_t i = 1; i < w->fitted_count; i++) {
    found = found || w->fitted[i].log.gain != w->fitted[0].log.gain;
  }
  return found;
}

/* Errors of simulated logs. */
typedef struct errors {
  double sum, count;
} errors;

/* Only limp rows tell back-EMF from viscous friction, so models of logs without any cannot be
   judged by logs with them. */
static void add_outside(pendulum_work *w, const sn__servo_on_load *servo, bool first, bool has_limp,
                        errors *out) {
  const bool has_gains = has_several_gains(w);
  for (size_t i = 0; i < w->fitted_count; i++) {
    const pendulum_log *log = &w->fitted[i];
    if (is_in_first(w, i, has_gains) == first || (log->rows.limp > 0 && !has_limp)) {
      continue;
    }
    double *position = SN_NEW(&w->arena, double, log->log.count);
    if (position == NULL) {
      out->sum = (double)INFINITY;
      return;
    }
    sn__servo_simulate(servo, &log->log, SN__SERVO_WHOLE, position);
    out->sum += sn__servo_score_of(&log->log, position).mae_rad;
    out->count += 1.0;
  }
}

/* Identify one part and simulate the logs of the other. Infinite: no fit. */
static void cross_part(pendulum_work *w, const sn__oe_config *config, bool first, errors *out) {
  const sn_arena_mark mark = sn_arena_save(&w->arena);
  const bool has_gains = has_several_gains(w);
  sn__servo_log *logs = SN_NEW(&w->arena, sn__servo_log, w->fitted_count);
  size_t count = 0;
  bool has_limp = false;
  for (size_t i = 0; logs != NULL && i < w->fitted_count; i++) {
    if (is_in_first(w, i, has_gains) == first) {
      logs[count++] = w->fitted[i].log;
      has_limp = has_limp || w->fitted[i].rows.limp > 0;
    }
  }
  sn_servo_params known = w->entry->params;
  known.ext.drive_max = w->result.servo.params.ext.drive_max;
  sn__oe_result result;
  if (count > 0 && sn__oe_fit(&w->arena, config, &known, logs, count, &result, NULL) == SN_OK) {
    add_outside(w, &result.servo, first, has_limp, out);
  } else {
    out->sum = (double)INFINITY;
  }
  sn_arena_restore(&w->arena, mark);
}

static const struct {
  const char *name;
  sn__oe_config config;
} models[PENDULUM_CROSSED] = {
    [PENDULUM_BASIC] = {"basic",
                        {.model = SN__OE_BASIC,
                         .start_count = STARTS,
                         .gain_range = PENDULUM_GAIN_RANGE}},
    [PENDULUM_LOAD] = {"load", {.model = SN__OE_LINEAR_LOAD, .start_count = STARTS}},
    [PENDULUM_FULL] = {"full", {.model = SN__OE_FULL, .start_count = STARTS}},
    [PENDULUM_DIRECTIONAL] = {"full --directional",
                              {.model = SN__OE_FULL,
                               .start_count = STARTS,
                               .is_directional = true}},
    [PENDULUM_BACKLASH] = {"full --backlash",
                           {.model = SN__OE_FULL, .start_count = STARTS, .has_backlash = true}}};

const char *pendulum_crossed_name(pendulum_crossed which) {
  return models[which].name;
}

void pendulum_cross(pendulum_work *w) {
  const ident_request *r = w->request;
  const bool wants_option = w->is_full && (r->is_directional || r->has_backlash);
  const bool wants_all = r->report != NULL;
  const bool wanted[PENDULUM_CROSSED] = {
      [PENDULUM_FULL] = wants_option,
      [PENDULUM_DIRECTIONAL] = w->is_full && r->is_directional,
      [PENDULUM_BACKLASH] = w->is_full && r->has_backlash,
  };
  for (size_t k = 0; k < PENDULUM_CROSSED && w->fitted_count >= 2; k++) {
    if (wants_all || wanted[k]) {
      errors e = {0};
      cross_part(w, &models[k].config, true, &e);
      cross_part(w, &models[k].config, false, &e);
      w->is_crossed[k] = true;
      w->cross_rad[k] = e.count > 0.0 ? e.sum / e.count : (double)INFINITY;
    }
  }
}

pendulum_crossed pendulum_cross_simplest(const pendulum_work *w) {
  double best = INFINITY;
  for (size_t k = 0; k < PENDULUM_CROSSED; k++) {
    best = w->is_crossed[k] ? fmin(best, w->cross_rad[k]) : best;
  }
  for (size_t k = 0; isfinite(best) && k < PENDULUM_CROSSED; k++) {
    if (w->is_crossed[k] && w->cross_rad[k] <= ABOUT * best) {
      return (pendulum_crossed)k;
    }
  }
  return PENDULUM_CROSSED;
}
