#include "rt/ports/shared_tap.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/fail.h"
#include "rt/component_runtime.h"

struct sn__shared_tap {
  sn__shared_tap *next;  /* of the output; of management */
  sn__channel *channel;  /* written by the cycle */
  pthread_mutex_t mutex; /* protects the reading side of the channel and the list of readers */
  sn__shared_tap_reader *first;
};

/* Distribute all queued messages. They are in order and the oldest are dropped, so each reader
   gets the same messages as with a tap of its own. */
static void pass_on(sn__shared_tap *shared) {
  sn_flow flow = SN_NEW_DATA;
  for (size_t i = 0; i <= shared->channel->connection.buffer; i++) {
    const void *msg = sn__channel_read(shared->channel, &flow);
    if (flow != SN_NEW_DATA) {
      return;
    }
    for (sn__shared_tap_reader *reader = shared->first; reader != NULL; reader = reader->next) {
      (void)sn__channel_write(reader->channel, msg); /* the channel counts what does not fit */
    }
  }
}

static sn__shared_tap *find_shared_tap(const sn__output *output, size_t buffer) {
  sn__shared_tap *shared = output->first_shared_tap;
  while (shared != NULL && shared->channel->connection.buffer != buffer) {
    shared = shared->next;
  }
  return shared;
}

static void destroy_shared_tap(sn__shared_tap *shared) {
  pthread_mutex_destroy(&shared->mutex);
  free(shared);
}

static sn__shared_tap *create_shared_tap(const sn__end *writer, const sn_connection *connection) {
  sn__output *output = sn__output_of(writer);
  sn__shared_tap *shared = calloc(1, sizeof *shared);
  if (shared == NULL || pthread_mutex_init(&shared->mutex, NULL) != 0) {
    free(shared);
    return NULL;
  }
  shared->channel =
      sn__channel_create(writer->port->type, output->copier, &output->capacity, connection);
  if (shared->channel == NULL) {
    destroy_shared_tap(shared);
    return NULL;
  }
  shared->channel->writer = *writer;
  if (sn__output_add(output, shared->channel, NULL) != SN_OK) {
    sn__channel_destroy(shared->channel);
    destroy_shared_tap(shared);
    return NULL;
  }
  shared->next = output->first_shared_tap;
  output->first_shared_tap = shared;
  return shared;
}

sn_status sn__shared_tap_join(const sn__end *writer, const sn_connection *connection,
                              sn__shared_tap_reader *reader, sn_error *err) {
  const sn__output *output = sn__output_of(writer);
  sn__channel *channel =
      sn__channel_create(writer->port->type, output->copier, &output->capacity, connection);
  sn__shared_tap *shared = find_shared_tap(output, connection->buffer);
  if (shared == NULL && channel != NULL) {
    shared = create_shared_tap(writer, connection);
  }
  if (shared == NULL || channel == NULL) {
    if (channel != NULL) {
      sn__channel_destroy(channel);
    }
    return sn__fail(err, SN_ENOMEM, "no memory to read %s.%s", writer->runtime->component->name,
                    writer->port->name);
  }
  channel->writer = *writer;
  pthread_mutex_lock(&shared->mutex);
  pass_on(shared); /* earlier messages are for the other readers only */
  *reader =
      (sn__shared_tap_reader){shared, channel, sn__channel_counts(shared->channel), shared->first};
  shared->first = reader;
  pthread_mutex_unlock(&shared->mutex);
  return SN_OK;
}

static void close_shared_tap(sn__shared_tap *shared) {
  sn__output *output = sn__output_of(&shared->channel->writer);
  sn__shared_tap **at = &output->first_shared_tap;
  while (*at != shared) {
    at = &(*at)->next;
  }
  *at = shared->next;
  sn__output_remove(output, shared->channel);
  sn__system_retire(output->runtime->system, &shared->channel->retired);
  destroy_shared_tap(shared);
}

void sn__shared_tap_leave(sn__shared_tap_reader *reader) {
  sn__shared_tap *shared = reader->shared;
  pthread_mutex_lock(&shared->mutex);
  sn__shared_tap_reader **at = &shared->first;
  while (*at != reader) {
    at = &(*at)->next;
  }
  *at = reader->next;
  const bool is_last = shared->first == NULL;
  pthread_mutex_unlock(&shared->mutex);
  sn__channel_destroy(reader->channel); /* cycles do not access it */
  if (is_last) {
    close_shared_tap(shared);
  }
}

const void *sn__shared_tap_read(sn__shared_tap_reader *reader, sn_flow *flow) {
  pthread_mutex_lock(&reader->shared->mutex);
  pass_on(reader->shared);
  pthread_mutex_unlock(&reader->shared->mutex);
  return sn__channel_read(reader->channel, flow);
}

sn_port_counts sn__shared_tap_counts(const sn__shared_tap_reader *reader) {
  const sn_port_counts all = sn__channel_counts(reader->shared->channel);
  return (sn_port_counts){
      .written = all.written - reader->at_join.written,
      .lost = all.lost - reader->at_join.lost + sn__channel_counts(reader->channel).lost,
  };
}
