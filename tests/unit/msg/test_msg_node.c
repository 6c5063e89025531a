/* Types of the interfaces that every node of ROS 2 has. The sums are those that ROS 2 announces. */
#include <string.h>

#include "msg/node/controller_msgs.h"
#include "msg/node/description_msgs.h"
#include "msg/node/parameter_msgs.h"
#include "msg/node/status_msgs.h"
#include "msg/wire/msg_schema.h"
#include "msg/wire/service_types.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_wire.h"
#include "sn_test.h"

static void check_part(const sn_msg_type *type, const char *name, const char *expected) {
  char hash[SN_MSG_TYPE_HASH_SIZE];
  assert_int_equal(sn__msg_type_hash_ros2(type, name, hash), SN_OK);
  assert_string_equal(hash, expected);
}

static void check_hash(const sn_msg_type *type, const char *expected) {
  check_part(type, NULL, expected);
}

SN_TEST(types_of_ros_have_their_hashes) {
  check_hash(&sn__ros_clock_type,
             "RIHS01_692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564");
  check_hash(&sn__ros_log_type,
             "RIHS01_e28ce254ca8abc06abf92773b74602cdbf116ed34fbaf294fb9f81da9f318eac");
  check_hash(&sn__parameter_event_type,
             "RIHS01_043e627780fcad87a22d225bc2a037361dba713fca6a6b9f4b869a5aa0393204");
  check_hash(&sn__diagnostic_array_type,
             "RIHS01_5a8a36efb05fb25070fa0fb3810290c0e6cd4862b54a8fb975a1ee8dc55a333e");
}

/* As the generators of ROS 2 put them into the headers of the packages. */
SN_TEST(parts_of_services_have_their_hashes) {
  check_part(&sn__list_request_type, "rcl_interfaces/srv/ListParameters_Request",
             "RIHS01_a1b0b5d6b967a5b8ac5bc8563c3ea678f349e312a6a4967227c5a96bc5ce38df");
  check_part(&sn__get_response_type, "rcl_interfaces/srv/GetParameters_Response",
             "RIHS01_9fa773b46e39cc5d02db6224d8fd520bb9caeeffc2b27c96c1e59431baba9f2a");
  check_part(&sn__describe_response_type, "rcl_interfaces/srv/DescribeParameters_Response",
             "RIHS01_ad6747319613c6131589e062e095b469a46cc764f7d0f12a001a49e6cd893995");
  check_part(&sn__description_response_type,
             "type_description_interfaces/srv/GetTypeDescription_Response",
             "RIHS01_648c49d976240861a482f961c5621ddd0d2135d8cce6f297a76d4f6376d93b75");
  check_part(NULL, "controller_manager_msgs/srv/ListControllers_Request",
             "RIHS01_fb985bc3dcc9b07c7d3af4b46787afa5a09ac79da6465ea42b5696f9355c1f70");
  check_part(&sn__list_controllers_response_type,
             "controller_manager_msgs/srv/ListControllers_Response",
             "RIHS01_445459f6b387bda67942d8bea4dfee82dedf12388317e68d5bc4513993799b86");
}

SN_TEST(services_have_their_hashes) {
  sn__service_types types;
  sn__service_types_init(&types, "std_srvs/srv/SetBool", &sn_call_switch_type,
                         &sn_call_outcome_type);
  check_hash(&types.service,
             "RIHS01_abe9e4bb6b41b40e6789712c00ec8871923e089af3f667a79992a428cff2da0a");
  assert_ptr_equal(sn__service_types_find(&types, "std_srvs/srv/SetBool_Event"), &types.event);
  assert_null(sn__service_types_find(&types, "std_srvs/srv/SetBoo"));
  sn__service_types_init(&types, "rcl_interfaces/srv/ListParameters", &sn__list_request_type,
                         &sn__list_response_type);
  check_hash(&types.service,
             "RIHS01_3e6062bfbb27bfb8730d4cef2558221f51a11646d78e7bb30a1e83afac3aad9d");
}

static bool has_line(const sn_msg_type *type, const char *line) {
  char text[8192];
  assert_true(sn__msg_schema_ros2(type, text, sizeof text) < sizeof text);
  return strstr(text, line) != NULL;
}

SN_TEST(definitions_have_bounds_and_bytes) {
  assert_true(has_line(&sn__describe_response_type, "IntegerRange[<=1] integer_range\n"));
  assert_true(has_line(&sn__description_response_type, "string<=255 type_name\n"));
  assert_true(has_line(&sn__parameter_event_type, "byte[] byte_array_value\n"));
  assert_true(has_line(&sn__diagnostic_array_type, "byte level\n"));
  char text[8192];
  sn__msg_description_ros2(&sn__describe_response_type, NULL, text, sizeof text);
  assert_non_null(strstr(text, "\"integer_range\", \"type\": {\"type_id\": 97, \"capacity\": 1,"));
  sn__msg_description_ros2(&sn__description_response_type, NULL, text, sizeof text);
  assert_non_null(strstr(text,
                         "\"nested_type_name\", \"type\": {\"type_id\": 21, \"capacity\": 0, "
                         "\"string_capacity\": 255,"));
}

/* What exceeds a bound of the type is rejected, even if there is room for it. */
SN_TEST(bounds_are_checked_when_reading) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "test", 0);
  sn_error err = {SN_OK, ""};
  sn__integer_range ranges[2] = {{1, 2, 1}, {3, 4, 1}};
  sn__parameter_descriptor descriptor = {
      .integer_range = {.data = ranges, .count = 2, .capacity = 2}};
  sn__describe_response response = {
      .descriptors = {.data = &descriptor, .count = 1, .capacity = 1}};
  char bytes[512];
  size_t size = 0;
  void *made = NULL;
  assert_int_equal(sn_cdr_write(&sn__describe_response_type, &response, bytes, sizeof bytes, &size),
                   SN_OK);
  assert_int_equal(sn_cdr_make(&sn__describe_response_type, bytes, size, &arena, &made, &err),
                   SN_ENOSPC);
  assert_non_null(strstr(err.message, "'integer_range' has 2 items, there is room for 1"));
  descriptor.integer_range.count = 1;
  assert_int_equal(sn_cdr_write(&sn__describe_response_type, &response, bytes, sizeof bytes, &size),
                   SN_OK);
  assert_int_equal(sn_cdr_make(&sn__describe_response_type, bytes, size, &arena, &made, &err),
                   SN_OK);
  sn_arena_release(&arena);
}
