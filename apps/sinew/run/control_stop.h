/** @file
 *  The emergency stop on the control socket: carried out in the thread that reads the line; only
 * its answer waits, in the urgent lane of the pool. */
#ifndef SINEW_APP_CONTROL_STOP_H
#define SINEW_APP_CONTROL_STOP_H

#include "run/control_peer.h"

/** If the line under way asks for it, stop the system.
 *  @return whether it does: control_stop_answer() is the peer's job then */
bool control_stop_hear(control_peer *peer);

/** Wait until the stop is obeyed, and write the answer. @param job  a peer's */
bool control_stop_answer(sn__remote_job *job, sn__remote_lane lane);

#endif
