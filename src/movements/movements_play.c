/* How `movements` plays files and scripts. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "movements/movements_component.h"
#include "movements/pace.h"
#include "msg/types/msg_movements.h"
#include "rt/estop/estop.h"
#include "sinew/msg_wire.h"

/* ---- what is under way ---- */

static void set_ended(sn__movements *self, bool success, int32_t code, const char *message) {
  self->mode = SN__MOVEMENTS_IDLE;
  self->success = success;
  self->error_code = code;
  snprintf(self->message, sizeof self->message, "%s", message);
}

static void set_begun(sn__movements *self, sn__movements_mode mode, const char *name,
                      const char *kind) {
  self->mode = mode;
  self->kind = kind;
  self->success = false;
  self->error_code = 0;
  self->message[0] = '\0';
  self->elapsed_s = self->duration_s = 0.0;
  self->start_ns = sn_clock_now_ns(sn_system_clock(self->component.system));
  snprintf(self->name, sizeof self->name, "%s", name);
}

static void update_movement(sn__movements *self) {
  sn__player_view view;
  sn__player_look(&self->player, self->controller, &view);
  self->elapsed_s = view.elapsed_s;
  self->duration_s = view.duration_s;
  if (view.has_ended) {
    set_ended(self, view.success, view.error_code, view.message);
  }
}

/* ---- steps of a script ---- */

sn_status sn__movements_load(const sn__movements *self, const char *name, sn_arena *arena,
                             sn__movement *out, sn_error *err) {
  char path[SN__LIBRARY_PATH_SIZE];
  const sn__named_pose *pose = sn__named_pose_find(&self->poses, name);
  if (pose != NULL && !sn__library_has(self->folder, name, ".json")) {
    return sn__named_pose_movement(pose, self->model, arena, out, err);
  }
  const sn_status status = sn__library_path(self->folder, name, ".json", path, err);
  return status == SN_OK ? sn__movement_load(path, arena, out, err) : status;
}

static sn_status play_step(void *context, const char *name, size_t *handle, sn_error *err) {
  sn__movements *self = context;
  sn_arena arena;
  sn__movement movement;
  sn_arena_init_growing(&arena, "movement", 0);
  sn_status status = sn__movements_load(self, name, &arena, &movement, err);
  if (status == SN_OK) {
    status = sn__player_play(&self->player, &movement, true, handle, err);
  }
  sn_arena_release(&arena);
  return status;
}

static sn_status look_step(void *context, size_t handle, sn_error *err) {
  sn__movements *self = context;
  sn__player_view view;
  sn__player_look(&self->player, handle, &view);
  if (!view.has_ended) {
    return SN_EBUSY;
  }
  return view.success ? SN_OK : sn__fail(err, SN_EINVAL, "%s", view.message);
}

static void cancel_step(void *context, size_t handle) {
  sn__player_cancel(&((sn__movements *)context)->player, handle);
}

/* A scalar of a file as JSON: numbers and words of JSON as they are, else a text. */
static void put_scalar(sn__buffer *out, const char *name, const sn_value *value) {
  double number = 0.0;
  const bool is_word = strcmp(value->text, "true") == 0 || strcmp(value->text, "false") == 0;
  if (is_word) {
    sn__json_bool(out, name, value->text[0] == 't');
  } else if (sn_value_number(value, &number)) {
    sn__json_real(out, name, number);
  } else {
    sn__json_text(out, name, value->text);
  }
}

/* Fields of a request: scalars, lists of scalars, and bags of those. */
static bool put_fields(sn__buffer *out, const sn_value *bag) {
  for (size_t i = 0; i < bag->item_count; i++) {
    const sn_value *item = bag->items[i];
    if (item->kind == SN_VALUE_TEXT) {
      put_scalar(out, item->name, item);
      continue;
    }
    if (item->kind == SN_VALUE_BAG) {
      return false;
    }
    sn__json_open(out, item->name, '[');
    for (size_t k = 0; k < item->item_count; k++) {
      if (item->items[k]->kind != SN_VALUE_TEXT) {
        return false;
      }
      put_scalar(out, NULL, item->items[k]);
    }
    sn__json_close(out, ']');
  }
  return true;
}

static sn_status fill_request(const sn_msg_type *type, const sn_value *with, void *request,
                              sn_error *err) {
  sn__buffer json = {0};
  sn__json_open(&json, NULL, '{');
  const bool is_flat = with == NULL || put_fields(&json, with);
  sn__json_close(&json, '}');
  const sn_status status =
      !is_flat ? sn__fail(err, SN_EINVAL, "fields are scalars and lists of scalars")
      : json.failed || request == NULL ? sn__fail(err, SN_ENOMEM, "no memory")
                                       : sn_msg_from_json(type, json.data, json.used, request, err);
  sn__buffer_free(&json);
  return status;
}

static sn_status run_call(sn_caller *caller, const sn_value *with, sn_arena *arena, sn_error *err) {
  const sn_operation *operation = caller->operation;
  const sn_msg_capacity room = {.item_count = 64, .text_size = 256};
  void *request = NULL;
  void *response = NULL;
  sn_status status = SN_OK;
  if (operation->request != NULL) {
    request = sn_msg_create(arena, operation->request, &room);
    status = fill_request(operation->request, with, request, err);
  } else if (with != NULL && with->item_count > 0) {
    status = sn__fail(err, SN_EINVAL, "the operation takes no arguments");
  }
  if (status == SN_OK && operation->response != NULL) {
    response = sn_msg_create(arena, operation->response, &room);
    status = response == NULL ? sn__fail(err, SN_ENOMEM, "no memory") : SN_OK;
  }
  if (status == SN_OK) {
    status = sn_call(caller, request, response, err);
  }
  if (status == SN_OK && operation->response == &sn_call_outcome_type &&
      !((sn_call_outcome *)response)->success) {
    return sn__fail(err, SN_EINVAL, "%s", ((sn_call_outcome *)response)->message.data);
  }
  return status;
}

