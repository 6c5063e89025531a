#include "ident/online/servo_ident_window.h"

#include <math.h>

/* Longer windows would smooth away what a joint does in them. */
static const double SPAN_MAX_S = 0.03;
/* Measurements beyond the averaged ones, on each side: they tell the acceleration. */
enum { MARGIN = 1, MOMENTS_MAX = 2 * SN_SERVO_IDENT_SMOOTHING_MAX + 1 + 2 * MARGIN };
/* Measurements that tell the noise, and samples that it is averaged over. */
enum { NOISE_MOMENTS = 5 };
static const double NOISE_MEMORY = 2000.0;
/* More comes from a velocity with a wrong scale. */
static const double RIPPLE_MAX = 0.25;

size_t sn__ident_span(const sn_servo_ident_config *c) {
  const double fits = floor(SPAN_MAX_S / c->cycle_s + 1e-9);
  const size_t most = 2 * c->smoothing;
  return fits < 1.0 ? 1 : fits < (double)most ? (size_t)fits : most;
}

size_t sn__ident_stride(const sn_servo_ident_config *c) {
  const size_t span = sn__ident_span(c);
  return span < 4 ? 1 : span / 4;
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

/* The commanded velocity has no noise, so that of positions and velocities averages out. */
void sn__ident_learn_ripple(const sn_servo_ident *ident, sn__ident_servo *s) {
  const sn__ident_moment *now = sn__ident_moment_at(ident, s, 0);
  if (s->even_count < 2 || s->velocity_count < 2 || !now->has_order) {
    return;
  }
  const sn__ident_moment *before = sn__ident_moment_at(ident, s, 1);
  const double keep = ident->config.forgetting, wanted = now->order.qd;
  const double ends = 0.5 * (before->qd + now->qd);
  const double mean = (now->q - before->q) / ident->config.cycle_s;
  s->mean_sum = keep * s->mean_sum + mean * wanted;
  s->excess_sum = keep * s->excess_sum + (ends - mean) * wanted;
}

double sn__ident_ripple(const sn__ident_servo *s) {
  const double part = s->mean_sum > 0.0 ? s->excess_sum / s->mean_sum : 0.0;
  return fmin(fmax(part, -RIPPLE_MAX), 0.0);
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
                           const double *q, const double *qd, size_t count, double *noise) {
  double gain_q = 0.0, gain_v = 0.0;
  const double by_q = curvature(t, q, count, &gain_q);
  const double by_v = slope(t, qd, count, &gain_v);
  const double noise_q = gain_q * sqrt(s->noise_variance);
  const double noise_v = gain_v * ident->config.velocity_noise;
  const bool uses_v = s->velocity_count >= count && noise_v <= noise_q + 1e-12;
  *noise = uses_v ? noise_v : noise_q;
  return uses_v ? by_v : by_q;
}

/* Positions that repeat are those of an encoder whose steps are longer than the way from one
   measurement to the next. Their errors are not noise but a sawtooth, of which only whole teeth
   average out. The step is that of the noise, which is even over a step. */
static double step_noise(const sn__ident_servo *s, double time_s, double steps) {
  const double step = sqrt(12.0 * s->noise_variance);
  return 1.0 * step / (time_s * (steps + 0.5));
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
  double qdd_noise = 0.0, gain = 0.0;
  const double qdd = acceleration(ident, s, t, q, qd, count, &qdd_noise);
  *out = (sn__ident_mean){.qdd = qdd, .qdd_noise = qdd_noise};
  out->qd = slope(t + MARGIN, q + MARGIN, count - 2 * MARGIN, &gain);
  out->qd_noise = gain * sqrt(s->noise_variance);
  /* The slope is the mean of the velocities of the intervals by these weights; the rest of the law
     has the same. */
  double t_mean = 0.0, left = 0.0, shift = 0.0, variance = 0.0, steps = 0.0;
  for (size_t k = MARGIN; k + MARGIN < count; k++) {
    t_mean += t[k] / (double)(count - 2 * MARGIN);
  }
  for (size_t k = MARGIN + 1; k + MARGIN < count; k++) { /* intervals, each from k - 1 to k */
    const sn__ident_moment *m = sn__ident_moment_at(ident, s, count - 1 - k);
    const sn__ident_moment *next = sn__ident_moment_at(ident, s, count - 2 - k);
    const double time_s = t[k] - t[k - 1], from_mean = 0.5 * (t[k - 1] + t[k]) - t_mean;
    steps += q[k] != q[k - 1];
    left += (t_mean - t[k - 1]) * gain * gain;
    const double weight = left * time_s;
    shift += weight * from_mean;
    variance += weight * (from_mean * from_mean + time_s * time_s / 12.0);
    out->q += weight * (0.5 * (q[k - 1] + q[k]) - time_s * time_s * qdd / 12.0);
    out->goal += weight * m->held.goal;
    out->tau += weight * m->held.tau;
    out->q_wanted += weight * m->held.q;
    out->qdd_wanted += weight * 0.5 * (m->held.qdd + next->held.qdd);
    out->voltage += weight * m->held.voltage;
  }
  const sn__ident_moment *newest = sn__ident_moment_at(ident, s, MARGIN);
  const sn__ident_moment *next = sn__ident_moment_at(ident, s, 0);
  out->tau_change = 2.0 * (next->held.tau - newest->held.tau) / (next->cycles + newest->cycles);
  const double time_s = r.cycles * ident->config.cycle_s;
  if (steps < (double)(r.first - r.last)) {
    out->qd_noise = hypot(out->qd_noise, step_noise(s, time_s, steps));
  }
  out->center = (double)origin + (t_mean + shift) / ident->config.cycle_s;
  out->qd_spread = fabs(qdd) * sqrt(variance - shift * shift);
  out->qd_change = fabs(qdd) * time_s;
  return isfinite(out->goal);
}
