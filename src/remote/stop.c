#include "remote/remote.h"
#include "sinew/clock.h"
#include "sinew/estop.h"

static int64_t machine_now_ns(void) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  return sn_clock_now_ns(&clock);
}

sn__remote_stop sn__remote_stop_request(sn_system *system, const char *who, const char *why) {
  const uint64_t number = sn_estop_request(system, who, why);
  return (sn__remote_stop){.number = number, .requested_ns = machine_now_ns()};
}

sn_status sn__remote_stop_wait(sn_system *system, const sn__remote_stop *stop, sn_error *err) {
  const int64_t left_ns = stop->requested_ns + SN_ESTOP_TIMEOUT_NS - machine_now_ns();
  return left_ns > 0 ? sn_estop_wait(system, stop->number, left_ns, err)
                     : sn_estop_check(system, stop->number, err);
}
