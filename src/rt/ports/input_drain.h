/** @file
 *  Internal: reading all that has come to an input, within a bound.
 *
 *  Whoever reads one message a cycle from a buffered connection stays behind for ever by as many
 *  messages as ever piled up, once its writer is as quick as itself. So every input takes what
 *  there is: each message if they add up (some joints, some limbs), else the newest. */
#ifndef SN_RT_PORTS_INPUT_DRAIN_H
#define SN_RT_PORTS_INPUT_DRAIN_H

#include <stddef.h>

#include "sinew/port.h"

/** Messages of one input in one cycle; the others wait. Whoever writes 100 000 in a second is kept
 *  up with at 100 Hz. */
enum { SN__DRAIN_MAX = 1024 };

/** The oldest message that was not read yet.
 *  @param left  how many may be read in this cycle: SN__DRAIN_MAX at first, counted down
 *  @return valid until the next read; NULL: there is none, or enough were read
 *  RT: yes.  Threads: the component's. */
static inline const void *sn__input_next(sn_input *input, size_t *left) {
  sn_flow flow = SN_NO_DATA;
  const void *msg = *left > 0 ? sn_input_read(input, &flow) : NULL;
  *left -= flow == SN_NEW_DATA;
  return flow == SN_NEW_DATA ? msg : NULL;
}

/** The newest message that was not read yet, of SN__DRAIN_MAX; older ones are passed over.
 *  @return valid until the next read; NULL: there is none
 *  RT: yes.  Threads: the component's. */
static inline const void *sn__input_newest(sn_input *input) {
  const void *newest = NULL;
  size_t left = SN__DRAIN_MAX;
  for (const void *msg = NULL; (msg = sn__input_next(input, &left)) != NULL;) {
    newest = msg; /* stays valid: a read that finds nothing new does not move on */
  }
  return newest;
}

#endif
