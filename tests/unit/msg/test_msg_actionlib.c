/* MD5 sums of actions of ROS 1: what `rosmsg md5` says where actionlib_msgs and control_msgs are
   installed. Those of the other actions were computed from their definitions with Python's hashlib.
   */
#include "msg/types/action_types.h"
#include "msg/types/msg_actionlib.h"
#include "msg/types/msg_follow.h"
#include "msg/wire/msg_ros1.h"
#include "sn_test.h"

SN_TEST(sums_are_those_of_ros) {
  static const struct {
    const sn_msg_type *type;
    const char *sum;
  } cases[] = {
      {&sn__actionlib_id_type, "302881f31927c1df708a2dbab0e80ee8"},
      {&sn_actionlib_status_type, "d388f9b87b3c471f784434d671988d4a"},
      {&sn__actionlib_status_array_type, "8b2b82f13216d0a8ea88bd3af735e619"},
      {&sn_trajectory_goal_type, "69636787b6ecbde4d61d711979bc7ecb"},
      {&sn__follow_action_goal_type, "cff5c1d533bf2f82dd0138d57f4304bb"},
      {&sn_follow_result_ros1_type, "493383b18409bfb604b4e26c676401d2"},
      {&sn__follow_action_result_type, "c4fb3b000dc9da4fd99699380efcc5d9"},
      {&sn__follow_action_feedback_type, "d8920dc4eae9fc107e00999cce4be641"},
      {&sn__step_action_goal_type, "ed7f68a775f78fff3514def2b0263865"},
      {&sn__step_action_result_type, "c7700bc5fa57fece7a5e1379ead605fd"},
      {&sn__step_action_feedback_type, "01055057226a56e7ea7b3326cb004642"},
      {&sn__set_operational_action_goal_type, "67c37c8b1f55668c735eac186ba8562e"},
      {&sn__set_operational_action_result_type, "a72109b76bbd48a39a828e550088943d"},
      {&sn__set_operational_action_feedback_type, "47b4d7e265dea331488c4df2523abaf6"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char sum[SN_ROS1_MD5_SIZE];
    sn__ros1_md5(cases[i].type, sum);
    assert_string_equal(sum, cases[i].sum);
  }
}
