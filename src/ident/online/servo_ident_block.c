#include "ident/online/servo_ident_block.h"

#include <math.h>
#include <string.h>

#include "ident/online/servo_ident_load.h"
#include "ident/online/servo_ident_scores.h"
#include "servo/servo_friction.h"

/* A block lasts until the noise of its acceleration is this part of the commanded one ... */
static const double NOISE_PART = 0.02;
/* ... within these bounds. */
static const double BLOCK_MIN_S = 0.004, BLOCK_MAX_S = 0.05;

/* Where the load drives the servo and loses nearly all to friction, that is no longer c1 |tau| + c2
   tau²: such a sample has no information about them. By the model of before: an estimate that is
   far off would leave out what corrects it. */
bool sn__ident_is_linear(const sn__ident_servo *s, double tau, double qd) {
  if (s->load_at == 0 || tau * qd >= 0.0) {
    return true;
  }
  const double least = (1.0 - SN__SERVO_BACK_MAX) * s->model.alpha[3];
  return !s->model.ext.is_directional &&
         sn__servo_torque_slope(&s->model, tau, copysign(1.0, qd)) >= least;
}

bool sn__ident_learn(const sn_servo_ident *ident, sn__ident_servo *s, const double *row, double y,
                     double drive) {
  if (!sn__rls_step(&s->rls, row, y)) {
    return false;
  }
  const double rest = y - sn__rls_predict(&s->rls, row);
  const double kept = rest + (sn__rls_estimate(&s->rls)[3] - s->model.alpha[3]) * row[3];
  s->error_sum = s->error_decay * s->error_sum + fabs(rest) / drive;
  s->kept_sum = s->error_decay * s->kept_sum + fabs(kept) / drive;
  s->error_weight = s->error_decay * s->error_weight + 1.0;
  s->drive = drive;
  sn__ident_score(ident, s, row, rest);
  return true;
}

/* The regressors of friction for a velocity that is only known to be near qd: their means over a
   distribution of this variance, by Simpson's rule: exact for a velocity that changes evenly, if
   friction is a polynomial. Where friction bends in between there are more points. */
static void set_friction(const sn_servo_ident *ident, const sn_servo_params *model, double qd,
                         double variance, double *terms) {
  const double half = sqrt(3.0 * variance);
  const int pieces = half > model->qs ? 8 : half > 0.25 * model->qs ? 4 : 2;
  double dry = 0.0, stribeck = 0.0;
  for (int k = 0; k <= pieces; k++) {
    const double weight = k == 0 || k == pieces ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
    const double v = qd + half * (2.0 * (double)k / (double)pieces - 1.0);
    const double sign = weight * sn__servo_sign(v, ident->config.sign_dead_zone);
    dry += sign;
    stribeck += sign * sn__servo_stribeck(model, v);
  }
  terms[SN__IDENT_QD] = qd;
  terms[SN__IDENT_DRY] = dry / (3.0 * (double)pieces);
  terms[SN__IDENT_STRIBECK] = stribeck / (3.0 * (double)pieces);
}

/* How much faster and slower than on average the joint turns within a cycle: it approaches a
   constant goal, so the drive falls by kp V qd T; viscous friction turns that into velocity. */
static double ripple_of(const sn_servo_ident *ident, const sn__ident_servo *s, double drive,
                        double qd) {
  const double viscous = fmax(sn__rls_estimate(&s->rls)[0], 1e-9);
  return fabs(qd) * fmin(0.5, 0.25 * drive * ident->config.cycle_s / viscous);
}

/* Half of the range over which the torque of a joint changes within a cycle: the drive falls by kp
   V qd T, and what viscous friction does not take accelerates rotor and load. By the model of
   before: the estimate may be anything at first. */
static double torque_ripple_of(const sn_servo_ident *ident, const sn__ident_servo *s, double qd) {
  const double cycle_s = ident->config.cycle_s;
  const double per_torque = fmax(s->model.alpha[3], 1e-9);
  const double load = per_torque * fmax(s->load.inertia, 0.0); /* V per rad/s² */
  const double mass = load + s->model.inertia + 1e-12;
  const double slowing = 1.0 + 0.5 * cycle_s * s->model.alpha[0] / mass;
  return 0.5 * s->drive * fabs(qd) * cycle_s / per_torque * load / (mass * slowing);
}

