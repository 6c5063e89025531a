#include <string.h>

#include "base/fail.h"
#include "msg/wire/msg_json_internal.h"
#include "remote/remote.h"
#include "remote/stop_line.h"
#include "rt/system_internal.h"

const sn__remote_transition sn__remote_transitions[] = {
    {"configure", sn_system_configure,
     "Allocate memory and check everything: unconfigured to stopped."},
    {"start", sn_system_start, "Start running."},
    {"stop", sn_system_stop, "Stop running."},
    {"cleanup", sn_system_cleanup, "Free the memory: stopped to unconfigured."},
    {"recover", sn_system_recover, "Run again after a fault."},
    {NULL, NULL, NULL},
};

/* ---- messages ---- */

enum { ITEMS_MIN = 256, TEXT_SIZE_MIN = 256, TEXT_SIZE_MAX = 1 << 20, MESSAGE_SIZE_MAX = 4 << 20 };

/* The longest texts that fit. @return false if even the shortest ones do not */
static bool find_capacity(const sn_msg_type *type, size_t item_count, sn_msg_capacity *out) {
  *out = (sn_msg_capacity){.item_count = item_count, .text_size = TEXT_SIZE_MAX};
  while (sn_msg_size(type, out) > MESSAGE_SIZE_MAX && out->text_size >= TEXT_SIZE_MIN) {
    out->text_size /= 4;
  }
  return out->text_size >= TEXT_SIZE_MIN;
}

void *sn__remote_msg_create(sn_arena *arena, const sn_system *system, const sn_msg_type *type) {
  const size_t wanted = sn__system_capacity(system).item_count;
  sn_msg_capacity large = {0};
  const bool is_found = (wanted > ITEMS_MIN && find_capacity(type, wanted, &large)) ||
                        find_capacity(type, ITEMS_MIN, &large);
  return sn_msg_create(arena, type, is_found ? &large : NULL);
}

/* ---- calls ---- */

static const sn__remote_transition *find_transition(const char *name) {
  for (const sn__remote_transition *t = sn__remote_transitions; t->name != NULL; t++) {
    if (strcmp(t->name, name) == 0) {
      return t;
    }
  }
  return NULL;
}

/* @return whether the name is `component.transition` of a component that exists */
static bool open_transition(sn__remote_call *call, const char *name) {
  const char *dot = strrchr(name, '.');
  char owner[256];
  call->transition = dot == NULL ? NULL : find_transition(dot + 1);
  if (call->transition == NULL || (size_t)(dot - name) >= sizeof owner) {
    return false;
  }
  memcpy(owner, name, (size_t)(dot - name));
  owner[dot - name] = '\0';
  sn_system_hold(call->system);
  call->component = sn_system_find(call->system, owner);
  sn_system_release(call->system);
  call->name = call->transition->name;
  return call->component != NULL;
}

static sn_status create_messages(sn__remote_call *call, sn_error *err) {
  const sn_operation *operation = call->caller.operation;
  call->name = operation->name;
  call->request_type = operation->request;
  call->response_type = operation->response;
  if (call->request_type != NULL) {
    call->request = sn__remote_msg_create(&call->arena, call->system, call->request_type);
  }
  if (call->response_type != NULL) {
    call->response = sn__remote_msg_create(&call->arena, call->system, call->response_type);
  }
  const bool is_complete = (call->request == NULL) == (call->request_type == NULL) &&
                           (call->response == NULL) == (call->response_type == NULL);
  return is_complete ? SN_OK : sn__fail(err, SN_ENOMEM, "no memory for the call");
}

sn_status sn__remote_call_open(sn__remote_call *call, sn_system *system, const char *name,
                               sn_error *err) {
  *call = (sn__remote_call){.system = system};
  sn_arena_init_growing(&call->arena, "call", 4096);
  sn_status status = sn_caller_open(system, name, &call->caller, err);
  if (status != SN_OK) {
    return status == SN_ENOENT && open_transition(call, name) ? SN_OK : status;
  }
  status = create_messages(call, err);
  if (status != SN_OK) {
    sn__remote_call_close(call);
  }
  return status;
}

sn_status sn__remote_call_run(sn__remote_call *call, int64_t timeout_ns, sn_error *err) {
  if (call->transition == NULL) {
    call->caller.timeout_ns = timeout_ns;
    return sn_call(&call->caller, call->request, call->response, err);
  }
  const sn_status status = call->transition->run(call->system, call->component, err);
  if (status == SN_OK) {
    call->state = sn_component_state_text(sn_component_state_now(call->component));
  }
  return status;
}

void sn__remote_call_close(sn__remote_call *call) {
  if (call->transition == NULL) {
    sn_caller_close(&call->caller);
  }
  sn_arena_release(&call->arena);
}

/* ---- with JSON ---- */

static sn_status read_arguments(sn__remote_call *call, json_t *arguments, sn_error *err) {
  const bool is_empty = arguments == NULL || json_is_null(arguments) ||
                        (json_is_object(arguments) && json_object_size(arguments) == 0);
  if (is_empty || call->transition != NULL) {
    return SN_OK;
  }
  if (call->request_type == NULL) {
    return sn__fail(err, SN_EINVAL, "'%s' takes no arguments", call->name);
  }
  sn_status status = sn__msg_from_json_tree(call->request_type, arguments, call->request, err);
  if (status == SN_ENOSPC) { /* a long trajectory: a message that just holds it */
    status = sn__msg_make_from_json_tree(call->request_type, arguments, call->request_type->name,
                                         &call->arena, NULL, &call->request, err);
  }
  if (status == SN_OK && !sn_msg_is_finite(call->request_type, call->request)) {
    return sn__fail(err, SN_EINVAL, "%s: a number is missing or not finite",
                    call->request_type->name);
  }
  return status;
}

static void append_result(const sn__remote_call *call, sn__buffer *out) {
  if (call->state != NULL) {
    sn__json_open(out, NULL, '{');
    sn__json_text(out, "state", call->state);
    sn__json_close(out, '}');
  } else if (call->response != NULL) {
    sn__msg_append_json(out, NULL, call->response_type, call->response);
  }
}

static sn_status stop(sn_system *system, const json_t *arguments, sn_error *err) {
  const char *who = json_string_value(json_object_get(arguments, "who"));
  const char *why = json_string_value(json_object_get(arguments, "why"));
  const sn__remote_stop stop =
      sn__remote_stop_request(system, who == NULL ? "" : who, why == NULL ? "" : why);
  return sn__remote_stop_wait(system, &stop, err);
}

sn_status sn__remote_call_json(const sn__remote_context *context, const char *name,
                               json_t *arguments, double timeout_s, sn__buffer *out,
                               sn_error *err) {
  if (sn__is_stop_operation(name)) {
    return stop(context->system, arguments, err);
  }
  sn__remote_call call;
  sn_status status = sn__remote_call_open(&call, context->system, name, err);
  if (status != SN_OK) {
    return status;
  }
  status = read_arguments(&call, arguments, err);
  if (status == SN_OK) {
    const double timeout_ns = 1e9 * timeout_s;
    const bool is_cut = timeout_ns > (double)context->timeout_ns_max;
    status =
        sn__remote_call_run(&call, is_cut ? context->timeout_ns_max : (int64_t)timeout_ns, err);
  }
  if (status == SN_OK) {
    append_result(&call, out);
  }
  sn__remote_call_close(&call);
  return status;
}
