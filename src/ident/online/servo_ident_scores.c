#include "ident/online/servo_ident_scores.h"

#include <math.h>
#include <string.h>

/* Errors of the model last about as long as a joint keeps its direction: the length of a group. */
static const double GROUP_S = 0.25;
/* Part of the variance of the noise that may be wrong: steps of an encoder are not white. */
static const double NOISE_UNKNOWN = 0.8;
/* Part of what is left unexplained that is alike in all samples. */
static const double REST_ALIKE = 0.1;

void sn__ident_score(const sn_servo_ident *ident, sn__ident_servo *s, const double *row,
                     double rest) {
  sn__ident_scores *c = &s->scores;
  if ((double)(ident->cycle - c->begin) * ident->config.cycle_s >= GROUP_S) {
    sn__ident_close_group(&s->rls, c);
    c->begin = ident->cycle;
  }
  for (size_t i = 0; i < s->rls.count; i++) {
    c->sum[i] += row[i] * rest;
  }
  c->sample_count += 1.0;
}

void sn__ident_blur(sn__ident_servo *s, const sn__ident_mean *mean) {
  sn__ident_scores *c = &s->scores;
  const double blur = mean->qd_noise / s->model.qs;
  c->blur_square += blur * blur;
  c->tau_change_square += mean->tau_change * mean->tau_change;
}

void sn__ident_note(sn__ident_servo *s, const double *row, double noise) {
  sn__ident_scores *c = &s->scores;
  const double part = row[1] == 0.0 ? 0.0 : row[2] / row[1]; /* exp(-(qd / qs)^delta) */
  const double steep = part > 1e-4 ? row[2] * s->model.delta * log(part) : 0.0;
  c->noise_square = s->rls.forgetting * c->noise_square + noise * noise;
  c->steep_square = s->rls.forgetting * c->steep_square + steep * steep;
}

void sn__ident_close_group(const sn_rls *rls, sn__ident_scores *c) {
  const size_t n = rls->count;
  if (c->sample_count == 0.0) {
    return;
  }
  const double keep = pow(rls->forgetting, c->sample_count);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      c->square[i * n + j] = keep * keep * c->square[i * n + j] + c->sum[i] * c->sum[j];
    }
  }
  c->weight = keep * c->weight + 1.0;
  c->weight_square = keep * keep * c->weight_square + 1.0;
  memset(c->sum, 0, sizeof c->sum);
  c->sample_count = 0.0;
}

/* White's estimator over groups: P S P, with S the spread of the groups' scores. */
static double spread(const double *p, const double *square, size_t n, size_t i) {
  double sum = 0.0;
  for (size_t j = 0; j < n; j++) {
    for (size_t k = 0; k < n; k++) {
      sum += p[i * n + j] * square[j * n + k] * p[k * n + i];
    }
  }
  return fmax(sum, 0.0);
}

/* Without velocities it is unknown how the acceleration changes within a cycle (see
   sn__ident_ripple). The most is that of a mass without friction: drive T^2 / 12 volts per
   acceleration. Least squares attribute that to the torque. */
static double find_uneven(const sn_servo_ident *ident, const sn__ident_servo *s) {
  const double cycle_s = ident->config.cycle_s;
  const double volts = s->drive * cycle_s * cycle_s / 12.0;
  return volts * fabs(s->load.qdd_tau) / fmax(s->load.tau_tau, 1e-300);
}

/* Systematic errors, which no number of samples averages out. The factors were found by
   identifying simulated servos at periods of 1 to 22 ms (test_servo_ident_deviation.c). */