/* Cycles of a block: as many as its acceleration needs. Powers of two, so that they rarely change,
   and forgetting with them. */
static void set_length(const sn_servo_ident *ident, sn__ident_servo *s) {
  const sn__ident_block *b = &s->block;
  const double cycle_s = ident->config.cycle_s;
  const double wanted = sqrt(s->load.qdd_qdd / fmax(s->load.weight, 1.0));
  const double needed = sqrt(2.0 * b->noise_square) / fmax(NOISE_PART * wanted, 1e-9);
  const double time_s = fmin(fmax(needed, BLOCK_MIN_S), BLOCK_MAX_S);
  size_t length = 1;
  while ((double)(2 * length) * cycle_s <= time_s * 1.001) {
    length *= 2;
  }
  if (length != b->length) {
    s->block.length = length;
    sn__rls_forget(&s->rls, pow(ident->config.forgetting, (double)length));
    s->error_decay = pow(ident->error_decay, (double)length);
  }
}

static void add_term(sn__ident_equation *e, size_t at, double weight, double value, double gain) {
  e->row[at] = weight * value;
  e->gain[at] = gain;
}

sn__ident_equation sn__ident_equation_of(const sn__ident_servo *s, const double *mean, double qdd,
                                         double weight) {
  const double tau = mean[SN__IDENT_TAU], inertia = s->load.inertia;
  sn__ident_equation e = {.y = weight * mean[SN__IDENT_VOLTS]};
  add_term(&e, 0, weight, mean[SN__IDENT_QD], 0.0);
  add_term(&e, 1, weight, mean[SN__IDENT_DRY], 0.0);
  add_term(&e, 2, weight, mean[SN__IDENT_STRIBECK], 0.0);
  add_term(&e, 3, weight, tau, inertia);
  if (s->inertia_at > 0) {
    add_term(&e, s->inertia_at, weight, qdd, 1.0);
  } else {
    e.y -= weight * s->model.inertia * qdd;
  }
  if (s->load_at > 0) {
    const double dry = mean[SN__IDENT_DRY], half = mean[SN__IDENT_TAU_RIPPLE];
    const bool turns = fabs(tau) < half;
    const double size = turns ? 0.5 * (tau * tau + half * half) / half : fabs(tau);
    const double slope = turns ? tau / half : copysign(1.0, tau);
    add_term(&e, s->load_at, weight, dry * size, dry * slope * inertia);
    add_term(&e, s->load_at + 1, weight, dry * (tau * tau + half * half / 3.0),
             2.0 * dry * tau * inertia);
  } else {
    e.y -= weight * mean[SN__IDENT_DRY] *
           sn__servo_load_friction(&s->model, tau, copysign(1.0, mean[SN__IDENT_QD]));
  }
  return e;
}

/* The mean of a block is an equation. */
static void close_block(const sn_servo_ident *ident, sn__ident_servo *s) {
  sn__ident_block *b = &s->block;
  if (b->count < 2) {
    return;
  }
  double mean[SN__IDENT_TERMS];
  for (size_t i = 0; i < SN__IDENT_TERMS; i++) {
    mean[i] = b->sum[i] / b->last_s;
  }
  /* Windows that overlap share their noise. */
  const double span_s = (double)ident->span * ident->config.cycle_s;
  const double shared = fmin(1.0, 3.0 * b->last_s / span_s);
  /* The acceleration a falls within a cycle of length T while the goal is held. With its first
     moment m = T (velocity at the ends - mean velocity), the mean velocities of two cycles differ
     by T (mean a) + (m before - m after) / T. */
  const double uneven = 1.0 + sn__ident_ripple(s);
  const sn__ident_accel qdd = {
      .measured = uneven * (b->last[SN__IDENT_QD] - b->first_qd) / b->last_s,
      .noise = uneven * sqrt(2.0 * shared * b->noise_square) / b->last_s};
  sn__ident_bear(s, mean, &qdd);
  /* The noise of a short block is larger, by the same factor. */
  const double full_s = (double)b->length * ident->config.cycle_s;
  const double weight = fmin(1.0, b->last_s / full_s);
  mean[SN__IDENT_TAU_RIPPLE] = torque_ripple_of(ident, s, mean[SN__IDENT_QD]);
  const sn__ident_equation e = sn__ident_equation_of(s, mean, qdd.measured, weight);
  if (sn__ident_is_linear(s, mean[SN__IDENT_TAU], mean[SN__IDENT_QD]) &&
      sn__ident_learn(ident, s, e.row, e.y, s->drive)) {
    const double noise = weight * qdd.noise;
    const double y_gain = s->inertia_at > 0 ? 0.0 : -s->model.inertia;
    sn__rls_compensate(&s->rls, e.gain, y_gain, noise * noise);
    sn__ident_note(s, e.row, noise);
  }
  set_length(ident, s);
}

