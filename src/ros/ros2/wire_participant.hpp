/** @file
 *  Internal: how the participant of Fast DDS finds others. */
#ifndef SN_ROS_ROS2_WIRE_PARTICIPANT_HPP
#define SN_ROS_ROS2_WIRE_PARTICIPANT_HPP

#include <fastdds/rtps/attributes/RTPSParticipantAttributes.h>

#include "ros/ros2/service_wire.h"

namespace sn {

eprosima::fastrtps::rtps::RTPSParticipantAttributes wire_participant(const sn__wire_config &config);

}  // namespace sn

#endif
