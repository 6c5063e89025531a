#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "rt/component_runtime.h"

sn_status sn__port_resolve(const sn_system *system, const char *path, sn__end *out, sn_error *err) {
  const char *dot = strrchr(path, '.');
  if (dot == NULL) {
    return sn__fail(err, SN_ENOENT, "'%s' is not a port: expected component.port", path);
  }
  sn__component_runtime *runtime = sn__system_find_part(system, path, (size_t)(dot - path));
  if (runtime == NULL) {
    return sn__fail(err, SN_ENOENT, "unknown component '%.*s'", (int)(dot - path), path);
  }
  const sn_port *port = sn__port_find(runtime->component->type, dot + 1);
  if (port == NULL) {
    return sn__fail(err, SN_ENOENT, "component '%s' (%s) has no port '%s'",
                    runtime->component->name, runtime->component->type->name, dot + 1);
  }
  *out = (sn__end){runtime, port};
  return SN_OK;
}

sn_status sn__connection_check(const sn_connection *connection, bool is_tap, sn_error *err) {
  if (connection->buffer > SN_BUFFER_MAX) {
    return sn__fail(err, SN_EINVAL, "a buffer of %zu messages: at most %d", connection->buffer,
                    SN_BUFFER_MAX);
  }
  if (connection->shared && (!is_tap || connection->overflow != SN_OVERFLOW_DROP_OLDEST)) {
    return sn__fail(err, SN_EINVAL,
                    "a shared connection: only taps can be shared, and drop the oldest");
  }
  return SN_OK;
}

static void dispose_plain(sn__retired *what) {
  free(what);
}

/* A copy of the list with twice the capacity. */
static sn__fanout *fanout_grow(const sn__fanout *old) {
  const size_t capacity = old == NULL ? 2 : 2 * old->capacity;
  sn__fanout *fanout = malloc(sizeof *fanout + capacity * sizeof fanout->channels[0]);
  if (fanout == NULL) {
    return NULL;
  }
  fanout->retired = (sn__retired){.dispose = dispose_plain};
  fanout->capacity = capacity;
  atomic_init(&fanout->count, old == NULL ? 0 : atomic_load(&old->count));
  for (size_t i = 0; i < capacity; i++) {
    atomic_init(&fanout->channels[i],
                old != NULL && i < old->capacity ? atomic_load(&old->channels[i]) : NULL);
  }
  return fanout;
}

static size_t find_place(const sn__fanout *fanout, const sn__channel *channel) {
  size_t i = 0;
  while (i < fanout->capacity && atomic_load(&fanout->channels[i]) != channel) {
    i++;
  }
  return i;
}

/* The list of an output in which a channel is: a write has nothing to do for a reader that shares
   messages and waits for no event. */
static sn__fanout *_Atomic *list_of(sn__output *output, const sn__channel *channel) {
  return channel->shared != NULL && !channel->has_event ? &output->silent : &output->fanout;
}

sn_status sn__output_add(sn__output *output, sn__channel *channel, sn_error *err) {
  sn__fanout *_Atomic *list = list_of(output, channel);
  sn__fanout *fanout = atomic_load(list);
  if (fanout == NULL || atomic_load(&fanout->count) == fanout->capacity) {
    sn__fanout *longer = fanout_grow(fanout);
    if (longer == NULL) {
      return sn__fail(err, SN_ENOMEM, "no memory for a connection");
    }
    atomic_store(list, longer);
    sn__system_retire(output->runtime->system, fanout == NULL ? NULL : &fanout->retired);
    fanout = longer;
  }
  atomic_store(&fanout->channels[find_place(fanout, NULL)], channel);
  atomic_fetch_add(&fanout->count, 1);
  return SN_OK;
}

void sn__output_remove(sn__output *output, const sn__channel *channel) {
  sn__fanout *fanout = atomic_load(list_of(output, channel));
  atomic_store(&fanout->channels[find_place(fanout, channel)], NULL);
  atomic_fetch_sub(&fanout->count, 1);
}

static size_t capacity_of(const sn__fanout *fanout) {
  return fanout == NULL ? 0 : fanout->capacity;
}