static void begin_block(sn__ident_servo *s, const double *terms) {
  sn__ident_block *b = &s->block;
  memset(b->sum, 0, sizeof b->sum);
  b->first_qd = terms[SN__IDENT_QD];
  b->last_s = 0.0;
  b->noise_square = 0.0;
  b->count = 1;
}

static void add_sample(const sn_servo_ident *ident, sn__ident_servo *s, const double *terms,
                       const sn__ident_mean *m) {
  sn__ident_block *b = &s->block;
  if (b->count == 0) {
    begin_block(s, terms);
  } else {
    const double time_s = (m->center - b->last_center) * ident->config.cycle_s;
    for (size_t i = 0; i < SN__IDENT_TERMS; i++) {
      b->sum[i] += 0.5 * time_s * (b->last[i] + terms[i]);
    }
    b->last_s += time_s;
    b->count++;
  }
  memcpy(b->last, terms, sizeof b->last);
  b->last_center = m->center;
  b->noise_square = fmax(b->noise_square, m->qd_noise * m->qd_noise);
  if (b->count > 1 && b->last_s >= ((double)b->length - 0.5) * ident->config.cycle_s) {
    close_block(ident, s);
    begin_block(s, terms); /* the next one begins where this one ends */
  }
}

/* A joint that perhaps stood, or turned round, had any friction. */
static bool is_turning(const sn_servo_ident *ident, const sn__ident_mean *m, double ripple) {
  const double slowest = fabs(m->qd) - 0.5 * m->qd_change - ripple;
  return slowest > fmax(ident->config.min_velocity, 3.0 * m->qd_noise);
}

void sn__ident_take_sample(const sn_servo_ident *ident, sn__ident_servo *s) {
  sn__ident_mean m = {0};
  if (s->block.wait > 0) {
    s->block.wait--;
    return;
  }
  s->block.wait = ident->stride - 1;
  const bool is_known = sn__ident_average(ident, s, &m);
  const double drive = s->model.kp * m.voltage;
  const double ripple = ripple_of(ident, s, drive, m.qd);
  if (!is_known || !is_turning(ident, &m, ripple)) {
    close_block(ident, s);
    s->block.count = 0;
    return;
  }
  double terms[SN__IDENT_TERMS];
  set_friction(ident, &s->model, m.qd,
               m.qd_noise * m.qd_noise + m.qd_spread * m.qd_spread + 0.5 * ripple * ripple, terms);
  terms[SN__IDENT_TAU] = m.tau;
  terms[SN__IDENT_VOLTS] = sn__servo_drive(&s->model, m.voltage, m.goal, m.q);
  terms[SN__IDENT_MISSED_Q] = m.q - m.q_wanted;
  terms[SN__IDENT_WANTED_Q] = m.q_wanted;
  terms[SN__IDENT_WANTED_QDD] = m.qdd_wanted;
  terms[SN__IDENT_TAU_RIPPLE] = 0.0;
  s->sample_count++;
  s->drive = drive;
  sn__ident_blur(s, &m);
  add_sample(ident, s, terms, &m);
}
