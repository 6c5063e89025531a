/* Operations of servo_ident that run in the caller's thread: what was identified is
   written to the file and to the property, which takes its time. What belongs into the cycle is
   done there, by the operations of ident_operations.c. */
#define _POSIX_C_SOURCE 200809L /* open_memstream() */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ident/ident_component.h"
#include "msg/types/servo_ident_msg.h"
#include "rt/component_runtime.h"
#include "rt/ports/own_call.h"
#include "servo/servo_text.h"
#include "sinew/msg_calls.h"
#include "sinew/tap.h"

/* Room for answers of the component; it sees itself that they fit into the system's own. */
static const sn_msg_capacity ROOM = {.item_count = 4096, .text_size = 256};

/* ---- the property ---- */

static bool is_identified(const sn_servo_model *m) {
  return m->alpha[0] != 0.0 || m->alpha[1] != 0.0 || m->alpha[2] != 0.0 || m->alpha[3] != 0.0;
}

/* The parameters of a message, and what messages do not have. */
static sn_servo_params params_of(const sn__ident_component *self, const sn_servo_model *model) {
  sn_servo_params params = sn__servo_msg_params(model);
  const int servo = sn_names_index(self->joints, model->name.data);
  if (servo >= 0) {
    params.ext = sn__servo_msg_extension(model, &self->ext[servo]);
  }
  return params;
}

static sn_status make_list(const sn__ident_component *self, sn_arena *arena,
                           const sn_servo_model *models, size_t count, sn_servo_list *out,
                           sn_error *err) {
  *out = (sn_servo_list){.entries = SN_NEW(arena, sn_servo_entry, count), .count = count};
  if (out->entries == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  for (size_t i = 0; i < count; i++) {
    out->entries[i] = (sn_servo_entry){.name = models[i].name.data,
                                       .params = params_of(self, &models[i]),
                                       .has_alpha = is_identified(&models[i])};
  }
  return SN_OK;
}

/* The list as the tree that a file would be read to. */
static sn_status make_tree(sn_arena *arena, const sn_servo_list *list, sn_report *report,
                           const sn_value **out, sn_error *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (stream == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  sn__servo_text_write(stream, list);
  const sn_value *root = NULL;
  sn_status status = fclose(stream) == 0
                         ? sn_value_parse_yaml(arena, text, size, "servo_models", report, &root)
                         : SN_ENOMEM;
  free(text);
  if (status != SN_OK) {
    return sn__fail(err, status, "servo_models: %s", sn_status_text(status));
  }
  *out = sn_value_find(root, "servo_models");
  return SN_OK;
}

static sn_status set_list(sn_component *component, sn_arena *arena, const sn_servo_list *list,
                          sn_error *err) {
  sn_report *report = NULL;
  const sn_value *tree = NULL;
  sn_status status = sn_report_create(arena, &report, err);
  status = status == SN_OK ? make_tree(arena, list, report, &tree, err) : status;
  return status == SN_OK
             ? sn_system_set(component->system, component, "servo_models", tree, report, err)
             : status;
}

sn_status sn__ident_set_property(sn_component *component, const sn_servo_model *models,
                                 size_t count, sn_error *err) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "servo models", 0);
  sn_servo_list list;
  sn_status status =
      make_list((const sn__ident_component *)component, &arena, models, count, &list, err);
  if (status == SN_OK) {
    status = set_list(component, &arena, &list, err);
  }
  sn_arena_release(&arena);
  return status;
}

/* ---- what was identified is kept ---- */

static void log_line(const sn_component *component, sn_log_level level, const char *format,
                     const char *text) {
  const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = text};
  sn_component_log(component, sn_clock_now_ns(sn_system_clock(component->system)), level, format, 1,
                   &arg);
}

