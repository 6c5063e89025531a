/** @file
 *  Internal: draining an input within a bound. A component that reads one message per cycle from a
 *  buffered connection never catches up with a writer of the same rate. So every component drains
 *  its inputs: it processes each message if they are partial (some joints, some limbs), else the
 *  newest. */
#ifndef SN_RT_PORTS_INPUT_DRAIN_H
#define SN_RT_PORTS_INPUT_DRAIN_H

#include <stddef.h>

#include "sinew/port.h"

/** Messages that are read from one input per cycle; the others wait. Enough for 100 000 messages
 *  per second at 100 Hz. */
enum { SN__DRAIN_MAX = 1024 };

/** The oldest unread message.
 *  @param left  messages that may still be read in this cycle: initialise with SN__DRAIN_MAX
 *  @return valid until the next read; NULL: none, or the limit is reached
 *  RT: yes.  Threads: the component's. */
static inline const void *sn__input_next(sn_input *input, size_t *left) {
  sn_flow flow = SN_NO_DATA;
  const void *msg = *left > 0 ? sn_input_read(input, &flow) : NULL;
  *left -= flow == SN_NEW_DATA;
  return flow == SN_NEW_DATA ? msg : NULL;
}

/** The newest of up to SN__DRAIN_MAX unread messages; older ones are skipped.
 *  @return valid until the next read; NULL: none
 *  RT: yes.  Threads: the component's. */
static inline const void *sn__input_newest(sn_input *input) {
  const void *newest = NULL;
  size_t left = SN__DRAIN_MAX;
  for (const void *msg = NULL; (msg = sn__input_next(input, &left)) != NULL;) {
    newest = msg; /* stays valid: a read without a new message does not advance */
  }
  return newest;
}

#endif
