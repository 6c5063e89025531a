/* Controllers that are nodes of the graph ask for limbs on a topic, as those of this process do by
   calls; the owner table is the topic of the output `assignment`. Who asks again and again is
   alive; who does not loses its limbs (`remote_timeout` of resources_control). */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ros/bridge.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sinew/system.h"

/* The arbiter answers within a cycle; if it does not, the request is lost, and made again. */
#define TIMEOUT_NS INT64_C(50000000)
#define FIRST_TIMEOUT_NS INT64_C(1000000000) /* nothing else is to be done yet */
#define COMPLAINTS_HZ 2.0

typedef struct desk {
  sn__bridge *bridge;
  sn__throttle complaints;
  const char *operation; /* `resources_control.requestResources` */
  sn_resource_request *request;
  sn_call_outcome *outcome;
} desk;

static void refuse(desk *d, const char *caller, const char *why) {
  sn__bridge *bridge = d->bridge;
  atomic_fetch_add_explicit(&bridge->refused_inputs, 1, memory_order_relaxed);
  if (sn__throttle_take(&d->complaints, COMPLAINTS_HZ, bridge->face->now_ns(bridge->node))) {
    sn__bridge_log(bridge, SN_LOG_WARNING, "a request of {} was refused: {}",
                   *caller != '\0' ? caller : "a node that is not announced", why);
  }
}

static void take(void *context, const char *caller, const void *bytes, size_t size) {
  desk *d = context;
  sn_error err = {SN_OK, ""};
  if (d->bridge->face->read(&sn_resource_request_type, bytes, size, d->request, &err) != SN_OK) {
    refuse(d, caller, err.message);
    return;
  }
  if (!sn__bridge_is_name_of(d->request->name.data, caller)) {
    refuse(d, caller,
           *caller != '\0' ? "it asks in the name of another" : "nobody knows whose it is");
    return;
  }
  if (d->request->header.stamp_ns != 0) {
    d->request->header.stamp_ns -= d->bridge->wall_offset_ns;
  }
  sn_caller desk_caller = {0};
  sn_status status = sn__bridge_open_caller(d->bridge, d->operation, &desk_caller, &err);
  if (status == SN_OK) {
    desk_caller.timeout_ns = TIMEOUT_NS;
    status = sn_call(&desk_caller, d->request, d->outcome, &err);
    sn_caller_close(&desk_caller);
  }
  if (status != SN_OK) {
    refuse(d, caller, err.message);
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

static sn_status add_desk(sn__bridge *bridge, const char *component, sn_error *err) {
  char port[SN__GRAPH_NAME_SIZE];
  char name[SN__GRAPH_NAME_SIZE];
  snprintf(port, sizeof port, "%s.requests", component);
  if (!sn__bridge_fits(&bridge->inputs, port) ||
      !sn__bridge_name(bridge, port, name, sizeof name)) {
    return SN_OK;
  }
  char operation[SN__GRAPH_NAME_SIZE];
  snprintf(operation, sizeof operation, "%s.requestResources", component);
  desk *d = SN_NEW(&bridge->arena, desk, 1);
  if (d != NULL) {
    *d = (desk){.bridge = bridge,
                .operation = sn_arena_text(&bridge->arena, operation, strlen(operation)),
                .request = sn_msg_create(&bridge->arena, &sn_resource_request_type, NULL),
                .outcome = sn_msg_create(&bridge->arena, &sn_call_outcome_type, NULL)};
  }
  return d != NULL && d->operation != NULL && d->request != NULL && d->outcome != NULL &&
                 bridge->face->subscribe(bridge->node, name, &sn_resource_request_type, take, d) !=
                     NULL
             ? SN_OK
             : sn__fail(err, SN_ENOMEM, "no memory for %s", port);
}

sn_status sn__bridge_add_arbiter(sn__bridge *bridge, sn_error *err) {
  const sn_system *system = bridge->component.system;
  sn_status status = SN_OK;
  sn_system_hold(system);
  for (size_t i = 0; status == SN_OK && i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    if (is_arbiter(component)) {
      status = add_desk(bridge, component->name, err);
    }
  }
  sn_system_release(system);
  return status;
}

static void tell(sn__bridge *bridge, const sn__bridge_output *output, sn_arena *arena) {
  char operation[SN__GRAPH_NAME_SIZE];
  snprintf(operation, sizeof operation, "%.*s.getOwners", (int)strcspn(output->port, "."),
           output->port);
  const sn_msg_capacity capacity = {.item_count = 256};
  void *table = sn_msg_create(arena, &sn_resource_assignment_type, &capacity);
  sn_error err = {SN_OK, ""};
  sn_caller caller = {0};
  if (table == NULL ||
      sn_caller_open(bridge->component.system, operation, &caller, &err) != SN_OK) {
    return; /* then the first change tells it */
  }
  caller.timeout_ns = FIRST_TIMEOUT_NS;
  if (caller.operation->request == NULL &&
      caller.operation->response == &sn_resource_assignment_type &&
      sn_call(&caller, NULL, table, &err) == SN_OK) {
    sn__bridge_publish(bridge, output->topic, &sn_resource_assignment_type, table);
  }
  sn_caller_close(&caller);
}

void sn__bridge_tell_owners(sn__bridge *bridge) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "owners", 0);
  (void)sn__bridge_step_topics(bridge,
                               0); /* opens the taps of what is latched: no change is lost */
  for (const sn__bridge_output *o = bridge->first_output; o != NULL; o = o->next) {
    if (o->is_latched && o->tap != NULL && sn_tap_type(o->tap) == &sn_resource_assignment_type) {
      tell(bridge, o, &arena);
    }
  }
  sn_arena_release(&arena);
}
