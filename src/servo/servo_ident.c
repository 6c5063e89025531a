#include "sinew/servo_ident.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "servo/local_fit.h"
#include "sinew/fault.h"
#include "sinew/rls.h"

/* Fewer samples are no identification. */
enum { SAMPLES_MIN = 20 };

/* How far alpha may be from the model at the start, in units of the noise: anywhere. */
#define SPREAD 1e4
/* Below this the regressors are so alike that noise decides. */
#define EXCITATION_MIN 0.01

/* What was commanded to a servo in a cycle. */
typedef struct order {
  double goal;
  double tau;
  double voltage;
} order;

/* A measurement with the order in force when it was taken. */
typedef struct moment {
  int64_t cycle;
  double q;
  double qd; /* NaN: not measured */
  order order;
  bool has_order;
} moment;

/* Of one servo. */
typedef struct servo {
  sn_servo_params model;
  bool has_model;
  moment *history; /* [window] ring; the newest at newest */
  double *q;       /* [2 window] positions, twice, so that each window of them is in one piece */
  double *qd;      /* [2 window] likewise */
  size_t newest;
  size_t history_count;
  size_t even_count;     /* newest moments that are a cycle apart */
  size_t velocity_count; /* newest moments with a velocity */
  bool is_running;
  sn_rls rls;
  double error_sum;    /* exponential mean of the prediction error ... */
  double error_weight; /* ... over this much */
  size_t sample_count;
  int64_t seen; /* message that named it last: finds it twice */
} servo;

struct sn_servo_ident {
  sn_servo_ident_config config;
  servo *servos;    /* [servo_count] */
  order *orders;    /* [order_count][servo_count] ring over cycles */
  bool *has_orders; /* [order_count] */
  size_t order_count;
  int64_t cycle; /* the current one; -1 before the first */
  int64_t message;
  double voltage;
  double error_decay;                  /* of a cycle */
  size_t window;                       /* moments of a servo: 2 smoothing + 1, at least 2 */
  double *torque_error;                /* [servo_count] */
  sn__local_weights with_v, without_v; /* for one measurement a cycle */
};

static double or_default(double value, double fallback) {
  return value == 0.0 ? fallback : value;
}

static sn_status check_number(const char *name, double value, double most, sn_error *err) {
  if (!isfinite(value) || value <= 0.0 || value > most) {
    return sn__fail(err, SN_EINVAL, "servo_ident: %s is %g, must be greater than 0%s", name, value,
                    most == 1.0 ? " and at most 1" : "");
  }
  return SN_OK;
}

static sn_status check(const sn_servo_ident_config *c, sn_error *err) {
  if (c->servo_count == 0 || c->models == NULL) {
    return sn__fail(err, SN_EINVAL, "servo_ident: there are no servos");
  }
  if (c->control_delay > SN_SERVO_IDENT_DELAY_MAX) {
    return sn__fail(err, SN_EINVAL,
                    "servo_ident: control_delay is %zu cycles, the history holds %d",
                    c->control_delay, SN_SERVO_IDENT_DELAY_MAX);
  }
  if (c->smoothing > SN_SERVO_IDENT_SMOOTHING_MAX) {
    return sn__fail(err, SN_EINVAL, "servo_ident: smoothing is %zu, must be at most %d",
                    c->smoothing, SN_SERVO_IDENT_SMOOTHING_MAX);
  }
  const struct {
    const char *name;
    double value;
    double most;
  } numbers[] = {{"cycle_s", c->cycle_s, INFINITY},
                 {"relaxation_factor", c->forgetting, 1.0},
                 {"error_averaging_time", c->error_averaging_time_s, INFINITY},
                 {"threshold", c->threshold_rad, INFINITY},
                 {"battery_voltage", c->battery_voltage, INFINITY},
                 {"min_velocity", c->min_velocity, INFINITY},
                 {"sign_dead_zone", c->sign_dead_zone, INFINITY},
                 {"position_noise", c->position_noise, INFINITY},
                 {"velocity_noise", c->velocity_noise, INFINITY}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const sn_status status = check_number(numbers[i].name, numbers[i].value, numbers[i].most, err);
    if (status != SN_OK) {
      return status;
    }
  }
  for (size_t i = 0; i < c->servo_count; i++) {
    sn_error why;
    if (sn_servo_params_check(&c->models[i], &why) != SN_OK) {
      return sn__fail(err, SN_EINVAL, "servo_ident: servo %zu: %s", i, why.message);
    }
  }
  return SN_OK;
}

