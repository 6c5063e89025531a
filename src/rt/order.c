/* The order in which an activity steps its components: writers before readers, providers before
   users, otherwise as added, so that it is reproducible. A topological sort by depth-first search
   from every component back to its writers, without recursion; each connection is visited once. */
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "rt/component_runtime.h"

static void dispose_plain(sn__retired *what) {
  free(what);
}

static const sn__channel *channel_before(const sn__end *end, size_t index) {
  if (end->port->kind == SN_PORT_IN) {
    const sn_input *input = sn__member(end->runtime, end->port->offset);
    return index == 0 ? input->channel : NULL;
  }
  if (end->port->kind == SN_PORT_MANY) {
    const sn_inputs *inputs = sn__member(end->runtime, end->port->offset);
    return index < inputs->count ? inputs->items[index].channel : NULL;
  }
  return NULL;
}

/* Does the channel determine that its writer comes first? */
static bool orders(const sn__channel *channel, const sn_activity *activity) {
  return channel->writer.runtime != NULL && channel->writer.runtime->activity == activity &&
         channel->writer.runtime != channel->reader.runtime && !channel->connection.delayed &&
         (channel->reader.port->flags & SN_PORT_FEEDBACK) == 0;
}

/* The next component of the activity whose service it uses, or NULL. */
static sn__component_runtime *next_provider(sn__component_runtime *runtime,
                                            const sn_activity *activity) {
  const sn_need *needs = runtime->component->type->needs;
  while (needs != NULL && needs[runtime->walk.need].name != NULL) {
    sn__component_runtime *provider = runtime->providers[runtime->walk.need];
    const bool is_service = needs[runtime->walk.need++].interface != NULL;
    if (is_service && provider != NULL && provider != runtime && provider->activity == activity) {
      return provider;
    }
  }
  return NULL;
}

/* The next predecessor: writers first, then providers. */
static sn__component_runtime *next_writer(sn__component_runtime *runtime,
                                          const sn_activity *activity) {
  while (runtime->walk.port != NULL && runtime->walk.port->name != NULL) {
    const sn__end end = {runtime, runtime->walk.port};
    const sn__channel *channel = channel_before(&end, runtime->walk.index++);
    if (channel == NULL) {
      runtime->walk.port++;
      runtime->walk.index = 0;
    } else if (orders(channel, activity)) {
      return channel->writer.runtime;
    }
  }
  return next_provider(runtime, activity);
}

/* Report the path from @p last back to @p first, which writes to it: a loop. */
static sn_status report_ring(const sn__component_runtime *first, const sn__component_runtime *last,
                             sn_error *err) {
  char ring[160];
  size_t length = (size_t)snprintf(ring, sizeof ring, "%s", first->component->name);
  const sn__component_runtime *at = last;
  while (at != NULL && length < sizeof ring) {
    length += (size_t)snprintf(ring + length, sizeof ring - length, " -> %s", at->component->name);
    at = at == first ? NULL : at->walk.from;
  }
  return sn__fail(err, SN_EINVAL,
                  "a loop in the data flow: %s; mark one of its connections as delayed", ring);
}

static void open_walk(sn__component_runtime *runtime, sn__component_runtime *from) {
  runtime->walk.state = SN__WALK_OPEN;
  runtime->walk.port = runtime->component->type->ports;
  runtime->walk.index = 0;
  runtime->walk.need = 0;
  runtime->walk.from = from;
}

/* Place all predecessors of the component, then the component. */
static sn_status place(sn__component_runtime *runtime, const sn_activity *activity,
                       sn__order *order, sn_error *err) {
  open_walk(runtime, NULL);
  for (sn__component_runtime *at = runtime; at != NULL;) {
    sn__component_runtime *writer = next_writer(at, activity);
    if (writer == NULL) {
      at->walk.state = SN__WALK_DONE;
      order->runtimes[order->count++] = at;
      at = at->walk.from;
    } else if (writer->walk.state == SN__WALK_OPEN) {
      return report_ring(writer, at, err);
    } else if (writer->walk.state == SN__WALK_NEW) {
      open_walk(writer, at);
      at = writer;
    }
  }
  return SN_OK;
}

sn_status sn__activity_sort(sn_activity *activity, sn_error *err) {
  sn_system *system = activity->system;
  size_t count = 0;
  for (size_t i = 0; i < system->runtime_count; i++) {
    system->runtimes[i]->walk.state = SN__WALK_NEW;
    count += system->runtimes[i]->activity == activity;
  }
  sn__order *order = malloc(sizeof *order + count * sizeof order->runtimes[0]);
  if (order == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the order of activity '%s'",
                    activity->config.name);
  }
  *order = (sn__order){.retired.dispose = dispose_plain};
  for (size_t i = 0; i < system->runtime_count; i++) {
    sn__component_runtime *runtime = system->runtimes[i];
    if (runtime->activity == activity && runtime->walk.state == SN__WALK_NEW) {
      const sn_status status = place(runtime, activity, order, err);
      if (status != SN_OK) {
        free(order);
        return status;
      }
    }
  }
  sn__order *old = atomic_exchange(&activity->order, order);
  sn__system_retire(system, old == NULL ? NULL : &old->retired);
  return SN_OK;
}
