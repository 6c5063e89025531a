/* Servos, ground and start of the base from the properties. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "plant/plant_component.h"
#include "sinew/quat.h"

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

static sn_status check_servo(const sn__plant_servo_entry *entry, const char *where, sn_error *err) {
  if (entry->alpha.count != 0 && entry->alpha.count != 4) {
    return sn__fail(err, SN_EINVAL, "%s has %zu numbers in alpha, must be 4", where,
                    entry->alpha.count);
  }
  return entry->alpha.count == 4 && !(entry->kp > 0.0)
             ? sn__fail(err, SN_EINVAL, "%s has alpha but no kp", where)
             : SN_OK;
}

static sn_status set_servo(const sn__plant_servo_entry *entry, const char *where,
                           sn_plant_servo *servo, sn_error *err) {
  sn_servo_params *params = &servo->params;
  const sn_status status = check_servo(entry, where, err);
  if (status != SN_OK) {
    return status;
  }
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
  return sn__servo_item_extend(&entry->ext, where, &params->ext, err);
}

static sn_status read_servo(const sn__plant_component *self, const sn__plant_servo_entry *entry,
                            sn_plant_servo *servos, sn_error *err) {
  char where[128];
  const int at = sn_model_joint_index(self->model, entry->name);
  if (at < 0) {
    return sn__fail(err, SN_ENOENT, "servo_models: '%.80s' is not a movable joint", entry->name);
  }
  (void)snprintf(where, sizeof where, "servo_models: '%.80s'", entry->name);
  return set_servo(entry, where, &servos[at], err);
}

static bool is_listed(const sn__plant_component *self, const char *joint) {
  const sn__plant_servo_entry *entries = self->servo_models.data;
  for (size_t i = 0; i < self->servo_models.count; i++) {
    if (strcmp(entries[i].name, joint) == 0) {
      return true;
    }
  }
  return false;
}

static sn_status read_others(const sn__plant_component *self, sn_plant_servo *servos,
                             sn_error *err) {
  sn_status status = check_servo(&self->default_servo, "default_servo_model", err);
  for (size_t j = 0; status == SN_OK && j < sn_model_pose_size(self->model); j++) {
    if (!is_listed(self, sn_model_joint(self->model, j)->name)) {
      status = set_servo(&self->default_servo, "default_servo_model", &servos[j], err);
    }
  }
  return status;
}

sn_status sn__plant_read_servos(const sn__plant_component *self, sn_arena *arena,
                                sn_plant_servo *servos, sn_error *err) {
  sn_status status = sn__plant_default_servos(arena, self->model, servos, err);
  const sn__plant_servo_entry *entries = self->servo_models.data;
  if (status == SN_OK) {
    status = read_others(self, servos, err);
  }
  for (size_t i = 0; status == SN_OK && i < self->servo_models.count; i++) {
    status = read_servo(self, &entries[i], servos, err);
  }
  return status;
}

/* ---- ground and base ---- */

bool sn__plant_reads_floating(sn__plant_component *self, const double *pose) {
  const bool is_coupled = strcmp(self->dynamics, "coupled") == 0;
  return strcmp(self->base, "floating") == 0 ||
         (strcmp(self->base, "auto") == 0 && is_coupled &&
          sn__plant_has_feet(sn_component_arena(&self->component), self->model, pose));
}

static sn_vec3 vec3_of(const double *three) {
  return sn_vec3_make(three[0], three[1], three[2]);
}

sn_plant_ground sn__plant_read_ground(const sn__plant_component *self, sn_plant_box *boxes) {
  const sn__plant_box_entry *entries = self->boxes.data;
  for (size_t i = 0; i < self->boxes.count; i++) {
    const double *rpy = entries[i].rpy.data;
    boxes[i] = (sn_plant_box){.pose_world_box = {.rot = sn_mat3_from_rpy(rpy[0], rpy[1], rpy[2]),
                                                 .pos = vec3_of(entries[i].position.data)},
                              .size = vec3_of(entries[i].size.data)};
  }
  return (sn_plant_ground){.friction = self->friction > 0.0 ? self->friction : -1.0,
                           .slope_x = self->slope_x,
                           .slope_y = self->slope_y,
                           .boxes = boxes,
                           .box_count = self->boxes.count};
}

sn_status sn__plant_read_base(const sn__plant_component *self, sn_pose *pose, bool *given,
                              sn_error *err) {
  const double *n = self->initial_base.data;
  *given = self->initial_base.count > 0;
  if (*given && self->initial_base.count != 6) {
    return sn__fail(err, SN_EINVAL,
                    "initial_base: %zu numbers, must be 6 (x, y, z, roll, pitch, yaw) or none",
                    self->initial_base.count);
  }
  if (*given) {
    *pose = (sn_pose){.rot = sn_mat3_from_rpy(n[3], n[4], n[5]), .pos = vec3_of(n)};
  }
  return SN_OK;
}
