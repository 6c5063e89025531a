/* The order in which an activity steps its components: who writes before who reads, who serves
   before who is served, and otherwise as they were added, so that it is the same each time.

   A walk from every component back to those that write to it; a component gets its place when all
   of its writers have theirs. Each connection is looked at once, and nothing recurses. */
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "rt/cell.h"

static void dispose_plain(sn__retired *what) {
  free(what);
}

static const sn__channel *channel_before(const sn__end *end, size_t index) {
  if (end->port->kind == SN_PORT_IN) {
    const sn_input *input = sn__member(end->cell, end->port->offset);
    return index == 0 ? input->channel : NULL;
  }
  if (end->port->kind == SN_PORT_MANY) {
    const sn_inputs *inputs = sn__member(end->cell, end->port->offset);
    return index < inputs->count ? inputs->items[index].channel : NULL;
  }
  return NULL;
}

/* Does the channel say that its writer comes first? */
static bool orders(const sn__channel *channel, const sn_activity *activity) {
  return channel->writer.cell != NULL && channel->writer.cell->activity == activity &&
         channel->writer.cell != channel->reader.cell && !channel->connection.delayed &&
         (channel->reader.port->flags & SN_PORT_FEEDBACK) == 0;
}

/* The next component of the activity whose service it uses, or NULL. */
static sn__cell *next_provider(sn__cell *cell, const sn_activity *activity) {
  const sn_need *needs = cell->component->type->needs;
  while (needs != NULL && needs[cell->walk.need].name != NULL) {
    sn__cell *provider = cell->providers[cell->walk.need];
    const bool is_service = needs[cell->walk.need++].interface != NULL;
    if (is_service && provider != NULL && provider != cell && provider->activity == activity) {
      return provider;
    }
  }
  return NULL;
}

/* The next component that it waits for: those that write to it, then those that serve it. */
static sn__cell *next_writer(sn__cell *cell, const sn_activity *activity) {
  while (cell->walk.port != NULL && cell->walk.port->name != NULL) {
    const sn__end end = {cell, cell->walk.port};
    const sn__channel *channel = channel_before(&end, cell->walk.index++);
    if (channel == NULL) {
      cell->walk.port++;
      cell->walk.index = 0;
    } else if (orders(channel, activity)) {
      return channel->writer.cell;
    }
  }
  return next_provider(cell, activity);
}

/* The way back from @p last to @p first, who writes to it: a ring. */
static sn_status report_ring(const sn__cell *first, const sn__cell *last, sn_error *err) {
  char ring[160];
  size_t length = (size_t)snprintf(ring, sizeof ring, "%s", first->component->name);
  const sn__cell *at = last;
  while (at != NULL && length < sizeof ring) {
    length += (size_t)snprintf(ring + length, sizeof ring - length, " -> %s", at->component->name);
    at = at == first ? NULL : at->walk.from;
  }
  return sn__fail(err, SN_EINVAL,
                  "a ring in the data flow: %s; mark one of its connections as delayed", ring);
}

static void open_walk(sn__cell *cell, sn__cell *from) {
  cell->walk.state = SN__WALK_OPEN;
  cell->walk.port = cell->component->type->ports;
  cell->walk.index = 0;
  cell->walk.need = 0;
  cell->walk.from = from;
}

/* Give all that the component waits for, then itself, a place. */
static sn_status place(sn__cell *cell, const sn_activity *activity, sn__order *order,
                       sn_error *err) {
  open_walk(cell, NULL);
  for (sn__cell *at = cell; at != NULL;) {
    sn__cell *writer = next_writer(at, activity);
    if (writer == NULL) {
      at->walk.state = SN__WALK_DONE;
      order->cells[order->count++] = at;
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
  for (size_t i = 0; i < system->cell_count; i++) {
    system->cells[i]->walk.state = SN__WALK_NEW;
    count += system->cells[i]->activity == activity;
  }
  sn__order *order = malloc(sizeof *order + count * sizeof order->cells[0]);
  if (order == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the order of activity '%s'",
                    activity->config.name);
  }
  *order = (sn__order){.retired.dispose = dispose_plain};
  for (size_t i = 0; i < system->cell_count; i++) {
    sn__cell *cell = system->cells[i];
    if (cell->activity == activity && cell->walk.state == SN__WALK_NEW) {
      const sn_status status = place(cell, activity, order, err);
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
