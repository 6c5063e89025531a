/* Operations of components as services. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "remote/remote.h"
#include "ros/bridge.h"
#include "ros/service_type.h"
#include "sinew/estop.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sinew/system.h"

/* Longest wait for a component. */
#define TIMEOUT_NS INT64_C(5000000000)

static sn_status put_caller(const sn_operation *operation, const char *caller, void *request) {
  const char *node = *caller != '\0' ? caller : "a ROS node";
  if (operation->request == &sn_call_name_type) {
    return sn_msg_text_set(&((sn_call_name *)request)->name, node);
  }
  sn_call_stop *stop = request;
  const sn_status status = sn_msg_text_set(&stop->who, node);
  return status == SN_OK ? sn_msg_text_set(&stop->why, "called by a ROS node") : status;
}

bool sn__bridge_is_base_name(const char *controller, const char *caller) {
  const char *slash = strrchr(caller, '/');
  return *caller != '\0' && strcmp(controller, slash == NULL ? caller : slash + 1) == 0;
}

static sn_status read_request(const sn__ros_transport *transport, const sn_msg_type *type,
                              const char *caller, const void *bytes, size_t size, void *msg,
                              sn_error *err) {
  const sn_status status = transport->read(type, bytes, size, msg, err);
  if (status != SN_OK) {
    return status;
  }
  if (!sn_msg_is_finite(type, msg)) {
    return sn__fail(err, SN_EINVAL, "the request contains NaN or infinity");
  }
  if (type == &sn_resource_request_type) {
    const char *name = ((const sn_resource_request *)msg)->name.data;
    if (!sn__bridge_is_base_name(name, caller)) {
      return sn__fail(err, SN_EINVAL, "node '%s' sends a request with the name '%s'",
                      *caller != '\0' ? caller : "(not announced)", name);
    }
  }
  return SN_OK;
}

static sn_status write_response(const sn__ros_transport *transport, const sn_msg_type *type,
                                const void *msg, sn__bytes *out, sn_error *err) {
  size_t size = 0;
  (void)transport->write(type, msg, NULL, 0, &size);
  char *room = sn__bytes_reserve(out, size == 0 ? 1 : size);
  if (room == NULL) {
    return sn__fail(err, SN_ENOMEM, "the response is too large");
  }
  const sn_status status = transport->write(type, msg, room, size, &size);
  out->used += status == SN_OK ? size : 0;
  return status == SN_OK ? SN_OK : sn__fail(err, status, "%s", sn_status_text(status));
}

/* A failure is reported in the response if it has the fields for it. */
static sn_status put_refusal(sn_call_outcome *outcome, const sn_error *why) {
  outcome->success = false;
  return sn_msg_text_set(&outcome->message, why->message);
}

static sn_status fill_request(const sn__ros_transport *transport, const sn_operation *operation,
                              const char *node, const void *bytes, size_t size, void *request,
                              sn_error *err) {
  const bool asks_who = sn__service_asks_who(operation);
  if (request != NULL && !asks_who) {
    return read_request(transport, operation->request, node, bytes, size, request, err);
  }
  if (size > 0) {
    return sn__fail(err, SN_ESYNTAX, "the request has %zu bytes, expected none", size);
  }
  return asks_who ? put_caller(operation, node, request) : SN_OK;
}

static sn_status call(sn__bridge *bridge, const sn_caller *caller, const char *node,
                      const void *bytes, size_t size, sn__bytes *out, sn_error *err) {
  const sn__ros_transport *transport = bridge->transport;
  const sn_operation *operation = caller->operation;
  const sn_msg_type *type = sn__service_response(operation);
  sn_arena arena;
  sn_arena_init_growing(&arena, "service", 4096);
  void *request = operation->request == NULL
                      ? NULL
                      : sn__remote_msg_create(&arena, bridge->component.system, operation->request);
  void *response =
      type == NULL ? NULL : sn__remote_msg_create(&arena, bridge->component.system, type);
  sn_status status =
      (operation->request != NULL && request == NULL) || (type != NULL && response == NULL)
          ? sn__fail(err, SN_ENOMEM, "out of memory")
          : fill_request(transport, operation, node, bytes, size, request, err);
  if (status != SN_OK) {
    atomic_fetch_add_explicit(&bridge->refused_inputs, 1, memory_order_relaxed);
  } else {
    const int64_t graph_offset_ns = bridge->graph_offset_ns;
    if (request != NULL) {
      sn__times_shift(operation->request, request, -graph_offset_ns);
    }
    status = sn_call(caller, request, operation->response == NULL ? NULL : response, err);
    if (response != NULL) {
      sn__times_shift(type, response, graph_offset_ns);
    }
    if (sn__service_asks_who(operation) && response != NULL) {
      ((sn_call_outcome *)response)->success = status == SN_OK;
    }
    if (status != SN_OK && type == &sn_call_outcome_type && response != NULL) {
      status = put_refusal(response, err);
    }
  }
  if (status == SN_OK && type != NULL) {
    status = write_response(transport, type, response, out, err);
  }
  sn_arena_release(&arena);
  return status;
}

