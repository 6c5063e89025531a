#include "ident/online/servo_ident.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "ident/online/servo_ident_block.h"
#include "ident/online/servo_ident_scores.h"
#include "ident/online/servo_ident_window.h"
#include "servo/servo_friction.h"

static bool all_finite(const double *x, size_t count) {
  bool good = true;
  for (size_t i = 0; x != NULL && i < count; i++) {
    good = good && isfinite(x[i]);
  }
  return good;
}

sn_status sn__servo_ident_command(sn_servo_ident *ident, const sn_servo_command *command) {
  const size_t n = ident->config.servo_count;
  ident->cycle++;
  const size_t slot = (size_t)(ident->cycle % (int64_t)ident->order_count);
  ident->has_orders[slot] = false;
  if (!all_finite(command->q, n) || !all_finite(command->qd, n) || !all_finite(command->tau, n) ||
      !all_finite(command->goal, n) || !isfinite(command->voltage) || command->voltage < 0.0) {
    return SN_EINVAL;
  }
  ident->voltage = command->voltage > 0.0 ? command->voltage : ident->voltage;
  const size_t last = slot == 0 ? ident->order_count - 1 : slot - 1;
  const bool has_last = ident->order_count > 1 && ident->has_orders[last];
  for (size_t i = 0; i < n; i++) {
    sn__ident_order *o = &ident->orders[slot * n + i];
    const double tau = command->tau == NULL ? 0.0 : command->tau[i];
    const double qd = command->qd[i];
    const double qdd =
        has_last ? (qd - ident->orders[last * n + i].qd) / ident->config.cycle_s : 0.0;
    const sn_servo_motion motion = {.q = command->q[i], .qd = qd, .qdd = qdd, .tau = tau};
    const bool is_limp = command->limp != NULL && command->limp[i];
    o->tau = tau;
    o->q = command->q[i];
    o->qd = qd;
    o->qdd = qdd;
    o->voltage = ident->voltage;
    o->goal = is_limp                 ? NAN
              : command->goal != NULL ? command->goal[i]
                                      : sn_servo_goal_of(&ident->servos[i].model, ident->voltage,
                                                         &motion, ident->config.sign_dead_zone);
  }
  ident->has_orders[slot] = true;
  return SN_OK;
}

void sn__servo_ident_wait(sn_servo_ident *ident, size_t cycles) {
  const size_t n = ident->config.servo_count;
  const size_t last = (size_t)(ident->cycle % (int64_t)ident->order_count);
  if (ident->cycle < 0 || cycles == 0) {
    return;
  }
  const size_t copies = cycles < ident->order_count ? cycles : ident->order_count;
  ident->cycle += (int64_t)cycles;
  const sn__ident_order *from = &ident->orders[last * n];
  for (size_t k = 0; k < copies; k++) {
    const size_t slot = (size_t)((ident->cycle - (int64_t)k) % (int64_t)ident->order_count);
    if (slot == last) {
      continue;
    }
    memcpy(&ident->orders[slot * n], from, n * sizeof *from);
    ident->has_orders[slot] = ident->has_orders[last];
    for (size_t i = 0; i < n; i++) {
      ident->orders[slot * n + i].qdd = 0.0;
    }
  }
}

/* The velocity now: measured, or from the last two positions and the cycles between them. */
static double velocity_now(const sn_servo_ident *ident, const sn__ident_servo *s) {
  const sn__ident_moment *now = sn__ident_moment_at(ident, s, 0);
  if (!isnan(now->qd)) {
    return now->qd;
  }
  if (s->history_count < 2) {
    return NAN;
  }
  const sn__ident_moment *before = sn__ident_moment_at(ident, s, 1);
  return (now->q - before->q) / ((double)(now->cycle - before->cycle) * ident->config.cycle_s);
}

/* Each measurement is an equation, with the order that was in force. */
static void identify_raw(sn_servo_ident *ident, sn__ident_servo *s) {
  const sn__ident_moment *m = sn__ident_moment_at(ident, s, 0);
  const double qd = velocity_now(ident, s);
  if (!m->has_order || !(fabs(qd) > ident->config.min_velocity)) {
    return;
  }
  const double sign = sn__servo_sign(qd, ident->config.sign_dead_zone);
  const double volts = sn__servo_drive(&s->model, m->order.voltage, m->order.goal, m->q);
  const double mean[SN__IDENT_TERMS] = {
      [SN__IDENT_QD] = qd,
      [SN__IDENT_DRY] = sign,
      [SN__IDENT_STRIBECK] = sign * sn__servo_stribeck(&s->model, qd),
      [SN__IDENT_TAU] = m->order.tau,
      [SN__IDENT_VOLTS] = volts};
  const sn__ident_equation e = sn__ident_equation_of(s, mean, m->order.qdd, 1.0);
  s->sample_count += sn__ident_is_linear(s, m->order.tau, qd) &&
                     sn__ident_learn(ident, s, e.row, e.y, s->model.kp * m->order.voltage);
}

