#include "sinew/tap.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "rt/component_runtime.h"
#include "rt/journal/journal.h"
#include "rt/ports/shared_tap.h"
#include "rt/ports/tap_internal.h"

struct sn_tap {
  sn_system *system;
  sn__channel *channel;         /* its messages */
  sn__shared_tap_reader shared; /* used by a shared tap only */
};

struct sn_source {
  sn_system *system;
  sn__channel *channel;
  const sn_msg_checker *checker; /* in the channel's arena, as the message */
  void *msg;
};

static const sn_connection latest = {0};

/* ---- reading an output ---- */

/* How the messages of a tap wait: in a stream, or as the connection says. */
typedef struct tap_config {
  const sn_connection *connection;
  sn__stream *stream; /* NULL: none */
  uint16_t tag;
} tap_config;

static sn_status open_alone(const sn__end *end, const tap_config *config, sn_tap *tap,
                            sn_error *err) {
  sn__output *output = sn__output_of(end);
  tap->channel = config->stream != NULL ? sn__channel_create_packed(end->port->type, output->copier,
                                                                    config->stream, config->tag)
                                        : sn__channel_create(end->port->type, output->copier,
                                                             &output->capacity, config->connection);
  if (tap->channel == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory to read %s.%s", end->runtime->component->name,
                    end->port->name);
  }
  tap->channel->writer = *end;
  const sn_status status = sn__output_add(output, tap->channel, err);
  if (status != SN_OK) {
    sn__channel_destroy(tap->channel);
  }
  return status;
}

static sn_status open_tap(sn_system *system, const char *from, const tap_config *config,
                          sn_tap *tap, sn_error *err) {
  sn__end end = {0};
  const sn_connection *connection = config->connection;
  sn_status status = sn__connection_check(connection, true, err);
  if (status == SN_OK) {
    status = sn__port_resolve(system, from, &end, err);
  }
  if (status == SN_OK && end.port->kind != SN_PORT_OUT) {
    status = sn__fail(err, SN_EINVAL, "%s is an input, expected an output", from);
  }
  if (status != SN_OK) {
    return status;
  }
  *tap = (sn_tap){.system = system};
  if (connection->shared) {
    status = sn__shared_tap_join(&end, connection, &tap->shared, err);
    tap->channel = tap->shared.channel;
  } else {
    status = open_alone(&end, config, tap, err);
  }
  if (status == SN_OK) {
    end.runtime->holders++;
  }
  return status;
}

static sn_status create_tap(sn_system *system, const char *from, const tap_config *config,
                            sn_tap **out, sn_error *err) {
  sn_tap *tap = malloc(sizeof *tap);
  if (tap == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory to read %s", from);
  }
  sn_system_hold(system);
  const sn_status status = open_tap(system, from, config, tap, err);
  sn__system_reclaim(system);
  sn_system_release(system);
  if (status == SN_OK) {
    *out = tap;
  } else {
    free(tap);
  }
  return status;
}

sn_status sn_tap_open(sn_system *system, const char *from, const sn_connection *connection,
                      sn_tap **out, sn_error *err) {
  const tap_config config = {.connection = connection == NULL ? &latest : connection};
  return create_tap(system, from, &config, out, err);
}

/* ---- taps that share a stream ---- */

sn_status sn__tap_open_packed(sn_system *system, const char *from, sn__stream *stream, uint16_t tag,
                              sn_tap **out, sn_error *err) {
  return create_tap(system, from, &(tap_config){&latest, stream, tag}, out, err);
}

void *sn__tap_unpack(const sn_tap *tap, const void *record, sn_arena *arena) {
  return sn__msg_unpack(tap->channel->copier, record, arena);
}

void sn__tap_close_stream(sn_system *system, sn__stream *stream) {
  if (stream != NULL) {
    sn_system_hold(system);
    sn__system_retire(system, &stream->retired);
    sn__system_reclaim(system);
    sn_system_release(system);
  }
}

const void *sn_tap_read(sn_tap *tap, sn_flow *flow) {
  return tap->shared.shared != NULL ? sn__shared_tap_read(&tap->shared, flow)
                                    : sn__channel_read(tap->channel, flow);
}

const sn_msg_type *sn_tap_type(const sn_tap *tap) {
  return tap->channel->type;
}

sn_port_counts sn_tap_counts(const sn_tap *tap) {
  return tap->shared.shared != NULL ? sn__shared_tap_counts(&tap->shared)
                                    : sn__channel_counts(tap->channel);
}

void sn_tap_close(sn_tap *tap) {
  if (tap == NULL) {
    return;
  }
  sn_system *system = tap->system;
  sn_system_hold(system);
  tap->channel->writer.runtime->holders--;
  if (tap->shared.shared != NULL) {
    sn__shared_tap_leave(&tap->shared);
  } else {
    sn__output_remove(sn__output_of(&tap->channel->writer), tap->channel);
    sn__system_retire(system, &tap->channel->retired);
  }
  sn__system_reclaim(system);
  sn_system_release(system);
  free(tap);
}

