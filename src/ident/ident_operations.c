/* Operations of servo_ident that run between two of its cycles. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "ident/ident_component.h"
#include "msg/outcome.h"
#include "msg/types/servo_ident_msg.h"
#include "sinew/msg_calls.h"

static void log_line(const sn__ident_component *self, sn_log_level level, const char *format,
                     size_t count, const sn_log_arg *args) {
  sn_component_log(&self->component, self->now_ns, level, format, count, args);
}

static const char *name_of(const sn__ident_component *self, size_t servo) {
  return sn_names_at(self->joints, servo);
}

/* ---- start, abort ---- */

/* Names to numbers. @return SN_OK, or SN_ENOENT or SN_EINVAL with the reason */
static sn_status look_up(sn__ident_component *self, const sn_msg_names *names, sn_error *err) {
  if (names->count == 0) {
    return sn__fail(err, SN_EINVAL, "no servo is named");
  }
  if (names->count > self->count) {
    return sn__fail(err, SN_EINVAL, "%zu servos are named, the robot has %zu", names->count,
                    self->count);
  }
  for (size_t i = 0; i < names->count; i++) {
    const char *name = sn_msg_names_at(names, i);
    self->servo[i] = sn_names_index(self->joints, name);
    if (self->servo[i] < 0) {
      return sn__fail(err, SN_ENOENT, "the robot has no servo '%.80s'", name);
    }
    if (!self->has_model[self->servo[i]]) {
      return sn__fail(err, SN_ENOENT,
                      "nothing is known of servo '%.80s': servo_models needs its name and kp",
                      name);
    }
  }
  return SN_OK;
}

static sn_status try_start(sn__ident_component *self, const sn_msg_names *names, sn_error *err) {
  const sn_status status = look_up(self, names, err);
  if (status != SN_OK) {
    return status;
  }
  switch (sn__servo_ident_start(self->core, self->servo, names->count)) {
    case SN_OK:
      return SN_OK;
    case SN_EBUSY:
      return sn__fail(err, SN_EBUSY, "identification of one of them is already running");
    default:
      return sn__fail(err, SN_EINVAL, "a servo is named twice");
  }
}

sn_status sn__ident_start(sn_component *component, const void *request, void *response,
                          sn_error *err) {
  sn__ident_component *self = (sn__ident_component *)component;
  const sn_msg_names *names = &((const sn_call_names *)request)->names;
  const sn_status status = try_start(self, names, err);
  (void)sn__outcome_put(response, status, err);
  if (status == SN_OK) {
    const sn_log_arg arg = {.kind = SN_LOG_INT, .value.integer = (int64_t)names->count};
    self->progress_ns = self->now_ns;
    log_line(self, SN_LOG_INFO, "identification of {} servos begins", 1, &arg);
  } else {
    const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = err->message};
    log_line(self, SN_LOG_ERROR, "identification does not begin: {}", 1, &arg);
  }
  return SN_OK;
}

sn_status sn__ident_abort(sn_component *component, const void *request, void *response,
                          sn_error *err) {
  sn__ident_component *self = (sn__ident_component *)component;
  (void)request;
  const bool was_running = sn__servo_ident_abort(self->core);
  (void)sn__outcome_put(
      response, was_running ? SN_OK : sn__fail(err, SN_EINVAL, "no identification is running"),
      err);
  if (was_running) {
    log_line(self, SN_LOG_INFO, "identification was given up: models stay as they were", 0, NULL);
  }
  return SN_OK;
}

/* ---- status ---- */

static double or_nan(double x) {
  return isfinite(x) ? x : (double)NAN;
}

static sn_status fill_state(const sn__ident_component *self, size_t servo,
                            sn_ident_servo_state *out) {
  sn_servo_ident_status s;
  sn__servo_ident_status_of(self->core, servo, &s);
  out->has_model = self->has_model[servo];
  out->running = s.is_running;
  out->samples = s.sample_count;
  out->error = or_nan(s.error_rad);
  memcpy(out->alpha, s.params.alpha, sizeof out->alpha);
  out->inertia = s.params.inertia;
  memcpy(out->load_friction, s.params.ext.load, sizeof out->load_friction);
  for (size_t k = 0; k < sizeof s.std / sizeof *s.std; k++) {
    out->std[k] = or_nan(s.std[k]);
  }
  out->excitation = s.excitation;
  out->excited = s.is_excited;
  return sn_msg_text_set(&out->name, name_of(self, servo));
}

sn_status sn__ident_status(sn_component *component, const void *request, void *response,
                           sn_error *err) {
  const sn__ident_component *self = (const sn__ident_component *)component;
  (void)request;
  sn_ident_state *out = response;
  sn_status status = self->count <= out->servos.capacity ? SN_OK : SN_ENOSPC;
  for (size_t i = 0; status == SN_OK && i < self->count; i++) {
    status = fill_state(self, i, &out->servos.data[i]);
  }
  out->servos.count = status == SN_OK ? self->count : 0;
  return status == SN_OK ? SN_OK
                         : sn__fail(err, status,
                                    "%zu servos and their names do not fit into a message with "
                                    "room for %zu: raise `capacity`",
                                    self->count, out->servos.capacity);
}

/* ---- end, undo ---- */