static void find_bias(const sn_servo_ident *ident, const sn__ident_servo *s, double *bias) {
  const sn__ident_scores *c = &s->scores;
  const double *x = s->rls.x;
  const double samples = fmax((double)s->sample_count, 1.0);
  /* Volts that the drive loses in a cycle, per rad/s: a goal takes effect a little early or late,
     and the joint turns unevenly. */
  const double cycle = s->drive * ident->config.cycle_s;
  const double ripple = 0.25 * cycle / fmax(fabs(x[0]), 1e-9);
  /* Near standstill friction is known as well as the velocity is. Noise alone makes Stribeck
     friction negative, or larger than twice Coulomb friction. */
  const double dry = 0.5 * (fabs(x[1]) + fmin(fmax(x[2], 0.0), 2.0 * fabs(x[1])));
  const double blur = c->blur_square / samples;
  const double steep = sqrt(c->steep_square / fmax(s->rls.square_sum[2], 1e-300));
  /* Of the commanded torque, how much is new in a cycle. */
  const double tau_square = s->rls.square_sum[3] / fmax(s->rls.weight_sum, 1.0);
  const double late = sqrt(c->tau_change_square / samples / fmax(tau_square, 1e-300));
  bias[0] = 0.01 * cycle;
  bias[2] = hypot(dry * hypot(hypot(0.01, 1.6 * ripple), 16.0 * blur), 0.02 * steep * fabs(x[2]));
  bias[1] = 0.05 * bias[2];
  bias[3] =
      hypot(0.15 * fabs(x[3]) * late, s->velocity_count > 0 ? 0.0 : 0.5 * find_uneven(ident, s));
  if (s->load_at > 0) { /* the torque changes within a cycle, by how much is known to a part */
    const double tau = fmax(sqrt(tau_square), 1e-9);
    const double qd = sqrt(s->rls.square_sum[0] / fmax(s->rls.weight_sum, 1.0));
    const double change = 0.5 * cycle * qd / fmax(fabs(x[3]) * tau, 1e-9);
    bias[0] = 0.02 * cycle;
    bias[s->load_at] = hypot(bias[3], 0.1 * change * fabs(x[s->load_at]));
    bias[s->load_at + 1] = bias[3] / tau;
  }
}

/* Volts per acceleration of rotor and load. */
static double mass_of(const sn__ident_servo *s) {
  const double rotor = s->inertia_at > 0 ? s->rls.x[s->inertia_at] : s->model.inertia;
  return s->rls.x[3] * s->load.inertia + rotor;
}

/* How far the compensation of noise may be off, which is known to a part only. */
static double find_unsure(const sn__ident_servo *s, const double *p, size_t i) {
  const size_t n = s->rls.count;
  const double rotor = s->inertia_at > 0 ? p[i * n + s->inertia_at] : 0.0;
  const double column = p[i * n + 3] * s->load.inertia + rotor;
  return NOISE_UNKNOWN * s->scores.noise_square * mass_of(s) * column;
}

/* Squared volts, summed up, that are neither explained nor noise: of the residuals, and of torques
   that were corrected although the motion of the joint does not explain them. */
static double find_rest(const sn__ident_servo *s) {
  const double noise = mass_of(s) * mass_of(s) * s->scores.noise_square;
  const double torque = s->rls.x[3] * s->rls.x[3] * s->load.unknown * s->load.correction_square;
  return fmax(0.0, s->rls.error_sum - noise) + torque;
}

/* A goal that is held for longer than the joint needs to approach it: what the joint does within
   the cycle is no longer seen, and the law averaged over the cycle is wrong by a part that grows
   with the cycle. The factors are those with which simulated servos at 56 ms are within two
   deviations in 95 % of all cases; up to LONG_FROM_S there is nothing to add. */
static double widening_of(const sn_servo_ident *ident, const sn__ident_servo *s, size_t i) {
  static const double LONG_FROM_S = 0.022, LONG_S = 0.056;
  const bool is_biased = i == 0 || i == 3 || i == s->inertia_at;
  const double at_long = is_biased ? 2.6 : 1.3;
  const double part = (ident->config.cycle_s - LONG_FROM_S) / (LONG_S - LONG_FROM_S);
  return 1.0 + (at_long - 1.0) * fmax(0.0, part);
}

void sn__ident_deviations(const sn_servo_ident *ident, const sn__ident_servo *s, double *out) {
  const size_t n = s->rls.count;
  const bool is_sampled = ident->config.smoothing > 0;
  sn__ident_scores c = s->scores;
  double p[SN_RLS_MAX * SN_RLS_MAX];
  double bias[SN_RLS_MAX] = {0};
  sn__ident_close_group(&s->rls, &c);
  sn__rls_covariance(&s->rls, p);
  sn__rls_std(&s->rls, out);
  if (is_sampled) {
    find_bias(ident, s, bias);
  }
  /* Few groups tell little about their spread: then what white noise would do counts, too. */
  const double groups = c.weight * c.weight / fmax(c.weight_square, 1e-300);
  const double scale = groups / fmax(groups - (double)n, 0.25 * groups);
  const double few = fmin(1.0, (double)n / fmax(groups, 1.0));
  const double rest = is_sampled ? REST_ALIKE * REST_ALIKE * find_rest(s) : 0.0;
  for (size_t i = 0; i < n; i++) {
    const double unsure = is_sampled ? find_unsure(s, p, i) : 0.0;
    const double variance = few * out[i] * out[i] + scale * spread(p, c.square, n, i);
    const double widening = is_sampled ? widening_of(ident, s, i) : 1.0;
    out[i] = widening * sqrt(variance + bias[i] * bias[i] + unsure * unsure + rest * p[i * n + i]);
  }
}
