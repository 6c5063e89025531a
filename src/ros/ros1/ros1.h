/** @file
 *  Internal: the type of component that is a node of a ROS 1 graph. */
#ifndef SN_ROS_ROS1_ROS1_H
#define SN_ROS_ROS1_ROS1_H

#include "sinew/component.h"

extern const sn_component_type sn__ros1_component;

#endif
