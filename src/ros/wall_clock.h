/** @file
 *  Internal: the time base of a ROS graph. Components use system time; the bridge converts. */
#ifndef SN_ROS_WALL_CLOCK_H
#define SN_ROS_WALL_CLOCK_H

#include <stdint.h>

/** Wall clock, nanoseconds since 1970. */
int64_t sn__wall_now_ns(void);
/** Monotonic clock, for timeouts. */
int64_t sn__monotonic_now_ns(void);

#endif