/* A script that calls its own component would wait for itself. */
static bool is_own(const sn__movements *self, const char *operation) {
  const size_t length = strlen(self->component.name);
  return strncmp(operation, self->component.name, length) == 0 && operation[length] == '.';
}

static sn_status call_step(void *context, const char *operation, const sn_value *with,
                           sn_error *err) {
  const sn__movements *self = context;
  sn_caller caller = {0};
  if (is_own(self, operation)) {
    return sn__fail(err, SN_EINVAL, "a script cannot call the component that runs it");
  }
  sn_status status = sn_caller_open(self->component.system, operation, &caller, err);
  if (status != SN_OK) {
    return status;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "call", 0);
  status = run_call(&caller, with, &arena, err);
  sn_arena_release(&arena);
  sn_caller_close(&caller);
  return status;
}

static sn__script_host host_of(sn__movements *self) {
  return (sn__script_host){.context = self,
                           .play = play_step,
                           .look = look_step,
                           .cancel = cancel_step,
                           .call = call_step};
}

static void update_script(sn__movements *self, int64_t now_ns) {
  const sn__script_host host = host_of(self);
  sn_error err = {.message = ""};
  const sn_status status = sn__script_run(&self->script, &host, now_ns, &err);
  self->elapsed_s = 1e-9 * (double)(now_ns - self->start_ns);
  if (status != SN_EBUSY) {
    set_ended(self, status == SN_OK, status == SN_OK ? 0 : -1, err.message);
  }
}

/* ---- play ---- */

static sn_status first_problem(const sn_report *report, sn_status status, sn_error *err) {
  for (size_t i = 0; i < sn_report_count(report); i++) {
    const sn_problem *p = sn_report_at(report, i);
    if (p->severity == SN_SEVERITY_ERROR) {
      return sn__fail(err, status, "%s:%u: %s", p->place.file == NULL ? "" : p->place.file,
                      p->place.line, p->message);
    }
  }
  return sn__fail(err, status, "%s", sn_status_text(status));
}

static sn_status begin_script(sn__movements *self, const char *name, sn_error *err) {
  char path[SN__LIBRARY_PATH_SIZE];
  sn_report *report = NULL;
  sn_arena_release(&self->script_arena);
  sn_status status = sn__library_path(self->folder, name, ".yaml", path, err);
  if (status == SN_OK) {
    status = sn_report_create(&self->script_arena, &report, err);
  }
  if (status == SN_OK) {
    status = sn__script_load(path, &self->script_arena, report, &self->script);
    status = status == SN_OK ? SN_OK : first_problem(report, status, err);
  }
  if (status == SN_OK) {
    set_begun(self, SN__MOVEMENTS_SCRIPT, name, "script");
    sn__movements_wake_thread(self);
  }
  return status;
}

sn_status sn__movements_begin(sn__movements *self, const sn__movement *movement, sn_error *err) {
  (void)sn__movements_stop(self);
  const sn_status status = sn__player_play(&self->player, movement, false, &self->controller, err);
  if (status == SN_OK) {
    set_begun(self, SN__MOVEMENTS_PLAYING, movement->name, sn__movement_kind_name(movement->kind));
  }
  return status;
}

static sn_status play_file(sn__movements *self, const sn_movement_play *request, sn_error *err) {
  sn_arena arena;
  sn__movement movement;
  sn_arena_init_growing(&arena, "movement", 0);
  sn_status status = sn__movements_load(self, request->name.data, &arena, &movement, err);
  status = status == SN_OK
               ? sn__pace_set(self->model, &movement, request->speed, request->fastest, &arena, err)
               : status;
  status = status == SN_OK ? sn__movements_begin(self, &movement, err) : status;
  sn_arena_release(&arena);
  return status;
}

sn_status sn__movements_play(sn__movements *self, const sn_movement_play *request, sn_error *err) {
  const char *name = request->name.data;
  /* The name of a pose may be that of an SRDF, which has other rules than names of files. */
  const bool is_pose = sn__named_pose_find(&self->poses, name) != NULL;
  const sn_status status = is_pose ? SN_OK : sn__library_check_name(name, err);
  if (status != SN_OK) {
    return status;
  }
  if (sn__library_has(self->folder, name, ".json") ||
      !sn__library_has(self->folder, name, ".yaml")) {
    return play_file(self, request, err);
  }
  if (request->speed != 0.0 || request->fastest) {
    return sn__fail(err, SN_EUNSUPPORTED, "a script has no other speed");
  }
  const sn_status stopped = sn__estop_refuse(self->component.system, err);
  if (stopped != SN_OK) {
    return stopped; /* it would only fail at its first step */
  }
  (void)sn__movements_stop(self);
  return begin_script(self, name, err);
}

bool sn__movements_stop(sn__movements *self) {
  const sn__movements_mode mode = self->mode;
  if (mode == SN__MOVEMENTS_PLAYING) {
    sn__player_cancel(&self->player, self->controller);
  } else if (mode == SN__MOVEMENTS_SCRIPT) {
    const sn__script_host host = host_of(self);
    sn__script_stop(&self->script, &host);
  } else {
    return false;
  }
  set_ended(self, false, 0, "stopped");
  return true;
}

void sn__movements_update(sn__movements *self, int64_t now_ns) {
  if (self->mode == SN__MOVEMENTS_PLAYING) {
    update_movement(self);
  } else if (self->mode == SN__MOVEMENTS_SCRIPT) {
    update_script(self, now_ns);
  }
}
