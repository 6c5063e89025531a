#include "rt/ports/shared_tap.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/fail.h"
#include "rt/component_runtime.h"

struct sn__shared_tap {
  sn__shared_tap *next;  /* of the output; management's */
  sn__channel *channel;  /* what the cycle writes */
  pthread_mutex_t mutex; /* reading the channel, passing on, and who is here */
  sn__shared_tap_reader *first;
};

/* What waits in the hub goes to everybody. Since it comes in order and the oldest are dropped, a
   reader finds the same messages as if it had been alone. */
static void pass_on(sn__shared_tap *hub) {
  sn_flow flow = SN_NEW_DATA;
  for (size_t i = 0; i <= hub->channel->connection.buffer; i++) {
    const void *msg = sn__channel_read(hub->channel, &flow);
    if (flow != SN_NEW_DATA) {
      return;
    }
    for (sn__shared_tap_reader *reader = hub->first; reader != NULL; reader = reader->next) {
      (void)sn__channel_write(reader->channel, msg); /* what does not fit is counted there */
    }
  }
}

static sn__shared_tap *find_hub(const sn__output *output, size_t buffer) {
  sn__shared_tap *hub = output->first_hub;
  while (hub != NULL && hub->channel->connection.buffer != buffer) {
    hub = hub->next;
  }
  return hub;
}

static void destroy_hub(sn__shared_tap *hub) {
  pthread_mutex_destroy(&hub->mutex);
  free(hub);
}

static sn__shared_tap *create_hub(const sn__end *writer, const sn_connection *connection) {
  sn__output *output = sn__output_of(writer);
  sn__shared_tap *hub = calloc(1, sizeof *hub);
  if (hub == NULL || pthread_mutex_init(&hub->mutex, NULL) != 0) {
    free(hub);
    return NULL;
  }
  hub->channel = sn__channel_create(writer->port->type, &output->capacity, connection);
  if (hub->channel == NULL) {
    destroy_hub(hub);
    return NULL;
  }
  hub->channel->writer = *writer;
  if (sn__output_add(output, hub->channel, NULL) != SN_OK) {
    sn__channel_destroy(hub->channel);
    destroy_hub(hub);
    return NULL;
  }
  hub->next = output->first_hub;
  output->first_hub = hub;
  return hub;
}

sn_status sn__shared_tap_join(const sn__end *writer, const sn_connection *connection,
                              sn__shared_tap_reader *reader, sn_error *err) {
  const sn__output *output = sn__output_of(writer);
  sn__channel *channel = sn__channel_create(writer->port->type, &output->capacity, connection);
  sn__shared_tap *hub = find_hub(output, connection->buffer);
  if (hub == NULL && channel != NULL) {
    hub = create_hub(writer, connection);
  }
  if (hub == NULL || channel == NULL) {
    if (channel != NULL) {
      sn__channel_destroy(channel);
    }
    return sn__fail(err, SN_ENOMEM, "no memory to read %s.%s", writer->runtime->component->name,
                    writer->port->name);
  }
  channel->writer = *writer;
  pthread_mutex_lock(&hub->mutex);
  pass_on(hub); /* what was written before is for the others only */
  *reader = (sn__shared_tap_reader){hub, channel, sn__channel_counts(hub->channel), hub->first};
  hub->first = reader;
  pthread_mutex_unlock(&hub->mutex);
  return SN_OK;
}

static void close_hub(sn__shared_tap *hub) {
  sn__output *output = sn__output_of(&hub->channel->writer);
  sn__shared_tap **at = &output->first_hub;
  while (*at != hub) {
    at = &(*at)->next;
  }
  *at = hub->next;
  sn__output_remove(output, hub->channel);
  sn__system_retire(output->runtime->system, &hub->channel->retired);
  destroy_hub(hub);
}

void sn__shared_tap_leave(sn__shared_tap_reader *reader) {
  sn__shared_tap *hub = reader->hub;
  pthread_mutex_lock(&hub->mutex);
  sn__shared_tap_reader **at = &hub->first;
  while (*at != reader) {
    at = &(*at)->next;
  }
  *at = reader->next;
  const bool is_last = hub->first == NULL;
  pthread_mutex_unlock(&hub->mutex);
  sn__channel_destroy(reader->channel); /* no cycle ever saw it */
  if (is_last) {
    close_hub(hub);
  }
}

const void *sn__shared_tap_read(sn__shared_tap_reader *reader, sn_flow *flow) {
  pthread_mutex_lock(&reader->hub->mutex);
  pass_on(reader->hub);
  pthread_mutex_unlock(&reader->hub->mutex);
  return sn__channel_read(reader->channel, flow);
}

sn_port_counts sn__shared_tap_counts(const sn__shared_tap_reader *reader) {
  const sn_port_counts all = sn__channel_counts(reader->hub->channel);
  return (sn_port_counts){
      .written = all.written - reader->at_join.written,
      .lost = all.lost - reader->at_join.lost + sn__channel_counts(reader->channel).lost,
  };
}
