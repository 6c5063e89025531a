/** @file
 *  Ports: wait-free message passing between components.
 *
 *  One output, any number of inputs; each connection has its own memory. An input has one writer. A
 *  *data* connection holds the latest message, a *buffered* one a queue. Writing and reading never
 *  block, allocate or call the system, and neither side waits for the other.
 *
 *  A port is a member of the component's struct and named in its table (component.h). */
#ifndef SINEW_PORT_H
#define SINEW_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

struct sn__output;
struct sn__channel;

/** Fill `msg`, a struct of the port's type, then sn_output_write(). It keeps its contents between
 *  writes. */
typedef struct sn_output {
  void *msg;
  struct sn__output *inner; /**< private */
} sn_output;

/** Private. */
typedef struct sn_input {
  struct sn__channel *channel;
} sn_input;

/** Several inputs under one name, one for each writer, for components that merge messages. Items
 *  0 .. count-1, in the order of connection, do not change while the component runs. */
typedef struct sn_inputs {
  sn_input *items;
  size_t count;
} sn_inputs;

typedef enum sn_flow {
  SN_NO_DATA,  /**< nothing was written yet, or nothing is connected */
  SN_OLD_DATA, /**< the message of the last read */
  SN_NEW_DATA
} sn_flow;

/** Send `output->msg` to every reader. A message with a number that is not finite is not sent, and
 *  the component enters the error state at the end of its step.
 *  @return SN_OK (also without readers); SN_EINVAL: not finite; SN_ENOSPC: too large for the memory
 *          of a reader, which did not receive it; counted as lost
 *  RT: yes, O(size of the message * readers).  Threads: the component's. */
SN_API sn_status sn_output_write(sn_output *output) SN_RT;

/** @return whether there are readers; saves work if not.  RT: yes.  Threads: owner. */
SN_API bool sn_output_is_connected(const sn_output *output) SN_RT;

/** The latest message of a data connection; the oldest unread of a buffered one.
 *  @param flow  whether it is new; may be NULL
 *  @return the message, valid until the next read of this input; NULL before the first one
 *  RT: yes.  Threads: the component's. */
SN_API const void *sn_input_read(sn_input *input, sn_flow *flow) SN_RT;

/** Messages of one input that a component reads in one cycle; the others wait. At 100 Hz it keeps
 *  up with 100 000 messages a second. */
enum { SN_INPUT_BURST_MAX = 1024 };

/** The oldest message that was not read yet. A reader that takes one message a cycle from a
 *  buffered connection never catches up after a burst, so take all of them if they add up (some
 *  joints, some limbs), else use sn_input_newest().
 *  @param left  how many may be read in this cycle: SN_INPUT_BURST_MAX at first, counted down
 *  @return valid until the next read; NULL: none is unread, or enough were read
 *  RT: yes.  Threads: the component's. */
static inline const void *sn_input_next(sn_input *input, size_t *left) {
  sn_flow flow = SN_NO_DATA;
  const void *msg = *left > 0 ? sn_input_read(input, &flow) : NULL;
  *left -= flow == SN_NEW_DATA;
  return flow == SN_NEW_DATA ? msg : NULL;
}

/** The newest message that was not read yet, of SN_INPUT_BURST_MAX; older ones are skipped.
 *  @return valid until the next read; NULL: none is unread
 *  RT: yes.  Threads: the component's. */
static inline const void *sn_input_newest(sn_input *input) {
  const void *newest = NULL;
  size_t left = SN_INPUT_BURST_MAX;
  for (const void *msg = NULL; (msg = sn_input_next(input, &left)) != NULL;) {
    newest = msg; /* stays valid: a read without a new message does not advance */
  }
  return newest;
}

/** @return whether there is a writer.  RT: yes.  Threads: owner. */
SN_API bool sn_input_is_connected(const sn_input *input) SN_RT;

/** The component that writes to this input; NULL if nothing is connected or the writer is an
 *  sn_source (tap.h). It is a fact of the connection: the contents of a message cannot forge it.
 *  RT: yes.  Threads: owner. */
SN_API const struct sn_component *sn_input_writer(const sn_input *input) SN_RT;

/** What happens to a message when the queue is full. */
typedef enum sn_overflow {
  SN_OVERFLOW_DROP_OLDEST, /**< keep the newest messages */
  SN_OVERFLOW_REFUSE       /**< keep the oldest messages */
} sn_overflow;

/** How two ports are connected; all zero is a data connection. */
typedef struct sn_connection {
  size_t buffer; /**< queue length in messages, up to SN_BUFFER_MAX; 0: latest only */
  sn_overflow overflow;
  bool delayed; /**< the reader gets the message of the last cycle: the connection does not
                     determine the order of the steps */
  /** Taps: all shared taps of one output with the same buffer cost its writer one copy together;
   *  they distribute the messages among themselves. Their queues drop the oldest. */
  bool shared;
} sn_connection;

#define SN_BUFFER_MAX 65536

/** Counters of a connection. */
typedef struct sn_port_counts {
  uint64_t written; /**< messages that were sent */
  uint64_t lost;    /**< dropped or refused because the queue was full, or the message too large */
} sn_port_counts;

SN_END_DECLS

#endif