/* What was in force since the measurement before: the mean of its cycles. */
static void link(const sn_servo_ident *ident, const sn__ident_servo *s, size_t index,
                 sn__ident_moment *m) {
  const size_t n = ident->config.servo_count;
  if (s->history_count < 2) {
    return;
  }
  const int64_t before = sn__ident_moment_at(ident, s, 1)->cycle;
  const int64_t count = ident->cycle - before, delay = (int64_t)s->delay;
  if (count > SN__IDENT_GAP_MAX || before + 1 < delay) {
    return;
  }
  m->cycles = (double)count;
  m->is_linked = true;
  for (int64_t cycle = before + 1; cycle <= ident->cycle; cycle++) {
    const size_t slot = (size_t)((cycle - delay) % (int64_t)ident->order_count);
    const sn__ident_order *o = &ident->orders[slot * n + index];
    m->is_linked = m->is_linked && ident->has_orders[slot] && !isnan(o->goal);
    m->held.goal += o->goal / m->cycles;
    m->held.tau += o->tau / m->cycles;
    m->held.q += o->q / m->cycles;
    m->held.qdd += o->qdd / m->cycles;
    m->held.voltage += o->voltage / m->cycles;
  }
}

static void measure_one(sn_servo_ident *ident, size_t index, double q, double qd) {
  const size_t n = ident->config.servo_count;
  sn__ident_servo *s = &ident->servos[index];
  if (s->history_count > 0 && sn__ident_moment_at(ident, s, 0)->cycle == ident->cycle) {
    return; /* a second time in this cycle: no time has passed, so there is nothing to learn */
  }
  s->newest = s->newest + 1 == ident->window ? 0 : s->newest + 1;
  s->history_count += s->history_count < ident->window;
  sn__ident_moment *m = &s->history[s->newest];
  const bool is_next =
      s->history_count > 1 && sn__ident_moment_at(ident, s, 1)->cycle == ident->cycle - 1;
  s->even_count = is_next ? s->even_count + 1 : 1;
  s->velocity_count = isnan(qd) ? 0 : s->velocity_count + 1;
  *m = (sn__ident_moment){.cycle = ident->cycle, .q = q, .qd = qd};
  const int64_t sent = ident->cycle - (int64_t)s->delay;
  if (sent >= 0) {
    const size_t slot = (size_t)(sent % (int64_t)ident->order_count);
    m->has_order = ident->has_orders[slot];
    m->order = ident->orders[slot * n + index];
  }
  m->has_order = m->has_order && !isnan(m->order.goal);
  link(ident, s, index, m);
  sn__ident_learn_noise(ident, s);
  sn__ident_learn_ripple(ident, s);
  const sn_servo_motion motion = {.q = q, .qd = velocity_now(ident, s), .qdd = m->order.qdd};
  if (m->has_order && s->has_model && !isnan(motion.qd)) {
    ident->torque_error[index] =
        s->model.alpha[3] == 0.0 ? 0.0
                                 : sn_servo_torque_of(&s->model, m->order.voltage, m->order.goal,
                                                      &motion, ident->config.sign_dead_zone) -
                                       m->order.tau;
  }
  if (s->is_running) {
    if (ident->config.smoothing == 0) {
      identify_raw(ident, s);
    } else {
      sn__ident_take_sample(ident, s);
    }
  }
}

sn_status sn__servo_ident_measure(sn_servo_ident *ident, const sn_servo_measured *measured) {
  ident->message++;
  if (ident->cycle < 0) {
    return SN_OK; /* nothing has been commanded yet */
  }
  for (size_t k = 0; k < measured->count; k++) {
    const int index = measured->servo[k];
    if (index < 0 || (size_t)index >= ident->config.servo_count || !isfinite(measured->q[k]) ||
        (measured->qd != NULL && !isfinite(measured->qd[k])) ||
        ident->servos[index].seen == ident->message) {
      return SN_EINVAL;
    }
    ident->servos[index].seen = ident->message;
  }
  for (size_t k = 0; k < measured->count; k++) {
    measure_one(ident, (size_t)measured->servo[k], measured->q[k],
                measured->qd == NULL ? NAN : measured->qd[k]);
  }
  return SN_OK;
}

const double *sn__servo_ident_torque_error(const sn_servo_ident *ident) {
  return ident->torque_error;
}
