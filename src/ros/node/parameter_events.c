/* Changed parameters on /parameter_events, from every source: a node, `sinew set`, the cockpit
   or a component. The node looks for changes since its last event, so none is lost however many
   there are; of several changes of one parameter in the meantime, the last is reported. */
#include <stdlib.h>

#include "base/fail.h"
#include "ros/node/parameters.h"
#include "rt/system_internal.h"

sn_status sn__node_add_parameter_events(sn__bridge *bridge, sn_error *err) {
  struct sn__node_interfaces *interfaces = bridge->interfaces;
  interfaces->published_change = sn__system_change(bridge->component.system);
  interfaces->parameter_events =
      bridge->transport->advertise(bridge->node, "/parameter_events", &sn__parameter_event_type, 0);
  return interfaces->parameter_events != NULL
             ? SN_OK
             : sn__fail(err, SN_ENOMEM, "out of memory for /parameter_events");
}

typedef struct changes {
  sn__node_answer *answer;
  uint64_t since;
  size_t count;
  sn__parameter *list; /* NULL: only count */
} changes;

static void add_change(void *context, const sn__known_parameter *parameter) {
  changes *c = context;
  if (parameter->change <= c->since) {
    return;
  }
  if (c->list != NULL) {
    sn_error ignored = {SN_OK, ""}; /* no memory: also in the answer */
    sn__parameter *out = &c->list[c->count];
    out->name = sn__answer_text(c->answer, parameter->name);
    (void)sn__parameter_get(c->answer, parameter, &out->value, &ignored);
  }
  c->count++;
}

/* @return the number of the last change in the event */
static uint64_t collect(const sn__bridge *bridge, changes *c) {
  sn_system_hold(bridge->component.system);
  const uint64_t last = sn__system_change(bridge->component.system);
  sn__parameter_each(bridge, add_change, c);
  c->list = sn__answer_alloc(c->answer, c->count, sizeof *c->list);
  c->count = 0;
  if (c->list != NULL) {
    sn__parameter_each(bridge, add_change, c);
  }
  sn_system_release(bridge->component.system);
  return last;
}

/* @return false: out of memory */
static bool publish(sn__bridge *bridge, const sn__parameter_event *event) {
  size_t size = 0;
  (void)bridge->transport->write(&sn__parameter_event_type, event, NULL, 0, &size);
  void *bytes = malloc(size);
  if (bytes != NULL) {
    (void)bridge->transport->write(&sn__parameter_event_type, event, bytes, size, &size);
    bridge->transport->publish(bridge->interfaces->parameter_events, bytes, size, 0);
  }
  free(bytes);
  return bytes != NULL;
}

void sn__node_publish_parameters(sn__bridge *bridge) {
  struct sn__node_interfaces *interfaces = bridge->interfaces;
  if (sn__system_change(bridge->component.system) == interfaces->published_change) {
    return;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "event", 0);
  sn__node_answer answer = {.bridge = bridge, .arena = &arena};
  changes c = {.answer = &answer, .since = interfaces->published_change};
  const uint64_t last = collect(bridge, &c);
  const sn__parameter_event event = {
      .stamp_ns = sn__bridge_graph_now(bridge),
      .node = sn__answer_text(&answer, bridge->name),
      .changed_parameters = {.data = c.list, .count = c.count, .capacity = c.count}};
  if (!answer.is_out_of_memory && (c.count == 0 || publish(bridge, &event))) {
    interfaces->published_change = last; /* else the next call tries again */
  }
  sn_arena_release(&arena);
}
