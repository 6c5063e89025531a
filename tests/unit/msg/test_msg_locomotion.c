/* Messages of walking have the definitions of the original robot's packages. */
#include "msg/wire/digest.h"
#include "msg/wire/msg_ros1.h"
#include "sinew/msg_locomotion.h"
#include "sn_test.h"

static void md5_of(const char *text, char out[SN_ROS1_MD5_SIZE]) {
  sn__digest md5;
  sn__digest_init(&md5, &sn__md5);
  sn__digest_add(&md5, text, strlen(text));
  sn__digest_end(&md5, out);
}

/* Definitions as genmsg normalises them. A nested type is its MD5 sum: `2176…` is std_msgs/Header,
   `e45d…` geometry_msgs/Pose, `9f19…` kdl_msgs/Twist, `4a84…` geometry_msgs/Point. */
#define HEADER "2176decaecbce78abc3b96ef049fabed"
#define POSE "e45d45a5a1ce597b249e23fb30fc871f"
#define TWIST "9f195f881246fdfa2798d1d3eebca84a"
#define POINT "4a842b65f413084dc2b10fb484ea7f17"
#define RESULT "int32 error_code\nstring error_string"

static void check(const sn_msg_type *type, const char *definition) {
  char sum[SN_ROS1_MD5_SIZE], expected[SN_ROS1_MD5_SIZE];
  sn__ros1_md5(type, sum);
  md5_of(definition, expected);
  assert_string_equal(sum, expected);
}

/* `@` in the definition is the sum of the nested type. */
static void check_with(const sn_msg_type *type, const sn_msg_type *nested, const char *definition) {
  char sum[SN_ROS1_MD5_SIZE], text[1024] = "";
  sn__ros1_md5(nested, sum);
  size_t used = 0;
  for (const char *c = definition; *c != '\0'; c++) {
    assert_true(used + sizeof sum < sizeof text);
    used += (size_t)snprintf(text + used, sizeof text - used, "%.*s", *c == '@' ? 32 : 1,
                             *c == '@' ? sum : c);
  }
  check(type, text);
}

SN_TEST(step_sequences_are_those_of_the_original) {
  check(&sn_rigid_body_point_type, POSE " pose\n" TWIST " twist\n" TWIST " accel\nbool contact");
  check_with(&sn_rigid_body_trajectory_type, &sn_rigid_body_point_type, "string name\n@ points");
  check_with(&sn_step_goal_type, &sn_rigid_body_trajectory_type,
             HEADER
             " header\nbool append\nfloat64[] time_from_start\n@ base_motion\n"
             "@ ee_motion\nfloat64 position_tolerance\nfloat64 orientation_tolerance");
  check(&sn_step_result_type,
        "int32 SUCCESSFUL=0\nint32 INVALID_TRAJECTORY=-1\nint32 INVALID_END_EFFECTOR=-2\n"
        "int32 UNABLE_TO_APPEND=-3\nint32 TOLERANCE_VIOLATED=-4\nint32 INTERNAL_ERROR=-5\n" RESULT);
  check(&sn_step_feedback_type, "duration time_from_start");
}

SN_TEST(activation_is_that_of_the_original) {
  check(&sn_set_operational_goal_type, "bool operational\nstring[] resources");
  check(&sn_set_operational_result_type,
        "int32 SUCCESSFUL=0\nint32 COMPONENT_IS_NOT_READY=-1\nint32 INVALID_RESOURCE_SET=-2\n"
        "int32 START_CONDITIONS_VIOLATED=-3\nint32 EXECUTION_ERROR=-4\n" RESULT);
  check(&sn_set_operational_feedback_type, "string[] resources");
}

SN_TEST(move_requests_are_those_of_the_original) {
  check(&sn_ee_goal_type,
        "int32 NOMINAL_POSE=0\nint32 BASE_INITIAL=1\nint32 BASE_FINAL=2\nint32 PATH_INITIAL=3\n"
        "int32 PATH_FINAL=4\nint32 WORLD=5\nuint32 POSITION_FIXED=0\nuint32 POSITION_FREE_XY=3\n"
        "uint32 POSITION_FREE_Z=4\nuint32 POSITION_FREE=7\nstring name\nuint32 frame_type\n" POINT
        " position\nuint32 position_bounds\nbool contact");
  check_with(&sn_move_base_goal_type, &sn_ee_goal_type,
             "uint32 POSE_FIXED=0\nuint32 POSE_FREE_XY=3\nuint32 POSE_FREE_Z=4\n"
             "uint32 POSE_FIXED_POSITION=56\nuint32 POSE_FIXED_ORIENTATION=7\n"
             "uint32 POSE_FREE=63\n" HEADER
             " header\nstring gait_type\nfloat64 duration\nuint32 n_steps\n" POSE
             " base_goal\nuint32 base_goal_bounds\n@ ee_goal\nfloat64 position_tolerance\n"
             "float64 orientation_tolerance\nbool visualize_only\nbool execute_only");
  check(&sn_move_base_result_type,
        "int32 SUCCESS=0\nint32 SOLUTION_NOT_FOUND=-1\nint32 INVALID_GOAL=-2\n"
        "int32 INTERNAL_ERROR=-3\nint32 TOLERANCE_VIOLATED=-4\nint32 INVALID_INITIAL_POSE=-5\n"
        "int32 EXECUTION_FAILED=-6\n" RESULT);
  check(&sn_move_base_feedback_type, "float64 time_from_start");
}

SN_TEST(names_are_those_of_both_graphs) {
  assert_string_equal(sn_step_goal_type.ros1_name,
                      "sweetie_bot_control_msgs/FollowStepSequenceGoal");
  assert_string_equal(sn_step_goal_type.ros2_name,
                      "sweetie_bot_control_msgs/action/FollowStepSequence_Goal");
  assert_string_equal(sn_step_goal_type.dds_name,
                      "sweetie_bot_control_msgs::action::dds_::FollowStepSequence_Goal_");
}
