/* Calibration of a running driver. The arm is limp because a controller that owns it (torque_off)
   says so; the driver only watches. So nothing jumps afterwards, and whoever takes the arm
   meanwhile ends the calibration. */
#include "bus/driver/driver_calibration.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "bus/driver/driver.h"
#include "msg/outcome.h"
#include "rt/estop/estop.h"

/* A page in the background still asks once a second; a person at a terminal needs some time. */
static const int64_t UNHEARD_NS = INT64_C(15000000000);

static sn__calibration_servo servo_of(const sn__driver *self, size_t index) {
  return (sn__calibration_servo){.direction = (int)self->items[index].direction,
                                 .counts_per_rad = self->family->counts_per_rad,
                                 .gear = self->items[index].gear,
                                 .counts_max = self->family->counts_max};
}

/* ---- while it runs ---- */

/* What forbids or ends a calibration; SN__CALIBRATION_RUNS: nothing. */
static sn__calibration_end obstacle(const sn__driver *self, int64_t now_ns, size_t *culprit) {
  if (sn__estop_is_latched(sn__estop_of(self->component.system))) {
    return SN__CALIBRATION_STOPPED;
  }
  for (size_t i = 0; i < self->count; i++) {
    *culprit = i;
    if (!sn__driver_is_known(&self->states[i], now_ns)) {
      return SN__CALIBRATION_LOST;
    }
    if (self->states[i].link != SN__LINK_LIMP) {
      return self->states[i].link < SN__LINK_LIMP ? SN__CALIBRATION_LOST : SN__CALIBRATION_TORQUE;
    }
  }
  return SN__CALIBRATION_RUNS;
}

static const char *reason(sn__calibration_end end) {
  static const char *const reasons[] = {
      [SN__CALIBRATION_NEVER] = "there was none",
      [SN__CALIBRATION_RUNS] = "it runs",
      [SN__CALIBRATION_SAVED] = "saved; it counts from the next start",
      [SN__CALIBRATION_CANCELLED] = "cancelled; nothing was saved",
      [SN__CALIBRATION_STOPPED] = "emergency stop; nothing was saved",
      [SN__CALIBRATION_LOST] = "a servo does not answer; nothing was saved",
      [SN__CALIBRATION_TORQUE] = "a servo has torque; nothing was saved",
      [SN__CALIBRATION_UNHEARD] = "its readings were not requested any more; nothing was saved"};
  return reasons[end];
}

static void end_it(sn__driver *self, sn__calibration_end end, int64_t now_ns) {
  self->calibration.end = end;
  const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = reason(end)};
  const bool is_wanted = end == SN__CALIBRATION_SAVED || end == SN__CALIBRATION_CANCELLED;
  sn_component_log(&self->component, now_ns, is_wanted ? SN_LOG_INFO : SN_LOG_WARNING,
                   "calibration ended: {}", 1, &arg);
}

void sn__driver_calibration_step(sn__driver *self, int64_t now_ns) {
  sn__driver_calibration *c = &self->calibration;
  if (c->end != SN__CALIBRATION_RUNS) {
    return;
  }
  const bool is_heard = now_ns - c->heard_ns < UNHEARD_NS;
  const sn__calibration_end end =
      is_heard ? obstacle(self, now_ns, &c->culprit) : SN__CALIBRATION_UNHEARD;
  if (end != SN__CALIBRATION_RUNS) {
    end_it(self, end, now_ns);
    return;
  }
  for (size_t i = 0; i < self->count; i++) {
    sn__calibration_take(&c->joints[i], self->states[i].counts, self->family->counts_max);
  }
}

/* ---- begin and cancel ---- */

static sn_status refuse(const sn__driver *self, sn__calibration_end end, size_t culprit,
                        sn_error *err) {
  const char *joint = culprit < self->count ? sn_names_at(self->names, culprit) : "";
  if (end == SN__CALIBRATION_STOPPED) {
    return sn__fail(err, SN_EBUSY, "the emergency stop is latched: resume first");
  }
  if (end == SN__CALIBRATION_LOST) {
    return sn__fail(err, SN_EBUSY,
                    "the servo of '%.80s' does not answer: check its supply, cable and id", joint);
  }
  return sn__fail(err, SN_EBUSY,
                  "the servo of '%.80s' has torque: support the arm, then make its limbs limp "
                  "(torque_off) and try again",
                  joint);
}

