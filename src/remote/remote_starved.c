#include "remote/remote_starved.h"

#include <errno.h>

bool sn__remote_is_starved(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

void sn__remote_log_starved(sn_system *system, const char *who, sn_log_limit *limit) {
  const sn_component source = {.name = who, .system = system};
  sn_component_log_limited(&source, limit, sn_clock_now_ns(sn_system_clock(system)), SN_LOG_WARNING,
                           SN__REMOTE_STARVED, 0, NULL);
}
