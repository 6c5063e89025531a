/** @file
 *  Internal: the type of component that is a node of a ROS 2 graph. */
#ifndef SN_ROS_ROS2_ROS2_H
#define SN_ROS_ROS2_ROS2_H

#include "sinew/component.h"

extern const sn_component_type sn__ros2_component;

#endif
