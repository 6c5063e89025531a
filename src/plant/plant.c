#include "plant/plant.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "plant/plant_state.h"
#include "servo/servo_friction.h"
#include "sinew/dyn.h"
#include "sinew/fault.h"

static const double STEP_DEFAULT_S = 0.00025;
/* Negligible, but keeps the equations solvable. */
static const double ROTOR_MIN = 1e-7;

void sn__plant_settings_init(sn_plant_settings *settings) {
  *settings = (sn_plant_settings){.battery_voltage = SN_PLANT_VOLTAGE,
                                  .current_per_torque = 0.5,
                                  .gravity = {0, 0, -9.81},
                                  .contact_threshold_N = 1.0};
}

/* ---- creation ---- */

static bool allocate(sn_plant *p, sn_arena *arena) {
  const size_t n = p->joint_count;
  double **const numbers[] = {
      &p->joint_friction, &p->joint_damping, &p->start, &p->q,    &p->qd,       &p->qdd,
      &p->load,           &p->tau,           &p->drive, &p->push, &p->frozen_at};
  bool is_good = true;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    *numbers[i] = SN_NEW(arena, double, n);
    is_good = is_good && *numbers[i] != NULL;
  }
  p->is_absent = SN_NEW(arena, bool, n);
  p->faults = SN_NEW(arena, unsigned, n);
  p->servos = SN_NEW(arena, sn_plant_servo, n);
  p->axles = SN_NEW(arena, sn__axle, n);
  return is_good && p->is_absent != NULL && p->faults != NULL && p->servos != NULL &&
         p->axles != NULL && sn__plant_bus_create(p, arena);
}

static sn_status check_servo(const sn_joint *joint, const sn_plant_servo *servo, sn_error *err) {
  sn_error why = {0};
  if (sn_servo_params_check(&servo->params, &why) != SN_OK) {
    return sn__fail(err, SN_EINVAL, "servo '%.60s': %.150s", joint->name, why.message);
  }
  if (!(servo->params.alpha[3] > 0.0)) {
    return sn__fail(err, SN_EINVAL,
                    "servo '%.60s': alpha[3] is 0, must be greater: the motor "
                    "needs volts for a torque",
                    joint->name);
  }
  if (!(servo->torque_max >= 0.0) || !(servo->speed_max >= 0.0)) {
    return sn__fail(err, SN_EINVAL,
                    "servo '%.60s': limits of torque %g and speed %g must be 0 or "
                    "more",
                    joint->name, servo->torque_max, servo->speed_max);
  }
  return SN_OK;
}

static void make_axle(sn_plant *p, size_t i, bool has_stops) {
  const sn_joint *joint = sn_model_joint(p->model, i);
  const sn_servo_params *s = &p->servos[i].params;
  p->joint_friction[i] = joint->friction;
  p->joint_damping[i] = joint->damping;
  const bool has_gear = sn__servo_has_load(s);
  p->axles[i] = (sn__axle){.moves = true,
                           .inertia = fmax(s->inertia / s->alpha[3], ROTOR_MIN),
                           .gear = has_gear ? s : NULL,
                           .joint_damping = has_gear ? joint->damping : 0.0,
                           .joint_dry = has_gear ? joint->friction : 0.0,
                           .lower = has_stops ? joint->lower_hard : -HUGE_VAL,
                           .upper = has_stops ? joint->upper_hard : HUGE_VAL,
                           .torque_max = p->servos[i].torque_max,
                           .speed_max = p->servos[i].speed_max};
}

static sn_status take_servos(sn_plant *p, sn_arena *arena, const sn_plant_config *config,
                             sn_error *err) {
  sn_status status = SN_OK;
  if (config->servos != NULL) {
    memcpy(p->servos, config->servos, p->joint_count * sizeof *p->servos);
  } else {
    status = sn__plant_default_servos(arena, p->model, p->servos, err);
  }
  for (size_t i = 0; status == SN_OK && i < p->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(p->model, i);
    if (sn__has_servo(joint)) {
      status = check_servo(joint, &p->servos[i], err);
      make_axle(p, i, !config->without_stops);
    }
  }
  return status;
}

static sn_status take_start(sn_plant *p, const sn_plant_config *config, sn_error *err) {
  for (size_t i = 0; i < p->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(p->model, i);
    const double wanted = config->start_pose == NULL ? NAN : config->start_pose[i];
    const sn__axle *axle = &p->axles[i];
    if (!axle->moves) {
      continue;
    }
    p->start[i] = isnan(wanted) ? sn__clamp(0.0, joint->lower, joint->upper) : wanted;
    if (!isfinite(p->start[i]) || p->start[i] < axle->lower || p->start[i] > axle->upper) {
      return sn__fail(err, SN_EINVAL, "joint '%.60s' cannot start at %g: its stops are %g and %g",
                      joint->name, p->start[i], axle->lower, axle->upper);
    }
  }
  return SN_OK;
}

