/** @file
 *  What servers do when the process has no file descriptors left for a new connection: log a
 * warning and pause, instead of polling a listener that stays readable. */
#ifndef SN_REMOTE_REMOTE_STARVED_H
#define SN_REMOTE_REMOTE_STARVED_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/log.h"
#include "sinew/system.h"

/** Length of the pause. */
#define SN__REMOTE_ACCEPT_PAUSE_NS INT64_C(100000000)

/** The warning. */
#define SN__REMOTE_STARVED                                                                    \
  "no file descriptors left for a new connection: raise the limit of open files (ulimit -n, " \
  "LimitNOFILE=)"

/** Did accept() fail for this reason? @param error  errno */
bool sn__remote_is_starved(int error);

/** Log the warning, at most once a second. @param who  the source of the line */
void sn__remote_log_starved(sn_system *system, const char *who, sn_log_limit *limit);

#endif
