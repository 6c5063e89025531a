/** @file
 *  Taps that streams share: however many clients listen to a port, its component writes one copy
 *  more and not one for each of them. */
#ifndef SN_REMOTE_REMOTE_TAP_H
#define SN_REMOTE_REMOTE_TAP_H

#include <stddef.h>
#include <stdint.h>

#include "sinew/tap.h"

/** One port that is listened to. */
typedef struct sn__remote_tap {
  struct sn__remote_tap *next;
  sn_tap *tap;
  size_t users;
  uint64_t serial;  /**< of the latest message, counted from 1; the reader's, as what follows */
  uint64_t written; /**< messages so far, when the latest was read */
  const void *msg;  /**< the latest; NULL if there is none */
  char name[];      /**< `component.port` */
} sn__remote_tap;

/** All that are open. All zero is none. */
typedef struct sn__remote_taps {
  sn__remote_tap *first;
} sn__remote_taps;

/** Open a port, or share it.
 *  @return as sn_tap_open().  Threads: one opens and closes. */
sn_status sn__remote_tap_open(sn__remote_taps *taps, sn_system *system, const char *name,
                              sn__remote_tap **out, sn_error *err);

/** The last user's close is a real one. NULL is allowed. Threads: as above. */
void sn__remote_tap_close(sn__remote_taps *taps, sn__remote_tap *tap);

/** Look for a new message; `msg` and `serial` are then the latest. Threads: one reader. */
void sn__remote_tap_look(sn__remote_tap *tap);

#endif
