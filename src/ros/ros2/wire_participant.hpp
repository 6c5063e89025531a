/** @file
 *  Internal: how the participant of Fast DDS finds others. */
#ifndef SN_ROS_ROS2_WIRE_PARTICIPANT_HPP
#define SN_ROS_ROS2_WIRE_PARTICIPANT_HPP

#include <fastdds/rtps/attributes/RTPSParticipantAttributes.h>

#include <memory>

#include "ros/ros2/service_wire.h"
#include "ros/ros2/wire_echo.hpp"

namespace sn {

/** @param echo  of its packets */
eprosima::fastrtps::rtps::RTPSParticipantAttributes wire_participant(
    const sn__wire_config &config, const std::shared_ptr<wire_echo> &echo);

}  // namespace sn

#endif
