/* The limits of each joint, from the model and the configuration. All of them are finite, whatever
   the file says, except the position limits of a continuous joint. */
#include <math.h>

#include "base/fail.h"
#include "gate/gate_internal.h"

/* No robot exceeds these; they keep sums and products finite. */
static const double range_max = 1e9;
static const double speed_max = 1e6;
static const double accel_max = 1e9;
/* Slower than this counts as fixed. */
static const double motion_min = 1e-9;
/* A larger multiplier of a mimic joint is an error. */
static const double scale_max = 1e6;

static bool has_one_axis(sn_joint_type type) {
  return type == SN_JOINT_REVOLUTE || type == SN_JOINT_CONTINUOUS || type == SN_JOINT_PRISMATIC;
}

/* What the deployment sets wins: it knows the servos, and files often have placeholders. */
static double given_or(double given, double otherwise) {
  return given > 0.0 ? given : otherwise;
}

static void read_one(sn__gate_joint *out, const sn_joint *joint, const sn_gate_joint_limits *given,
                     const sn_gate_config *config) {
  sn__limits *limits = &out->limits;
  out->turns = joint->type == SN_JOINT_CONTINUOUS;
  limits->lower = out->turns ? -INFINITY : fmax(-range_max, fmin(range_max, joint->lower));
  limits->upper = out->turns ? INFINITY : fmax(-range_max, fmin(range_max, joint->upper));
  const double speed = given_or(given->velocity, joint->velocity_max);
  limits->speed = isfinite(speed) ? fmin(speed, speed_max) : config->velocity_default;
  const double accel = given_or(given->acceleration, joint->acceleration_max);
  limits->accel =
      fmin(isfinite(accel) ? accel : limits->speed / config->acceleration_time_s, accel_max);
  const double brake = given_or(given->acceleration, joint->deceleration_max);
  limits->brake = isfinite(brake) ? fmin(brake, accel_max) : limits->accel;
  out->effort_max = joint->effort_max;
}

/* The joint at the end of the chain of mimics, and the relation to it. */
static void find_master(const sn_model *model, size_t index, sn__gate_joint *out) {
  out->master = -1;
  out->scale = 1.0;
  out->offset = 0.0;
  for (const sn_joint *joint = sn_model_joint(model, index); joint->mimic >= 0;
       joint = sn_model_joint(model, (size_t)joint->mimic)) {
    out->offset += out->scale * joint->mimic_offset;
    out->scale *= joint->mimic_multiplier;
    out->master = joint->mimic;
  }
}

/* A master keeps within the limits of the joints that mimic it. */
static void tighten(sn__limits *master, const sn__gate_joint *mimic, const sn_joint *joint) {
  if (mimic->scale == 0.0) {
    return;
  }
  const double size = fabs(mimic->scale);
  const double a = (mimic->limits.lower - mimic->offset) / mimic->scale;
  const double b = (mimic->limits.upper - mimic->offset) / mimic->scale;
  master->lower = fmax(master->lower, fmin(a, b));
  master->upper = fmin(master->upper, fmax(a, b));
  master->speed = fmin(master->speed, joint->velocity_max / size);
  master->accel = fmin(master->accel, joint->acceleration_max / size);
  master->brake = fmin(master->brake, joint->deceleration_max / size);
}

static sn_status tighten_masters(sn_gate *gate, sn_error *err) {
  for (size_t i = 0; i < gate->joint_count; i++) {
    const sn__gate_joint *mimic = &gate->joints[i];
    if (mimic->master < 0) {
      continue;
    }
    sn__gate_joint *master = &gate->joints[mimic->master];
    tighten(&master->limits, mimic, sn_model_joint(gate->model, i));
    const bool is_possible = fabs(mimic->scale) <= scale_max && fabs(mimic->offset) <= range_max &&
                             (mimic->scale != 0.0 || (mimic->offset >= mimic->limits.lower &&
                                                      mimic->offset <= mimic->limits.upper));
    if (!is_possible || !(master->limits.lower <= master->limits.upper)) {
      return sn__fail(err, SN_EINVAL,
                      "joint '%.60s' mimics '%.60s', but no position is within the limits of both",
                      sn_names_at(gate->names, i), sn_names_at(gate->names, (size_t)mimic->master));
    }
  }
  return SN_OK;
}

sn_status sn__gate_read_limits(sn_gate *gate, const sn_gate_config *config, sn_error *err) {
  static const sn_gate_joint_limits none = {0};
  for (size_t i = 0; i < gate->joint_count; i++) {
    const sn_gate_joint_limits *given =
        config->joint_limits == NULL ? &none : &config->joint_limits[i];
    read_one(&gate->joints[i], sn_model_joint(gate->model, i), given, config);
    find_master(gate->model, i, &gate->joints[i]);
  }
  const sn_status status = tighten_masters(gate, err);
  for (size_t i = 0; i < gate->joint_count; i++) {
    sn__gate_joint *joint = &gate->joints[i];
    const sn__limits *l = &joint->limits;
    joint->is_driven = joint->master < 0 && has_one_axis(sn_model_joint(gate->model, i)->type) &&
                       l->speed > motion_min && l->accel > motion_min && l->brake > motion_min;
    joint->turns = joint->turns && isinf(l->lower); /* a mimic may have limited it */
    joint->owner = joint->former[0] = joint->former[1] = -1;
  }
  return status;
}