/* Weights for measurements in every cycle, which is the usual case. */
static void prepare_weights(sn_servo_ident *ident) {
  const sn_servo_ident_config *c = &ident->config;
  double t[SN__LOCAL_MAX];
  const size_t count = 2 * c->smoothing + 1;
  for (size_t k = 0; k < count; k++) {
    t[k] = ((double)k - (double)c->smoothing) * c->cycle_s;
  }
  if (count >= 3) {
    const double ratio = c->position_noise / c->velocity_noise;
    const bool good = sn__local_fit(count, t, true, ratio * ratio, &ident->with_v) &&
                      sn__local_fit(count, t, false, 0.0, &ident->without_v);
    SN_ASSERT(good);
  }
}

sn_status sn_servo_ident_create(sn_arena *arena, const sn_servo_ident_config *config,
                                sn_servo_ident **out, sn_error *err) {
  sn_servo_ident_config c = *config;
  c.forgetting = or_default(c.forgetting, 0.995);
  c.error_averaging_time_s = or_default(c.error_averaging_time_s, 1.0);
  c.threshold_rad = or_default(c.threshold_rad, 0.01);
  c.battery_voltage = or_default(c.battery_voltage, 12.0);
  c.min_velocity = or_default(c.min_velocity, 0.01);
  c.sign_dead_zone = or_default(c.sign_dead_zone, SN_SERVO_DEAD_ZONE);
  c.position_noise = or_default(c.position_noise, 2e-4);
  c.velocity_noise = or_default(c.velocity_noise, 0.02);
  const sn_status status = check(&c, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  const size_t n = c.servo_count;
  const size_t orders = c.control_delay + 1;
  const size_t window = c.smoothing == 0 ? 2 : 2 * c.smoothing + 1;
  sn_servo_ident *ident = SN_NEW(arena, sn_servo_ident, 1);
  servo *servos = SN_NEW(arena, servo, n);
  moment *moments = SN_NEW(arena, moment, n * window);
  double *signals = SN_NEW(arena, double, n * 4 * window);
  order *ring = SN_NEW(arena, order, n * orders);
  bool *has_orders = SN_NEW(arena, bool, orders);
  double *torque_error = SN_NEW(arena, double, n);
  if (ident == NULL || servos == NULL || moments == NULL || signals == NULL || ring == NULL ||
      has_orders == NULL || torque_error == NULL) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "servo_ident: no room in arena '%s'", sn_arena_name(arena));
  }
  *ident = (sn_servo_ident){.config = c,
                            .servos = servos,
                            .orders = ring,
                            .has_orders = has_orders,
                            .order_count = orders,
                            .cycle = -1,
                            .voltage = c.battery_voltage,
                            .window = window,
                            .error_decay = exp(-c.cycle_s / c.error_averaging_time_s),
                            .torque_error = torque_error};
  for (size_t i = 0; i < n; i++) {
    servos[i].model = c.models[i];
    servos[i].has_model = c.has_model == NULL || c.has_model[i];
    servos[i].history = moments + i * window;
    servos[i].q = signals + i * 4 * window;
    servos[i].qd = servos[i].q + 2 * window;
  }
  ident->config.models = NULL; /* were copied */
  ident->config.has_model = NULL;
  prepare_weights(ident);
  *out = ident;
  return SN_OK;
}

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
  for (size_t i = 0; i < n; i++) {
    order *o = &ident->orders[slot * n + i];
    const double tau = command->tau == NULL ? 0.0 : command->tau[i];
    const sn_servo_motion motion = {.q = command->q[i], .qd = command->qd[i], .tau = tau};
    o->tau = tau;
    o->voltage = ident->voltage;
    o->goal = command->goal != NULL ? command->goal[i]
                                    : sn_servo_goal_of(&ident->servos[i].model, ident->voltage,
                                                       &motion, ident->config.sign_dead_zone);
  }
  ident->has_orders[slot] = true;
  return SN_OK;
}

