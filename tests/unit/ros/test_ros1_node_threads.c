#define _GNU_SOURCE /* memmem() */

/* A ROS 1 node against valid and invalid peers that send raw bytes. */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "msg/types/msg_graph.h"
#include "msg/wire/msg_ros1.h"
#include "ros/ros1/http.h"
#include "ros/ros1/rpc.h"
#include "ros1_node_rig.h"
#include "sn_test.h"

SN_TEST(everything_is_registered_again_with_every_new_master) {
  fixture s;
  ros1_node_open_fixture(&s);
  static const char *const wanted[][2] = {
      {"setParam", "/robot"},
      {"registerPublisher", "/text"},
      {"registerPublisher", "/latched"},
      {"registerService", "/turn"},
      {"registerSubscriber", "/in"},
  };
  assert_int_equal(s.rig.call_count, 5);
  for (int restart = 0; restart < 3; restart++) {
    for (size_t i = 0; i < 5; i++) {
      (void)ros1_rig_hear(&s.rig, wanted[i][0], wanted[i][1], 0);
    }
    ros1_rig_run(&s.rig, 5);
    assert_true(sn__ros1_node_counts(s.rig.node).is_connected);
    ros1_rig_stop_master(&s.rig);
    while (sn__ros1_node_counts(s.rig.node).is_connected) {
      ros1_rig_run(&s.rig, 1);
    }
    sn_assert_contains(s.rig.last_warning, "no ROS master");
    s.rig.call_count = 0;
    ros1_rig_start_master(&s.rig);
  }
  assert_int_equal(sn__ros1_node_counts(s.rig.node).losses, 3);
  assert_int_equal(s.rig.warnings, 3); /* one for each loss */
  ros1_rig_close(&s.rig);
}

SN_TEST(a_master_that_lost_its_state_gets_all_registrations_again) {
  fixture s;
  ros1_node_open_fixture(&s);
  s.rig.call_count = 0;
  s.rig.forgets = true;
  (void)ros1_rig_hear(&s.rig, "registerSubscriber", "/in", 0);
  (void)ros1_rig_hear(&s.rig, "registerPublisher", "/latched", 0);
  ros1_rig_close(&s.rig);
}

SN_TEST(subscribers_get_messages_and_late_ones_the_latched_message) {
  fixture s;
  ros1_node_open_fixture(&s);
  ros1_node_publish(s.text, "no subscribers");
  ros1_node_publish(s.latched, "first");
  ros1_node_publish(s.latched, "kept");
  sn__bytes a = {0};
  sn__bytes b = {0};
  const int text = ros1_node_subscribe(&s, "/text", &a);
  const int latched = ros1_node_subscribe(&s, "/latched", &b);
  ros1_node_publish(s.text, "one");
  ros1_node_publish(s.text, "");
  ros1_node_assert_message(&s, latched, &b, "kept");
  ros1_node_assert_message(&s, text, &a, "one");
  ros1_node_assert_message(&s, text, &a, "");
  assert_int_equal(sn__ros1_subscriber_count(s.text), 1);
  close(text);
  for (int i = 0; i < 1000 && sn__ros1_subscriber_count(s.text) > 0; i++) {
    ros1_rig_run(&s.rig, 1);
  }
  assert_int_equal(sn__ros1_subscriber_count(s.text), 0);
  close(latched);
  sn__bytes_free(&a);
  sn__bytes_free(&b);
  ros1_rig_close(&s.rig);
}

/* A subscriber that does not read loses the oldest messages, which are counted; others lose none.
 */