static sn_status begin(sn__driver *self, sn_error *err) {
  sn__driver_calibration *c = &self->calibration;
  if (*self->calibration_file == '\0') {
    return sn__fail(err, SN_EUNSUPPORTED,
                    "%.60s has no file for the result: set its property calibration_file",
                    self->component.name);
  }
  if (c->end == SN__CALIBRATION_RUNS) {
    return sn__fail(err, SN_EBUSY, "a calibration runs already: finish or cancel it");
  }
  size_t culprit = 0;
  const sn__calibration_end end = obstacle(self, self->step_ns, &culprit);
  if (end != SN__CALIBRATION_RUNS) {
    return refuse(self, end, culprit, err);
  }
  for (size_t i = 0; i < self->count; i++) {
    sn__calibration_begin(&c->joints[i], self->states[i].counts);
  }
  atomic_store(&c->is_saved, false);
  c->heard_ns = self->step_ns;
  c->end = SN__CALIBRATION_RUNS;
  return SN_OK;
}

sn_status sn__driver_begin_calibration(sn_component *component, const void *request, void *response,
                                       sn_error *err) {
  (void)request;
  return sn__outcome_put(response, begin((sn__driver *)component, err), err);
}

static sn_status cancel(sn__driver *self, sn_error *err) {
  sn__driver_calibration *c = &self->calibration;
  const bool is_saved = atomic_exchange(&c->is_saved, false);
  if (c->end != SN__CALIBRATION_RUNS) {
    return sn__fail(err, SN_EINVAL, "no calibration runs");
  }
  if (atomic_load(&c->is_saving) && !is_saved) {
    return sn__fail(err, SN_EBUSY, "it is being saved right now");
  }
  end_it(self, is_saved ? SN__CALIBRATION_SAVED : SN__CALIBRATION_CANCELLED, self->step_ns);
  return SN_OK;
}

sn_status sn__driver_cancel_calibration(sn_component *component, const void *request,
                                        void *response, sn_error *err) {
  (void)request;
  return sn__outcome_put(response, cancel((sn__driver *)component, err), err);
}

/* ---- readings ---- */

static sn_status put_joint(const sn__driver *self, size_t index, sn__calibration_state *out) {
  const sn__calibration *joint = &self->calibration.joints[index];
  const sn__calibration_servo servo = servo_of(self, index);
  const sn__servo_range range = sn__calibration_range(joint, &servo);
  const char *name = sn_names_at(self->names, index);
  sn_error why = {.message = ""};
  (void)sn__calibration_check(joint, &servo, name, &why);
  out->position.data[index] =
      servo.direction * (joint->now - range.zero) / (servo.counts_per_rad * servo.gear);
  out->min.data[index] = range.min;
  out->max.data[index] = range.max;
  out->zero.data[index] = joint->zero;
  out->direction.data[index] = servo.direction;
  const sn_status status = sn_msg_names_add(&out->name, name, strlen(name));
  return status == SN_OK ? sn_msg_names_add(&out->problem, why.message, strlen(why.message))
                         : status;
}

static void put_message(const sn__driver *self, sn__calibration_state *out) {
  const sn__driver_calibration *c = &self->calibration;
  const bool has_culprit = c->end == SN__CALIBRATION_LOST || c->end == SN__CALIBRATION_TORQUE;
  char text[200];
  (void)snprintf(text, sizeof text, "%s%s%.80s", reason(c->end), has_culprit ? ": " : "",
                 has_culprit ? sn_names_at(self->names, c->culprit) : "");
  (void)sn_msg_text_set(&out->message, out->active ? "" : text);
}

sn_status sn__driver_get_calibration(sn_component *component, const void *request, void *response,
                                     sn_error *err) {
  sn__driver *self = (sn__driver *)component;
  sn__calibration_state *out = response;
  (void)request;
  out->active = self->calibration.end == SN__CALIBRATION_RUNS;
  out->saved = self->calibration.end == SN__CALIBRATION_SAVED;
  sn_msg_names_clear(&out->name);
  sn_msg_names_clear(&out->problem);
  put_message(self, out);
  const size_t count = out->active ? self->count : 0;
  sn_status status = count <= out->position.capacity ? SN_OK : SN_ENOSPC;
  for (size_t i = 0; status == SN_OK && i < count; i++) {
    status = put_joint(self, i, out);
  }
  out->position.count = out->min.count = out->max.count = status == SN_OK ? count : 0;
  out->zero.count = out->direction.count = out->position.count;
  self->calibration.heard_ns = self->step_ns;
  return status == SN_OK ? SN_OK
                         : sn__fail(err, status, "%zu joints do not fit into the answer", count);
}
