/* A message of MoveIt, as far as the plugin needs it; the values are those of MoveIt. */
#ifndef STUB_MOVEIT_MSGS_ERROR_CODES_HPP
#define STUB_MOVEIT_MSGS_ERROR_CODES_HPP

#include <cstdint>

namespace moveit_msgs::msg {

struct MoveItErrorCodes {
  static constexpr int32_t SUCCESS = 1;
  static constexpr int32_t TIMED_OUT = -6;
  static constexpr int32_t GOAL_IN_COLLISION = -12;
  static constexpr int32_t NO_IK_SOLUTION = -31;
  int32_t val = 0;
};

}  // namespace moveit_msgs::msg

#endif
