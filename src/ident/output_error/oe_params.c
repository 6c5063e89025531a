#include "ident/output_error/oe_params.h"

#include <math.h>
#include <string.h>

#define DELAY_MAX_S 0.2
#define SIZE_PART 0.3 /* of the size of a parameter: its unit where it is 0 */
#define STEP_MAX 0.7  /* units at once: the slope holds no further */
#define LEAST 1e-3    /* of its size: what must not be 0 */
#define QS_LEAST 0.05 /* of its size: what is slower shows no more */

static const struct {
  const char *name;
  const char *unit;
  bool is_positive;
} table[SN__OE_COUNT] = {
    [SN__OE_ALPHA0] = {"alpha[0]", "V s/rad", true},
    [SN__OE_ALPHA1] = {"alpha[1]", "V", true},
    [SN__OE_ALPHA2] = {"alpha[2]", "V", true},
    [SN__OE_ALPHA3] = {"alpha[3]", "V/(N m)", true},
    [SN__OE_QS] = {"qs", "rad/s", true},
    [SN__OE_INERTIA] = {"inertia", "V s2/rad", true},
    [SN__OE_BACK_EMF] = {"back_emf", "V s/rad", true},
    [SN__OE_LOAD] = {"load_friction[0]", "V/(N m)", true},
    [SN__OE_ZERO] = {"zero", "rad", false},
    [SN__OE_LOAD_SQUARE] = {"load_friction[1]", "V/(N m)2", true},
    [SN__OE_DELAY] = {"delay", "s", false},
    [SN__OE_BACK_LOAD] = {"back_load_friction[0]", "V/(N m)", true},
    [SN__OE_BACK_LOAD_SQUARE] = {"back_load_friction[1]", "V/(N m)2", true},
    [SN__OE_BACKLASH] = {"backlash", "rad", true},
};

const char *sn__oe_name(const sn__oe_result *result, sn__oe_param which) {
  const bool is_apart = result->is_free[SN__OE_BACK_EMF];
  return which == SN__OE_ALPHA0 && is_apart ? "viscous" : table[which].name;
}

const char *sn__oe_unit(sn__oe_param which) {
  return table[which].unit;
}

bool sn__oe_is_positive(sn__oe_param which) {
  return table[which].is_positive;
}

void sn__oe_choose(const sn__oe_config *config, const sn__servo_log *logs, size_t count,
                   bool is_free[SN__OE_COUNT]) {
  memset(is_free, 0, SN__OE_COUNT * sizeof *is_free);
  for (int k = SN__OE_ALPHA0; k <= SN__OE_QS; k++) {
    is_free[k] = true;
  }
  is_free[SN__OE_INERTIA] = true;
  if (config->model >= SN__OE_LINEAR_LOAD) {
    is_free[SN__OE_BACK_EMF] = sn__oe_limp_rows(logs, count) > 0;
    is_free[SN__OE_LOAD] = true;
    is_free[SN__OE_ZERO] = true;
    is_free[SN__OE_BACK_LOAD] = config->is_directional;
  }
  if (config->model >= SN__OE_FULL) {
    is_free[SN__OE_LOAD_SQUARE] = true;
    is_free[SN__OE_DELAY] = !config->keeps_delay;
    is_free[SN__OE_BACK_LOAD_SQUARE] = config->is_directional;
    is_free[SN__OE_BACKLASH] = config->has_backlash;
  }
}

void sn__oe_to_servo(const double v[SN__OE_COUNT], const bool is_free[SN__OE_COUNT],
                     sn__servo_on_load *servo) {
  sn_servo_params *p = &servo->params;
  const bool is_apart = is_free[SN__OE_BACK_EMF];
  const bool is_basic = !is_free[SN__OE_LOAD];
  p->alpha[0] = v[SN__OE_ALPHA0] + (is_apart ? v[SN__OE_BACK_EMF] : 0.0);
  p->alpha[1] = v[SN__OE_ALPHA1];
  p->alpha[2] = v[SN__OE_ALPHA2];
  p->alpha[3] = v[SN__OE_ALPHA3];
  p->qs = v[SN__OE_QS];
  p->inertia = is_free[SN__OE_INERTIA] ? v[SN__OE_INERTIA] : p->inertia;
  p->ext.back_emf = is_apart   ? v[SN__OE_BACK_EMF]
                    : is_basic ? 0.0
                               : SN__OE_BACK_EMF_PART * v[SN__OE_ALPHA0];
  p->ext.load[0] = is_free[SN__OE_LOAD] ? v[SN__OE_LOAD] : 0.0;
  p->ext.load[1] = is_free[SN__OE_LOAD_SQUARE] ? v[SN__OE_LOAD_SQUARE] : 0.0;
  p->ext.is_directional = is_free[SN__OE_BACK_LOAD];
  p->ext.back_load[0] = is_free[SN__OE_BACK_LOAD] ? v[SN__OE_BACK_LOAD] : 0.0;
  p->ext.back_load[1] = is_free[SN__OE_BACK_LOAD_SQUARE] ? v[SN__OE_BACK_LOAD_SQUARE] : 0.0;
  if (is_free[SN__OE_DELAY]) {
    p->ext.delay_s = v[SN__OE_DELAY];
  }
  if (is_free[SN__OE_BACKLASH]) {
    p->ext.backlash = v[SN__OE_BACKLASH];
  }
  servo->zero_rad = is_free[SN__OE_ZERO] ? v[SN__OE_ZERO] : 0.0;
}

double sn__oe_unit_step(sn__oe_param which, double value, double size) {
  return table[which].is_positive ? value + SIZE_PART * size : 1.0;
}

double sn__oe_moved(sn__oe_param which, double value, double size, double step) {
  if (which == SN__OE_DELAY) {
    return fmax(0.0, fmin(value + step, DELAY_MAX_S));
  }
  if (!table[which].is_positive) {
    return value + step;
  }
  const double moved =
      value + fmax(-STEP_MAX, fmin(step, STEP_MAX)) * sn__oe_unit_step(which, value, size);
  const double least = which == SN__OE_ALPHA3 ? LEAST : which == SN__OE_QS ? QS_LEAST : 0.0;
  return fmax(moved, least * size);
}
