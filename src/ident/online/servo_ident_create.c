/* Making an identifier: what is configured is checked, room is taken. */
#include <math.h>

#include "base/fail.h"
#include "ident/online/servo_ident_window.h"

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

static sn_status check_numbers(const sn_servo_ident_config *c, sn_error *err) {
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
  return SN_OK;
}

static sn_status check(const sn_servo_ident_config *c, sn_error *err) {
  if (c->servo_count == 0 || c->models == NULL) {
    return sn__fail(err, SN_EINVAL, "servo_ident: no servos");
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
  const sn_status status = check_numbers(c, err);
  if (status != SN_OK) {
    return status;
  }
  for (size_t i = 0; i < c->servo_count; i++) {
    sn_error why;
    if (sn_servo_params_check(&c->models[i], &why) != SN_OK) {
      return sn__fail(err, SN_EINVAL, "servo_ident: servo %zu: %s", i, why.message);
    }
  }
  return SN_OK;
}

static void fill_defaults(sn_servo_ident_config *c) {
  c->forgetting = or_default(c->forgetting, 0.995);
  c->error_averaging_time_s = or_default(c->error_averaging_time_s, 1.0);
  c->threshold_rad = or_default(c->threshold_rad, 0.01);
  c->battery_voltage = or_default(c->battery_voltage, 12.0);
  c->min_velocity = or_default(c->min_velocity, 0.01);
  c->sign_dead_zone = or_default(c->sign_dead_zone, SN_SERVO_DEAD_ZONE);
  c->position_noise = or_default(c->position_noise, 2e-4);
  c->velocity_noise = or_default(c->velocity_noise, 0.02);
}

static double error_decay(const sn_servo_ident_config *c) {
  return exp(-c->cycle_s / c->error_averaging_time_s);
}

/* Whole cycles: what a servo delays beyond them shows as a slope over the velocity. */
static size_t delay_of(const sn_servo_ident_config *c, const sn_servo_params *model) {
  const double own = round(model->ext.delay_s / c->cycle_s);
  return c->control_delay + (size_t)fmin(own, SN_SERVO_IDENT_DELAY_MAX);
}

sn_status sn__servo_ident_create(sn_arena *arena, const sn_servo_ident_config *config,
                                 sn_servo_ident **out, sn_error *err) {
  sn_servo_ident_config c = *config;
  fill_defaults(&c);
  const sn_status status = check(&c, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  const size_t n = c.servo_count;
  size_t delay_max = c.control_delay;
  for (size_t i = 0; i < n; i++) {
    const size_t delay = delay_of(&c, &c.models[i]);
    delay_max = delay > delay_max ? delay : delay_max;
  }
  const size_t orders = delay_max + SN__IDENT_GAP_MAX + 1;
  const size_t window = sn__ident_window(&c);
  sn_servo_ident *ident = SN_NEW(arena, sn_servo_ident, 1);
  sn__ident_servo *servos = SN_NEW(arena, sn__ident_servo, n);
  sn__ident_moment *moments = SN_NEW(arena, sn__ident_moment, n * window);
  sn__ident_order *ring = SN_NEW(arena, sn__ident_order, n * orders);
  bool *has_orders = SN_NEW(arena, bool, orders);
  double *torque_error = SN_NEW(arena, double, n);
  if (ident == NULL || servos == NULL || moments == NULL || ring == NULL || has_orders == NULL ||
      torque_error == NULL) {
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
                            .span = sn__ident_span(&c),
                            .stride = sn__ident_stride(&c),
                            .error_decay = error_decay(&c),
                            .torque_error = torque_error};
  for (size_t i = 0; i < n; i++) {
    servos[i].model = c.models[i];
    servos[i].delay = delay_of(&c, &c.models[i]);
    servos[i].has_model = c.has_model == NULL || c.has_model[i];
    servos[i].history = moments + i * window;
    servos[i].noise_variance = c.position_noise * c.position_noise;
    servos[i].noise_weight = SN__IDENT_NOISE_PRIOR;
  }
  ident->config.models = NULL; /* were copied */
  ident->config.has_model = NULL;
  *out = ident;
  return SN_OK;
}

sn_status sn__servo_ident_tune(sn_servo_ident *ident, const sn_servo_ident_tuning *tuning,
                               sn_error *err) {
  sn_servo_ident_config c = ident->config;
  c.forgetting = tuning->forgetting;
  c.error_averaging_time_s = tuning->error_averaging_time_s;
  c.threshold_rad = tuning->threshold_rad;
  c.min_velocity = tuning->min_velocity;
  fill_defaults(&c);
  const sn_status status = check_numbers(&c, err);
  if (status == SN_OK) {
    ident->config = c;
    ident->error_decay = error_decay(&c);
  }
  return status;
}
