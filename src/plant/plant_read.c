/* Servos from the properties. */
#include <math.h>

#include "base/fail.h"
#include "plant/plant_component.h"

static double given_or(double value, double otherwise) {
  return value != 0.0 ? value : otherwise;
}

/* If only the gain of a servo is known, scale all volts of the default servo by it. */
static void scale_volts(sn_servo_params *params, double by) {
  for (size_t k = 0; k < 4; k++) {
    params->alpha[k] *= by;
  }
  params->inertia *= by;
}

static sn_status read_servo(const sn__plant_component *self, const sn__plant_servo_entry *entry,
                            sn_plant_servo *servos, sn_error *err) {
  const int at = sn_model_joint_index(self->model, entry->name);
  if (at < 0) {
    return sn__fail(err, SN_ENOENT, "servo_models: '%.80s' is not a movable joint", entry->name);
  }
  if (entry->alpha.count != 0 && entry->alpha.count != 4) {
    return sn__fail(err, SN_EINVAL, "servo_models: '%.80s' has %zu numbers in alpha, must be 4",
                    entry->name, entry->alpha.count);
  }
  if (entry->alpha.count == 4 && !(entry->kp > 0.0)) {
    return sn__fail(err, SN_EINVAL, "servo_models: '%.80s' has alpha but no kp", entry->name);
  }
  sn_plant_servo *servo = &servos[at];
  sn_servo_params *params = &servo->params;
  if (entry->kp > 0.0) {
    scale_volts(params, entry->kp / params->kp);
    params->kp = entry->kp;
  }
  params->kgear = entry->kgear;
  for (size_t k = 0; k < entry->alpha.count; k++) {
    params->alpha[k] = entry->alpha.data[k];
  }
  params->qs = given_or(entry->qs, params->qs);
  params->delta = given_or(entry->delta, params->delta);
  /* A model determines the inertia of the rotor, even 0. */
  const bool has_model = entry->alpha.count == 4;
  params->inertia = has_model ? entry->inertia : given_or(entry->inertia, params->inertia);
  servo->torque_max = given_or(entry->torque_max, servo->torque_max);
  servo->speed_max = given_or(entry->speed_max, servo->speed_max);
  return SN_OK;
}

sn_status sn__plant_read_servos(const sn__plant_component *self, sn_arena *arena,
                                sn_plant_servo *servos, sn_error *err) {
  sn_status status = sn__plant_default_servos(arena, self->model, servos, err);
  const sn__plant_servo_entry *entries = self->servo_models.data;
  for (size_t i = 0; status == SN_OK && i < self->servo_models.count; i++) {
    status = read_servo(self, &entries[i], servos, err);
  }
  return status;
}
