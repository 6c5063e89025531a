/* Which extension of the model pays: each model is identified from a part of the logs and simulates
   the others. */
#include <math.h>

#include "ident_tools/pendulum.h"

enum { STARTS = 2 };

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

/* Sum of the errors of the logs that are not in the part. @return infinite: no fit */
static double error_outside(pendulum_work *w, const sn__oe_config *config, bool first) {
  const sn_arena_mark mark = sn_arena_save(&w->arena);
  const bool has_gains = has_several_gains(w);
  sn__servo_log *logs = SN_NEW(&w->arena, sn__servo_log, w->fitted_count);
  size_t count = 0;
  for (size_t i = 0; logs != NULL && i < w->fitted_count; i++) {
    if (is_in_first(w, i, has_gains) == first) {
      logs[count++] = w->fitted[i].log;
    }
  }
  sn_servo_params known = w->entry->params;
  known.ext.drive_max = w->result.servo.params.ext.drive_max;
  sn__oe_result result;
  double sum =
      count > 0 && sn__oe_fit(&w->arena, config, &known, logs, count, &result, NULL) == SN_OK
          ? 0.0
          : (double)INFINITY;
  for (size_t i = 0; isfinite(sum) && i < w->fitted_count; i++) {
    const sn__servo_log *log = &w->fitted[i].log;
    double *position = SN_NEW(&w->arena, double, log->count);
    if (position == NULL) {
      sum = (double)INFINITY;
    } else if (is_in_first(w, i, has_gains) != first) {
      sn__servo_simulate(&result.servo, log, SN__SERVO_WHOLE, position);
      sum += sn__servo_score_of(log, position).mae_rad;
    }
  }
  sn_arena_restore(&w->arena, mark);
  return sum;
}

void pendulum_cross(pendulum_work *w) {
  static const sn__oe_config configs[PENDULUM_CROSSED] = {
      {.model = SN__OE_BASIC, .start_count = STARTS, .gain_range = PENDULUM_GAIN_RANGE},
      {.model = SN__OE_LINEAR_LOAD, .start_count = STARTS},
      {.model = SN__OE_FULL, .start_count = STARTS},
      {.model = SN__OE_FULL, .start_count = STARTS, .is_directional = true},
      {.model = SN__OE_FULL, .start_count = STARTS, .has_backlash = true}};
  for (size_t k = 0; k < PENDULUM_CROSSED; k++) {
    const double sum = w->fitted_count < 2 ? (double)INFINITY
                                           : error_outside(w, &configs[k], true) +
                                                 error_outside(w, &configs[k], false);
    w->cross_rad[k] = sum / (double)w->fitted_count;
  }
}
