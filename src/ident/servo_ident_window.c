#include "ident/servo_ident_window.h"

#include <math.h>

/* Longer windows would smooth away what a joint does in them. */
static const double SPAN_MAX_S = 0.02;
/* Measurements beyond the averaged ones, on each side: they tell the acceleration. */
enum { MARGIN = 1, MOMENTS_MAX = 2 * SN_SERVO_IDENT_SMOOTHING_MAX + 1 + 2 * MARGIN };
/* Measurements that tell the noise, and samples that it is averaged over. */
enum { NOISE_MOMENTS = 5 };
static const double NOISE_MEMORY = 2000.0;

size_t sn__ident_span(const sn_servo_ident_config *c) {
  const double fits = floor(SPAN_MAX_S / c->cycle_s + 1e-9);
  const size_t most = 2 * c->smoothing;
  return fits < 1.0 ? 1 : fits < (double)most ? (size_t)fits : most;
}

size_t sn__ident_window(const sn_servo_ident_config *c) {
  const size_t needed = sn__ident_span(c) + 1 + 2 * MARGIN;
  return c->smoothing == 0 ? 2 : needed < NOISE_MOMENTS ? NOISE_MOMENTS : needed;
}

const sn__ident_moment *sn__ident_moment_at(const sn_servo_ident *ident, const sn__ident_servo *s,
                                            size_t back) {
  return &s->history[s->newest >= back ? s->newest - back : s->newest + ident->window - back];
}

/* Fourth differences of a motion are next to nothing, those of noise have 70 times its variance. */
void sn__ident_learn_noise(const sn_servo_ident *ident, sn__ident_servo *s) {
  static const double weight[NOISE_MOMENTS] = {1.0, -4.0, 6.0, -4.0, 1.0};
  if (s->even_count < NOISE_MOMENTS || ident->window < NOISE_MOMENTS) {
    return;
  }
  double difference = 0.0;
  for (size_t k = 0; k < NOISE_MOMENTS; k++) {
    difference += weight[k] * sn__ident_moment_at(ident, s, k)->q;
  }
  s->noise_weight = fmin(s->noise_weight, NOISE_MEMORY) + 1.0;
  s->noise_variance += (difference * difference / 70.0 - s->noise_variance) / s->noise_weight;
}

/* What is averaged lies between the moments `first` and `last` ago, first > last. */
typedef struct reach {
  size_t first, last;
  double cycles; /* between them */
} reach;

static bool find_reach(const sn_servo_ident *ident, const sn__ident_servo *s, reach *out) {
  const size_t count = s->history_count;
  *out = (reach){.first = MARGIN, .last = MARGIN};
  while (out->first + MARGIN < count && out->first + MARGIN < ident->window &&
         out->cycles < (double)ident->span) {
    const sn__ident_moment *m = sn__ident_moment_at(ident, s, out->first);
    if (!m->is_linked) {
      return false;
    }
    out->cycles += m->cycles;
    out->first++;
  }
  return out->cycles > 0.0 && out->first + MARGIN < count && out->first + MARGIN < ident->window &&
         sn__ident_moment_at(ident, s, out->first)->is_linked &&
         sn__ident_moment_at(ident, s, 0)->is_linked;
}

/* Slope of a straight line through points, and how much of their noise it keeps. */
static double slope(const double *t, const double *x, size_t count, double *gain) {
  double t_mean = 0.0, sum = 0.0, square = 0.0;
  for (size_t k = 0; k < count; k++) {
    t_mean += t[k] / (double)count;
  }
  for (size_t k = 0; k < count; k++) {
    sum += (t[k] - t_mean) * x[k];
    square += (t[k] - t_mean) * (t[k] - t_mean);
  }
  *gain = 1.0 / sqrt(square);
  return sum / square;
}

/* Twice the square term of a parabola through points: of the polynomials 1, t and
   p = t² - b t - c, which are perpendicular over these points, p alone has it. */
static double curvature(const double *t, const double *x, size_t count, double *gain) {
  const double n = (double)count;
  double m1 = 0.0, m2 = 0.0, m3 = 0.0;
  for (size_t k = 0; k < count; k++) {
    m1 += t[k] / n;
  }
  for (size_t k = 0; k < count; k++) {
    const double u = t[k] - m1;
    m2 += u * u / n;
    m3 += u * u * u / n;
  }
  double sum = 0.0, square = 0.0;
  for (size_t k = 0; k < count; k++) {
    const double u = t[k] - m1;
    const double p = u * u - m3 / m2 * u - m2;
    sum += p * x[k];
    square += p * p;
  }
  *gain = 2.0 / sqrt(square);
  return 2.0 * sum / square;
}

/* From velocities or from positions, whichever tell it better. Velocities are measured at the same
   point of each cycle, so a ripple of the cycle leaves their difference alone. */
static double acceleration(const sn_servo_ident *ident, const sn__ident_servo *s, const double *t,
                           const double *q, const double *qd, size_t count) {
  double gain_q = 0.0, gain_v = 0.0;
  const double by_q = curvature(t, q, count, &gain_q);
  const double by_v = slope(t, qd, count, &gain_v);
  const bool has_v = s->velocity_count >= count;
  return has_v && gain_v * ident->config.velocity_noise <= gain_q * sqrt(s->noise_variance) + 1e-12
             ? by_v
             : by_q;
}

bool sn__ident_average(const sn_servo_ident *ident, const sn__ident_servo *s, sn__ident_mean *out) {
  reach r;
  double t[MOMENTS_MAX] = {0}, q[MOMENTS_MAX] = {0}, qd[MOMENTS_MAX] = {0};
  if (!find_reach(ident, s, &r)) {
    return false;
  }
  const size_t count = r.first + MARGIN + 1; /* from the oldest on, with a margin on each side */
  const int64_t origin = sn__ident_moment_at(ident, s, r.first)->cycle;
  for (size_t k = 0; k < count; k++) {
    const sn__ident_moment *m = sn__ident_moment_at(ident, s, count - 1 - k);
    t[k] = (double)(m->cycle - origin) * ident->config.cycle_s;
    q[k] = m->q;
    qd[k] = m->qd;
  }
  *out = (sn__ident_mean){.qdd = acceleration(ident, s, t, q, qd, count)};
  for (size_t k = MARGIN + 1; k + MARGIN < count; k++) { /* intervals, each from k - 1 to k */
    const sn__ident_moment *m = sn__ident_moment_at(ident, s, count - 1 - k);
    const double weight = m->cycles / r.cycles, time_s = t[k] - t[k - 1];
    out->q += weight * (0.5 * (q[k - 1] + q[k]) - time_s * time_s * out->qdd / 12.0);
    out->goal += weight * m->held.goal;
    out->tau += weight * m->held.tau;
    out->qdd_wanted += weight * m->held.qdd;
    out->voltage += weight * m->held.voltage;
  }
  const sn__ident_moment *newest = sn__ident_moment_at(ident, s, MARGIN);
  const sn__ident_moment *next = sn__ident_moment_at(ident, s, 0);
  out->tau_change = 2.0 * (next->held.tau - newest->held.tau) / (next->cycles + newest->cycles);
  double gain = 0.0;
  out->qd = slope(t + MARGIN, q + MARGIN, count - 2 * MARGIN, &gain);
  out->qd_noise = gain * sqrt(s->noise_variance);
  out->qd_change = fabs(out->qdd) * r.cycles * ident->config.cycle_s;
  return isfinite(out->goal);
}
