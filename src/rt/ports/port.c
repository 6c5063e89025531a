#include "sinew/port.h"

#include "rt/component_runtime.h"
#include "rt/journal/journal.h"

/* Management may change an input's channel while its owner reads: see reclaim.c. */
static sn__channel *channel_of(const sn_input *input) {
  return __atomic_load_n(&input->channel, __ATOMIC_ACQUIRE);
}

/* A component that comes later in this cycle sees it anyway; all others have to be woken. */
void sn__channel_trigger(const sn__channel *channel, const sn_activity *writers_activity) {
  if (!channel->has_event) {
    return;
  }
  sn__component_runtime *reader = channel->reader.runtime;
  atomic_store_explicit(&reader->triggered, true, memory_order_release);
  const bool comes_later = reader->activity == writers_activity && !channel->connection.delayed &&
                           (channel->reader.port->flags & SN_PORT_FEEDBACK) == 0;
  if (reader->activity != NULL && !comes_later) {
    sn__activity_notify(reader->activity);
  }
}

sn_status sn_output_write(sn_output *output) {
  const sn__output *inner = output->inner;
  if (!sn__msg_checker_is_finite(inner->checker, output->msg)) {
    inner->runtime->wrote_not_finite = true;
    return SN_EINVAL;
  }
  sn__latest *latest = atomic_load_explicit(&inner->latest, memory_order_acquire);
  sn_status status = latest == NULL ? SN_OK : sn__latest_write(latest, output->msg);
  const sn_status shared = status;
  const sn__fanout *fanout = atomic_load_explicit(&inner->fanout, memory_order_acquire);
  for (size_t i = 0; fanout != NULL && i < fanout->capacity; i++) {
    sn__channel *channel = atomic_load(&fanout->channels[i]);
    if (channel == NULL) {
      continue;
    }
    const bool is_shared = channel->shared != NULL;
    if ((is_shared ? shared : sn__channel_write(channel, output->msg)) == SN_OK) {
      sn__channel_trigger(channel, inner->runtime->activity);
    } else {
      status = SN_ENOSPC;
    }
  }
  return status;
}

static bool has_channels(const sn__fanout *fanout) {
  return fanout != NULL && atomic_load_explicit(&fanout->count, memory_order_relaxed) > 0;
}

bool sn_output_is_connected(const sn_output *output) {
  const sn__output *inner = output->inner;
  return has_channels(atomic_load_explicit(&inner->fanout, memory_order_acquire)) ||
         has_channels(atomic_load_explicit(&inner->silent, memory_order_acquire));
}

const void *sn_input_read(sn_input *input, sn_flow *flow) {
  sn__channel *channel = channel_of(input);
  if (channel == NULL) {
    if (flow != NULL) {
      *flow = SN_NO_DATA;
    }
    return NULL;
  }
  sn_flow came = SN_NO_DATA;
  const void *msg = sn__channel_read(channel, &came);
  if (came == SN_NEW_DATA && channel->source != 0) {
    sn__journal_input(channel, msg);
  }
  if (flow != NULL) {
    *flow = came;
  }
  return msg;
}

bool sn_input_is_connected(const sn_input *input) {
  return channel_of(input) != NULL;
}

const sn_component *sn_input_writer(const sn_input *input) {
  const sn__channel *channel = channel_of(input);
  return channel == NULL || channel->writer.runtime == NULL ? NULL
                                                            : channel->writer.runtime->component;
}
