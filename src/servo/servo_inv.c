#include "servo/servo_inv.h"

#include <math.h>
#include <stdbool.h>

#include "base/fail.h"
#include "sinew/fault.h"

typedef struct servo {
  sn_servo_params model;
  sn_servo_params before; /* until the next step, if is_replaced */
  bool is_replaced;
  double offset; /* difference of the goal to that of the new model when it was set */
  double age_s;  /* since the model was set */
  double goal;   /* of the last step */
} servo;

struct sn_servo_inv {
  sn_servo_inv_config config;
  servo *servos; /* [servo_count] */
};

static sn_status check(const sn_servo_inv_config *c, sn_error *err) {
  if (c->servo_count == 0 || c->models == NULL) {
    return sn__fail(err, SN_EINVAL, "servo_inv: no servos");
  }
  if (!(isfinite(c->sign_dead_zone) && c->sign_dead_zone >= 0.0)) {
    return sn__fail(err, SN_EINVAL, "servo_inv: sign_dead_zone is %g, must be 0 or more",
                    c->sign_dead_zone);
  }
  if (!(isfinite(c->change_time_s) && c->change_time_s >= 0.0)) {
    return sn__fail(err, SN_EINVAL, "servo_inv: change_time is %g s, must be 0 or more",
                    c->change_time_s);
  }
  for (size_t i = 0; i < c->servo_count; i++) {
    sn_error why;
    if (sn_servo_params_check(&c->models[i], &why) != SN_OK) {
      return sn__fail(err, SN_EINVAL, "servo_inv: servo %zu: %s", i, why.message);
    }
  }
  return SN_OK;
}

sn_status sn__servo_inv_create(sn_arena *arena, const sn_servo_inv_config *config,
                               sn_servo_inv **out, sn_error *err) {
  const sn_status status = check(config, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_servo_inv *inv = SN_NEW(arena, sn_servo_inv, 1);
  servo *servos = SN_NEW(arena, servo, config->servo_count);
  if (inv == NULL || servos == NULL) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "servo_inv: no room in arena '%s'", sn_arena_name(arena));
  }
  *inv = (sn_servo_inv){.config = *config, .servos = servos};
  inv->config.models = NULL; /* copied below */
  if (inv->config.sign_dead_zone == 0.0) {
    inv->config.sign_dead_zone = SN_SERVO_DEAD_ZONE;
  }
  for (size_t i = 0; i < config->servo_count; i++) {
    servos[i].model = config->models[i];
  }
  *out = inv;
  return SN_OK;
}

/* Weight of the old model: 1 at the start of a change, 0 at its end, with zero slope at both. */
static double rest_of_old(const sn_servo_inv *inv, double age_s) {
  if (age_s >= inv->config.change_time_s) {
    return 0.0;
  }
  const double s = age_s / inv->config.change_time_s;
  return 1.0 - s * s * (3.0 - 2.0 * s);
}

/* The goal of a servo by one model, ahead by the lead and the delay of the servo. */
static double goal_by(const sn_servo_params *model, const sn_servo_reference *r, size_t i,
                      double dead_zone) {
  const double lead = r->lead_s + model->ext.delay_s;
  const double qdd = r->qdd == NULL ? 0.0 : r->qdd[i];
  const sn_servo_motion motion = {.q = r->q[i] + lead * (r->qd[i] + 0.5 * lead * qdd),
                                  .qd = r->qd[i] + lead * qdd,
                                  .qdd = qdd,
                                  .tau = r->tau == NULL ? 0.0 : r->tau[i]};
  return sn_servo_goal_of(model, r->voltage, &motion, dead_zone);
}

/* In the cycle of the change the goal is still that of the old model. */
static double goal_of(const sn_servo_inv *inv, servo *s, const sn_servo_reference *r, size_t i) {
  const double dead_zone = inv->config.sign_dead_zone;
  const double goal = goal_by(&s->model, r, i, dead_zone);
  if (s->is_replaced) {
    const double before =
        goal_by(&s->before, r, i, dead_zone) + rest_of_old(inv, s->age_s) * s->offset;
    s->is_replaced = false;
    s->offset = before - goal;
    s->age_s = 0.0;
  }
  const double rest = rest_of_old(inv, s->age_s);
  return rest == 0.0 ? goal : goal + rest * s->offset;
}

void sn__servo_inv_step(sn_servo_inv *inv, const sn_servo_reference *r, double *goals) {
  for (size_t i = 0; i < inv->config.servo_count; i++) {
    servo *s = &inv->servos[i];
    s->age_s += r->dt_s;
    const double goal = goal_of(inv, s, r, i);
    s->goal = isfinite(goal) ? goal : s->goal;
    goals[i] = s->goal;
  }
}

sn_status sn__servo_inv_replace(sn_servo_inv *inv, size_t index, const sn_servo_params *params) {
  SN_ASSERT(index < inv->config.servo_count);
  if (sn_servo_params_check(params, NULL) != SN_OK) {
    return SN_EINVAL;
  }
  servo *s = &inv->servos[index];
  if (!s->is_replaced) {
    s->before = s->model;
    s->is_replaced = true;
  }
  s->model = *params;
  return SN_OK;
}

const sn_servo_params *sn__servo_inv_model(const sn_servo_inv *inv, size_t index) {
  SN_ASSERT(index < inv->config.servo_count);
  return &inv->servos[index].model;
}
