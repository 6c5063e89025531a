/** @file
 *  The emergency stop from outside. Who hears of it stops the system at once, in whatever thread
 *  that is, with sn_estop_request(); what comes of it is waited for and answered in the urgent lane
 *  of a pool. */
#ifndef SN_REMOTE_STOP_H
#define SN_REMOTE_STOP_H

#include "remote/request.h"

/** A stop that was heard. */
typedef struct sn__remote_stop {
  uint64_t number;  /**< of the stop */
  int64_t heard_ns; /**< by the clock of the machine */
} sn__remote_stop;

/** Stop now. RT: yes but for the clock.  Threads: any. */
sn__remote_stop sn__remote_stop_hear(sn_system *system, const char *who, const char *why);

/** Wait until it is obeyed, at most until 100 ms after it was heard.
 *  @return SN_OK, or who did not obey in @p err */
sn_status sn__remote_stop_wait(sn_system *system, const sn__remote_stop *stop, sn_error *err);

/** Wait, and write the line of the control socket.
 *  @param is_call  the answer to the verb `call`, not to `stop` */
void sn__remote_stop_answer(sn_system *system, const sn__remote_stop *stop, const char *id,
                            bool is_call, sn__remote_answer *answer);

#endif
