/* DDS names of ROS 2 topics, services and types, and ros_discovery_info. */
#include <stdlib.h>

#include "ros/ros2/discovery_info.h"
#include "ros/ros2/wire_names.h"
#include "sn_test.h"

SN_TEST(topics_and_services_have_dds_names) {
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
  assert_true(sn__ros2_part_dds_name("p/action/X_SendGoal", SN__ROS2_REQUEST, name, sizeof name));
  assert_string_equal(name, "p::action::dds_::X_SendGoal_Request_");
  assert_true(sn__ros2_part_name("p/action/X_SendGoal", SN__ROS2_RESPONSE, name, sizeof name));
  assert_string_equal(name, "p/action/X_SendGoal_Response");
}

SN_TEST(names_that_do_not_fit_are_reported) {
  char name[8];
  assert_false(sn__ros2_topic_name("/abcde", name, sizeof name));
  assert_true(sn__ros2_topic_name("/abcd", name, sizeof name));
  assert_false(sn__ros2_service_topic("/a", SN__ROS2_REQUEST, name, sizeof name));
  assert_false(sn__ros2_part_name("a/B", SN__ROS2_REQUEST, name, sizeof name));
  assert_false(sn__ros2_user_data(NULL, "RIHS01_", name, sizeof name));
}

SN_TEST(endpoints_have_user_data) {
  char text[SN__ROS2_NAME_SIZE];
  const uint8_t guid[16] = {1, 0x10, 0xff, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  assert_true(sn__ros2_user_data(guid, "H", text, sizeof text));
  assert_string_equal(text, "serviceid=1.10.ff.0.4.5.6.7.8.9.a.b.c.d.e.f;typehash=H;");
  assert_true(sn__ros2_user_data(NULL, "H", text, sizeof text));
  assert_string_equal(text, "typehash=H;");
  assert_true(sn__ros2_user_data(NULL, "", text, sizeof text));
  assert_string_equal(text, "");
}

SN_TEST(values_are_found_in_user_data) {
  static const struct {
    const char *data;
    const char *value; /* NULL: none */
  } cases[] = {{"clientid=1.2;", "1.2"},
               {"typehash=x;clientid=1;", "1"},
               {"clientid=1;clientid=2;", "1"},
               {"clientid=1", "1"},
               {"clientid=123456789;", "1234567"},
               {"", NULL},
               {"clientid", NULL},
               {"myclientid=1;", NULL},
               {"serviceid=1;typehash=clientid=;", NULL},
               {";;;clientid=", ""},
               {"clienti", NULL}};
  char value[8];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(sn__ros2_value(cases[i].data, strlen(cases[i].data), "clientid", value, 8),
                     cases[i].value != NULL);
    if (cases[i].value != NULL) {
      assert_string_equal(value, cases[i].value);
    }
  }
  assert_false(sn__ros2_value(NULL, 0, "clientid", value, sizeof value));
}

SN_TEST(requests_are_split) {
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
  sn_assert_contains(sn__ros2_request_read(big_endian, size, caller, &message), "little-endian");
  sn__bytes_free(&message);
}

/* Field by field according to the definition of ParticipantEntitiesInfo, for both sizes of gids. */
static void check_info(size_t gid_size) {
  const sn__ros2_gid readers[2] = {{{3}}, {{4}}};
  const sn__ros2_gid writer = {{5}};
  const sn__ros2_info info = {.participant = {{7, [15] = 8}},
                              .name_space = "/",
                              .node = "sinew",
                              .readers = readers,
                              .reader_count = 2,
                              .writers = &writer,
                              .writer_count = 1,
                              .gid_size = gid_size};
  sn__bytes out = {0};
  sn__ros2_info_write(&info, &out);
  assert_false(out.failed);
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
  char name[64];
  assert_true(sn__ros2_info_find(out.data, out.used, gid_size, &writer, name, sizeof name));
  assert_string_equal(name, "/sinew");
  sn__bytes_free(&out);
}

