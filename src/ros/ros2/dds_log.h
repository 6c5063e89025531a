/** @file
 *  What Cyclone DDS has to say, within limits: it writes a line for each bad packet, which anybody
 *  on the network can send by the million. */
#ifndef SN_ROS_ROS2_DDS_LOG_H
#define SN_ROS_ROS2_DDS_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Keep Cyclone's lines from the standard error, until as many calls of the other. Its traces,
 * which only its configuration turns on, go where that says. */
void sn__dds_log_open(void);
void sn__dds_log_close(void);

/** Take what was said since the last time: the first line, and how many there were.
 *  @param text  cut to @p size; without its end of line
 *  @return how many; 0: none, and @p text is untouched
 *  Threads: any. */
uint64_t sn__dds_log_take(char *text, size_t size);

#endif
