#include <stdlib.h>

#include "msg/arm/msg_gripper.h"
#include "msg/types/msg_graph.h"
#include "msg/wire/digest.h"
#include "msg/wire/msg_ros1.h"
#include "msg/wire/msg_schema.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

/* The sums that ROS 1 itself publishes for its types: what `rosmsg md5` says on any installation.
 */
SN_TEST(sums_of_standard_types_are_those_of_ros) {
  static const struct {
    const sn_msg_type *type;
    const char *sum;
  } cases[] = {
      {&sn_header_type, "2176decaecbce78abc3b96ef049fabed"},
      {&sn_point_type, "4a842b65f413084dc2b10fb484ea7f17"},
      {&sn_vector3_type, "4a842b65f413084dc2b10fb484ea7f17"},
      {&sn_quaternion_type, "a779879fadf0160734f906b8c19c7004"},
      {&sn_pose_type, "e45d45a5a1ce597b249e23fb30fc871f"},
      {&sn_twist_type, "9f195f881246fdfa2798d1d3eebca84a"},
      {&sn_wrench_type, "4f539cf138b23283b520fd271b567936"},
      {&sn_joint_state_type, "3066dcd76a6cfaef579bd0f34173e9fd"},
      {&sn_battery_state_type, "4ddae7f048e32fda22cac764685e3974"},
      {&sn__std_string_type, "992ce8a1687cec8c8bd883ec73ca41d1"},
      {&sn_transform_type, "ac9eff44abf714214112b05d54a3cf9b"},
      {&sn_transform_stamped_type, "b5764a33bfeb3588febc2682852579b0"},
      {&sn__tf_message_type, "94810edda583a504dfda3829e70d7eec"},
      {&sn_joint_trajectory_point_type, "f3cd1e1c4d320c79d6985c904ae5dcd3"},
      {&sn_joint_trajectory_type, "65b4f94a94d1ed67169da35a02f33d3f"},
      {&sn_joint_tolerance_type, "f544fe9c16cf04547e135dd6063ff5be"},
      {&sn_imu_type, "6a62c6daae103f4ff57a132d6f95cec2"},
      {&sn_odometry_type, "cd5e73d190d741a2f92e81eda573aca7"},
      {&sn_pose_covariance_type, "c23e848cf1b7533a8d7c259073a97e6f"},
      {&sn_twist_covariance_type, "1fe8a28e6890a4cc3ae4c3ca5c7d82e6"},
      {&sn_pose_stamped_type, "d3812c3cbc69362b77dc0b19b345f8f5"},
      {&sn_twist_stamped_type, "98d34b0043a2093cf9d9345ab6eef12e"},
      {&sn_joint_jog_type, "1685da700c8c2e1254afc92a5fb89c96"},
      {&sn__gripper_command_type, "680acaff79486f017132a7f198d40f08"},
      {&sn__gripper_goal_type, "86fd82f4ddc48a4cb6856cfa69217e43"},
      {&sn__gripper_result_type, "e4cbff56d3562bcf113da5a5adeef91f"},
      {&sn__gripper_feedback_type, "e4cbff56d3562bcf113da5a5adeef91f"},
      {&sn_point_stamped_type, "c63aecb41bfdfd6b7e1fac37c7cbe7bf"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char sum[SN_ROS1_MD5_SIZE];
    sn__ros1_md5(cases[i].type, sum);
    assert_string_equal(sum, cases[i].sum);
  }
}

/* Likewise by `rossrv md5`: SetBool, Trigger and Empty. */
SN_TEST(sums_of_standard_services_are_those_of_ros) {
  char sum[SN_ROS1_MD5_SIZE];
  sn__ros1_service_md5(&sn_call_switch_type, &sn_call_outcome_type, sum);
  assert_string_equal(sum, "09fb03525b03e7ea1fd3992bafd87e16");
  sn__ros1_service_md5(NULL, &sn_call_outcome_type, sum);
  assert_string_equal(sum, "937c9679a518e3a18d831e57125ea522");
  sn__ros1_service_md5(NULL, NULL, sum);
  assert_string_equal(sum, "d41d8cd98f00b204e9800998ecf8427e");
}

/* Test suite of RFC 1321, appendix A.5. */
SN_TEST(md5_agrees_with_its_standard) {
  static const char *const cases[][2] = {
      {"", "d41d8cd98f00b204e9800998ecf8427e"},
      {"a", "0cc175b9c0f1b6a831c399e269772661"},
      {"abc", "900150983cd24fb0d6963f7d28e17f72"},
      {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
      {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
      {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
       "d174ab98d277d9f5a5611c2c9f419d9f"},
      {"1234567890123456789012345678901234567890123456789012345678901234567890"
       "1234567890",
       "57edf4a22be3c955ac49da2e2107b67a"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char sum[33];
    sn__digest md5;
    sn__digest_init(&md5, &sn__md5);
    sn__digest_add(&md5, cases[i][0], strlen(cases[i][0]));
    sn__digest_end(&md5, sum);
    assert_string_equal(sum, cases[i][1]);
  }
}

static char *schema(size_t (*write)(const sn_msg_type *, char *, size_t), const sn_msg_type *type) {
  const size_t length = write(type, NULL, 0);
  char *text = malloc(length + 1);
  assert_non_null(text);
  assert_int_equal(write(type, text, length + 1), length);
  assert_int_equal(strlen(text), length);
  return text;
}

#define LINE "================================================================================\n"

SN_TEST(definitions_come_with_all_that_they_need) {
  char *ros2 = schema(sn__msg_schema_ros2, &sn_joint_state_type);
  assert_string_equal(ros2,
                      "std_msgs/Header header\nstring[] name\nfloat64[] position\n"
                      "float64[] velocity\nfloat64[] effort\n" LINE
                      "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n" LINE
                      "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n");
  free(ros2);
  char *ros1 = schema(sn__msg_schema_ros1, &sn_joint_state_type);
  assert_string_equal(ros1,
                      "std_msgs/Header header\nstring[] name\nfloat64[] position\n"
                      "float64[] velocity\nfloat64[] effort\n" LINE
                      "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n");
  free(ros1);
  char *models = schema(sn__msg_schema_ros2, &sn_servo_model_array_type);
  sn_assert_contains(models, "sinew_msgs/ServoModel[] models\n");
  sn_assert_contains(models, "MSG: sinew_msgs/ServoModel\nstring name\n");
  sn_assert_contains(models, "float64[4] alpha\n");
  free(models);
  char *battery = schema(sn__msg_schema_ros1, &sn_battery_state_type);
  sn_assert_contains(battery, "uint8 POWER_SUPPLY_STATUS_FULL=4\n");
  free(battery);
}

/* Every type in a definition is defined in it, once. */
SN_TEST(definitions_are_complete) {
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    char *text = schema(sn__msg_schema_ros2, sn_msg_type_at(t));
    for (char *at = text; *at != '\0';) {
      char word[96] = "";
      char wanted[120] = "";
      const size_t line = strcspn(at, "\n");
      const size_t length = strcspn(at, " [\n");
      snprintf(word, sizeof word, "%.*s", (int)length, at);
      snprintf(wanted, sizeof wanted, "MSG: %s\n", word);
      if (strchr(word, '/') != NULL) {
        const char *first = strstr(text, wanted);
        assert_non_null(first);
        assert_null(strstr(first + 1, wanted));
      }
      at += line + 1;
    }
    free(text);
  }
}

SN_TEST(definitions_keep_to_every_size) {
  char *all = schema(sn__msg_schema_ros2, &sn_limb_state_type);
  const size_t length = strlen(all);
  for (size_t size = 1; size <= length + 1; size++) {
    char *part = malloc(size);
    assert_non_null(part);
    assert_int_equal(sn__msg_schema_ros2(&sn_limb_state_type, part, size), length);
    assert_int_equal(strlen(part), size - 1);
    assert_memory_equal(part, all, size - 1);
    free(part);
  }
  free(all);
}