/* The channel at an index of an output's two lists; NULL for a hole. */
static sn__channel *channel_at(const sn__output *output, size_t place) {
  const sn__fanout *fanout = atomic_load(&output->fanout);
  const sn__fanout *silent = atomic_load(&output->silent);
  const size_t first = capacity_of(fanout);
  return atomic_load(place < first ? &fanout->channels[place] : &silent->channels[place - first]);
}

static size_t place_count(const sn__output *output) {
  return capacity_of(atomic_load(&output->fanout)) + capacity_of(atomic_load(&output->silent));
}

static sn_input *input_of(const sn__end *end) {
  return sn__member(end->runtime, end->port->offset);
}

static sn_inputs *inputs_of(const sn__end *end) {
  return sn__member(end->runtime, end->port->offset);
}

sn_status sn__input_check(const sn__end *end, sn_error *err) {
  const char *name = end->runtime->component->name;
  if (end->port->kind == SN_PORT_OUT) {
    return sn__fail(err, SN_EINVAL, "%s.%s is an output, expected an input", name, end->port->name);
  }
  if (end->port->kind == SN_PORT_MANY) {
    return sn__runtime_state(end->runtime) != SN_STATE_RUNNING
               ? SN_OK
               : sn__fail(err, SN_EBUSY, "%s runs: its inputs '%s' cannot change", name,
                          end->port->name);
  }
  const sn__channel *channel = input_of(end)->channel;
  if (channel == NULL) {
    return SN_OK;
  }
  if (channel->writer.runtime == NULL) {
    return sn__fail(err, SN_EINVAL, "%s.%s already has a writer, outside of the system", name,
                    end->port->name);
  }
  return sn__fail(err, SN_EINVAL, "%s.%s already has a writer: %s.%s", name, end->port->name,
                  channel->writer.runtime->component->name, channel->writer.port->name);
}

sn_status sn__input_add(const sn__end *end, sn__channel *channel, sn_error *err) {
  if (end->port->kind == SN_PORT_IN) {
    __atomic_store_n(&input_of(end)->channel, channel, __ATOMIC_RELEASE);
    return SN_OK;
  }
  sn_inputs *inputs = inputs_of(end);
  size_t capacity = inputs->count;
  sn_input *items = sn__list_grow(inputs->items, &capacity, inputs->count + 1, sizeof *items);
  if (items == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a connection");
  }
  items[inputs->count] = (sn_input){channel};
  *inputs = (sn_inputs){items, inputs->count + 1};
  return SN_OK;
}

void sn__input_remove(const sn__end *end, sn__channel *channel) {
  if (end->port->kind == SN_PORT_IN) {
    __atomic_store_n(&input_of(end)->channel, NULL, __ATOMIC_SEQ_CST);
    return;
  }
  sn_inputs *inputs = inputs_of(end);
  for (size_t i = 0; i < inputs->count; i++) {
    if (inputs->items[i].channel == channel) {
      memmove(&inputs->items[i], &inputs->items[i + 1],
              (inputs->count - i - 1) * sizeof *inputs->items);
      inputs->count--;
      return;
    }
  }
}

static sn_status check_ends(const sn__end *from, const sn__end *to, sn_error *err) {
  const char *from_name = from->runtime->component->name;
  if (from->port->kind != SN_PORT_OUT) {
    return sn__fail(err, SN_EINVAL, "%s.%s is an input, expected an output", from_name,
                    from->port->name);
  }
  const sn_status status = sn__input_check(to, err);
  if (status != SN_OK) {
    return status;
  }
  if (from->port->type != to->port->type) {
    return sn__fail(err, SN_EINVAL, "%s.%s is a %s, but %s.%s a %s", from_name, from->port->name,
                    from->port->type->name, to->runtime->component->name, to->port->name,
                    to->port->type->name);
  }
  return SN_OK;
}

sn__output *sn__output_of(const sn__end *end) {
  return end->runtime->outputs[end->port - end->runtime->component->type->ports];
}

