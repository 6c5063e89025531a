#include "sinew/servo_ident.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "servo/servo_ident_state.h"

static bool all_finite(const double *x, size_t count) {
  bool good = true;
  for (size_t i = 0; x != NULL && i < count; i++) {
    good = good && isfinite(x[i]);
  }
  return good;
}

sn_status sn_servo_ident_command(sn_servo_ident *ident, const sn_servo_command *command) {
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

void sn_servo_ident_wait(sn_servo_ident *ident, size_t cycles) {
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

static const sn__ident_moment *moment_at(const sn_servo_ident *ident, const sn__ident_servo *s,
                                         size_t back) {
  return &s->history[s->newest >= back ? s->newest - back : s->newest + ident->window - back];
}

/* The velocity now: measured, or from the last two positions and the cycles between them. */
static double velocity_now(const sn_servo_ident *ident, const sn__ident_servo *s) {
  const sn__ident_moment *now = moment_at(ident, s, 0);
  if (!isnan(now->qd)) {
    return now->qd;
  }
  if (s->history_count < 2) {
    return NAN;
  }
  const sn__ident_moment *before = moment_at(ident, s, 1);
  return (now->q - before->q) / ((double)(now->cycle - before->cycle) * ident->config.cycle_s);
}

/* Weights for the cycles that really passed between the moments. */
static bool fit_uneven(const sn_servo_ident *ident, const sn__ident_servo *s, bool has_v,
                       sn__local_weights *out) {
  const size_t half = ident->config.smoothing;
  const size_t count = 2 * half + 1;
  const int64_t middle = moment_at(ident, s, half)->cycle;
  double t[SN__LOCAL_MAX];
  for (size_t k = 0; k < count; k++) {
    t[k] = (double)(moment_at(ident, s, count - 1 - k)->cycle - middle) * ident->config.cycle_s;
  }
  const double ratio = ident->config.position_noise / ident->config.velocity_noise;
  return sn__local_fit(count, t, has_v, ratio * ratio, out);
}

/* In four sums, none of which waits for another. */
static double weigh(const double *weights, const double *x, size_t count) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    sum[0] += weights[k] * x[k];
    sum[1] += weights[k + 1] * x[k + 1];
    sum[2] += weights[k + 2] * x[k + 2];
    sum[3] += weights[k + 3] * x[k + 3];
  }
  for (; k < count; k++) {
    sum[0] += weights[k] * x[k];
  }
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* The moment in the middle of the history, its velocity and acceleration from all around it. */
static const sn__ident_moment *find_middle(const sn_servo_ident *ident, const sn__ident_servo *s,
                                           double *qd, double *qdd) {
  const size_t half = ident->config.smoothing;
  const size_t count = 2 * half + 1;
  if (s->history_count < count) {
    return NULL;
  }
  const bool has_v = s->velocity_count >= count;
  sn__local_weights uneven;
  const sn__local_weights *w = has_v ? &ident->with_v : &ident->without_v;
  if (s->even_count < count) {
    if (!fit_uneven(ident, s, has_v, &uneven)) {
      return NULL;
    }
    w = &uneven;
  }
  const double *q = s->q + s->newest + 1; /* the oldest one of the window */
  const double *v = s->qd + s->newest + 1;
  *qd = weigh(w->q_v, q, count) + (has_v ? weigh(w->v_v, v, count) : 0.0);
  if (ident->config.identify_inertia || s->model.inertia > 0.0) {
    *qdd = weigh(w->q_a, q, count) + (has_v ? weigh(w->v_a, v, count) : 0.0);
  }
  return moment_at(ident, s, half);
}

/* One step of least squares with the moment whose velocity is known best. */
static void identify(sn_servo_ident *ident, sn__ident_servo *s) {
  const sn_servo_ident_config *c = &ident->config;
  const sn__ident_moment *m = NULL;
  double qd = 0.0;
  double qdd = 0.0;
  if (c->smoothing == 0) {
    m = moment_at(ident, s, 0);
    qd = velocity_now(ident, s);
    qdd = m->order.qdd;
  } else {
    m = find_middle(ident, s, &qd, &qdd);
  }
  if (m == NULL || !m->has_order || !(fabs(qd) > c->min_velocity)) {
    return;
  }
  const double drive = s->model.kp * m->order.voltage;
  const double sign = sn_servo_sign(qd, c->sign_dead_zone);
  const double row[5] = {qd, sign, sign * sn_servo_stribeck(&s->model, qd), m->order.tau, qdd};
  double y = drive * (m->order.goal / s->model.kgear - m->q);
  y -= c->identify_inertia ? 0.0 : s->model.inertia * qdd;
  if (!sn_rls_step(&s->rls, row, y)) {
    return;
  }
  const double rest = y - sn_rls_predict(&s->rls, row);
  const double kept = rest + (sn_rls_estimate(&s->rls)[3] - s->model.alpha[3]) * row[3];
  s->error_sum = ident->error_decay * s->error_sum + fabs(rest) / drive;
  s->kept_sum = ident->error_decay * s->kept_sum + fabs(kept) / drive;
  s->error_weight = ident->error_decay * s->error_weight + 1.0;
  s->sample_count++;
}

static void measure_one(sn_servo_ident *ident, size_t index, double q, double qd) {
  const size_t n = ident->config.servo_count;
  sn__ident_servo *s = &ident->servos[index];
  if (s->history_count > 0 && moment_at(ident, s, 0)->cycle == ident->cycle) {
    return; /* a second time in this cycle: no time has passed, so there is nothing to learn */
  }
  s->newest = s->newest + 1 == ident->window ? 0 : s->newest + 1;
  s->history_count += s->history_count < ident->window;
  sn__ident_moment *m = &s->history[s->newest];
  const bool is_next = s->history_count > 1 && moment_at(ident, s, 1)->cycle == ident->cycle - 1;
  s->even_count = is_next ? s->even_count + 1 : 1;
  s->velocity_count = isnan(qd) ? 0 : s->velocity_count + 1;
  s->q[s->newest] = s->q[s->newest + ident->window] = q;
  s->qd[s->newest] = s->qd[s->newest + ident->window] = qd;
  *m = (sn__ident_moment){.cycle = ident->cycle, .q = q, .qd = qd};
  const int64_t sent = ident->cycle - (int64_t)ident->config.control_delay;
  if (sent >= 0) {
    const size_t slot = (size_t)(sent % (int64_t)ident->order_count);
    m->has_order = ident->has_orders[slot];
    m->order = ident->orders[slot * n + index];
  }
  m->has_order = m->has_order && !isnan(m->order.goal);
  const sn_servo_motion motion = {.q = q, .qd = velocity_now(ident, s), .qdd = m->order.qdd};
  if (m->has_order && s->has_model && !isnan(motion.qd)) {
    ident->torque_error[index] =
        s->model.alpha[3] == 0.0 ? 0.0
                                 : sn_servo_torque_of(&s->model, m->order.voltage, m->order.goal,
                                                      &motion, ident->config.sign_dead_zone) -
                                       m->order.tau;
  }
  if (s->is_running) {
    identify(ident, s);
  }
}

sn_status sn_servo_ident_measure(sn_servo_ident *ident, const sn_servo_measured *measured) {
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

const double *sn_servo_ident_torque_error(const sn_servo_ident *ident) {
  return ident->torque_error;
}
