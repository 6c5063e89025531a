/** @file
 *  Internal: one connection from a writer to a reader, with its messages. */
#ifndef SN_RT_PORTS_CHANNEL_H
#define SN_RT_PORTS_CHANNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "msg/msg_copier.h"
#include "rt/ports/queue.h"
#include "rt/ports/stream.h"
#include "rt/ports/triple.h"
#include "rt/reclaim.h"
#include "sinew/port.h"

struct sn__component_runtime;
struct sn_port;

/** One end of a channel; runtime NULL: outside of the system. */
typedef struct sn__end {
  struct sn__component_runtime *runtime;
  const struct sn_port *port;
} sn__end;

typedef struct sn__channel {
  sn__retired retired;
  sn_arena arena; /**< all memory except this struct */
  const sn_msg_type *type;
  const sn_msg_copier *copier;
  sn_connection connection;
  sn__stream *stream;  /**< receives the messages, packed; NULL: the slots do */
  uint16_t stream_tag; /**< of its records */
  sn__end writer, reader;
  uint64_t source; /**< number of the source; 0: the writer is a component */
  void **slots;
  union {
    sn__triple triple; /**< data */
    sn__queue queue;   /**< buffered */
  } ends;
  bool has_data; /**< of the reader: a message was read before */
  _Atomic uint64_t written, lost;
} sn__channel;

/** @return NULL if memory runs out */
sn__channel *sn__channel_create(const sn_msg_type *type, const sn_msg_capacity *capacity,
                                const sn_connection *connection);

/** The same for a channel without memory of its own, to be read by the reader of the stream, which
 *  must outlive it. */
sn__channel *sn__channel_create_packed(const sn_msg_type *type, sn__stream *stream, uint16_t tag);

/** Free it at once. No thread may use it any more. */
void sn__channel_destroy(sn__channel *channel);

/** Copy a message into the channel. @return SN_OK, SN_ENOSPC. RT: yes */
sn_status sn__channel_write(sn__channel *channel, const void *msg) SN_RT;

/** As sn_input_read(). RT: yes */
const void *sn__channel_read(sn__channel *channel, sn_flow *flow) SN_RT;

/** Drop all unread messages. The reader's side. */
void sn__channel_forget(sn__channel *channel);

sn_port_counts sn__channel_counts(const sn__channel *channel);

#endif