SN_TEST(a_slow_subscriber_does_not_affect_others) {
  enum { COUNT = 3000, SIZE = 4000 };
  fixture s;
  ros1_node_open_fixture(&s);
  sn__bytes quick = {0};
  sn__bytes slow = {0};
  const int quick_fd = ros1_node_subscribe(&s, "/text", &quick);
  const int slow_fd = ros1_node_subscribe(&s, "/text", &slow);
  static char message[SIZE];
  for (uint32_t i = 0; i < COUNT; i++) {
    sn__u32_set(message, SIZE - 4);
    sn__u32_set(message + 4, i);
    sn__ros1_publish(s.text, message, SIZE, 0);
    const size_t size = ros1_receive_frame(&s.rig, quick_fd, &quick);
    assert_int_equal(size, SIZE + 4);
    assert_int_equal(sn__u32_at(quick.data + 8), i);
    sn__bytes_drop(&quick, size);
  }
  const uint64_t dropped = sn__ros1_node_counts(s.rig.node).dropped;
  assert_true(dropped > 0);
  uint32_t got = 0;
  uint32_t last = 0;
  do {
    const size_t size = ros1_receive_frame(&s.rig, slow_fd, &slow);
    assert_int_equal(size, SIZE + 4);
    const uint32_t number = sn__u32_at(slow.data + 8);
    assert_true(got == 0 || number > last);
    last = number;
    got++;
    sn__bytes_drop(&slow, size);
  } while (last < COUNT - 1);
  assert_int_equal(got + dropped, COUNT);
  close(quick_fd);
  close(slow_fd);
  sn__bytes_free(&quick);
  sn__bytes_free(&slow);
  ros1_rig_close(&s.rig);
}

SN_TEST(the_header_of_a_message_gets_seq_and_stamp) {
  ros1_rig rig;
  ros1_rig_open(&rig, true);
  sn__ros1_publication *topic = sn__ros1_advertise(rig.node, "/joints", &sn_joint_state_type, true);
  char bytes[64];
  size_t size = 0;
  sn_arena arena;
  sn_arena_init_growing(&arena, "test", 0);
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  msg->header.stamp_ns = 5;
  assert_int_equal(sn__ros1_write(&sn_joint_state_type, msg, bytes, sizeof bytes, &size), SN_OK);
  sn__ros1_publish(topic, bytes, size, 0);
  sn__ros1_publish(topic, bytes, size, INT64_C(1700000000123456789));
  (void)ros1_rig_hear(&rig, "registerPublisher", "/joints", 0);
  /* requestTopic returns the TCPROS port. */
  sn__bytes call = {0};
  sn__bytes head = {0};
  sn__rpc_writer w;
  sn__rpc_begin_call(&w, &call, "requestTopic");
  sn__rpc_put_text(&w, "/peer");
  sn__rpc_put_text(&w, "/joints");
  sn__rpc_begin_array(&w);
  sn__rpc_begin_array(&w);
  sn__rpc_put_text(&w, "TCPROS");
  sn__rpc_end_array(&w);
  sn__rpc_end_array(&w);
  sn__rpc_end(&w);
  sn__http_put_request(&head, "127.0.0.1", 1, call.used);
  sn__bytes_put(&head, call.data, call.used);
  int fd = ros1_connect(ros1_rig_api_port(&rig));
  ros1_send(fd, head.data, head.used);
  call.used = 0;
  const char *reply = ros1_receive_all(&rig, fd, &call);
  sn_assert_contains(reply, "<string>TCPROS</string>");
  const char *port = strstr(strstr(reply, "127.0.0.1"), "<int>");
  assert_non_null(port);
  close(fd);
  fd = ros1_connect(atoi(port + 5));
  const char *const fields[] = {"callerid=/p", "topic=/joints", "type=*", "md5sum=*", NULL};
  ros1_send_header(fd, fields);
  call.used = 0;
  sn__bytes_drop(&call, ros1_receive_frame(&rig, fd, &call));
  assert_int_equal(ros1_receive_frame(&rig, fd, &call), 4 + size);
  assert_int_equal(sn__u32_at(call.data + 4), 1); /* the second one */
  assert_int_equal(sn__u32_at(call.data + 8), 1700000000);
  assert_int_equal(sn__u32_at(call.data + 12), 123456789);
  close(fd);
  sn__bytes_free(&call);
  sn__bytes_free(&head);
  sn_arena_release(&arena);
  ros1_rig_close(&rig);
}

