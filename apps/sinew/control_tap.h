/** @file
 *  Taps that streams share: however many clients listen to a port, its component writes one copy
 *  more and not one for each of them. */
#ifndef SINEW_APP_CONTROL_TAP_H
#define SINEW_APP_CONTROL_TAP_H

#include <stddef.h>
#include <stdint.h>

#include "sinew/tap.h"

/** One port that is listened to. */
typedef struct control_tap {
  struct control_tap *next;
  sn_tap *tap;
  size_t users;
  uint64_t serial;  /**< of the latest message, counted from 1; the reader's, as what follows */
  uint64_t written; /**< messages so far, when the latest was read */
  const void *msg;  /**< the latest; NULL if there is none */
  char name[];      /**< `component.port` */
} control_tap;

/** All that are open. All zero is none. */
typedef struct control_taps {
  control_tap *first;
} control_taps;

/** Open a port, or share it.
 *  @return as sn_tap_open().  Threads: one opens and closes. */
sn_status control_tap_open(control_taps *taps, sn_system *system, const char *name,
                           control_tap **out, sn_error *err);

/** The last user's close is a real one. NULL is allowed. Threads: as above. */
void control_tap_close(control_taps *taps, control_tap *tap);

/** Look for a new message; `msg` and `serial` are then the latest. Threads: one reader. */
void control_tap_look(control_tap *tap);

#endif
