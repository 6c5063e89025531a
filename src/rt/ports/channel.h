/** @file
 *  Internal: one connection from a writer to a reader, with its messages. */
#ifndef SN_RT_PORTS_CHANNEL_H
#define SN_RT_PORTS_CHANNEL_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "msg/msg_copier.h"
#include "rt/ports/latest.h"
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

/** A cycle with cold caches waits for each line that it touches, so members are sorted by who needs
 *  them when: a read of shared messages takes the first line, another read or a write the first two
 *  and one or two of `ends`. */
typedef struct sn__channel {
  alignas(64)
      sn__latest *shared; /**< messages that all readers of the output share; NULL: its own */
  sn__latest_slot *held;  /**< of these, the reader's */
  uint32_t held_index;
  uint16_t stream_tag; /**< of its records */
  bool has_event;      /**< a message triggers the reader */
  bool has_data;       /**< of the reader: a message was read before */
  uint64_t source;     /**< number of the source; 0: the writer is a component */
  sn__end reader;
  void **slots; /**< of the queue, or `latest` */

  sn_connection connection;
  const sn_msg_copier *copier;
  sn__stream *stream; /**< receives the messages, packed; NULL: the slots do */
  void *latest[SN__TRIPLE_SLOTS];
  _Atomic uint64_t written, lost; /**< of shared messages: before the reader joined */
  union {
    sn__triple triple; /**< data */
    sn__queue queue;   /**< buffered */
  } ends;

  sn__retired retired;
  sn_arena arena; /**< all memory except this struct */
  const sn_msg_type *type;
  sn__end writer;
} sn__channel;

/** @param copier  of the type, outlives the channel; NULL: it gets one of its own
 *  @return NULL if memory runs out */
sn__channel *sn__channel_create(const sn_msg_type *type, const sn_msg_copier *copier,
                                const sn_msg_capacity *capacity, const sn_connection *connection);

/** The same for one of several readers that share messages. The channel must be destroyed while
 *  management holds the system.
 *  @param replaced  receives what to retire, or NULL */
sn__channel *sn__channel_create_shared(sn__latest *latest, const sn_connection *connection,
                                       sn__retired **replaced);

/** The same for a channel without memory of its own, to be read by the reader of the stream, which
 *  must outlive it. */
sn__channel *sn__channel_create_packed(const sn_msg_type *type, const sn_msg_copier *copier,
                                       sn__stream *stream, uint16_t tag);

/** Set its reader, before it is written. */
void sn__channel_set_reader(sn__channel *channel, const sn__end *reader);

/** Free it at once. No thread may use it any more. */
void sn__channel_destroy(sn__channel *channel);

/** Copy a message into the channel, which has messages of its own. @return SN_OK, SN_ENOSPC. RT:
 * yes */
sn_status sn__channel_write(sn__channel *channel, const void *msg) SN_RT;

/** As sn_input_read(). RT: yes */
const void *sn__channel_read(sn__channel *channel, sn_flow *flow) SN_RT;

/** Drop all unread messages. The reader's side. */
void sn__channel_forget(sn__channel *channel);

sn_port_counts sn__channel_counts(const sn__channel *channel);

#endif