/* XML-RPC server of a publisher: answers one requestTopic with this port. */
static void answer_request_topic(ros1_rig *rig, int listener, int port) {
  int fd = -1;
  for (int i = 0; i < 5000 && fd < 0; i++) {
    ros1_rig_run(rig, 1);
    fd = accept(listener, NULL, NULL);
  }
  assert_true(fd >= 0);
  sn__bytes in = {0};
  sn_error err = {SN_OK, ""};
  sn__http_message http;
  do {
    assert_true(ros1_receive(rig, fd, &in, 1));
  } while (sn__http_parse(in.data, in.used, 65536, &http, &err) != SN_OK ||
           in.used - http.body_start < http.body_size);
  assert_non_null(memmem(in.data, in.used, "requestTopic", 12));
  sn__bytes body = {0};
  sn__bytes out = {0};
  sn__rpc_writer w;
  sn__rpc_begin_response(&w, &body);
  sn__rpc_begin_array(&w);
  sn__rpc_put_int(&w, 1);
  sn__rpc_put_text(&w, "");
  sn__rpc_begin_array(&w);
  sn__rpc_put_text(&w, "TCPROS");
  sn__rpc_put_text(&w, "127.0.0.1");
  sn__rpc_put_int(&w, port);
  sn__rpc_end_array(&w);
  sn__rpc_end_array(&w);
  sn__rpc_end(&w);
  sn__http_put_response(&out, 200, false, body.used);
  sn__bytes_put(&out, body.data, body.used);
  ros1_send(fd, out.data, out.used);
  close(fd);
  sn__bytes_free(&in);
  sn__bytes_free(&body);
  sn__bytes_free(&out);
}

static int accept_stream(ros1_rig *rig, int listener, const char *md5) {
  int fd = -1;
  for (int i = 0; i < 5000 && fd < 0; i++) {
    ros1_rig_run(rig, 1);
    fd = accept(listener, NULL, NULL);
  }
  assert_true(fd >= 0);
  sn__bytes in = {0};
  const size_t size = ros1_receive_frame(rig, fd, &in);
  assert_non_null(memmem(in.data, size, "topic=/in", 9));
  assert_non_null(memmem(in.data, size, "callerid=/tested", 16));
  sn__bytes_free(&in);
  char sum[48];
  snprintf(sum, sizeof sum, "md5sum=%s", md5);
  const char *fields[] = {"callerid=/talker", sum, "type=std_msgs/String", NULL};
  ros1_send_header(fd, fields);
  return fd;
}

/* The node reconnects to a publisher that disconnects or sends invalid data while it is listed. */
SN_TEST(the_node_connects_to_publishers_and_reconnects) {
  fixture s;
  ros1_node_open_fixture(&s);
  ros1_rig_close(&s.rig);
  int api = 0;
  int stream = 0;
  const int api_fd = ros1_listen(&api);
  const int stream_fd = ros1_listen(&stream);
  s.heard = (heard){0};
  ros1_rig_open(&s.rig, true);
  snprintf(s.rig.publishers, sizeof s.rig.publishers, "http://127.0.0.1:%d/", api);
  assert_non_null(
      sn__ros1_subscribe(s.rig.node, "/in", &sn__std_string_type, ros1_node_take, &s.heard));
  static const char giant[] = "\xff\xff\xff\x7fxxxx";
  for (int round = 0; round < 3; round++) {
    answer_request_topic(&s.rig, api_fd, stream);
    const int fd = accept_stream(&s.rig, stream_fd, round == 1 ? SET_BOOL : STRING);
    if (round != 1) {
      ros1_send(fd, "\7\0\0\0\3\0\0\0abc\6", 12); /* one message and the start of another */
      ros1_send(fd, "\0\0\0\2\0\0\0xy", 9);
      const size_t before = s.heard.count;
      for (int i = 0; i < 5000 && s.heard.count < before + 2; i++) {
        ros1_rig_run(&s.rig, 1);
      }
      assert_int_equal(s.heard.count, before + 2);
      assert_string_equal(s.heard.caller, "/talker");
      assert_int_equal(s.heard.size, 6);
      assert_memory_equal(s.heard.bytes + 4, "xy", 2);
      ros1_send(fd, giant, 8);
    }
    sn__bytes rest = {0};
    (void)ros1_receive_all(&s.rig, fd, &rest); /* closed by the node: wrong type or too long */
    sn__bytes_free(&rest);
    close(fd);
  }
  assert_int_equal(sn__ros1_node_counts(s.rig.node).refused, 3);
  ros1_rig_close(&s.rig);
  close(api_fd);
  close(stream_fd);
}
