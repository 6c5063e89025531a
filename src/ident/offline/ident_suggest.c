/* Which motion to make so that all parameters can be identified. */
#include <math.h>

#include "ident/offline/ident_fit.h"

bool sn__ident_suggest(const sn_servo_params *params, double lower, double upper,
                       double velocity_max, sn_ident_motion *out) {
  const double range = 0.45 * (upper - lower); /* a tenth of the range is left free */
  if (!(range > 0.0) || !isfinite(range) || !(velocity_max > 0.0)) {
    return false;
  }
  /* Incommensurable frequencies: every speed meets every position and torque in time. The slow one
     has most of the range, so the joint is loaded in many poses and creeps around its ends. */
  static const double part[3] = {0.6, 0.25, 0.15};
  static const double frequency[3] = {0.11, 0.37, 0.93};
  double speed = 0.0;
  for (size_t i = 0; i < 3; i++) {
    out->amplitude_rad[i] = part[i] * range;
    out->frequency_Hz[i] = frequency[i];
    speed += 6.283185307179586 * frequency[i] * part[i] * range;
  }
  /* Fast enough for the viscous part to be seen beside the dry one, slow enough for the limit. */
  const double wanted = fmin(0.8 * velocity_max, fmax(speed, 20.0 * params->qs));
  const double faster = fmin(wanted / speed, 4.0);
  double slowest = INFINITY;
  for (size_t i = 0; i < 3; i++) {
    out->frequency_Hz[i] *= faster;
    slowest = fmin(slowest, out->frequency_Hz[i]);
  }
  out->middle_rad = 0.5 * (lower + upper);
  out->duration_s = fmax(60.0, ceil(8.0 / slowest));
  return true;
}
