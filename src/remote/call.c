/* Doing things from outside: `call`, `connect` and `disconnect`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote/remote_msg.h"
#include "remote/stop_line.h"
#include "remote/verbs.h"
#include "sinew/msg_json.h"

const sn__remote_life sn__remote_lives[] = {
    {"configure", sn_system_configure,
     "Take memory and check everything: unconfigured to stopped."},
    {"start", sn_system_start, "Begin to run."},
    {"stop", sn_system_stop, "End to run."},
    {"cleanup", sn_system_cleanup, "Give the memory back: stopped to unconfigured."},
    {"recover", sn_system_recover, "Run again after a fault."},
    {NULL, NULL, NULL},
};

void sn__remote_write_msg(sn__buffer *reply, const char *name, const sn_msg_type *type,
                          const void *msg) {
  sn__json_raw(reply, name, "", 0);
  const size_t length = sn_msg_to_json(type, msg, NULL, 0);
  char *room = sn__buffer_reserve(reply, length + 1); /* the NUL too */
  if (room != NULL) {
    sn_msg_to_json(type, msg, room, length + 1);
    reply->used += length;
  }
}

static sn_status read_arguments(const json_t *arguments, const sn_operation *operation,
                                sn_arena *arena, void **request, sn_error *err) {
  const sn_msg_type *type = operation->request;
  const bool is_empty = arguments == NULL || json_is_null(arguments) ||
                        (json_is_object(arguments) && json_object_size(arguments) == 0);
  *request = NULL;
  if (type == NULL) {
    return is_empty ? SN_OK : sn__fail(err, SN_EINVAL, "'%s' takes no arguments", operation->name);
  }
  *request = sn__remote_msg_create(arena, type);
  if (*request == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the arguments");
  }
  if (is_empty) {
    return SN_OK;
  }
  char *text = json_dumps(arguments, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17));
  if (text == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the arguments");
  }
  const sn_status status = sn_msg_from_json(type, text, strlen(text), *request, err);
  free(text);
  if (status == SN_OK && !sn_msg_is_finite(type, *request)) {
    return sn__fail(err, SN_EINVAL, "%s: a number is missing or not finite", type->name);
  }
  return status;
}

static sn_status call(const sn_caller *caller, const json_t *arguments, sn__buffer *reply,
                      sn_error *err) {
  const sn_operation *operation = caller->operation;
  sn_arena arena;
  sn_arena_init_growing(&arena, "call", 4096);
  void *request = NULL;
  void *response = NULL;
  sn_status status = read_arguments(arguments, operation, &arena, &request, err);
  if (status == SN_OK && operation->response != NULL) {
    response = sn__remote_msg_create(&arena, operation->response);
    status = response == NULL ? sn__fail(err, SN_ENOMEM, "no memory for the answer") : SN_OK;
  }
  if (status == SN_OK) {
    status = sn_call(caller, request, response, err);
  }
  if (status == SN_OK && response != NULL) {
    sn__remote_write_msg(reply, NULL, operation->response, response);
  } else if (status == SN_OK) {
    sn__json_null(reply, NULL);
  }
  sn_arena_release(&arena);
  return status;
}

static const sn__remote_life *find_life(const char *name) {
  for (const sn__remote_life *life = sn__remote_lives; life->name != NULL; life++) {
    if (strcmp(life->name, name) == 0) {
      return life;
    }
  }
  return NULL;
}

/* A component's own operation of that name comes first. The system is not held meanwhile: one that
   attends to all of it has threads that may want to hold it before they end.
   @return SN_ENOENT without a reason: it is none of these */
static sn_status live(sn_system *system, const char *name, sn__buffer *reply, sn_error *err) {
  const char *point = strrchr(name, '.');
  char owner[256];
  const sn__remote_life *life = point == NULL ? NULL : find_life(point + 1);
  if (life == NULL || (size_t)(point - name) >= sizeof owner) {
    return SN_ENOENT;
  }
  snprintf(owner, sizeof owner, "%.*s", (int)(point - name), name);
  sn_system_hold(system);
  sn_component *component = sn_system_find(system, owner);
  sn_system_release(system);
  if (component == NULL) {
    return SN_ENOENT;
  }
  const sn_status status = life->run(system, component, err);
  if (status == SN_OK) {
    sn__json_open(reply, NULL, '{');
    sn__json_text(reply, "state", sn_component_state_text(sn_component_state_now(component)));
    sn__json_close(reply, '}');
  }
  return status;
}