void sn__ident_publish(sn__ident_component *self, const bool *marked) {
  sn_servo_model_array *out = self->servo_model.msg;
  out->header.stamp_ns = self->now_ns;
  out->models.count = 0;
  for (size_t i = 0; i < self->count; i++) {
    if (marked[i]) {
      sn_servo_model *model = &out->models.data[out->models.count++];
      (void)sn_msg_text_set(&model->name, name_of(self, i)); /* configure saw that it fits */
      sn__servo_msg_fill(model, sn__servo_ident_model(self->core, i));
      model->has_load_friction = self->identify_load_friction;
    }
  }
  if (out->models.count > 0) {
    (void)sn_output_write(&self->servo_model);
  }
}

static void log_end(const sn__ident_component *self, size_t servo, const sn_servo_ident_status *s) {
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = name_of(self, servo)},
                             {.kind = SN_LOG_INT, .value.integer = (int64_t)s->sample_count},
                             {.kind = SN_LOG_REAL, .value.real = s->error_rad},
                             {.kind = SN_LOG_REAL, .value.real = self->threshold}};
  if (self->accepted[servo]) {
    log_line(self, SN_LOG_INFO, "servo '{}' was identified: {} samples, mean error {} rad", 3,
             args);
  } else if (s->error_rad > self->threshold && s->sample_count > 0) {
    log_line(self, SN_LOG_WARNING,
             "servo '{}' keeps its model: {} samples, mean error {} rad, threshold {} rad", 4,
             args);
  } else {
    log_line(self, SN_LOG_WARNING,
             "servo '{}' keeps its model: {} samples do not determine its parameters", 2, args);
  }
}

static sn_status end_now(sn__ident_component *self, sn_error *err) {
  if (sn__servo_ident_progress_now(self->core).running_count == 0) {
    return sn__fail(err, SN_EINVAL, "no identification is running");
  }
  sn_servo_ident_status *ended = self->ended;
  for (size_t i = 0; i < self->count; i++) {
    sn__servo_ident_status_of(self->core, i, &ended[i]);
    self->fresh[i] = *sn__servo_ident_model(self->core, i);
  }
  const size_t count = sn__servo_ident_end(self->core, self->accepted);
  for (size_t i = 0; i < self->count; i++) {
    if (ended[i].is_running) {
      log_end(self, i, &ended[i]);
    }
  }
  if (count > 0) { /* with nothing new, undo still means the time before */
    memcpy(self->before, self->fresh, self->count * sizeof *self->before);
    memcpy(self->can_undo, self->accepted, self->count * sizeof *self->can_undo);
  }
  return SN_OK;
}

static sn_status undo_now(sn__ident_component *self, sn_error *err) {
  size_t count = 0;
  for (size_t i = 0; i < self->count; i++) {
    sn_servo_ident_status s;
    sn__servo_ident_status_of(self->core, i, &s);
    if (self->can_undo[i] && s.is_running) {
      return sn__fail(err, SN_EBUSY, "servo '%.80s' is being identified", name_of(self, i));
    }
    count += self->can_undo[i];
  }
  if (count == 0) {
    return sn__fail(err, SN_EINVAL, "there is nothing to undo");
  }
  for (size_t i = 0; i < self->count; i++) {
    self->accepted[i] = self->can_undo[i];
    self->can_undo[i] = false;
    if (self->accepted[i]) {
      (void)sn__servo_ident_replace(self->core, i, &self->before[i]); /* was a model before */
    }
  }
  const sn_log_arg arg = {.kind = SN_LOG_INT, .value.integer = (int64_t)count};
  log_line(self, SN_LOG_INFO, "identification undone: {} servos have their model of before", 1,
           &arg);
  return SN_OK;
}

static sn_status check_room(const sn__ident_component *self, const sn_ident_applied *out,
                            sn_error *err) {
  size_t longest = 0;
  for (size_t i = 0; i < self->count; i++) {
    const size_t length = strlen(name_of(self, i));
    longest = length > longest ? length : longest;
  }
  const size_t room = out->models.capacity;
  if (self->count > room || self->count > out->names.capacity ||
      self->count * (longest + 1) > out->names.text_capacity ||
      longest > out->models.data[0].name.capacity) {
    return sn__fail(err, SN_ENOSPC,
                    "%zu servos and their names do not fit into a message with room for %zu: raise "
                    "`capacity`",
                    self->count, room);
  }
  return SN_OK;
}

static void fill_applied(const sn__ident_component *self, sn_ident_applied *out) {
  sn_msg_names_clear(&out->names);
  out->models.count = 0;
  for (size_t i = 0; i < self->count; i++) {
    const char *name = name_of(self, i);
    if (self->has_model[i]) {
      sn_servo_model *model = &out->models.data[out->models.count++];
      (void)sn_msg_text_set(&model->name, name); /* there is room */
      sn__servo_msg_fill(model, sn__servo_ident_model(self->core, i));
    }
    if (self->accepted[i]) {
      (void)sn_msg_names_add(&out->names, name, strlen(name));
    }
  }
}

sn_status sn__ident_apply(sn_component *component, const void *request, void *response,
                          sn_error *err) {
  sn__ident_component *self = (sn__ident_component *)component;
  const char *verb = ((const sn_call_name *)request)->name.data;
  sn_status status = check_room(self, response, err);
  if (status == SN_OK) {
    status = strcmp(verb, "end") == 0 ? end_now(self, err)
             : strcmp(verb, "undo") == 0
                 ? undo_now(self, err)
                 : sn__fail(err, SN_EINVAL, "'%.40s' is neither end nor undo", verb);
  }
  if (status == SN_OK) {
    sn__ident_publish(self, self->accepted);
    fill_applied(self, response);
  }
  return status;
}
