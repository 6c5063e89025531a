/** @file
 *  A small system for tests of the control socket: `source` counts and writes, `sink` reads,
 *  `source.filter` is a service inside it. */
#ifndef SN_CONTROL_RIG_H
#define SN_CONTROL_RIG_H

#include <stdatomic.h>
#include <stdbool.h>

#include "run/control_server.h"
#include "sinew/system.h"
#include "sinew/tap.h"

typedef struct control_rig {
  sn_clock clock;
  sn_system *system;
  control_server *server; /**< NULL without a socket */
  char folder[64];        /**< of the socket */
  char socket[96];
} control_rig;

/** The system, all components configured but none started, on a simulated clock. */
void control_rig_open(control_rig *rig);

/** The system running on the real clock, with its socket. */
void control_rig_serve(control_rig *rig);

void control_rig_close(control_rig *rig);

/** For tests that need one served system each: set-up, tear-down, and the system. */
int control_rig_set_up(void **state);
int control_rig_tear_down(void **state);
extern control_rig served;

/** The operation `source.block` waits for as long as this is true; it counts callers inside. */
extern atomic_bool control_rig_gate_closed;
extern atomic_int control_rig_inside;

#endif
