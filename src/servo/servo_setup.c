#define _POSIX_C_SOURCE 200809L /* access() */

#include "servo/servo_setup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "servo/servo_store.h"

/* What servo_models and default_servo_model have in common. */
#define PARAMETERS                                                                                \
  SN_PROPERTY(sn__servo_item, "kgear", kgear, .unit = "", .initial = "1",                         \
              .doc = "Ratio of the servo's goal to the joint's position; not 0."),                \
      SN_PROPERTY(sn__servo_item, "alpha", alpha, .count_max = 4,                                 \
                  .unit = "V·s/rad, V, V, V/(N·m)",                                               \
                  .doc =                                                                          \
                      "All four or none: viscous, Coulomb and Stribeck friction, volts per "      \
                      "torque. Empty: unknown."),                                                 \
      SN_PROPERTY(sn__servo_item, "qs", qs, .initial = "0.1", .unit = "rad/s", .min = 1e-9,       \
                  .max = 1e9, .doc = "Stribeck velocity."),                                       \
      SN_PROPERTY(sn__servo_item, "delta", delta, .unit = "", .initial = "1", .min = 1e-6,        \
                  .max = 100, .doc = "Stribeck exponent."),                                       \
      SN_PROPERTY(sn__servo_item, "inertia", inertia, .min = 0, .max = 1e12, .unit = "V·s^2/rad", \
                  .doc = "Inertia of the rotor; 0: neglected."),                                  \
      SN_PROPERTY(sn__servo_item, "torque_max", torque_max, .min = 0, .max = 1e9, .unit = "N·m",  \
                  .doc = "Torque limit of the motor; not used here."),                            \
      SN__SERVO_EXTENSION_PROPERTIES(sn__servo_item, ext), {                                      \
    0                                                                                             \
  }

const sn_property sn__servo_item_table[] = {
    SN_PROPERTY(sn__servo_item, "name", name, .flags = SN_PROPERTY_REQUIRED,
                .doc = "Name of the joint."),
    SN_PROPERTY(sn__servo_item, "kp", kp, .flags = SN_PROPERTY_REQUIRED, .unit = "1/rad",
                .min = 1e-9, .max = 1e12, .doc = "Gain of the regulator."),
    PARAMETERS};

const sn_property sn__servo_default_table[] = {
    SN_PROPERTY(sn__servo_item, "name", name, .doc = "Not used."),
    SN_PROPERTY(sn__servo_item, "kp", kp, .initial = "1", .unit = "1/rad", .min = 0, .max = 1e12,
                .doc = "Gain of the regulator; 0: unknown."),
    PARAMETERS};

sn_servo_params sn__servo_item_params(const sn__servo_item *item) {
  sn_servo_params p = {.kp = item->kp,
                       .kgear = item->kgear,
                       .qs = item->qs,
                       .delta = item->delta,
                       .inertia = item->inertia};
  for (size_t i = 0; i < 4 && i < item->alpha.count; i++) {
    p.alpha[i] = item->alpha.data[i];
  }
  return p;
}

sn_servo_params sn__servo_msg_params(const sn_servo_model *msg) {
  sn_servo_params p = {.kp = msg->kp,
                       .kgear = msg->kgear,
                       .qs = msg->qs,
                       .delta = msg->delta,
                       .inertia = msg->inertia};
  memcpy(p.alpha, msg->alpha, sizeof p.alpha);
  return p;
}

sn_servo_extension sn__servo_msg_extension(const sn_servo_model *msg,
                                           const sn_servo_extension *before) {
  sn_servo_extension e = *before;
  e.back_emf = fmax(0.0, fmin(e.back_emf, msg->alpha[0]));
  if (msg->has_load_friction) {
    memcpy(e.load, msg->load_friction, sizeof e.load);
  }
  return e;
}

void sn__servo_msg_fill(sn_servo_model *msg, const sn_servo_params *p) {
  msg->kp = p->kp;
  msg->kgear = p->kgear;
  memcpy(msg->alpha, p->alpha, sizeof msg->alpha);
  msg->qs = p->qs;
  msg->delta = p->delta;
  msg->inertia = p->inertia;
  memcpy(msg->load_friction, p->ext.load, sizeof msg->load_friction);
  msg->has_load_friction = true;
}

static bool take_pair(const sn_reals *list, double out[2]) {
  for (size_t i = 0; i < 2 && i < list->count; i++) {
    out[i] = list->data[i];
  }
  return list->count == 0 || list->count == 2;
}

sn_status sn__servo_item_extend(const sn__servo_item_extension *item, const char *where,
                                sn_servo_extension *out, sn_error *err) {
  sn_servo_extension ext = {.back_emf = item->back_emf,
                            .offset = item->offset,
                            .drive_max = item->drive_max,
                            .backlash = item->backlash,
                            .delay_s = item->delay_s,
                            .is_directional = item->back_load.count > 0};
  if (!take_pair(&item->load, ext.load) || !take_pair(&item->back_load, ext.back_load)) {
    return sn__fail(err, SN_EINVAL,
                    "%s: load_friction and back_load_friction have %zu and %zu numbers, each must "
                    "have 2 or none",
                    where, item->load.count, item->back_load.count);
  }
  *out = ext;
  return SN_OK;
}