static void put_gids(sn__bytes *out, uint8_t first, uint32_t count, size_t gid_size) {
  uint8_t gid[24] = {0};
  sn__bytes_u32(out, count);
  for (uint32_t i = 0; i < count; i++) {
    gid[0] = (uint8_t)(first + i);
    sn__bytes_put(out, gid, gid_size);
  }
}

static void put_node(sn__bytes *out, const char *name_space, const char *name, uint8_t writer,
                     uint32_t writer_count, size_t gid_size) {
  const char *const texts[] = {name_space, name};
  for (int i = 0; i < 2; i++) {
    const size_t size = strlen(texts[i]) + 1;
    sn__bytes_u32(out, (uint32_t)size);
    sn__bytes_put(out, texts[i], size);
    sn__bytes_put(out, "\0\0\0", -size & 3);
  }
  put_gids(out, 100, 3, gid_size);
  put_gids(out, writer, writer_count, gid_size);
}

/* A participant with three nodes; every truncation of it is rejected. */
static void check_others(size_t gid_size) {
  sn__bytes out = {0};
  sn__ros2_gid participant;
  char name[64];
  sn__bytes_put(&out, "\0\1\0\0", 4);
  sn__bytes_put(&out, (const uint8_t[24]){9, [15] = 8}, gid_size);
  sn__bytes_u32(&out, 3);
  put_node(&out, "/", "one", 1, 2, gid_size);
  put_node(&out, "/robot", "walker", 3, 0, gid_size);
  put_node(&out, "/robot/legs", "walker2", 5, 9, gid_size);
  const struct {
    uint8_t writer;
    const char *node;
  } cases[] = {
      {1, "/one"}, {2, "/one"}, {3, NULL}, {5, "/robot/legs/walker2"}, {13, "/robot/legs/walker2"},
      {14, NULL},  {100, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const sn__ros2_gid gid = {{cases[i].writer}};
    const bool is_found = sn__ros2_info_find(out.data, out.used, gid_size, &gid, name, sizeof name);
    assert_int_equal(is_found, cases[i].node != NULL);
    if (is_found) {
      assert_string_equal(name, cases[i].node);
    }
  }
  assert_true(sn__ros2_info_has_node(out.data, out.used, gid_size, "/", "one"));
  assert_true(sn__ros2_info_has_node(out.data, out.used, gid_size, "/robot/legs", "walker2"));
  assert_false(sn__ros2_info_has_node(out.data, out.used, gid_size, "/robot", "one"));
  assert_false(sn__ros2_info_has_node(out.data, out.used, gid_size, "/", "walker2"));
  assert_false(sn__ros2_info_has_node(out.data, out.used / 2, gid_size, "/robot/legs", "walker2"));
  const sn__ros2_gid last = {{5}};
  assert_false(sn__ros2_info_find(out.data, out.used, gid_size, &last, name, 8));
  assert_true(sn__ros2_info_check(out.data, out.used, gid_size, &participant));
  assert_int_equal(participant.bytes[15], 8);
  assert_false(sn__ros2_info_check(out.data, out.used, gid_size == 16 ? 24 : 16, &participant));
  for (size_t size = 0; size < out.used; size++) {
    char *part = malloc(size + 1); /* exact size, so that a sanitizer detects overreads */
    assert_non_null(part);
    memcpy(part, out.data, size);
    assert_false(sn__ros2_info_check(part, size, gid_size, &participant));
    free(part);
  }
  out.data[1] = 0; /* big-endian is not supported */
  assert_false(sn__ros2_info_check(out.data, out.used, gid_size, &participant));
  sn__bytes_free(&out);
}

SN_TEST(nodes_are_found_by_their_writers) {
  check_others(16);
  check_others(24);
}

SN_TEST(the_node_is_announced) {
  check_info(16);
  check_info(24);
}
