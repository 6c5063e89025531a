/* What names, types and endpoints of ROS 2 are called in DDS. */
#include "ros2/wire_names.h"
#include "sn_test.h"

static void topics_and_services_have_their_names(void **state) {
  (void)state;
  char name[SN__ROS2_NAME_SIZE];
  assert_true(sn__ros2_topic_name("/robot/joint_states", name, sizeof name));
  assert_string_equal(name, "rt/robot/joint_states");
  assert_true(sn__ros2_service_topic("/follow/stop", SN__ROS2_REQUEST, name, sizeof name));
  assert_string_equal(name, "rq/follow/stopRequest");
  assert_true(sn__ros2_service_topic("/follow/stop", SN__ROS2_RESPONSE, name, sizeof name));
  assert_string_equal(name, "rr/follow/stopReply");
  assert_true(sn__ros2_part_dds_name("std_srvs/SetBool", SN__ROS2_REQUEST, name, sizeof name));
  assert_string_equal(name, "std_srvs::srv::dds_::SetBool_Request_");
  assert_true(sn__ros2_part_name("std_srvs/SetBool", SN__ROS2_RESPONSE, name, sizeof name));
  assert_string_equal(name, "std_srvs/srv/SetBool_Response");
}

static void what_does_not_fit_is_told(void **state) {
  (void)state;
  char name[8];
  assert_false(sn__ros2_topic_name("/abcde", name, sizeof name));
  assert_true(sn__ros2_topic_name("/abcd", name, sizeof name));
  assert_false(sn__ros2_service_topic("/a", SN__ROS2_REQUEST, name, sizeof name));
  assert_false(sn__ros2_part_name("a/B", SN__ROS2_REQUEST, name, sizeof name));
  assert_false(sn__ros2_user_data(NULL, "RIHS01_", name, sizeof name));
}

static void endpoints_tell_of_themselves(void **state) {
  (void)state;
  char text[SN__ROS2_NAME_SIZE];
  const uint8_t guid[16] = {1, 0x10, 0xff, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  assert_true(sn__ros2_user_data(guid, "H", text, sizeof text));
  assert_string_equal(text, "serviceid=1.10.ff.0.4.5.6.7.8.9.a.b.c.d.e.f;typehash=H;");
  assert_true(sn__ros2_user_data(NULL, "H", text, sizeof text));
  assert_string_equal(text, "typehash=H;");
  assert_true(sn__ros2_user_data(NULL, "", text, sizeof text));
  assert_string_equal(text, "");
}

static void keys_of_peers_are_found(void **state) {
  (void)state;
  static const struct {
    const char *data;
    bool is_there;
  } cases[] = {{"clientid=1.2;", true},
               {"typehash=x;clientid=1;", true},
               {"", false},
               {"clientid", false},
               {"myclientid=1;", false},
               {"serviceid=1;typehash=clientid=;", false},
               {";;;clientid=", true},
               {"clienti", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(sn__ros2_has_key(cases[i].data, strlen(cases[i].data), "clientid"),
                     cases[i].is_there);
  }
  assert_false(sn__ros2_has_key(NULL, 0, "clientid"));
}

static void requests_are_taken_apart(void **state) {
  (void)state;
  static const char whole[] = "\0\1\0\0ABCDEFGHIJKLMNOP\1";
  const size_t size = sizeof whole - 1;
  uint8_t caller[SN__ROS2_CALL_HEADER];
  sn__bytes message = {0};
  assert_null(sn__ros2_request_read(whole, size, caller, &message));
  assert_memory_equal(caller, "ABCDEFGHIJKLMNOP", sizeof caller);
  assert_int_equal(message.used, 5);
  assert_memory_equal(message.data, "\0\1\0\0\1", 5);
  message.used = 0;
  assert_null(sn__ros2_request_read(whole, size - 1, caller, &message)); /* an empty one */
  assert_int_equal(message.used, 4);
  sn_assert_contains(sn__ros2_request_read(whole, size - 2, caller, &message), "short");
  sn_assert_contains(sn__ros2_request_read("", 0, caller, &message), "short");
  static const char big_endian[] = "\0\0\0\0ABCDEFGHIJKLMNOP\1";
  sn_assert_contains(sn__ros2_request_read(big_endian, size, caller, &message), "lowest byte");
  sn__bytes_free(&message);
}

/* Field by field, as the definition of ParticipantEntitiesInfo says, for both sizes of names. */
static void check_info(size_t gid_size) {
  const sn__ros2_gid readers[2] = {{{3}}, {{4}}};
  const sn__ros2_gid writer = {{5}};
  const sn__ros2_info info = {.participant = {{7, [15] = 8}},
                              .space = "/",
                              .node = "sinew",
                              .readers = readers,
                              .reader_count = 2,
                              .writers = &writer,
                              .writer_count = 1,
                              .gid_size = gid_size};
  sn__bytes out = {0};
  sn__ros2_info_write(&info, &out);
  assert_false(out.is_lost);
  const char *at = out.data;
  assert_memory_equal(at, "\0\1\0\0", 4);
  assert_int_equal(at[4], 7);
  assert_int_equal(at[4 + 15], 8);
  at += 4 + gid_size;
  assert_memory_equal(at, "\1\0\0\0\2\0\0\0/\0\0\0\6\0\0\0sinew\0\0\0\2\0\0\0", 28);
  assert_int_equal(at[28], 3);
  assert_int_equal(at[28 + gid_size], 4);
  at += 28 + 2 * gid_size;
  assert_memory_equal(at, "\1\0\0\0\5", 5);
  assert_ptr_equal(at + 4 + gid_size, out.data + out.used);
  sn__bytes_free(&out);
}

static void the_node_is_announced(void **state) {
  (void)state;
  check_info(16);
  check_info(24);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(topics_and_services_have_their_names),
      cmocka_unit_test(what_does_not_fit_is_told),
      cmocka_unit_test(endpoints_tell_of_themselves),
      cmocka_unit_test(keys_of_peers_are_found),
      cmocka_unit_test(requests_are_taken_apart),
      cmocka_unit_test(the_node_is_announced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
