/* Types of the interfaces that every node of ROS 2 has. The sums are those that ROS 2 announces. */
#include <string.h>

#include "msg/node/description_msgs.h"
#include "msg/node/parameter_msgs.h"
#include "msg/node/status_msgs.h"
#include "msg/wire/msg_schema.h"
#include "sinew/msg_wire.h"
#include "sn_test.h"

static void check_hash(const sn_msg_type *type, const char *expected) {
  char hash[SN_MSG_TYPE_HASH_SIZE];
  assert_int_equal(sn__msg_type_hash_ros2(type, NULL, hash), SN_OK);
  assert_string_equal(hash, expected);
}

SN_TEST(types_of_ros_have_their_hashes) {
  check_hash(&sn__ros_clock_type,
             "RIHS01_692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564");
  check_hash(&sn__ros_log_type,
             "RIHS01_e28ce254ca8abc06abf92773b74602cdbf116ed34fbaf294fb9f81da9f318eac");
  check_hash(&sn__parameter_event_type,
             "RIHS01_043e627780fcad87a22d225bc2a037361dba713fca6a6b9f4b869a5aa0393204");
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
