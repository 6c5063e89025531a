/** @file
 *  Internal: why an emergency stop was not obeyed, for people. */
#ifndef SN_RT_ESTOP_ESTOP_WHY_H
#define SN_RT_ESTOP_ESTOP_WHY_H

#include "sinew/estop.h"

/** Name all who did not obey, and why. Waits for no lock. @return SN_ETIMEDOUT.  RT: no. */
sn_status sn__estop_explain(sn_system *system, const sn_estop_state *state, sn_error *err);

#endif
