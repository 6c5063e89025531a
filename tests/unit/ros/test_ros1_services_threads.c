/* A ROS 1 node: services, its API, invalid peers. */
#define _GNU_SOURCE /* memmem() */

#include <unistd.h>

#include "msg/types/msg_graph.h"
#include "ros/ros1/http.h"
#include "ros/ros1/rpc.h"
#include "ros1_node_rig.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

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
  return ros1_node_serve(context, caller, request, size, response, err);
}

SN_TEST(an_urgent_service_overtakes_pending_calls) {
  enum { WAITING = 8 }; /* more than the pool has threads */
  fixture s = {.calls = 0};
  ros1_rig_open(&s.rig, true);
  assert_non_null(sn__ros1_add_service(s.rig.node, "/slow", "std_srvs/SetBool",
                                       &sn_call_switch_type, &sn_call_outcome_type, serve_slowly,
                                       NULL, &s.calls));
  assert_non_null(sn__ros1_add_service(s.rig.node, "/urgent", "std_srvs/SetBool",
                                       &sn_call_switch_type, &sn_call_outcome_type, ros1_node_serve,
                                       hear, &s.calls));
  assert_non_null(
      sn__ros1_subscribe(s.rig.node, "/in", &sn__std_string_type, ros1_node_take, &s.heard));
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
  ros1_node_open_fixture(&s);
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

/* Each is rejected and counted; a valid subscriber loses nothing meanwhile. */
SN_TEST(invalid_peers_are_rejected_and_counted) {
  fixture s;
  ros1_node_open_fixture(&s);
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
  const int good_fd = ros1_node_subscribe(&s, "/text", &good);
  const size_t count = sizeof cases / sizeof *cases;
  for (size_t i = 0; i < count; i++) {
    sn__bytes in = {0};
    const int fd =
        ros1_connect(cases[i].is_rpc ? ros1_rig_api_port(&s.rig) : ros1_rig_tcpros_port(&s.rig));
    ros1_send(fd, cases[i].bytes, cases[i].size);
    ros1_node_publish(s.text, "on");
    (void)ros1_receive_all(&s.rig, fd, &in);
    if (memmem(in.data, in.used, cases[i].answer, strlen(cases[i].answer)) == NULL) {
      fail_msg("case %zu: no '%s' in the answer", i, cases[i].answer);
    }
    ros1_node_assert_message(&s, good_fd, &good, "on");
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
  ros1_node_open_fixture(&s);
  sn__bytes first = {0};
  sn__bytes later = {0};
  const int first_fd = ros1_node_subscribe(&s, "/text", &first);
  int crowd[CROWD];
  for (int i = 0; i < CROWD; i++) {
    crowd[i] = ros1_connect(i % 2 == 0 ? ros1_rig_tcpros_port(&s.rig) : ros1_rig_api_port(&s.rig));
    ros1_rig_run(&s.rig, 1);
  }
  const uint64_t refused = sn__ros1_node_counts(s.rig.node).refused;
  assert_true(refused > 0 && refused < CROWD);
  const int later_fd = ros1_node_subscribe(&s, "/text", &later);
  ros1_node_publish(s.text, "both");
  ros1_node_assert_message(&s, first_fd, &first, "both");
  ros1_node_assert_message(&s, later_fd, &later, "both");
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
  ros1_node_open_fixture(&s);
  sn__bytes topic = {0};
  const int listener = ros1_node_subscribe(&s, "/text", &topic);
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
  ros1_node_open_fixture(&s);
  sn__bytes body = {0};
  sn__bytes out = {0};
  sn__bytes topic = {0};
  sn__rpc_writer w;
  const int listener = ros1_node_subscribe(&s, "/text", &topic);
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