/* ---- writing to an input ---- */

static sn_status open_source(sn_system *system, const char *to, const sn_connection *connection,
                             sn_source *source, sn_error *err) {
  sn__end end = {0};
  sn_status status = sn__connection_check(connection, false, err);
  if (status == SN_OK) {
    status = sn__port_resolve(system, to, &end, err);
  }
  if (status == SN_OK) {
    status = sn__input_check(&end, err);
  }
  if (status != SN_OK) {
    return status;
  }
  const sn_msg_capacity *capacity = &system->config.capacity;
  sn__channel *channel = sn__channel_create(end.port->type, NULL, capacity, connection);
  if (channel != NULL) {
    *source = (sn_source){
        .system = system,
        .channel = channel,
        .checker = sn__msg_checker_create(&channel->arena, end.port->type),
        .msg = sn_msg_create(&channel->arena, end.port->type, capacity),
    };
    sn__channel_set_reader(channel, &end);
    channel->source = ++system->source_count; /* before it can be read */
  }
  if (channel == NULL || source->checker == NULL || source->msg == NULL) {
    status = sn__fail(err, SN_ENOMEM, "no memory to write %s", to);
  } else {
    status = sn__input_add(&end, channel, err);
  }
  if (status == SN_OK) {
    end.runtime->holders++;
    sn__journal_source(channel, SN_JOURNAL_OPEN);
  } else if (channel != NULL) {
    sn__channel_destroy(channel);
  }
  return status;
}

sn_status sn_source_open(sn_system *system, const char *to, const sn_connection *connection,
                         sn_source **out, sn_error *err) {
  sn_source *source = malloc(sizeof *source);
  if (source == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory to write %s", to);
  }
  sn_system_hold(system);
  const sn_status status =
      open_source(system, to, connection == NULL ? &latest : connection, source, err);
  sn_system_release(system);
  if (status == SN_OK) {
    *out = source;
  } else {
    free(source);
  }
  return status;
}

const sn_msg_type *sn_source_type(const sn_source *source) {
  return source->channel->type;
}

void *sn_source_msg(sn_source *source) {
  return source->msg;
}

sn_port_counts sn_source_counts(const sn_source *source) {
  return sn__channel_counts(source->channel);
}

sn_status sn_source_write(sn_source *source) {
  if (!sn__msg_checker_is_finite(source->checker, source->msg)) {
    return SN_EINVAL;
  }
  const sn_status status = sn__channel_write(source->channel, source->msg);
  if (status == SN_OK) {
    sn__channel_trigger(source->channel, NULL);
  }
  return status;
}

void sn_source_close(sn_source *source) {
  if (source == NULL) {
    return;
  }
  sn_system *system = source->system;
  sn__channel *channel = source->channel;
  sn_system_hold(system);
  sn__journal_source(channel, SN_JOURNAL_CLOSE);
  sn__input_remove(&channel->reader, channel);
  channel->reader.runtime->holders--;
  sn__system_retire(system, &channel->retired);
  sn__system_reclaim(system);
  sn_system_release(system);
  free(source);
}

/* ---- calling ---- */

sn_status sn_caller_open(sn_system *system, const char *operation, sn_caller *caller,
                         sn_error *err) {
  const char *dot = strrchr(operation, '.');
  if (dot == NULL) {
    return sn__fail(err, SN_ENOENT, "'%s' is not an operation: expected component.operation",
                    operation);
  }
  sn_system_hold(system);
  sn_status status = SN_OK;
  sn__component_runtime *runtime =
      sn__system_find_part(system, operation, (size_t)(dot - operation));
  const sn_operation *found =
      runtime == NULL ? NULL : sn__operation_find(runtime->component->type, dot + 1);
  if (runtime == NULL) {
    status =
        sn__fail(err, SN_ENOENT, "unknown component '%.*s'", (int)(dot - operation), operation);
  } else if (found == NULL) {
    status = sn__fail(err, SN_ENOENT, "component '%s' (%s) has no operation '%s'",
                      runtime->component->name, runtime->component->type->name, dot + 1);
  } else {
    *caller = (sn_caller){
        .run = found->run,
        .component = runtime->component,
        .operation = found,
        .own_thread = runtime->operations[found - runtime->component->type->operations],
        .timeout_ns = SN_CALL_TIMEOUT_NS,
        .is_outside = true,
    };
    runtime->holders++;
  }
  sn_system_release(system);
  return status;
}

void sn_caller_close(sn_caller *caller) {
  if (caller->component != NULL) {
    atomic_fetch_sub(&caller->component->runtime->holders,
                     1); /* no lock: it changes nothing else */
  }
  *caller = (sn_caller){0};
}
