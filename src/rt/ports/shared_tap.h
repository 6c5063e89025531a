/** @file
 *  Internal: one channel for all shared taps of an output with the same buffer. The cycle copies a
 *  message once, into that channel; the first tap that reads distributes it to all. Only the taps
 *  lock. */
#ifndef SN_RT_PORTS_SHARED_TAP_H
#define SN_RT_PORTS_SHARED_TAP_H

#include "rt/ports/channel.h"
#include "sinew/status.h"

typedef struct sn__shared_tap sn__shared_tap;

/** One reader of a shared tap. */
typedef struct sn__shared_tap_reader {
  sn__shared_tap *shared;
  sn__channel *channel;   /**< its own messages */
  sn_port_counts at_join; /**< counts of the shared channel when this reader joined */
  struct sn__shared_tap_reader *next;
} sn__shared_tap_reader;

/** Join the shared tap of an output, which is created if necessary. The reader gets messages from
 *  now on. The caller holds the system.
 *  @return SN_OK, SN_ENOMEM */
sn_status sn__shared_tap_join(const sn__end *writer, const sn_connection *connection,
                              sn__shared_tap_reader *reader, sn_error *err);
/** Leave; the last reader frees the shared tap. The caller holds the system. */
void sn__shared_tap_leave(sn__shared_tap_reader *reader);

/** As sn_tap_read(). RT: no. Threads: one for each reader; they wait for each other. */
const void *sn__shared_tap_read(sn__shared_tap_reader *reader, sn_flow *flow);
sn_port_counts sn__shared_tap_counts(const sn__shared_tap_reader *reader);

#endif
