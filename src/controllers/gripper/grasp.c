#include "controllers/gripper/grasp.h"

#include <math.h>
#include <stdbool.h>

/* Share of the force that counts as load. */
static const double LOAD_SHARE = 0.5;
/* A gripper that stands still without load gets this many times longer: it may only begin to move.
 */
static const double STUCK_TIMES = 3.0;

static double clamp(double value, double low, double high) {
  return fmax(low, fmin(high, value));
}

void sn__grasp_begin(sn__grasp *grasp, const sn__grasp_config *config, double command, double goal,
                     double effort_max) {
  const double effort =
      effort_max > 0.0 ? fmin(effort_max, config->effort_max) : config->effort_max;
  *grasp = (sn__grasp){.goal = goal,
                       .effort_max = effort,
                       .lead = config->lead * effort / config->effort_max,
                       .command = command,
                       .from = INFINITY,
                       .left_s = fabs(goal - command) / config->speed + config->extra_s};
}

static void advance(sn__grasp *grasp, const sn__grasp_config *config, sn__grasp_sample sample,
                    double dt_s) {
  const double way = grasp->goal - grasp->command;
  const bool is_too_strong = fabs(sample.effort) > grasp->effort_max &&
                             (sample.q - grasp->command) * way < 0.0; /* false for NaN */
  const double step = is_too_strong ? 0.0 : config->speed * dt_s;
  const double next = grasp->command + clamp(way, -step, step);
  grasp->command = clamp(next, sample.q - grasp->lead, sample.q + grasp->lead);
}

/* Is the servo pushing? */
static bool bears_load(const sn__grasp *grasp, sn__grasp_sample sample) {
  return isnan(sample.effort) ? fabs(grasp->command - sample.q) >= LOAD_SHARE * grasp->lead
                              : fabs(sample.effort) >= LOAD_SHARE * grasp->effort_max;
}

sn__grasp_state sn__grasp_step(sn__grasp *grasp, const sn__grasp_config *config,
                               sn__grasp_sample sample, double dt_s) {
  const bool has_moved = !(fabs(sample.q - grasp->from) < config->tolerance);
  advance(grasp, config, sample, dt_s);
  grasp->from = has_moved ? sample.q : grasp->from;
  grasp->still_s = has_moved ? 0.0 : grasp->still_s + dt_s;
  grasp->left_s -= dt_s;
  if (fabs(sample.q - grasp->goal) <= config->tolerance) {
    return SN__GRASP_REACHED;
  }
  if (grasp->still_s >= config->stall_s && bears_load(grasp, sample)) {
    return SN__GRASP_HOLDS;
  }
  if (grasp->still_s >= STUCK_TIMES * config->stall_s &&
      fabs(grasp->command - sample.q) >= LOAD_SHARE * grasp->lead) {
    return SN__GRASP_STUCK;
  }
  return grasp->left_s < 0.0 ? SN__GRASP_LATE : SN__GRASP_MOVING;
}
