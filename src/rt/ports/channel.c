#include "rt/ports/channel.h"

#include <stddef.h>
#include <stdlib.h>

#include "sinew/component.h"

static bool is_buffered(const sn__channel *channel) {
  return channel->connection.buffer > 0;
}

static void dispose(sn__retired *what) {
  char *at = (char *)what - offsetof(sn__channel, retired);
  sn__channel_destroy((sn__channel *)(void *)at); /* aligned as it is */
}

static bool create_slots(sn__channel *channel, const sn_msg_capacity *capacity) {
  const size_t buffer = channel->connection.buffer;
  const size_t count = buffer > 0 ? (size_t)sn__queue_slots(buffer) : SN__TRIPLE_SLOTS;
  if (!is_buffered(channel)) {
    sn__triple_init(&channel->ends.triple);
    channel->slots = channel->latest;
  } else if (sn__queue_init(&channel->ends.queue, &channel->arena, buffer)) {
    channel->slots = SN_NEW(&channel->arena, void *, count);
  }
  for (size_t i = 0; channel->slots != NULL && i < count; i++) {
    channel->slots[i] = sn_msg_create(&channel->arena, channel->type, capacity);
    if (channel->slots[i] == NULL) {
      return false;
    }
  }
  return channel->slots != NULL;
}

/* Without slots. */
static sn__channel *create_empty(const sn_msg_type *type, const sn_msg_copier *copier,
                                 const sn_connection *connection) {
  sn__channel *channel = aligned_alloc(alignof(sn__channel), sizeof *channel);
  if (channel == NULL) {
    return NULL;
  }
  *channel = (sn__channel){
      .retired.dispose = dispose, .type = type, .copier = copier, .connection = *connection};
  sn_arena_init_growing(&channel->arena, "channel", 0);
  if (copier == NULL) {
    channel->copier = sn__msg_copier_create(&channel->arena, type);
  }
  if (channel->copier == NULL) {
    sn__channel_destroy(channel);
    return NULL;
  }
  return channel;
}

sn__channel *sn__channel_create(const sn_msg_type *type, const sn_msg_copier *copier,
                                const sn_msg_capacity *capacity, const sn_connection *connection) {
  sn__channel *channel = create_empty(type, copier, connection);
  if (channel != NULL && !create_slots(channel, capacity)) {
    sn__channel_destroy(channel);
    return NULL;
  }
  return channel;
}

static void take(sn__channel *channel) {
  sn__latest *latest = channel->shared;
  channel->held_index = sn__latest_take(&latest->word);
  const sn__latest_list *list = atomic_load_explicit(&latest->list, memory_order_acquire);
  channel->held = list->slots[channel->held_index];
}

sn__channel *sn__channel_create_shared(sn__latest *latest, const sn_connection *connection,
                                       sn__retired **replaced) {
  *replaced = NULL;
  sn__channel *channel = create_empty(latest->type, latest->copier, connection);
  if (channel == NULL || sn__latest_join(latest, replaced) != SN_OK) {
    free(channel);
    return NULL;
  }
  channel->shared = latest;
  atomic_init(&channel->written, atomic_load(&latest->written));
  atomic_init(&channel->lost, atomic_load(&latest->lost));
  take(channel);
  return channel;
}

sn__channel *sn__channel_create_packed(const sn_msg_type *type, const sn_msg_copier *copier,
                                       sn__stream *stream, uint16_t tag) {
  sn__channel *channel =
      create_empty(type, copier, &(sn_connection){.overflow = SN_OVERFLOW_REFUSE});
  if (channel != NULL) {
    channel->stream = stream;
    channel->stream_tag = tag;
  }
  return channel;
}

void sn__channel_set_reader(sn__channel *channel, const sn__end *reader) {
  channel->reader = *reader;
  channel->has_event = (reader->port->flags & SN_PORT_EVENT) != 0;
}

void sn__channel_destroy(sn__channel *channel) {
  if (channel->shared != NULL) {
    sn__latest_return(channel->held);
    sn__latest_leave(channel->shared);
  }
  sn_arena_release(&channel->arena);
  free(channel);
}

/* One writer: no read-modify-write needed. */
static void increase(_Atomic uint64_t *number) {
  atomic_store_explicit(number, atomic_load_explicit(number, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}

static sn_status write_packed(sn__channel *channel, const void *msg) {
  const size_t size = sn__msg_pack(channel->copier, msg, NULL);
  void *bytes = sn__stream_begin(channel->stream, size);
  if (bytes == NULL) {
    increase(&channel->lost);
    return SN_OK; /* as with a full queue */
  }
  (void)sn__msg_pack(channel->copier, msg, bytes);
  sn__stream_end(bytes, size, channel->stream_tag);
  return SN_OK;
}

sn_status sn__channel_write(sn__channel *channel, const void *msg) {
  increase(&channel->written);
  if (channel->stream != NULL) {
    return write_packed(channel, msg);
  }
  const bool buffered = is_buffered(channel);
  const uint32_t back = buffered ? channel->ends.queue.back : channel->ends.triple.back;
  if (sn__msg_copier_copy(channel->copier, channel->slots[back], msg) != SN_OK) {
    increase(&channel->lost);
    return SN_ENOSPC;
  }
  if (!buffered) {
    sn__triple_publish(&channel->ends.triple);
  } else if (sn__queue_push(&channel->ends.queue, channel->connection.overflow ==
                                                      SN_OVERFLOW_DROP_OLDEST) != SN__QUEUE_GOOD) {
    increase(&channel->lost);
  }
  return SN_OK;
}

/* @return whether there is something newer */
static bool take_newer(sn__channel *channel) {
  if (!sn__latest_is_newer(&channel->shared->word, channel->held_index)) {
    return false;
  }
  sn__latest_return(channel->held);
  take(channel);
  return true;
}

/* @return the message; NULL: there was none */
static const void *answer(sn__channel *channel, bool is_new, const void *msg, sn_flow *flow) {
  if (is_new) {
    channel->has_data = true;
  }
  if (flow != NULL) {
    *flow = is_new ? SN_NEW_DATA : channel->has_data ? SN_OLD_DATA : SN_NO_DATA;
  }
  return channel->has_data ? msg : NULL;
}

const void *sn__channel_read(sn__channel *channel, sn_flow *flow) {
  if (channel->shared != NULL) {
    const bool is_newer = take_newer(channel);
    return answer(channel, is_newer, channel->held->msg, flow);
  }
  const bool buffered = is_buffered(channel);
  const bool is_new =
      buffered ? sn__queue_pop(&channel->ends.queue) : sn__triple_take(&channel->ends.triple);
  void *const *slots = channel->slots;
  return answer(channel, is_new,
                slots[buffered ? channel->ends.queue.front : channel->ends.triple.front], flow);
}

void sn__channel_forget(sn__channel *channel) {
  sn_flow flow = SN_NEW_DATA;
  for (size_t i = 0; flow == SN_NEW_DATA && i <= channel->connection.buffer + 1; i++) {
    (void)sn__channel_read(channel, &flow);
  }
  channel->has_data = false;
}

sn_port_counts sn__channel_counts(const sn__channel *channel) {
  if (channel->shared != NULL) {
    return (sn_port_counts){
        .written = atomic_load(&channel->shared->written) - atomic_load(&channel->written),
        .lost = atomic_load(&channel->shared->lost) - atomic_load(&channel->lost),
    };
  }
  return (sn_port_counts){
      .written = atomic_load_explicit(&channel->written, memory_order_relaxed),
      .lost = atomic_load_explicit(&channel->lost, memory_order_relaxed),
  };
}
