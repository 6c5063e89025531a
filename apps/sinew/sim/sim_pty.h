/** @file
 *  Simulated servos behind a pseudo-terminal, run by a thread in real time. */
#ifndef SN_SIM_PTY_H
#define SN_SIM_PTY_H

#include "sim/servo_sim.h"

typedef struct sim_pty sim_pty;

/** Opens a pseudo-terminal and starts the thread. @param link  a path that leads to the terminal
 *  and survives unplugging; NULL: none */
sim_pty *sim_pty_start(const servo_sim *sim, const char *link);
void sim_pty_stop(sim_pty *pty);

/** The path to open. */
const char *sim_pty_path(const sim_pty *pty);

/** Lock the servos to change them while the thread runs. */
servo_sim *sim_pty_lock(sim_pty *pty);
void sim_pty_unlock(sim_pty *pty);

/** Unplug the adapter: the terminal hangs up and its path disappears. Plug it in again. */
void sim_pty_unplug(sim_pty *pty);
void sim_pty_plug(sim_pty *pty);

#endif