/* A text that does not fit is cut, not within a character. */
static void put_text(sn_msg_text *to, const char *text) {
  char cut[sizeof(sn_error)];
  size_t length = strlen(text);
  length = length < to->capacity ? length : to->capacity;
  length = length < sizeof cut ? length : sizeof cut - 1;
  while (text[length] != '\0' && length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) {
    length--;
  }
  memcpy(cut, text, length);
  cut[length] = '\0';
  (void)sn_msg_text_set(to, cut);
}

/* Where to; a property may change, but not while the system is held. */
static char *copy_path(const sn__ident_component *self, sn_arena *arena) {
  sn_system_hold(self->component.system);
  char *path = sn_arena_text(arena, self->setup.file, strlen(self->setup.file));
  sn_system_release(self->component.system);
  return path;
}

/* Neither a full disk nor a refused property is a reason to stop: the models are in use. */
static void keep(sn_component *component, sn_arena *arena, const sn_ident_applied *applied,
                 sn_ident_ended *ended) {
  sn_error err = {.message = ""};
  sn_servo_list list;
  const char *path = copy_path((const sn__ident_component *)component, arena);
  sn_status status = path == NULL
                         ? sn__fail(&err, SN_ENOMEM, "no memory")
                         : make_list((const sn__ident_component *)component, arena,
                                     applied->models.data, applied->models.count, &list, &err);
  if (status == SN_OK) {
    status = set_list(component, arena, &list, &err);
    if (status != SN_OK) {
      log_line(component, SN_LOG_WARNING, "the property servo_models is as before: {}",
               err.message);
    }
    status = *path == '\0' ? sn__fail(&err, SN_ENOENT, "servo_models_file is not set")
                           : sn__servo_store_save(path, &list, &err);
  }
  ended->saved = status == SN_OK;
  put_text(&ended->message, status == SN_OK ? "" : err.message);
  if (status != SN_OK) {
    log_line(component, *err.message != '\0' && status == SN_ENOENT ? SN_LOG_WARNING : SN_LOG_ERROR,
             "models are in use but not saved: {}", err.message);
  } else {
    log_line(component, SN_LOG_INFO, "models saved to {}", path);
  }
}

