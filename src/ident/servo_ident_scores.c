#include "ident/servo_ident_scores.h"

#include <math.h>
#include <string.h>

/* Errors of the model last about as long as a joint keeps its direction: the length of a group. */
static const double GROUP_S = 0.25;

void sn__ident_score(const sn_servo_ident *ident, sn__ident_servo *s, const double *row,
                     double rest, const sn__ident_mean *mean) {
  sn__ident_scores *c = &s->scores;
  if ((double)(ident->cycle - c->begin) * ident->config.cycle_s >= GROUP_S) {
    sn__ident_close_group(&s->rls, c);
    c->begin = ident->cycle;
  }
  for (size_t i = 0; i < s->rls.count; i++) {
    c->sum[i] += row[i] * rest;
  }
  c->sample_count += 1.0;
  const double keep = s->rls.forgetting, blur = mean->qd_noise / s->model.qs;
  c->done_wanted = keep * c->done_wanted + mean->qdd * mean->qdd_wanted;
  c->wanted_square = keep * c->wanted_square + mean->qdd_wanted * mean->qdd_wanted;
  c->blur_square = keep * c->blur_square + blur * blur;
  c->tau_change_square = keep * c->tau_change_square + mean->tau_change * mean->tau_change;
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

/* Systematic errors, which no number of samples averages out. The factors were found by
   identifying simulated servos at periods of 1 to 22 ms (test_servo_ident_deviation.c). */
static void find_bias(const sn_servo_ident *ident, const sn__ident_servo *s, double *bias) {
  const sn__ident_scores *c = &s->scores;
  const double *x = s->rls.x;
  const double samples = fmax(s->rls.weight_sum, 1.0);
  /* Volts that the drive loses in a cycle, per rad/s: a goal takes effect a little early or late,
     and the joint turns unevenly. */
  const double cycle = s->drive * ident->config.cycle_s;
  const double ripple = 0.25 * cycle / fmax(fabs(x[0]), 1e-9);
  /* Near standstill friction is known as well as the velocity is. */
  const double dry = 0.5 * (fabs(x[1]) + fabs(x[2]));
  const double blur = c->blur_square / samples;
  /* A joint that does not follow does not bear the torque that was commanded. */
  const double missed = c->wanted_square > 0.0 ? 1.0 - c->done_wanted / c->wanted_square : 0.0;
  const double late = sqrt(c->tau_change_square / fmax(s->rls.square_sum[3], 1e-300));
  const double volts = fabs(missed * x[3]) * sqrt(s->rls.square_sum[3] / samples);
  const double speed = sqrt(s->rls.square_sum[0] / samples);
  bias[0] = hypot(0.02 * cycle, 1.5 * volts / fmax(speed, 1e-9));
  bias[2] = hypot(dry * hypot(hypot(0.01, ripple), 8.0 * blur), 3.0 * volts);
  bias[1] = hypot(0.05 * bias[2], 1.5 * volts);
  bias[3] = fabs(x[3]) * hypot(missed, 0.4 * late);
}

void sn__ident_deviations(const sn_servo_ident *ident, const sn__ident_servo *s, double *out) {
  const size_t n = s->rls.count;
  sn__ident_scores c = s->scores;
  double p[SN_RLS_MAX * SN_RLS_MAX];
  double bias[SN_RLS_MAX] = {0};
  sn__ident_close_group(&s->rls, &c);
  sn__rls_covariance(&s->rls, p);
  sn__rls_std(&s->rls, out);
  if (ident->config.smoothing > 0) {
    find_bias(ident, s, bias);
  }
  /* Few groups underestimate their spread. */
  const double groups = c.weight * c.weight / fmax(c.weight_square, 1e-300);
  const double scale = groups / fmax(groups - (double)n, 0.25 * groups);
  for (size_t i = 0; i < n; i++) {
    const double variance = fmax(out[i] * out[i], scale * spread(p, c.square, n, i));
    out[i] = sqrt(variance + bias[i] * bias[i]);
  }
}
