/* Controllers that are ROS nodes request limbs on a topic; controllers in this process call an
   operation. The table of owners is the topic of the output `assignment`. A node repeats its
   request as a heartbeat, otherwise it loses its limbs (`remote_timeout` of resources_control). */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ros/bridge.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sinew/system.h"

/* The arbiter answers within a cycle. A request that times out is repeated by its node. */
#define TIMEOUT_NS INT64_C(50000000)
#define FIRST_TIMEOUT_NS INT64_C(1000000000) /* during startup */

typedef struct request_topic {
  sn__bridge *bridge;
  sn_log_limit warnings;
  const char *operation; /* `resources_control.requestResources` */
  sn_resource_request *request;
  sn_call_outcome *outcome;
} request_topic;

static void reject(request_topic *t, const char *caller, const char *why) {
  sn__bridge *bridge = t->bridge;
  atomic_fetch_add_explicit(&bridge->refused_inputs, 1, memory_order_relaxed);
  uint64_t suppressed;
  if (sn_log_limit_pass(&t->warnings, bridge->transport->now_ns(bridge->node), &suppressed)) {
    sn__bridge_log(bridge, SN_LOG_WARNING, "request of {} rejected: {}",
                   *caller != '\0' ? caller : "an unknown node", why);
  }
}

static void on_request(void *context, const char *caller, const void *bytes, size_t size) {
  request_topic *t = context;
  sn_error err = {SN_OK, ""};
  if (t->bridge->transport->read(&sn_resource_request_type, bytes, size, t->request, &err) !=
      SN_OK) {
    reject(t, caller, err.message);
    return;
  }
  if (!sn__bridge_is_base_name(t->request->name.data, caller)) {
    reject(t, caller,
           *caller != '\0' ? "its name is that of another node" : "its node is not announced");
    return;
  }
  if (t->request->header.stamp_ns != 0) {
    t->request->header.stamp_ns -= t->bridge->graph_offset_ns;
  }
  sn_caller arbiter = {0};
  sn_status status = sn__bridge_open_caller(t->bridge, t->operation, &arbiter, &err);
  if (status == SN_OK) {
    arbiter.timeout_ns = TIMEOUT_NS;
    status = sn_call(&arbiter, t->request, t->outcome, &err);
    sn_caller_close(&arbiter);
  }
  if (status != SN_OK) {
    reject(t, caller, err.message);
  }
}

static bool is_arbiter(const sn_component *component) {
  for (const sn_operation *o = component->type->operations; o != NULL && o->name != NULL; o++) {
    if (strcmp(o->name, "requestResources") == 0 && o->request == &sn_resource_request_type &&
        o->response == &sn_call_outcome_type) {
      return true;
    }
  }
  return false;
}

static sn_status add_request_topic(sn__bridge *bridge, const char *component, sn_error *err) {
  char port[SN__GRAPH_NAME_SIZE];
  char name[SN__GRAPH_NAME_SIZE];
  snprintf(port, sizeof port, "%s.requests", component);
  if (!sn__bridge_matches(&bridge->inputs, port) ||
      !sn__bridge_name(bridge, port, name, sizeof name)) {
    return SN_OK;
  }
  char operation[SN__GRAPH_NAME_SIZE];
  snprintf(operation, sizeof operation, "%s.requestResources", component);
  request_topic *t = SN_NEW(&bridge->arena, request_topic, 1);
  if (t != NULL) {
    *t = (request_topic){.bridge = bridge,
                         .operation = sn_arena_text(&bridge->arena, operation, strlen(operation)),
                         .request = sn_msg_create(&bridge->arena, &sn_resource_request_type, NULL),
                         .outcome = sn_msg_create(&bridge->arena, &sn_call_outcome_type, NULL)};
  }
  return t != NULL && t->operation != NULL && t->request != NULL && t->outcome != NULL &&
                 bridge->transport->subscribe(bridge->node, name, &sn_resource_request_type, false,
                                              on_request, t) != NULL
             ? SN_OK
             : sn__fail(err, SN_ENOMEM, "out of memory for %s", port);
}

sn_status sn__bridge_add_arbiter(sn__bridge *bridge, sn_error *err) {
  const sn_system *system = bridge->component.system;
  sn_status status = SN_OK;
  sn_system_hold(system);
  for (size_t i = 0; status == SN_OK && i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    if (is_arbiter(component)) {
      status = add_request_topic(bridge, component->name, err);
    }
  }
  sn_system_release(system);
  return status;
}

static void publish_table(sn__bridge *bridge, const sn__bridge_output *output, sn_arena *arena) {
  char operation[SN__GRAPH_NAME_SIZE];
  snprintf(operation, sizeof operation, "%.*s.getOwners", (int)strcspn(output->port, "."),
           output->port);
  const sn_msg_capacity capacity = {.item_count = 256};
  void *table = sn_msg_create(arena, &sn_resource_assignment_type, &capacity);
  sn_error err = {SN_OK, ""};
  sn_caller caller = {0};
  if (table == NULL ||
      sn_caller_open(bridge->component.system, operation, &caller, &err) != SN_OK) {
    return; /* published with the first change */
  }
  caller.timeout_ns = FIRST_TIMEOUT_NS;
  if (caller.operation->request == NULL &&
      caller.operation->response == &sn_resource_assignment_type &&
      sn_call(&caller, NULL, table, &err) == SN_OK) {
    sn__bridge_publish(bridge, output->topic, &sn_resource_assignment_type, table);
  }
  sn_caller_close(&caller);
}

void sn__bridge_publish_owners(sn__bridge *bridge) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "owners", 0);
  (void)sn__bridge_step_topics(bridge,
                               0); /* opens the taps of latched ports, so that no change is lost */
  for (const sn__bridge_output *o = bridge->first_output; o != NULL; o = o->next) {
    if (o->is_latched && o->tap != NULL && sn_tap_type(o->tap) == &sn_resource_assignment_type) {
      publish_table(bridge, o, &arena);
    }
  }
  sn_arena_release(&arena);
}
