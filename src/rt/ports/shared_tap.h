/** @file
 *  Internal: what taps share that read the same output in the same way. The cycle copies a message
 *  once, into the hub; whoever of them reads first passes it on to all. Only they lock: a cycle
 *  knows nothing of a hub but its channel. */
#ifndef SN_RT_PORTS_SHARED_TAP_H
#define SN_RT_PORTS_SHARED_TAP_H

#include "rt/ports/channel.h"
#include "sinew/status.h"

typedef struct sn__shared_tap sn__shared_tap;

/** One of those who share. */
typedef struct sn__shared_tap_reader {
  sn__shared_tap *hub;
  sn__channel *channel;   /**< its own messages, from the hub */
  sn_port_counts at_join; /**< of the hub, before this one came */
  struct sn__shared_tap_reader *next;
} sn__shared_tap_reader;

/** Come to the hub of an output, which is made if there is none; it gets what is written from now
 *  on. The system is held.
 *  @return SN_OK, SN_ENOMEM */
sn_status sn__shared_tap_join(const sn__end *writer, const sn_connection *connection,
                              sn__shared_tap_reader *reader, sn_error *err);
/** Go; the last one takes the hub along. The system is held. */
void sn__shared_tap_leave(sn__shared_tap_reader *reader);

/** As sn_tap_read(). Threads: one for each reader; they wait for each other. RT: no */
const void *sn__shared_tap_read(sn__shared_tap_reader *reader, sn_flow *flow);
sn_port_counts sn__shared_tap_counts(const sn__shared_tap_reader *reader);

#endif