static sn_status apply_and_keep(sn_component *component, const char *verb, sn_arena *arena,
                                sn_ident_ended *ended, sn_error *err) {
  sn_call_name *request = sn_msg_create(arena, &sn_call_name_type, &ROOM);
  sn_ident_applied *applied = sn_msg_create(arena, &sn_ident_applied_type, &ROOM);
  if (request == NULL || applied == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  (void)sn_msg_text_set(&request->name, verb);
  sn_status status = sn__call_own(component, "applyIdentification", request, applied, err);
  if (status != SN_OK) {
    return status;
  }
  ended->saved = false;
  put_text(&ended->message, "no model was accepted");
  if (applied->names.count > 0) {
    keep(component, arena, applied, ended);
  }
  return sn_msg_names_copy(&ended->names, &applied->names) == SN_OK
             ? SN_OK
             : sn__fail(err, SN_ENOSPC, "the names do not fit into the answer");
}

static sn_status finish(sn_component *component, const char *verb, sn_ident_ended *ended,
                        sn_error *err) {
  sn__ident_component *self = (sn__ident_component *)component;
  if (sn__activity_current != NULL) {
    return sn__fail(err, SN_EDEADLOCK, "it writes a file: not from a control thread");
  }
  if (atomic_exchange(&self->is_keeping, true)) {
    return sn__fail(err, SN_EBUSY, "models are being saved right now");
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "identification", 0);
  const sn_status status = apply_and_keep(component, verb, &arena, ended, err);
  sn_arena_release(&arena);
  atomic_store(&self->is_keeping, false);
  return status;
}

sn_status sn__ident_end(sn_component *component, const void *request, void *response,
                        sn_error *err) {
  (void)request;
  return finish(component, "end", response, err);
}

sn_status sn__ident_undo(sn_component *component, const void *request, void *response,
                         sn_error *err) {
  (void)request;
  return finish(component, "undo", response, err);
}

/* ---- one operation for remote callers ---- */

static sn_status copy_states(const sn_seq_ident_servo_state *from, sn_seq_ident_servo_state *to,
                             sn_error *err) {
  bool fits = from->count <= to->capacity;
  for (size_t i = 0; fits && i < from->count; i++) {
    const sn_msg_text name = to->data[i].name;
    to->data[i] = from->data[i];
    to->data[i].name = name; /* its room is its own */
    fits = sn_msg_text_set(&to->data[i].name, from->data[i].name.data) == SN_OK;
  }
  to->count = fits ? from->count : 0;
  return fits ? SN_OK
              : sn__fail(err, SN_ENOSPC, "%zu servos do not fit into the answer", from->count);
}

static sn_status start_or_abort(sn_component *component, const sn_ident_request *request,
                                bool is_start, sn_arena *arena, sn_ident_answer *answer,
                                sn_error *err) {
  sn_call_outcome *outcome = sn_msg_create(arena, &sn_call_outcome_type, &ROOM);
  if (outcome == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  const sn_call_names names = {.names = request->servos};
  const sn_status status =
      sn__call_own(component, is_start ? "startIdentification" : "abortIdentification",
                   is_start ? &names : NULL, outcome, err);
  answer->success = status == SN_OK && outcome->success;
  put_text(&answer->message, outcome->message.data);
  return status;
}

/* A refusal is an answer, not a failure of the call. */
static sn_status end_or_undo(sn_component *component, const char *verb, sn_arena *arena,
                             sn_ident_answer *answer, sn_error *err) {
  sn_ident_ended *ended = sn_msg_create(arena, &sn_ident_ended_type, &ROOM);
  if (ended == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  const sn_status status = finish(component, verb, ended, err);
  answer->success = status == SN_OK;
  put_text(&answer->message, status == SN_OK ? ended->message.data : err->message);
  if (status != SN_OK && status != SN_EINVAL && status != SN_EBUSY) {
    return status;
  }
  return status != SN_OK || sn_msg_names_copy(&answer->names, &ended->names) == SN_OK
             ? SN_OK
             : sn__fail(err, SN_ENOSPC, "the names do not fit into the answer");
}

static sn_status do_verb(sn_component *component, const sn_ident_request *request, sn_arena *arena,
                         sn_ident_answer *answer, sn_error *err) {
  const char *verb = request->verb.data;
  answer->success = true;
  put_text(&answer->message, "");
  sn_msg_names_clear(&answer->names);
  if (strcmp(verb, "status") == 0) {
    return SN_OK;
  }
  if (strcmp(verb, "start") == 0 || strcmp(verb, "abort") == 0) {
    return start_or_abort(component, request, verb[0] == 's', arena, answer, err);
  }
  if (strcmp(verb, "end") == 0 || strcmp(verb, "undo") == 0) {
    return end_or_undo(component, verb, arena, answer, err);
  }
  return sn__fail(err, SN_EINVAL, "verb is '%.40s', expected start, status, abort, end or undo",
                  verb);
}

sn_status sn__ident_do(sn_component *component, const void *request, void *response,
                       sn_error *err) {
  sn_ident_answer *answer = response;
  sn_arena arena;
  sn_arena_init_growing(&arena, "identification", 0);
  sn_status status = do_verb(component, request, &arena, answer, err);
  sn_ident_state *state = sn_msg_create(&arena, &sn_ident_state_type, &ROOM);
  if (status == SN_OK && state == NULL) {
    status = sn__fail(err, SN_ENOMEM, "no memory");
  }
  if (status == SN_OK) {
    status = sn__call_own(component, "status", NULL, state, err);
  }
  if (status == SN_OK) {
    status = copy_states(&state->servos, &answer->servos, err);
  }
  sn_arena_release(&arena);
  return status;
}
