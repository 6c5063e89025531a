/* A ROS 1 node against valid and invalid peers that send raw bytes. */
#define _GNU_SOURCE /* memmem() */

#include <arpa/inet.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "msg/types/msg_graph.h"
#include "msg/wire/msg_ros1.h"
#include "ros/ros1/http.h"
#include "ros/ros1/rpc.h"
#include "ros1_peer.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

#define SET_BOOL "09fb03525b03e7ea1fd3992bafd87e16"
#define STRING "992ce8a1687cec8c8bd883ec73ca41d1"

typedef struct heard {
  size_t count;
  char caller[64];
  char bytes[64];
  size_t size;
} heard;

static void take(void *context, const char *caller, const void *bytes, size_t size) {
  heard *h = context;
  h->count++;
  snprintf(h->caller, sizeof h->caller, "%s", caller);
  h->size = size;
  memcpy(h->bytes, bytes, size < sizeof h->bytes ? size : sizeof h->bytes);
}

/* Responds with the reversed request; one that starts with 2 fails. */
static sn_status serve(void *context, const char *caller, const void *request, size_t size,
                       sn__bytes *response, sn_error *err) {
  atomic_fetch_add((atomic_int *)context, 1);
  (void)caller;
  if (size != 1 || *(const char *)request == 2) {
    err->code = SN_EINVAL;
    snprintf(err->message, sizeof err->message, "not today");
    return SN_EINVAL;
  }
  sn__bytes_put(response, *(const char *)request ? "\0\0\0\0\0" : "\1\0\0\0\0", 5);
  return SN_OK;
}

typedef struct fixture {
  ros1_rig rig;
  sn__ros1_publication *text, *latched;
  heard heard;
  atomic_int calls;
} fixture;

static void open_fixture(fixture *s) {
  s->heard = (heard){0};
  s->calls = 0;
  ros1_rig_open(&s->rig, true);
  s->text = sn__ros1_advertise(s->rig.node, "/text", &sn__std_string_type, false);
  s->latched = sn__ros1_advertise(s->rig.node, "/latched", &sn__std_string_type, true);
  assert_non_null(sn__ros1_subscribe(s->rig.node, "/in", &sn__std_string_type, take, &s->heard));
  assert_non_null(sn__ros1_add_service(s->rig.node, "/turn", "std_srvs/SetBool",
                                       &sn_call_switch_type, &sn_call_outcome_type, serve, NULL,
                                       &s->calls));
  assert_true(sn__ros1_set_parameter(s->rig.node, "/robot", "<robot name=\"&amp;\"/>"));
  (void)ros1_rig_hear(&s->rig, "registerSubscriber", "/in", 0);
  ros1_rig_run(&s->rig, 2);
}

static void publish(sn__ros1_publication *topic, const char *text) {
  char bytes[128];
  const size_t length = strlen(text);
  sn__u32_set(bytes, (uint32_t)length);
  memcpy(bytes + 4, text, length);
  sn__ros1_publish(topic, bytes, 4 + length, 0);
}

static int subscribe(fixture *s, const char *topic, sn__bytes *bytes) {
  char field[96];
  snprintf(field, sizeof field, "topic=%s", topic);
  const char *fields[] = {"callerid=/peer", field, "type=std_msgs/String", "md5sum=" STRING, NULL};
  const int fd = ros1_connect(ros1_rig_tcpros_port(&s->rig));
  ros1_send_header(fd, fields);
  const size_t size = ros1_receive_frame(&s->rig, fd, bytes);
  assert_non_null(memmem(bytes->data, size, "md5sum=" STRING, 39));
  assert_non_null(memmem(bytes->data, size, "string data\n", 12));
  sn__bytes_drop(bytes, size);
  return fd;
}

static void assert_message(fixture *s, int fd, sn__bytes *bytes, const char *text) {
  const size_t size = ros1_receive_frame(&s->rig, fd, bytes);
  assert_int_equal(size, 8 + strlen(text));
  assert_int_equal(sn__u32_at(bytes->data + 4), strlen(text));
  assert_memory_equal(bytes->data + 8, text, strlen(text));
  sn__bytes_drop(bytes, size);
}