static void disconnect(sn__channel *channel) {
  sn_system *system =
      (channel->writer.runtime != NULL ? channel->writer.runtime : channel->reader.runtime)->system;
  if (channel->writer.runtime != NULL) {
    sn__output_remove(sn__output_of(&channel->writer), channel);
  }
  if (channel->reader.runtime != NULL) {
    sn__input_remove(&channel->reader, channel);
  }
  sn__system_retire(system, &channel->retired);
}

/* A connection within an activity may change the order. Before launch the order is computed in
   any case, so loops are tolerated until then. */
static sn_status sort_again(const sn__end *from, const sn__end *to, sn_error *err) {
  sn_activity *activity = to->runtime->activity;
  if (activity == NULL || activity != from->runtime->activity || !atomic_load(&activity->is_live)) {
    return SN_OK;
  }
  return sn__activity_sort(activity, err);
}

/* The messages that readers of an output share. @return NULL: no memory */
static sn__latest *latest_of(sn__output *output) {
  sn__latest *latest = atomic_load(&output->latest);
  if (latest == NULL) {
    latest = sn__latest_create(output->port->type, output->copier, &output->capacity);
    atomic_store(&output->latest, latest);
  }
  return latest;
}

/* Readers of the latest message share it; a queue has its own messages. */
static sn__channel *create_channel(sn__output *output, const sn_connection *connection) {
  const sn_msg_type *type = output->port->type;
  if (connection->buffer > 0) {
    return sn__channel_create(type, output->copier, &output->capacity, connection);
  }
  sn__latest *latest = latest_of(output);
  sn__retired *replaced = NULL;
  sn__channel *channel =
      latest == NULL ? NULL : sn__channel_create_shared(latest, connection, &replaced);
  sn__system_retire(output->runtime->system, replaced);
  return channel;
}

static sn_status connect_ends(const sn__end *from, const sn__end *to,
                              const sn_connection *connection, sn_error *err) {
  sn__output *output = sn__output_of(from);
  sn__channel *channel = create_channel(output, connection);
  if (channel == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a connection");
  }
  channel->writer = *from;
  sn__channel_set_reader(channel, to);
  sn_status status = sn__input_add(to, channel, err);
  if (status != SN_OK) {
    sn__channel_destroy(channel);
    return status;
  }
  status = sn__output_add(output, channel, err);
  if (status != SN_OK) {
    sn__input_remove(to, channel);
    sn__system_retire(output->runtime->system, &channel->retired);
    return status;
  }
  status = sort_again(from, to, err);
  if (status != SN_OK) {
    disconnect(channel);
  }
  return status;
}

sn_status sn_system_connect(sn_system *system, const char *from, const char *to,
                            const sn_connection *connection, sn_error *err) {
  static const sn_connection latest = {0};
  const sn_connection *chosen = connection == NULL ? &latest : connection;
  sn__end ends[2] = {{0}};
  sn_system_hold(system);
  sn_status status = sn__connection_check(chosen, false, err);
  if (status == SN_OK) {
    status = sn__port_resolve(system, from, &ends[0], err);
  }
  if (status == SN_OK) {
    status = sn__port_resolve(system, to, &ends[1], err);
  }
  if (status == SN_OK) {
    status = check_ends(&ends[0], &ends[1], err);
  }
  if (status == SN_OK) {
    status = connect_ends(&ends[0], &ends[1], chosen, err);
  }
  sn__system_reclaim(system);
  sn_system_release(system);
  return status;
}

static sn__channel *find_channel(const sn__end *from, const sn__end *to) {
  if (from->port->kind != SN_PORT_OUT) {
    return NULL;
  }
  const sn__output *output = sn__output_of(from);
  for (size_t i = 0; i < place_count(output); i++) {
    sn__channel *channel = channel_at(output, i);
    if (channel != NULL && channel->reader.runtime == to->runtime &&
        channel->reader.port == to->port) {
      return channel;
    }
  }
  return NULL;
}

