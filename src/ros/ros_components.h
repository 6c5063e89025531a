/** @file
 *  Internal: the component types `ros1` and `ros2`, the latter only with SINEW_ROS2. */
#ifndef SN_ROS_ROS_COMPONENTS_H
#define SN_ROS_ROS_COMPONENTS_H

#include "sinew/component.h"

extern const sn_component_type sn__ros1_component;
extern const sn_component_type sn__ros2_component;

#endif