static sn_status check(const sn__servo_item *item, const char *where, sn_servo_params *out,
                       sn_error *err) {
  sn_error why;
  if (item->alpha.count != 0 && item->alpha.count != 4) {
    return sn__fail(err, SN_EINVAL, "%s: alpha has %zu numbers, must have 4 or none", where,
                    item->alpha.count);
  }
  sn_servo_params params = sn__servo_item_params(item);
  const sn_status status = sn__servo_item_extend(&item->ext, where, &params.ext, err);
  if (status != SN_OK) {
    return status;
  }
  if (sn_servo_params_check(&params, &why) != SN_OK) {
    return sn__fail(err, SN_EINVAL, "%s: %s", where, why.message);
  }
  *out = params;
  return SN_OK;
}

static sn_status read_others(const sn__servo_setup *setup, size_t count, sn_servo_params *params,
                             bool *has_model, sn_error *err) {
  sn_servo_params others;
  sn_servo_params_init(&others);
  const bool is_known = setup->others.kp != 0.0;
  const sn_status status =
      is_known ? check(&setup->others, "default_servo_model", &others, err) : SN_OK;
  for (size_t i = 0; status == SN_OK && i < count; i++) {
    params[i] = others;
    if (has_model != NULL) {
      has_model[i] = is_known;
    }
  }
  return status;
}

static bool is_named_before(const sn__servo_item *items, size_t index) {
  bool found = false;
  for (size_t k = 0; k < index; k++) {
    found = found || strcmp(items[k].name, items[index].name) == 0;
  }
  return found;
}

static sn_status read_property(const sn_bags *list, const sn_names *joints, sn_servo_params *params,
                               bool *has_model, sn_error *err) {
  const sn__servo_item *items = list->data;
  for (size_t i = 0; i < list->count; i++) {
    char where[128];
    (void)snprintf(where, sizeof where, "servo_models: servo '%.80s'", items[i].name);
    const int joint = sn_names_index(joints, items[i].name);
    if (joint < 0) {
      return sn__fail(err, SN_ENOENT, "%s is not a joint of the robot", where);
    }
    if (is_named_before(items, i)) {
      return sn__fail(err, SN_EINVAL, "%s appears twice", where);
    }
    const sn_status status = check(&items[i], where, &params[joint], err);
    if (status != SN_OK) {
      return status;
    }
    if (has_model != NULL) {
      has_model[joint] = true;
    }
  }
  return SN_OK;
}

static sn_status take_list(const char *file, const sn_servo_list *list, const sn_names *joints,
                           sn_servo_params *params, bool *has_model, sn_error *err) {
  for (size_t i = 0; i < list->count; i++) {
    const int joint = sn_names_index(joints, list->entries[i].name);
    if (joint < 0) {
      return sn__fail(err, SN_ENOENT, "%s: servo '%.80s' is not a joint of the robot", file,
                      list->entries[i].name);
    }
    params[joint] = list->entries[i].params;
    if (has_model != NULL) {
      has_model[joint] = true;
    }
  }
  return SN_OK;
}

/* The first error of a report as the reason of a failure. */
static sn_status first_problem(const sn_report *report, const char *file, sn_status status,
                               sn_error *err) {
  for (size_t i = 0; i < sn_report_count(report); i++) {
    const sn_problem *p = sn_report_at(report, i);
    if (p->severity == SN_SEVERITY_ERROR) {
      return p->place.line == 0 ? sn__fail(err, status, "%s: %s", file, p->message)
                                : sn__fail(err, status, "%s:%u:%u: %s", file, p->place.line,
                                           p->place.column, p->message);
    }
  }
  return sn__fail(err, status, "%s: %s", file, sn_status_text(status));
}

static sn_status read_file(const char *file, const sn_names *joints, sn_servo_params *params,
                           bool *has_model, sn_error *err) {
  if (*file == '\0' || access(file, F_OK) != 0) {
    return SN_OK; /* nothing has been identified yet */
  }
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "servo models", 0);
  sn_report *report = NULL;
  sn_servo_list list;
  sn_status status = sn_report_create(&scratch, &report, err);
  if (status == SN_OK) {
    status = sn__servo_store_load(&scratch, file, report, &list);
    status = status == SN_OK ? take_list(file, &list, joints, params, has_model, err)
                             : first_problem(report, file, status, err);
  }
  sn_arena_release(&scratch);
  return status;
}

sn_status sn__servo_setup_read(const sn__servo_setup *setup, const sn_names *joints,
                               sn_servo_params *params, bool *has_model, sn_error *err) {
  sn_status status = read_others(setup, sn_names_count(joints), params, has_model, err);
  if (status == SN_OK) {
    status = read_property(&setup->servo_models, joints, params, has_model, err);
  }
  return status == SN_OK ? read_file(setup->file, joints, params, has_model, err) : status;
}