sn_status sn__remote_call(sn__remote_request *request, sn__remote_answer *answer, sn_error *err) {
  sn_system *system = request->context->system;
  const char *name = NULL;
  double timeout_s = 1e-9 * (double)SN_CALL_TIMEOUT_NS;
  sn_status status = sn__remote_argument_text(request, "name", &name, err);
  if (status == SN_OK) {
    status = sn__remote_argument_number(request, "timeout", 0.0, 3600.0, &timeout_s, err);
  }
  if (status != SN_OK) {
    return status;
  }
  if (name != NULL && sn__is_stop_operation(name)) { /* which needs no component to be found */
    return sn__remote_stop_system(request, answer, err);
  }
  const json_t *arguments = json_object_get(request->json, "arguments");
  sn_caller caller;
  status = sn_caller_open(system, name, &caller, err);
  if (status == SN_ENOENT) {
    sn_error refusal = {SN_OK, ""};
    const sn_status lived = live(system, name, &answer->reply, &refusal);
    if (lived == SN_OK || refusal.message[0] != '\0') {
      *err = refusal;
      return lived;
    }
  }
  if (status != SN_OK) {
    return status;
  }
  const double longest_s = 1e-9 * (double)request->context->timeout_ns_max;
  caller.timeout_ns = (int64_t)(1e9 * (timeout_s < longest_s ? timeout_s : longest_s));
  status = call(&caller, arguments, &answer->reply, err);
  sn_caller_close(&caller);
  return status;
}

static sn_status read_connection(const sn__remote_request *request, sn_connection *connection,
                                 sn_error *err) {
  double buffer = 0.0;
  const char *overflow = NULL;
  sn_status status =
      sn__remote_argument_number(request, "buffer", 0.0, SN_BUFFER_MAX, &buffer, err);
  if (status == SN_OK) {
    status = sn__remote_argument_text(request, "overflow", &overflow, err);
  }
  if (status != SN_OK) {
    return status;
  }
  const json_t *delayed = json_object_get(request->json, "delayed");
  if (delayed != NULL && !json_is_boolean(delayed)) {
    return sn__fail(err, SN_EINVAL, "'delayed' must be true or false");
  }
  *connection = (sn_connection){.buffer = (size_t)buffer, .delayed = json_is_true(delayed)};
  if (overflow != NULL && strcmp(overflow, "refuse") == 0) {
    connection->overflow = SN_OVERFLOW_REFUSE;
  } else if (overflow != NULL && strcmp(overflow, "drop_oldest") != 0) {
    return sn__fail(err, SN_EINVAL, "'overflow' is '%.40s', expected drop_oldest or refuse",
                    overflow);
  }
  return SN_OK;
}

static sn_status read_ends(const sn__remote_request *request, const char **from, const char **to,
                           sn_error *err) {
  const sn_status status = sn__remote_argument_text(request, "from", from, err);
  return status == SN_OK ? sn__remote_argument_text(request, "to", to, err) : status;
}

sn_status sn__remote_connect(sn__remote_request *request, sn__remote_answer *answer,
                             sn_error *err) {
  const char *from = NULL;
  const char *to = NULL;
  sn_connection connection;
  sn_status status = read_ends(request, &from, &to, err);
  if (status == SN_OK) {
    status = read_connection(request, &connection, err);
  }
  if (status == SN_OK) {
    status = sn_system_connect(request->context->system, from, to, &connection, err);
  }
  sn__json_null(&answer->reply, NULL);
  return status;
}

sn_status sn__remote_disconnect(sn__remote_request *request, sn__remote_answer *answer,
                                sn_error *err) {
  const char *from = NULL;
  const char *to = NULL;
  sn_status status = read_ends(request, &from, &to, err);
  if (status == SN_OK) {
    status = sn_system_disconnect(request->context->system, from, to, err);
  }
  sn__json_null(&answer->reply, NULL);
  return status;
}