/* Inertia at each joint in the start pose with the others fixed; 0 without mass. */
static bool find_inertias(const sn_plant *p, sn_arena *arena, double *inertias) {
  const size_t n = p->joint_count;
  bool *has_mass = SN_NEW(arena, bool, n);
  double *mass = SN_NEW(arena, double, n *n);
  sn_dyn_data *dyn = NULL;
  if (has_mass == NULL || mass == NULL || sn_dyn_create(arena, &p->tree, &dyn, NULL) != SN_OK) {
    return false;
  }
  sn__find_massive(&p->tree, has_mass);
  sn_dyn_mass_matrix(dyn, p->start, mass);
  for (size_t i = 0; i < n; i++) {
    inertias[i] = has_mass[i] ? mass[i * n + i] : 0.0;
  }
  return true;
}

static sn_status make_physics(sn_plant *p, sn_arena *arena, const sn_plant_config *config,
                              sn__physics_maker *maker, sn_error *err) {
  const bool is_coupled = config->dynamics == SN_PLANT_COUPLED;
  p->tree = *sn_model_tree(p->model);
  p->tree.massless_link = NULL;
  if (config->ground != NULL && !is_coupled) {
    return sn__fail(err, SN_EINVAL, "plant: a robot on the ground needs coupled dynamics");
  }
  if (config->ground != NULL) {
    const sn_status status = sn__plant_make_ground(p, arena, config, err);
    if (status != SN_OK) {
      return status;
    }
    sn__plant_find_start(p, config->start_base);
  }
  if (maker != NULL) {
    const sn__physics_setup setup = {.model = p->model,
                                     .axles = p->axles,
                                     .floats = p->floats,
                                     .contacts = p->floats ? &p->contacts : NULL};
    p->physics = maker(arena, &setup, err);
    return p->physics == NULL ? SN_EMODEL : SN_OK;
  }
  double *inertias = SN_NEW(arena, double, p->joint_count);
  if (inertias == NULL || (!is_coupled && !find_inertias(p, arena, inertias))) {
    return SN_ENOMEM;
  }
  sn__rigid *rigid =
      sn__rigid_create(arena, &(sn__rigid_config){.tree = is_coupled ? &p->tree : NULL,
                                                  .entry_count = p->joint_count,
                                                  .inertias = inertias,
                                                  .floats = p->floats,
                                                  .contacts = p->floats ? &p->contacts : NULL});
  p->physics = rigid == NULL ? NULL : sn__rigid_physics(rigid);
  return rigid == NULL ? SN_ENOMEM : SN_OK;
}

static sn_status fill(sn_plant *p, sn_arena *arena, const sn_plant_config *config,
                      sn__physics_maker *maker, sn_error *err) {
  if (!(config->step_max_s >= 0.0)) {
    return sn__fail(err, SN_EINVAL, "plant: a step of %g s, must be above 0", config->step_max_s);
  }
  p->step_max_s = config->step_max_s > 0.0 ? config->step_max_s : STEP_DEFAULT_S;
  p->seed = config->seed;
  sn__plant_settings_init(&p->settings);
  sn_status status = take_servos(p, arena, config, err);
  status = status == SN_OK ? take_start(p, config, err) : status;
  return status == SN_OK ? make_physics(p, arena, config, maker, err) : status;
}

sn_status sn__plant_create_with(sn_arena *arena, const sn_model *model,
                                const sn_plant_config *config, sn__physics_maker *maker,
                                sn_plant **out, sn_error *err) {
  SN_ASSERT(model != NULL);
  SN_ASSERT(config != NULL);
  SN_ASSERT(out != NULL);
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_plant *p = SN_NEW(arena, sn_plant, 1);
  sn_status status = SN_ENOMEM;
  if (p != NULL) {
    p->model = model;
    p->joint_count = sn_model_pose_size(model);
    status = allocate(p, arena) ? fill(p, arena, config, maker, err) : SN_ENOMEM;
  }
  if (status == SN_ENOMEM) {
    (void)sn__fail(err, SN_ENOMEM, "plant: no room in arena '%s'", sn_arena_name(arena));
  }
  if (status != SN_OK) {
    sn_arena_restore(arena, mark);
    return status;
  }
  sn__plant_reset(p);
  *out = p;
  return SN_OK;
}

sn_status sn__plant_create(sn_arena *arena, const sn_model *model, const sn_plant_config *config,
                           sn_plant **out, sn_error *err) {
  return sn__plant_create_with(arena, model, config, NULL, out, err);
}