static const moment *moment_at(const sn_servo_ident *ident, const servo *s, size_t back) {
  return &s->history[s->newest >= back ? s->newest - back : s->newest + ident->window - back];
}

/* The velocity now: measured, or from the last two positions and the cycles between them. */
static double velocity_now(const sn_servo_ident *ident, const servo *s) {
  const moment *now = moment_at(ident, s, 0);
  if (!isnan(now->qd)) {
    return now->qd;
  }
  if (s->history_count < 2) {
    return NAN;
  }
  const moment *before = moment_at(ident, s, 1);
  return (now->q - before->q) / ((double)(now->cycle - before->cycle) * ident->config.cycle_s);
}

/* Weights for the cycles that really passed between the moments. */
static bool fit_uneven(const sn_servo_ident *ident, const servo *s, bool has_v,
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

static double weigh(const double *weights, const double *x, size_t count) {
  double sum = 0.0;
  for (size_t k = 0; k < count; k++) {
    sum += weights[k] * x[k];
  }
  return sum;
}

/* The moment in the middle of the history, its velocity and acceleration from all around it. */
static const moment *find_middle(const sn_servo_ident *ident, const servo *s, double *qd,
                                 double *qdd) {
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
static void identify(sn_servo_ident *ident, servo *s) {
  const sn_servo_ident_config *c = &ident->config;
  const moment *m = NULL;
  double qd = 0.0;
  double qdd = 0.0;
  if (c->smoothing == 0) {
    m = moment_at(ident, s, 0);
    qd = velocity_now(ident, s);
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
  const double error = fabs(y - sn_rls_predict(&s->rls, row)) / drive;
  s->error_sum = ident->error_decay * s->error_sum + error;
  s->error_weight = ident->error_decay * s->error_weight + 1.0;
  s->sample_count++;
}

static void measure_one(sn_servo_ident *ident, size_t index, double q, double qd) {
  const size_t n = ident->config.servo_count;
  servo *s = &ident->servos[index];
  if (s->history_count > 0 && moment_at(ident, s, 0)->cycle == ident->cycle) {
    return; /* a second time in this cycle: no time has passed, so there is nothing to learn */
  }
  s->newest = s->newest + 1 == ident->window ? 0 : s->newest + 1;
  s->history_count += s->history_count < ident->window;
  moment *m = &s->history[s->newest];
  const bool is_next = s->history_count > 1 && moment_at(ident, s, 1)->cycle == ident->cycle - 1;
  s->even_count = is_next ? s->even_count + 1 : 1;
  s->velocity_count = isnan(qd) ? 0 : s->velocity_count + 1;
  s->q[s->newest] = s->q[s->newest + ident->window] = q;
  s->qd[s->newest] = s->qd[s->newest + ident->window] = qd;
  *m = (moment){.cycle = ident->cycle, .q = q, .qd = qd};
  const int64_t sent = ident->cycle - (int64_t)ident->config.control_delay;
  if (sent >= 0) {
    const size_t slot = (size_t)(sent % (int64_t)ident->order_count);
    m->has_order = ident->has_orders[slot];
    m->order = ident->orders[slot * n + index];
  }
  const sn_servo_motion motion = {.q = q, .qd = velocity_now(ident, s)};
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

static void start_one(const sn_servo_ident *ident, servo *s) {
  sn_rls_config config = {.count = ident->config.identify_inertia ? 5 : 4,
                          .forgetting = ident->config.forgetting};
  for (size_t i = 0; i < config.count; i++) {
    config.start[i] = i < 4 ? s->model.alpha[i] : s->model.inertia;
    config.start_spread[i] = SPREAD;
  }
  const sn_status status = sn_rls_init(&s->rls, &config, NULL);
  SN_ASSERT(status == SN_OK);
  s->is_running = true;
  s->sample_count = 0;
  s->error_sum = 0.0;
  s->error_weight = 0.0;
  s->history_count = 0; /* what was before does not count */
}

sn_status sn_servo_ident_start(sn_servo_ident *ident, const int *servos, size_t count) {
  if (count == 0) {
    return SN_EINVAL;
  }
  ident->message++; /* to find one that is named twice */
  for (size_t k = 0; k < count; k++) {
    if (servos[k] < 0 || (size_t)servos[k] >= ident->config.servo_count ||
        !ident->servos[servos[k]].has_model) {
      return SN_ENOENT;
    }
    if (ident->servos[servos[k]].is_running) {
      return SN_EBUSY;
    }
    if (ident->servos[servos[k]].seen == ident->message) {
      return SN_EINVAL;
    }
    ident->servos[servos[k]].seen = ident->message;
  }
  for (size_t k = 0; k < count; k++) {
    start_one(ident, &ident->servos[servos[k]]);
  }
  return SN_OK;
}

static double mean_error(const servo *s) {
  return s->error_weight > 0.0 ? s->error_sum / s->error_weight : INFINITY;
}

static sn_servo_params estimate(const servo *s) {
  sn_servo_params p = s->model;
  memcpy(p.alpha, sn_rls_estimate(&s->rls), sizeof p.alpha);
  p.inertia = s->rls.count == 5 ? sn_rls_estimate(&s->rls)[4] : p.inertia;
  return p;
}

/* No sample, no success: an error that was never measured is infinite. */
static bool is_acceptable(const sn_servo_ident *ident, const servo *s) {
  const sn_servo_params p = estimate(s);
  return s->sample_count >= SAMPLES_MIN && mean_error(s) <= ident->config.threshold_rad &&
         sn_servo_params_check(&p, NULL) == SN_OK && p.alpha[3] > 0.0;
}

size_t sn_servo_ident_end(sn_servo_ident *ident, bool *accepted) {
  size_t count = 0;
  for (size_t i = 0; i < ident->config.servo_count; i++) {
    servo *s = &ident->servos[i];
    const bool is_new = s->is_running && is_acceptable(ident, s);
    if (is_new) {
      s->model = estimate(s);
      count++;
    }
    if (accepted != NULL) {
      accepted[i] = is_new;
    }
    s->is_running = false;
  }
  return count;
}

bool sn_servo_ident_abort(sn_servo_ident *ident) {
  bool was_running = false;
  for (size_t i = 0; i < ident->config.servo_count; i++) {
    was_running = was_running || ident->servos[i].is_running;
    ident->servos[i].is_running = false;
  }
  return was_running;
}

void sn_servo_ident_status_of(const sn_servo_ident *ident, size_t index,
                              sn_servo_ident_status *out) {
  SN_ASSERT(index < ident->config.servo_count);
  const servo *s = &ident->servos[index];
  *out = (sn_servo_ident_status){.is_running = s->is_running,
                                 .sample_count = s->sample_count,
                                 .error_rad = mean_error(s),
                                 .params = s->model};
  if (!s->is_running) {
    return;
  }
  out->params = estimate(s);
  sn_rls_std(&s->rls, out->std);
  out->excitation = sn_rls_excitation(&s->rls);
  const double *a = out->params.alpha;
  const double dry = fabs(a[1]) + fabs(a[2]);
  out->is_excited = s->sample_count >= SAMPLES_MIN && out->excitation >= EXCITATION_MIN &&
                    out->std[0] <= 0.2 * fabs(a[0]) && out->std[1] <= 0.2 * dry &&
                    out->std[2] <= 0.3 * dry && out->std[3] <= 0.2 * fabs(a[3]);
}

const sn_servo_params *sn_servo_ident_model(const sn_servo_ident *ident, size_t index) {
  SN_ASSERT(index < ident->config.servo_count);
  return &ident->servos[index].model;
}