static sn_status serve(void *context, const char *node, const void *request, size_t size,
                       sn__bytes *response, sn_error *err) {
  const sn__bridge_service *entry = context;
  sn_caller caller = {0};
  sn_status status =
      sn_caller_open(entry->bridge->component.system, entry->operation, &caller, err);
  if (status == SN_OK) {
    caller.timeout_ns = TIMEOUT_NS;
    status = call(entry->bridge, &caller, node, request, size, response, err);
    sn_caller_close(&caller);
  }
  return status;
}

/* ---- the emergency stop ---- */

/* Takes effect at once, in the thread that receives the request. */
static void handle_stop(void *context, const char *node) {
  const sn__bridge_service *entry = context;
  (void)sn_estop_request(entry->bridge->component.system, *node != '\0' ? node : "a ROS node",
                         "called by a ROS node");
}

/* Waits for the newest stop, which is this one or a later one. */
static sn_status serve_stop(void *context, const char *node, const void *request, size_t size,
                            sn__bytes *response, sn_error *err) {
  const sn__bridge_service *entry = context;
  (void)node, (void)request, (void)size;
  sn_arena arena;
  sn_arena_init_growing(&arena, "stop", 1024);
  sn_system *system = entry->bridge->component.system;
  sn_call_outcome *outcome = sn__remote_msg_create(&arena, system, &sn_call_outcome_type);
  if (outcome == NULL) {
    return sn__fail(err, SN_ENOMEM, "stop requested; out of memory for the response");
  }
  sn_error why = {SN_OK, ""};
  outcome->success = sn_estop_wait(system, 0, 0, &why) == SN_OK;
  sn_status status = sn_msg_text_set(&outcome->message, why.message);
  if (status == SN_OK) {
    status =
        write_response(entry->bridge->transport, &sn_call_outcome_type, outcome, response, err);
  }
  sn_arena_release(&arena);
  return status;
}

static bool is_stop(const sn_operation *operation) {
  return operation->request == &sn_call_stop_type && strcmp(operation->name, "emergencyStop") == 0;
}

static sn_status add(sn__bridge *bridge, const sn_component *component,
                     const sn_operation *operation, sn_error *err) {
  char path[SN__GRAPH_NAME_SIZE];
  char name[SN__GRAPH_NAME_SIZE];
  char type[SN__GRAPH_NAME_SIZE];
  snprintf(path, sizeof path, "%s.%s", component->name, operation->name);
  if (!sn__bridge_matches(&bridge->services, path) ||
      !sn__bridge_name(bridge, path, name, sizeof name)) {
    return SN_OK;
  }
  sn__service_type(operation, type, sizeof type);
  sn__bridge_service *entry = SN_NEW(&bridge->arena, sn__bridge_service, 1);
  const char *copy = sn_arena_text(&bridge->arena, path, strlen(path));
  if (entry == NULL || copy == NULL) {
    return sn__fail(err, SN_ENOMEM, "out of memory for %s", path);
  }
  *entry = (sn__bridge_service){.next = bridge->first_service, .bridge = bridge, .operation = copy};
  bridge->first_service = entry;
  return bridge->transport->add_service(bridge->node, name, type, sn__service_request(operation),
                                        sn__service_response(operation),
                                        is_stop(operation) ? serve_stop : serve,
                                        is_stop(operation) ? handle_stop : NULL, entry)
             ? SN_OK
             : sn__fail(err, SN_ENOMEM, "out of memory for %s", path);
}

sn_status sn__bridge_add_services(sn__bridge *bridge, sn_error *err) {
  const sn_system *system = bridge->component.system;
  sn_status status = SN_OK;
  sn_system_hold(system);
  for (size_t i = 0; status == SN_OK && i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    for (const sn_operation *o = component->type->operations;
         status == SN_OK && o != NULL && o->name != NULL; o++) {
      status = sn__service_is_offered(o) ? add(bridge, component, o, err) : SN_OK;
    }
  }
  sn_system_release(system);
  return status;
}
