#include "controllers/guided/leader_track.h"

#include <math.h>

static double seconds(int64_t ns) {
  return 1e-9 * (double)ns;
}

void sn__leader_track_take(sn__leader_track *track, double q, int64_t at_ns, double memory_s,
                           int64_t timeout_ns) {
  if (!track->is_known || at_ns - track->at_ns > timeout_ns) {
    *track = (sn__leader_track){.q = q, .at_ns = at_ns, .is_known = true};
    return;
  }
  if (at_ns <= track->at_ns) {
    return;
  }
  const double dt = seconds(at_ns - track->at_ns);
  const double fading = exp(-dt / memory_s);
  const double predicted = track->q + dt * track->qd;
  const double error = q - predicted;
  track->q = predicted + (1.0 - fading * fading) * error;
  track->qd += (1.0 - fading) * (1.0 - fading) / dt * error;
  track->at_ns = at_ns;
}

void sn__leader_track_at(const sn__leader_track *track, int64_t now_ns, int64_t timeout_ns,
                         double *q, double *qd) {
  const double even_s = 0.25 * seconds(timeout_ns);
  const double slowing_s = 0.75 * seconds(timeout_ns);
  const double age_s = fmax(0.0, seconds(now_ns - track->at_ns));
  const double slowed_s = fmin(fmax(0.0, age_s - even_s), slowing_s);
  const double share = slowed_s / slowing_s;
  *q = track->q + track->qd * (fmin(age_s, even_s) + slowed_s * (1.0 - 0.5 * share));
  *qd = track->qd * (1.0 - share);
}
