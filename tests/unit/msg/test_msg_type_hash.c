/* Type hashes of ROS 2. The sums are those that ROS 2 itself announces for its types; those of
   SHA-256 are the examples of FIPS 180-4. */
#include "msg/digest.h"
#include "sinew/msg_graph.h"
#include "sinew/msg_schema.h"
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

static void sums_are_those_of_the_standard(void **state) {
  (void)state;
  check_sha("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  check_sha("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  check_sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  check_sha("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void check_hash(const sn_msg_type *type, const char *name, const char *expected) {
  char hash[SN_MSG_TYPE_HASH_SIZE];
  assert_int_equal(sn_msg_type_hash_ros2(type, name, hash), SN_OK);
  assert_string_equal(hash, expected);
}

static void types_of_ros_have_their_hashes(void **state) {
  (void)state;
  check_hash(&sn_joint_state_type, NULL,
             "RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e");
  check_hash(&sn_std_string_type, NULL,
             "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18");
}

static void describes_arrays_and_what_is_empty(void **state) {
  (void)state;
  static const sn_msg_field fields[] = {
      {.name = "v", .kind = SN_MSG_FLOAT32, .shape = SN_MSG_ARRAY, .count = 3},
      {.name = "t", .kind = SN_MSG_DURATION}};
  static const sn_msg_type type = {SN_MSG_TYPE_NAMES("p", "T"), .fields = fields, .field_count = 2};
  char text[1024];
  sn_msg_description_ros2(&type, NULL, text, sizeof text);
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
      sn_msg_description_ros2(NULL, "std_srvs/srv/Empty_Request", text, sizeof text);
  assert_string_equal(
      text,
      "{\"type_description\": {\"type_name\": \"std_srvs/srv/Empty_Request\", \"fields\": "
      "[{\"name\": \"structure_needs_at_least_one_member\", \"type\": {\"type_id\": 3, "
      "\"capacity\": 0, \"string_capacity\": 0, \"nested_type_name\": \"\"}}]}, "
      "\"referenced_type_descriptions\": []}");
  assert_int_equal(size, strlen(text));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_those_of_the_standard),
      cmocka_unit_test(types_of_ros_have_their_hashes),
      cmocka_unit_test(describes_arrays_and_what_is_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