/* ---- the master ---- */

SN_TEST(everything_is_registered_again_with_every_new_master) {
  fixture s;
  open_fixture(&s);
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
  open_fixture(&s);
  s.rig.call_count = 0;
  s.rig.forgets = true;
  (void)ros1_rig_hear(&s.rig, "registerSubscriber", "/in", 0);
  (void)ros1_rig_hear(&s.rig, "registerPublisher", "/latched", 0);
  ros1_rig_close(&s.rig);
}

/* ---- topics ---- */

SN_TEST(subscribers_get_messages_and_late_ones_the_latched_message) {
  fixture s;
  open_fixture(&s);
  publish(s.text, "no subscribers");
  publish(s.latched, "first");
  publish(s.latched, "kept");
  sn__bytes a = {0};
  sn__bytes b = {0};
  const int text = subscribe(&s, "/text", &a);
  const int latched = subscribe(&s, "/latched", &b);
  publish(s.text, "one");
  publish(s.text, "");
  assert_message(&s, latched, &b, "kept");
  assert_message(&s, text, &a, "one");
  assert_message(&s, text, &a, "");
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
  open_fixture(&s);
  sn__bytes quick = {0};
  sn__bytes slow = {0};
  const int quick_fd = subscribe(&s, "/text", &quick);
  const int slow_fd = subscribe(&s, "/text", &slow);
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

/* ---- subscriptions ---- */

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
  open_fixture(&s);
  ros1_rig_close(&s.rig);
  int api = 0;
  int stream = 0;
  const int api_fd = ros1_listen(&api);
  const int stream_fd = ros1_listen(&stream);
  s.heard = (heard){0};
  ros1_rig_open(&s.rig, true);
  snprintf(s.rig.publishers, sizeof s.rig.publishers, "http://127.0.0.1:%d/", api);
  assert_non_null(sn__ros1_subscribe(s.rig.node, "/in", &sn__std_string_type, take, &s.heard));
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

/* ---- services ---- */

static int call_named(fixture *s, const char *service, const char *persistent, sn__bytes *bytes) {
  const char *fields[] = {"callerid=/peer", service, "md5sum=" SET_BOOL, persistent, NULL};
  const int fd = ros1_connect(ros1_rig_tcpros_port(&s->rig));
  ros1_send_header(fd, fields);
  const size_t size = ros1_receive_frame(&s->rig, fd, bytes);
  assert_non_null(memmem(bytes->data, size, "type=std_srvs/SetBool", 21));
  sn__bytes_drop(bytes, size);
  return fd;
}

static int call_service(fixture *s, const char *persistent, sn__bytes *bytes) {
  return call_named(s, "service=/turn", persistent, bytes);
}

/* ---- urgent services ---- */

static atomic_int urgent_heard;
static atomic_bool may_answer;

static void hear(void *context, const char *caller) {
  (void)context;
  assert_string_equal(caller, "/peer");
  atomic_fetch_add(&urgent_heard, 1);
}

static sn_status serve_slowly(void *context, const char *caller, const void *request, size_t size,
                              sn__bytes *response, sn_error *err) {
  while (!atomic_load(&may_answer)) {
    usleep(1000);
  }
  return serve(context, caller, request, size, response, err);
}

SN_TEST(an_urgent_service_overtakes_pending_calls) {
  enum { WAITING = 8 }; /* more than the pool has threads */
  fixture s = {.calls = 0};
  ros1_rig_open(&s.rig, true);
  assert_non_null(sn__ros1_add_service(s.rig.node, "/slow", "std_srvs/SetBool",
                                       &sn_call_switch_type, &sn_call_outcome_type, serve_slowly,
                                       NULL, &s.calls));
  assert_non_null(sn__ros1_add_service(s.rig.node, "/urgent", "std_srvs/SetBool",
                                       &sn_call_switch_type, &sn_call_outcome_type, serve, hear,
                                       &s.calls));
  assert_non_null(sn__ros1_subscribe(s.rig.node, "/in", &sn__std_string_type, take, &s.heard));
  (void)ros1_rig_hear(&s.rig, "registerSubscriber", "/in", 0);
  ros1_rig_run(&s.rig, 2);
  sn__bytes in = {0};
  int waiting[WAITING];
  for (int i = 0; i < WAITING; i++) {
    waiting[i] = call_named(&s, "service=/slow", NULL, &in);
    ros1_send(waiting[i], "\1\0\0\0\0", 5);
    ros1_rig_run(&s.rig, 5);
  }
  in.used = 0;
  const int fd = call_named(&s, "service=/urgent", NULL, &in);
  ros1_send(fd, "\1\0\0\0\0", 5);
  (void)ros1_receive_all(&s.rig, fd, &in);
  assert_memory_equal(in.data, "\1\5\0\0\0\1\0\0\0\0", 10);
  assert_int_equal(atomic_load(&urgent_heard), 1);
  atomic_store(&may_answer, true);
  close(fd);
  for (int i = 0; i < WAITING; i++) {
    close(waiting[i]);
  }
  sn__bytes_free(&in);
  ros1_rig_close(&s.rig);
}

SN_TEST(services_respond_once_or_on_a_persistent_connection) {
  fixture s;
  open_fixture(&s);
  sn__bytes in = {0};
  int fd = call_service(&s, NULL, &in);
  ros1_send(fd, "\1\0\0\0\0", 5);
  (void)ros1_receive_all(&s.rig, fd, &in);
  assert_int_equal(in.used, 11);
  assert_memory_equal(in.data, "\1\5\0\0\0\1\0\0\0\0", 10);
  close(fd);
  in.used = 0;
  fd = call_service(&s, "persistent=1", &in);
  ros1_send(fd, "\1\0\0\0\0\1\0\0\0\1\1\0\0\0\2\1\0\0\0\0", 20); /* four at once, one fails */
  assert_true(ros1_receive(&s.rig, fd, &in, 10 + 10 + (5 + 9) + 10));
  assert_memory_equal(in.data, "\1\5\0\0\0\1\0\0\0\0", 10);
  assert_memory_equal(in.data + 10, "\1\5\0\0\0\0\0\0\0\0", 10);
  assert_memory_equal(in.data + 20, "\0\11\0\0\0not today", 14);
  assert_memory_equal(in.data + 34, "\1\5\0\0\0\1\0\0\0\0", 10);
  close(fd);
  in.used = 0;
  fd = call_service(&s, "probe=1", &in);
  (void)ros1_receive_all(&s.rig, fd, &in);
  close(fd);
  assert_int_equal(atomic_load(&s.calls), 5);
  in.used = 0;
  fd = call_service(&s, NULL, &in); /* a client that disconnects early does no harm */
  ros1_send(fd, "\1\0\0\0\0", 5);
  close(fd);
  ros1_rig_run(&s.rig, 20);
  sn__bytes_free(&in);
  ros1_rig_close(&s.rig);
}

/* ---- invalid peers ---- */

/* Each is rejected and counted; a valid subscriber loses nothing meanwhile. */
SN_TEST(invalid_peers_are_rejected_and_counted) {
  fixture s;
  open_fixture(&s);
  static const struct {
    bool is_rpc;
    const char *bytes;
    size_t size;
    const char *answer;
  } cases[] = {
#define BYTES(text) text, sizeof(text) - 1
      {false, BYTES("\xff\xff\xff\xff"), ""},
      {false, BYTES("\10\0\0\0\4\0\0\0abcd"), "name=value"},
      {false, BYTES("\10\0\0\0\5\0\0\0a=bc"), "truncated"},
      {false, BYTES("\0\0\0\0"), "neither a topic nor a service"},
      {false, BYTES("\15\0\0\0\11\0\0\0topic=/no"), "does not publish"},
      {false, BYTES("\17\0\0\0\13\0\0\0topic=/text"), "md5sum"},
      {false, BYTES("\37\0\0\0\13\0\0\0topic=/text\14\0\0\0type=a/Other"), "different type"},
      {false, BYTES("\17\0\0\0\13\0\0\0service=/no"), "no such service"},
      {false, BYTES("\42\0\0\0\15\0\0\0service=/turn\15\0\0\0md5sum=123456"), "md5sum"},
      {false, BYTES("GET / HTTP/1.1\r\n\r\n"), ""},
      {true, BYTES("GET / HTTP/1.1\r\n\r\n"), "400"},
      {true, BYTES("POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"), "400"},
      {true, BYTES("POST / HTTP/1.1\r\nContent-Length: 7\r\n\r\ngarbage"), "fault"},
      {true, BYTES("POST / HTTP/1.1\r\nContent-Length: 16\r\n\r\n<methodResponse>"), "fault"},
      {true, BYTES("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), ""},
  };
  sn__bytes good = {0};
  const int good_fd = subscribe(&s, "/text", &good);
  const size_t count = sizeof cases / sizeof *cases;
  for (size_t i = 0; i < count; i++) {
    sn__bytes in = {0};
    const int fd =
        ros1_connect(cases[i].is_rpc ? ros1_rig_api_port(&s.rig) : ros1_rig_tcpros_port(&s.rig));
    ros1_send(fd, cases[i].bytes, cases[i].size);
    publish(s.text, "on");
    (void)ros1_receive_all(&s.rig, fd, &in);
    if (memmem(in.data, in.used, cases[i].answer, strlen(cases[i].answer)) == NULL) {
      fail_msg("case %zu: no '%s' in the answer", i, cases[i].answer);
    }
    assert_message(&s, good_fd, &good, "on");
    sn__bytes_free(&in);
    close(fd);
    assert_int_equal(sn__ros1_node_counts(s.rig.node).refused, i + 1);
  }
  close(good_fd);
  sn__bytes_free(&good);
  ros1_rig_close(&s.rig);
}

/* With more connections than slots, the oldest idle one is closed and established ones stay. The
   node reserves slots for its own calls. */
SN_TEST(idle_connections_do_not_block_others) {
  enum { CROWD = 300 };
  fixture s;
  open_fixture(&s);
  sn__bytes first = {0};
  sn__bytes later = {0};
  const int first_fd = subscribe(&s, "/text", &first);
  int crowd[CROWD];
  for (int i = 0; i < CROWD; i++) {
    crowd[i] = ros1_connect(i % 2 == 0 ? ros1_rig_tcpros_port(&s.rig) : ros1_rig_api_port(&s.rig));
    ros1_rig_run(&s.rig, 1);
  }
  const uint64_t refused = sn__ros1_node_counts(s.rig.node).refused;
  assert_true(refused > 0 && refused < CROWD);
  const int later_fd = subscribe(&s, "/text", &later);
  publish(s.text, "both");
  assert_message(&s, first_fd, &first, "both");
  assert_message(&s, later_fd, &later, "both");
  s.rig.call_count = 0;
  s.rig.forgets = true; /* so that the node calls the master */
  (void)ros1_rig_hear(&s.rig, "registerSubscriber", "/in", 0);
  for (int i = 0; i < CROWD; i++) {
    close(crowd[i]);
  }
  close(first_fd);
  close(later_fd);
  sn__bytes_free(&first);
  sn__bytes_free(&later);
  ros1_rig_close(&s.rig);
}

SN_TEST(the_slave_api_responds) {
  fixture s;
  open_fixture(&s);
  sn__bytes topic = {0};
  const int listener = subscribe(&s, "/text", &topic);
  static const char *const cases[][2] = {
      {"getPid", "<int>"},
      {"getBusInfo", "/peer"},
      {"getBusStats", "/text"},
      {"getPublications", "std_msgs/String"},
      {"getSubscriptions", "/in"},
      {"getMasterUri", "http://127.0.0.1:"},
      {"paramUpdate", "<int>1</int>"},
      {"publisherUpdate", "expected: caller, topic"},
      {"requestTopic", "does not publish"},
      {"noSuchMethod", "no such method"},
  };
  const int fd = ros1_connect(ros1_rig_api_port(&s.rig)); /* one connection for all of them */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn__bytes body = {0};
    sn__bytes in = {0};
    sn__rpc_writer w;
    char head[96];
    sn__rpc_begin_call(&w, &body, cases[i][0]);
    sn__rpc_put_text(&w, "/tool");
    sn__rpc_end(&w);
    snprintf(head, sizeof head, "POST / HTTP/1.1\r\nContent-Length: %zu\r\n\r\n", body.used);
    ros1_send(fd, head, strlen(head));
    ros1_send(fd, body.data, body.used);
    sn_error err = {SN_OK, ""};
    sn__http_message http;
    do {
      assert_true(ros1_receive(&s.rig, fd, &in, 1));
    } while (sn__http_parse(in.data, in.used, 65536, &http, &err) != SN_OK ||
             in.used - http.body_start < http.body_size);
    if (memmem(in.data, in.used, cases[i][1], strlen(cases[i][1])) == NULL) {
      fail_msg("%s: no '%s' in %.*s", cases[i][0], cases[i][1], (int)in.used, in.data);
    }
    sn__bytes_free(&in);
    sn__bytes_free(&body);
  }
  close(fd);
  close(listener);
  sn__bytes_free(&topic);
  ros1_rig_close(&s.rig);
}

SN_TEST(a_node_that_was_shut_down_stays_out_of_the_graph) {
  fixture s;
  open_fixture(&s);
  sn__bytes body = {0};
  sn__bytes out = {0};
  sn__bytes topic = {0};
  sn__rpc_writer w;
  const int listener = subscribe(&s, "/text", &topic);
  sn__rpc_begin_call(&w, &body, "shutdown");
  sn__rpc_put_text(&w, "/master");
  sn__rpc_put_text(&w, "a new node has its name");
  sn__rpc_end(&w);
  sn__http_put_request(&out, "127.0.0.1", 1, body.used);
  sn__bytes_put(&out, body.data, body.used);
  const int fd = ros1_connect(ros1_rig_api_port(&s.rig));
  ros1_send(fd, out.data, out.used);
  body.used = 0;
  sn_assert_contains(ros1_receive_all(&s.rig, fd, &body), "<int>1</int>");
  (void)ros1_receive_all(&s.rig, listener, &topic);
  sn_assert_contains(s.rig.last_warning, "a new node has its name");
  s.rig.call_count = 0;
  ros1_rig_run(&s.rig, 800); /* longer than the lookup interval */
  assert_int_equal(s.rig.call_count, 0);
  assert_true(sn__ros1_node_counts(s.rig.node).is_shut_down);
  close(fd);
  close(listener);
  sn__bytes_free(&body);
  sn__bytes_free(&out);
  sn__bytes_free(&topic);
  ros1_rig_close(&s.rig);
}

SN_TEST(an_invalid_configuration_is_rejected) {
  sn__ros1_config config = {.name = "/n", .master_uri = "localhost:11311", .host = "127.0.0.1"};
  sn__ros1_node *node = NULL;
  sn_error err = {SN_OK, ""};
  assert_int_equal(sn__ros1_node_create(&config, &node, &err), SN_EINVAL);
  sn_assert_contains(err.message, "expected http://host:port");
  config.master_uri = "http://localhost:11311";
  config.host = "no.such.host.invalid";
  assert_int_equal(sn__ros1_node_create(&config, &node, &err), SN_EIO);
  sn_assert_contains(err.message, "no.such.host.invalid");
  assert_null(node);
}