sn_status sn_system_disconnect(sn_system *system, const char *from, const char *to, sn_error *err) {
  sn__end ends[2] = {{0}};
  sn_system_hold(system);
  sn_status status = sn__port_resolve(system, from, &ends[0], err);
  if (status == SN_OK) {
    status = sn__port_resolve(system, to, &ends[1], err);
  }
  if (status == SN_OK) {
    sn__channel *channel = find_channel(&ends[0], &ends[1]);
    if (channel == NULL) {
      status = sn__fail(err, SN_ENOENT, "%s and %s are not connected", from, to);
    } else if (ends[1].port->kind == SN_PORT_MANY &&
               sn__runtime_state(ends[1].runtime) == SN_STATE_RUNNING) {
      status = sn__fail(err, SN_EBUSY, "%s runs: its inputs '%s' cannot change",
                        ends[1].runtime->component->name, ends[1].port->name);
    } else {
      disconnect(channel);
    }
  }
  sn__system_reclaim(system);
  sn_system_release(system);
  return status;
}

void sn__runtime_disconnect(sn__component_runtime *runtime) {
  const sn_component_type *type = runtime->component->type;
  for (size_t i = 0; type->ports != NULL && type->ports[i].name != NULL; i++) {
    const sn__end end = {runtime, &type->ports[i]};
    if (end.port->kind == SN_PORT_OUT) {
      for (size_t k = 0; k < place_count(runtime->outputs[i]); k++) {
        sn__channel *channel = channel_at(runtime->outputs[i], k);
        if (channel != NULL) {
          disconnect(channel);
        }
      }
    } else if (end.port->kind == SN_PORT_MANY) {
      while (inputs_of(&end)->count > 0) {
        disconnect(inputs_of(&end)->items[0].channel);
      }
    } else if (input_of(&end)->channel != NULL) {
      disconnect(input_of(&end)->channel);
    }
  }
}

bool sn__port_is_connected(const sn__component_runtime *runtime, const sn_port *port) {
  const sn__end end = {(sn__component_runtime *)runtime, port};
  return port->kind == SN_PORT_OUT    ? sn_output_is_connected(sn__member(runtime, port->offset))
         : port->kind == SN_PORT_MANY ? inputs_of(&end)->count > 0
                                      : sn_input_is_connected(input_of(&end));
}

static void put_info(const sn__channel *channel, sn_connection_info *list, size_t room,
                     size_t *count) {
  if (*count < room) {
    const sn__end *w = &channel->writer;
    const sn__end *r = &channel->reader;
    list[*count] = (sn_connection_info){
        .writer = w->runtime == NULL ? NULL : w->runtime->component,
        .writer_port = w->runtime == NULL ? "" : w->port->name,
        .reader = r->runtime == NULL ? NULL : r->runtime->component,
        .reader_port = r->runtime == NULL ? "" : r->port->name,
        .connection = channel->connection,
        .counts = sn__channel_counts(channel),
        .waiting =
            channel->connection.buffer == 0 ? 0 : (size_t)sn__queue_count(&channel->ends.queue),
    };
  }
  *count += 1;
}

size_t sn_component_connections(const sn_component *component, sn_connection_info *list,
                                size_t room) {
  const sn__component_runtime *runtime = component->runtime;
  size_t count = 0;
  sn_system_hold(runtime->system);
  for (size_t i = 0; component->type->ports != NULL && component->type->ports[i].name != NULL;
       i++) {
    const sn__end end = {component->runtime, &component->type->ports[i]};
    if (end.port->kind == SN_PORT_OUT) {
      for (size_t k = 0; k < place_count(runtime->outputs[i]); k++) {
        const sn__channel *channel = channel_at(runtime->outputs[i], k);
        if (channel != NULL) {
          put_info(channel, list, room, &count);
        }
      }
    } else if (end.port->kind == SN_PORT_MANY) {
      for (size_t k = 0; k < inputs_of(&end)->count; k++) {
        put_info(inputs_of(&end)->items[k].channel, list, room, &count);
      }
    } else if (input_of(&end)->channel != NULL) {
      put_info(input_of(&end)->channel, list, room, &count);
    }
  }
  sn_system_release(runtime->system);
  return count;
}