void sn__plant_release(sn_plant *p) {
  if (p->physics->release != NULL) {
    p->physics->release(p->physics);
  }
}

/* ---- state ---- */

void sn__plant_rest(sn_plant *p) {
  const size_t size = p->joint_count * sizeof(double);
  memset(p->qd, 0, size);
  memset(p->qdd, 0, size);
  memset(p->tau, 0, size);
  memset(p->drive, 0, size);
  memset(p->push, 0, size);
  p->body_push_count = 0;
  p->base = (sn__base_motion){.pose_world_base = p->base.pose_world_base};
  p->voltage = p->settings.battery_voltage;
  p->current_A = 0.0;
  sn__plant_bus_hold(p, false);
  sn__plant_imu_reset(p);
  if (p->physics->reset != NULL) {
    p->physics->reset(p->physics, &(sn__joint_motion){p->q, p->qd, p->qdd, p->load},
                      p->floats ? &p->base : NULL);
  }
  if (p->floats) {
    sn_kin_update(p->kin, p->q);
  }
}

void sn__plant_reset(sn_plant *p) {
  memcpy(p->q, p->start, p->joint_count * sizeof *p->q);
  memset(&p->counts, 0, sizeof p->counts);
  p->base.pose_world_base = p->floats ? p->start_base : sn_pose_identity();
  sn_random_init(&p->noise, p->seed);
  sn_random_init(&p->losses, p->seed ^ 0x5a5a5a5a5a5a5a5aU);
  sn_random_init(&p->disturbance, p->seed ^ 0x3c3c3c3c3c3c3c3cU);
  sn_random_init(&p->imu.noise, p->seed ^ 0xa5a5a5a5a5a5a5a5U);
  sn__plant_rest(p);
}

/* Larger numbers are not realistic, and their products may overflow. */
static const double SETTING_MAX = 1e6, GRAVITY_MAX = 1e4, VOLTAGE_MIN = 1e-3, ENCODER_MIN = 1e-12;

static double within_reason(double x) {
  return x >= 0.0 ? fmin(x, SETTING_MAX) : 0.0; /* NaN becomes 0 */
}

static sn_vec3 vec3_within_reason(sn_vec3 v) {
  return sn_vec3_norm(v) <= SETTING_MAX ? v : sn_vec3_make(0, 0, 0);
}

void sn__plant_set(sn_plant *p, const sn_plant_settings *settings) {
  sn_plant_settings *s = &p->settings;
  const double voltage = s->battery_voltage;
  const sn_vec3 gravity = s->gravity;
  *s = *settings;
  s->bus_delay = s->bus_delay < SN_PLANT_DELAY_MAX ? s->bus_delay : SN_PLANT_DELAY_MAX;
  s->imu_delay = s->imu_delay < SN_PLANT_DELAY_MAX ? s->imu_delay : SN_PLANT_DELAY_MAX;
  s->gyro_bias = vec3_within_reason(s->gyro_bias);
  s->accel_bias = vec3_within_reason(s->accel_bias);
  double *const sizes[] = {&s->goal_timeout_s,     &s->encoder_step,   &s->position_noise,
                           &s->velocity_noise,     &s->effort_noise,   &s->dropout_rate,
                           &s->message_loss_rate,  &s->goal_loss_rate, &s->battery_resistance,
                           &s->current_per_torque, &s->gyro_noise,     &s->accel_noise,
                           &s->contact_threshold_N};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    *sizes[i] = within_reason(*sizes[i]);
  }
  s->encoder_step = s->encoder_step < ENCODER_MIN ? 0.0 : s->encoder_step;
  s->battery_voltage =
      s->battery_voltage > 0.0 ? sn__clamp(s->battery_voltage, VOLTAGE_MIN, SETTING_MAX) : voltage;
  s->gravity = sn_vec3_norm(s->gravity) <= GRAVITY_MAX ? s->gravity : gravity;
  if (s->battery_voltage != voltage) {
    p->voltage = s->battery_voltage;
  }
}

const double *sn__plant_q(const sn_plant *plant) {
  return plant->q;
}

const double *sn__plant_qd(const sn_plant *plant) {
  return plant->qd;
}

const double *sn__plant_tau(const sn_plant *plant) {
  return plant->tau;
}

const double *sn__plant_drive(const sn_plant *plant) {
  return plant->drive;
}

const sn_plant_servo *sn__plant_servos(const sn_plant *plant) {
  return plant->servos;
}

const sn_plant_counts *sn__plant_counts_now(const sn_plant *plant) {
  return &plant->counts;
}

void sn__plant_battery(const sn_plant *plant, double *voltage, double *current_A) {
  *voltage = plant->voltage;
  *current_A = plant->current_A;
}
