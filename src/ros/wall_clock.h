/** @file
 *  Internal: the time of a ROS graph. Nodes of ROS 1 stamp messages by the wall clock; components
 *  never see it, the bridge translates. */
#ifndef SN_ROS_WALL_CLOCK_H
#define SN_ROS_WALL_CLOCK_H

#include <stdint.h>

/** Nanoseconds since 1970. */
int64_t sn__wall_now_ns(void);

#endif
