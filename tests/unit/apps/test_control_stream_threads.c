/* Streams of the control socket: the latest message, one reader per port, bounded memory. */
#define _GNU_SOURCE /* mallinfo2() */

#include <jansson.h>
#include <malloc.h>

#include "control_rig.h"
#include "control_socket_client.h"
#include "sn_test.h"

/* The source numbers its messages: those between two events were dropped; one may be under way
 * while they are counted. */
SN_TEST(a_stream_sends_the_latest_and_counts_the_rest) {
  client c = client_open(served.socket);
  client_send_line(
      &c, "{\"id\":3,\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":50,\"count\":8}");
  client_expect_answer(&c, 3, true);
  json_int_t first = 0;
  json_int_t dropped_first = 0;
  json_int_t last = 0;
  for (int i = 1; i <= 8; i++) {
    json_t *json = client_receive(&c);
    assert_int_equal(json_integer_value(json_object_get(json, "id")), 3);
    assert_int_equal(json_integer_value(json_object_get(json, "number")), i);
    const json_int_t cycle =
        json_integer_value(json_object_get(json_object_get(json, "event"), "cycle"));
    const json_int_t dropped = json_integer_value(json_object_get(json, "dropped"));
    assert_true(cycle > last);
    first = i == 1 ? cycle : first;
    dropped_first = i == 1 ? dropped : dropped_first;
    const json_int_t between = cycle - first - (i - 1);
    assert_true(llabs(between - (dropped - dropped_first)) <= 1);
    last = cycle;
    json_decref(json);
  }
  assert_true(last - first > 7); /* the source is faster than the stream */
  json_t *json = client_receive(&c);
  assert_string_equal(json_string_value(json_object_get(json, "end")), "count");
  json_decref(json);
  client_send_line(&c, "{\"id\":4,\"verb\":\"help\"}");
  client_expect_answer(&c, 4, true);
  client_close(&c);
}

SN_TEST(a_message_too_long_for_a_line_is_reported) {
  client c = client_open(served.socket);
  client_send_line(&c, "{\"id\":3,\"verb\":\"echo\",\"name\":\"source.pose\",\"count\":1}");
  client_expect_answer(&c, 3, true);
  client other = client_open(served.socket);
  client_send_line(&other, "{\"id\":4,\"verb\":\"call\",\"name\":\"source.shout\"}");
  client_expect_answer(&other, 4, true);
  client_close(&other);
  json_t *json = client_receive(&c);
  assert_true(json_is_null(json_object_get(json, "event")));
  assert_int_equal(json_integer_value(json_object_get(json, "number")), 1);
  json_decref(json);
  json = client_receive(&c);
  assert_string_equal(json_string_value(json_object_get(json, "end")), "count");
  json_decref(json);
  client_close(&c);
}

/* The number of readers of the port. */
static size_t count_readers(void) {
  client c = client_open(served.socket);
  client_send_line(&c, "{\"id\":1,\"verb\":\"describe\",\"name\":\"source.count\"}");
  json_t *json = client_receive(&c);
  const size_t readers =
      json_array_size(json_object_get(json_object_get(json, "result"), "connections"));
  json_decref(json);
  client_close(&c);
  return readers;
}

/* The cost for the component does not grow with the number of streams. */
SN_TEST(streams_of_one_port_share_one_reader) {
  client clients[20];
  for (int i = 0; i < 20; i++) {
    clients[i] = client_open(served.socket);
    client_send_line(&clients[i], "{\"id\":3,\"verb\":\"echo\",\"name\":\"source.count\"}");
    client_expect_answer(&clients[i], 3, true);
  }
  assert_int_equal(count_readers(), 2);
  for (int i = 0; i < 20; i++) {
    json_t *json = client_receive(&clients[i]); /* each of them gets events */
    assert_int_equal(json_integer_value(json_object_get(json, "number")), 1);
    json_decref(json);
    client_close(&clients[i]);
  }
  while (count_readers() > 1) { /* soon only the sink reads */
  }
}

/* Events and answers are interleaved line by line; no event follows the cancellation. */
SN_TEST(a_stream_is_cancelled_between_requests) {
  client c = client_open(served.socket);
  for (int i = 0; i < 9; i++) {
    char line[100];
    snprintf(line, sizeof line, "{\"id\":%d,\"verb\":\"echo\",\"name\":\"source.count\"}", i);
    client_send_line(&c, line);
  }
  client_send_line(&c, "{\"id\":20,\"verb\":\"ls\"}");
  size_t answers = 0;
  bool has_limit = false;
  while (answers < 10) {
    json_t *json = client_receive(&c);
    if (json_object_get(json, "ok") != NULL) {
      answers++;
      has_limit = has_limit || json_is_false(json_object_get(json, "ok"));
    }
    json_decref(json);
  }
  assert_true(has_limit); /* the ninth */
  for (int i = 0; i < 8; i++) {
    char line[100];
    snprintf(line, sizeof line, "{\"id\":%d,\"verb\":\"cancel\",\"stream\":%d}", 100 + i, i);
    client_send_line(&c, line);
  }
  for (bool is_done = false; !is_done;) {
    json_t *json = client_receive(&c);
    is_done = json_integer_value(json_object_get(json, "id")) == 107;
    json_decref(json);
  }
  for (int i = 0; i < 50; i++) {
    client_send_line(&c, "{\"id\":30,\"verb\":\"help\"}");
    client_expect_answer(&c, 30, true);
  }
  client_close(&c);
}

SN_TEST(a_client_that_disconnects_leaves_no_stream_behind) {
  for (int i = 0; i < 30; i++) {
    client c = client_open(served.socket);
    client_send_line(&c, "{\"id\":3,\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":200}");
    client_send_line(&c, "{\"id\":4,\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":200}");
    if (i % 3 > 0) {
      client_expect_answer(&c, 3, true);
    }
    if (i % 3 > 1) {
      json_decref(client_receive(&c));
    }
    client_close(&c);
  }
  while (count_readers() > 1) { /* soon only the sink reads */
  }
}

/* Streams keep the latest message only. */
SN_TEST(a_client_that_never_reads_does_not_block_others) {
  client lazy = client_open(served.socket);
  for (int i = 0; i < 8; i++) {
    client_send_line(&lazy, "{\"id\":3,\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":200}");
  }
  for (int i = 0; i < 200000 && client_try_send(&lazy, "{\"id\":9,\"verb\":\"top\"}\n", 23) > 0;
       i++) {
  }
  for (int i = 0; i < 20; i++) {
    client_expect_served(served.socket);
  }
  client_close(&lazy);
  client_expect_served(served.socket);
}

SN_TEST_EACH(control_rig_set_up, control_rig_tear_down)
