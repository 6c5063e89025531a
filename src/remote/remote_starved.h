/** @file
 *  Servers that cannot accept a connection because the process has no descriptors left: they pause
 *  and say so, instead of trying again at once for ever. */
#ifndef SN_REMOTE_REMOTE_STARVED_H
#define SN_REMOTE_REMOTE_STARVED_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/log.h"
#include "sinew/system.h"

/** How long a server does not accept after that. */
#define SN__REMOTE_ACCEPT_PAUSE_NS INT64_C(100000000)

/** The line of the log. */
#define SN__REMOTE_STARVED                                                                      \
  "no file descriptor is free for a new connection: raise the limit of open files (ulimit -n, " \
  "LimitNOFILE=)"

/** Is this the reason why accept() failed? @param error  errno */
bool sn__remote_is_starved(int error);

/** One line a second. @param who  of the system's log */
void sn__remote_log_starved(sn_system *system, const char *who, sn_log_limit *limit);

#endif
