/** @file
 *  Internal: the component types `ros1` and `ros2`, the latter only with SINEW_ROS2. */
#ifndef SN_ROS_ROS_COMPONENTS_H
#define SN_ROS_ROS_COMPONENTS_H

#include "sinew/component.h"
#include "sinew/log.h"

extern const sn_component_type sn__ros1_component;
extern const sn_component_type sn__ros2_component;

/** Add a record of the system's log to the lines that the node publishes on /rosout.
 *  Threads: any. */
void sn__ros2_log(sn_component *component, const sn_log_record *record);

#endif
