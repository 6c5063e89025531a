/* Type hashes of ROS 2. The sums are those that ROS 2 itself announces for its types; those of
   SHA-256 are the examples of FIPS 180-4. */
#include "msg/arm/msg_gripper.h"
#include "msg/arm/msg_move_tool.h"
#include "msg/types/action_types.h"
#include "msg/types/msg_action.h"
#include "msg/types/msg_follow.h"
#include "msg/types/msg_graph.h"
#include "msg/wire/digest.h"
#include "msg/wire/msg_schema.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

static void check_sha(const char *text, size_t repeats, const char *expected) {
  char sum[65];
  sn__digest sha;
  sn__digest_init(&sha, &sn__sha256);
  for (size_t i = 0; i < repeats; i++) {
    sn__digest_add(&sha, text, strlen(text));
  }
  sn__digest_end(&sha, sum);
  assert_string_equal(sum, expected);
}

SN_TEST(sums_are_those_of_the_standard) {
  check_sha("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  check_sha("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  check_sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  check_sha("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void check_hash(const sn_msg_type *type, const char *name, const char *expected) {
  char hash[SN_MSG_TYPE_HASH_SIZE];
  assert_int_equal(sn__msg_type_hash_ros2(type, name, hash), SN_OK);
  assert_string_equal(hash, expected);
}

SN_TEST(types_of_ros_have_their_hashes) {
  check_hash(&sn_joint_state_type, NULL,
             "RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e");
  check_hash(&sn_imu_type, NULL,
             "RIHS01_7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b");
  check_hash(&sn_odometry_type, NULL,
             "RIHS01_3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0");
  check_hash(&sn_pose_stamped_type, NULL,
             "RIHS01_10f3786d7d40fd2b54367835614bff85d4ad3b5dab62bf8bca0cc232d73b4cd8");
  check_hash(&sn__std_string_type, NULL,
             "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18");
}

/* As the generators of ROS 2 put them into the headers of action_msgs and control_msgs. */
SN_TEST(parts_of_actions_have_their_hashes) {
  static const struct {
    const sn_msg_type *type;
    const char *hash;
  } cases[] = {
      {&sn_follow_goal_type,
       "RIHS01_8a9060704b269608f5a340934cc26e66869dd14bdac29e2e7fd9ec8b9882d205"},
      {&sn_follow_result_type,
       "RIHS01_8002e99ed2c14c6faa522f2a93c26d744c5982f254f9e98ff9c6f19789bdb220"},
      {&sn_follow_feedback_type,
       "RIHS01_3fd0aaecf71725121ae1ff7f01098a5e0da581e672be18a6b2c286cb43d96b49"},
      {&sn__follow_send_request_type,
       "RIHS01_179c93691f1f6d1d115881ff88c3917b7cc6eac2ba4bf56766cc7c4389e19ef1"},
      {&sn__follow_send_response_type,
       "RIHS01_e6a48ba740ae254500129a877f0b071be8663a115da1a539b74599cc97921fbf"},
      {&sn__follow_result_request_type,
       "RIHS01_ecf7ea8463d3beec7084bca75216d0b01b87b6e1e4e09679bb26093041efcbe9"},
      {&sn__follow_result_response_type,
       "RIHS01_08eefbaa146ce02ba45898d5e99160afd6c4c54a30d159aee0f2ca6035b1580f"},
      {&sn__follow_feedback_message_type,
       "RIHS01_80398fcb9674a79081a9906e2ccf0c804dd7cb15e22e362e606ee87186beab71"},
      {&sn__gripper_command_type,
       "RIHS01_57eb8f326c9889ca8bb34ead82cc94cc09bf6bc5c3b6c09546dca3a00b589890"},
      {&sn__gripper_goal_type,
       "RIHS01_607d9f41eb241e1922e90f02125e87ae6bfb78f7f64a71dc92630263d01f8b6d"},
      {&sn__gripper_result_type,
       "RIHS01_bf512d5aa6a0e4fe4d8be22b2ec4a1973c3d250fa1f65e47450322c25c45c0a0"},
      {&sn__gripper_feedback_type,
       "RIHS01_8f7c520077bab528bb9161ee3b83c81eee1f8aecadb8922ce82c79d667a819c4"},
      {&sn__gripper_send_request_type,
       "RIHS01_1b869b7b4042272dc0f8ed65468c4e57c9e532ea5e53ce74fda0767eefbfa983"},
      {&sn__gripper_send_response_type,
       "RIHS01_0c8dda5e9d39ab5e3162b66e79b292a4258659ddfcf8722d39463f718b6c59bc"},
      {&sn__gripper_result_request_type,
       "RIHS01_1a3308da3acbc62cd8a3c823de80ba9e5f9b6bb6f6056d1ad6b29f5f285f97ae"},
      {&sn__gripper_result_response_type,
       "RIHS01_32ed5e1b5906767a3e9914dca4c4aed22529918f6c2360e6fb382363d4df4b45"},
      {&sn__gripper_feedback_message_type,
       "RIHS01_392ff03fcd872f9dc2405cbeb2897fcf011ad9998458b6aa85c603b8a49e431d"},
      {&sn__goal_status_array_type,
       "RIHS01_6c1684b00f177d37438febe6e709fc4e2b0d4248dca4854946f9ed8b30cda83e"},
      {&sn__cancel_goal_request_type,
       "RIHS01_3d3c84653c1f96918086887e1dcb236faec88b81a5b14fd4cf4840065bcdf8af"},
      {&sn__cancel_goal_response_type,
       "RIHS01_35e682cf3f510e83c70a82a4aac888496dedee56773bf9d8e5e0aa81f9e1c960"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check_hash(cases[i].type, NULL, cases[i].hash);
  }
}

SN_TEST(describes_arrays_and_what_is_empty) {
  static const sn_msg_field fields[] = {
      {.name = "v", .kind = SN_MSG_FLOAT32, .shape = SN_MSG_ARRAY, .count = 3},
      {.name = "t", .kind = SN_MSG_DURATION}};
  static const sn_msg_type type = {SN_MSG_TYPE_NAMES("p", "T"), .fields = fields, .field_count = 2};
  char text[1024];
  sn__msg_description_ros2(&type, NULL, text, sizeof text);
  assert_string_equal(
      text,
      "{\"type_description\": {\"type_name\": \"p/msg/T\", \"fields\": [{\"name\": \"v\", "
      "\"type\": {\"type_id\": 58, \"capacity\": 3, \"string_capacity\": 0, "
      "\"nested_type_name\": \"\"}}, {\"name\": \"t\", \"type\": {\"type_id\": 1, \"capacity\": "
      "0, \"string_capacity\": 0, \"nested_type_name\": \"builtin_interfaces/msg/Duration\"}}]}, "
      "\"referenced_type_descriptions\": [{\"type_name\": \"builtin_interfaces/msg/Duration\", "
      "\"fields\": [{\"name\": \"sec\", \"type\": {\"type_id\": 6, \"capacity\": 0, "
      "\"string_capacity\": 0, \"nested_type_name\": \"\"}}, {\"name\": \"nanosec\", \"type\": "
      "{\"type_id\": 7, \"capacity\": 0, \"string_capacity\": 0, \"nested_type_name\": \"\"}}]}]}");
  const size_t size =
      sn__msg_description_ros2(NULL, "std_srvs/srv/Empty_Request", text, sizeof text);
  assert_string_equal(
      text,
      "{\"type_description\": {\"type_name\": \"std_srvs/srv/Empty_Request\", \"fields\": "
      "[{\"name\": \"structure_needs_at_least_one_member\", \"type\": {\"type_id\": 3, "
      "\"capacity\": 0, \"string_capacity\": 0, \"nested_type_name\": \"\"}}]}, "
      "\"referenced_type_descriptions\": []}");
  assert_int_equal(size, strlen(text));
}

/* Each part of each action can be stored. */
SN_TEST(messages_of_all_actions_can_be_created) {
  static const sn__action_types *const actions[] = {
      &sn__follow_action,          &sn__step_action,    &sn__move_base_action,
      &sn__set_operational_action, &sn__gripper_action, &sn__move_tool_action};
  sn_arena arena;
  sn_arena_init_growing(&arena, "messages", 0);
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
    const sn__action_types *a = actions[i];
    const sn_msg_type *const parts[] = {a->send_request,    a->send_response,    a->result_request,
                                        a->result_response, a->feedback_message, a->action_goal,
                                        a->action_result,   a->action_feedback};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
      assert_non_null(sn_msg_create(&arena, parts[k], NULL));
    }
  }
  sn_arena_release(&arena);
}
