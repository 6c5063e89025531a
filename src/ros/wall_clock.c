#define _POSIX_C_SOURCE 200809L

#include <time.h>

#include "ros/ros_transport.h"
#include "sinew/clock.h"

int64_t sn__wall_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t sn__monotonic_now_ns(void) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  return sn_clock_now_ns(&clock);
}
