/* HTTP, TCPROS, names and queues of a ROS 1 node. */
#include <stdlib.h>

#include "ros/graph_name.h"
#include "ros/ros1/http.h"
#include "ros/ros1/net.h"
#include "ros/ros1/tcpros.h"
#include "sinew/random.h"
#include "sn_test.h"

/* ---- HTTP ---- */

static sn_status parse_http(const char *text, sn__http_message *m) {
  sn_error err = {SN_OK, ""};
  const sn_status status = sn__http_parse(text, strlen(text), 1000, m, &err);
  assert_true(status == SN_OK || status == SN_EBUSY || err.message[0] != '\0');
  return status;
}

SN_TEST(a_head_ends_with_an_empty_line) {
  sn__bytes text = {0};
  sn__http_put_request(&text, "robot", 11311, 12);
  sn__http_message m;
  sn_error err = {SN_OK, ""};
  for (size_t size = 0; size < text.used; size++) {
    assert_int_equal(sn__http_parse(text.data, size, 1000, &m, &err), SN_EBUSY);
  }
  assert_int_equal(sn__http_parse(text.data, text.used, 1000, &m, &err), SN_OK);
  assert_true(m.is_request);
  assert_int_equal(m.body_start, text.used);
  assert_int_equal(m.body_size, 12);
  assert_false(m.keep_alive);
  assert_int_equal(sn__http_parse(text.data, text.used, 11, &m, &err), SN_ELIMIT);
  sn__bytes_free(&text);
}

SN_TEST(valid_heads_are_parsed_and_invalid_ones_rejected) {
  static const struct {
    const char *text;
    sn_status status;
    bool keep_alive;
    size_t body_size;
  } cases[] = {
      {"POST / HTTP/1.1\r\ncontent-LENGTH:  7 \r\n\r\n", SN_OK, true, 7},
      {"POST / HTTP/1.0\ncontent-length: 7\n\n", SN_OK, false, 7},
      {"POST / HTTP/1.0\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n", SN_OK, true, 0},
      {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", SN_OK, true, 3},
      {"HTTP/1.0 200 OK\r\n\r\n", SN_OK, false, 0},
      {"POST / HTTP/1.1\r\n\r\n", SN_ESYNTAX, false, 0},
      {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", SN_ESYNTAX, false, 0},
      {"POST / HTTP/1.1\r\nContent-Length: 0x10\r\n\r\n", SN_ESYNTAX, false, 0},
      {"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", SN_ESYNTAX, false, 0},
      {"POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n", SN_ELIMIT, false, 0},
      {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", SN_ESYNTAX, false, 0},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", SN_EUNSUPPORTED, false, 0},
      {"GET / HTTP/1.1\r\n\r\n", SN_EUNSUPPORTED, false, 0},
      {"POST / HTTP/2\r\nContent-Length: 1\r\n\r\n", SN_ESYNTAX, false, 0},
      {"HTTP/1.1 abc\r\n\r\n", SN_ESYNTAX, false, 0},
      {"HTTP/1.\r\n\r\n", SN_ESYNTAX, false, 0},
      {"\r\n\r\n", SN_EUNSUPPORTED, false, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn__http_message m = {0};
    const sn_status status = parse_http(cases[i].text, &m);
    if (status != cases[i].status) {
      fail_msg("%s: %s", cases[i].text, sn_status_text(status));
    }
    assert_int_equal(m.keep_alive, cases[i].keep_alive);
    assert_int_equal(m.body_size, cases[i].body_size);
  }
}

SN_TEST(an_endless_head_is_rejected) {
  char *text = malloc(SN__HTTP_HEAD_MAX + 1);
  assert_non_null(text);
  memset(text, 'a', SN__HTTP_HEAD_MAX);
  text[SN__HTTP_HEAD_MAX] = '\0';
  sn__http_message m;
  assert_int_equal(parse_http(text, &m), SN_ELIMIT);
  free(text);
}

SN_TEST(uris_are_split) {
  char host[16];
  int port = 0;
  assert_true(sn__http_split_uri("http://localhost:11311", "http", host, sizeof host, &port));
  assert_string_equal(host, "localhost");
  assert_int_equal(port, 11311);
  assert_true(sn__http_split_uri("rosrpc://10.0.0.1:1/", "rosrpc", host, sizeof host, &port));
  assert_int_equal(port, 1);
  static const char *const bad[] = {
      "",           "http://",     "http://a",       "http://a:",   "http://:80",
      "http://a:0", "http://a:x/", "http://a:65536", "https://a:1", "http://0123456789abcdef:1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_false(sn__http_split_uri(bad[i], "http", host, sizeof host, &port));
  }
}

/* ---- TCPROS ---- */

SN_TEST(a_header_reads_back_and_truncated_ones_are_rejected) {
  sn__bytes text = {0};
  const size_t start = sn__tcpros_begin(&text);
  sn__tcpros_put(&text, "callerid", "/node");
  sn__tcpros_put(&text, "message_definition", "a=b\nc=d");
  sn__tcpros_put(&text, "empty", "");
  sn__tcpros_end(&text, start);
  size_t used = 0;
  sn_error err = {SN_OK, ""};
  for (size_t size = 0; size < text.used; size++) {
    assert_int_equal(sn__tcpros_frame(text.data, size, 1000, &used, &err), SN_EBUSY);
  }
  assert_int_equal(sn__tcpros_frame(text.data, text.used, 1000, &used, &err), SN_OK);
  assert_int_equal(used, text.used);
  sn__tcpros_header header;
  assert_int_equal(sn__tcpros_parse(text.data + 4, used - 4, &header, &err), SN_OK);
  char value[16];
  assert_true(sn__tcpros_get(&header, "callerid", value, sizeof value));
  assert_string_equal(value, "/node");
  assert_true(sn__tcpros_get(&header, "message_definition", value, sizeof value));
  assert_string_equal(value, "a=b\nc=d");
  assert_true(sn__tcpros_get(&header, "empty", value, sizeof value));
  assert_string_equal(value, "");
  assert_false(sn__tcpros_get(&header, "caller", value, sizeof value));
  assert_false(sn__tcpros_get(&header, "callerid", value, 5)); /* no room for the NUL */
  /* Cut between two fields it is a shorter header, cut elsewhere it is invalid. */
  size_t whole = 0;
  for (size_t size = 0; size < used - 4; size++) {
    whole += sn__tcpros_parse(text.data + 4, size, &header, &err) == SN_OK;
  }
  assert_int_equal(whole, 3);
  sn__bytes_free(&text);
}

SN_TEST(wrong_lengths_are_rejected) {
  sn_error err = {SN_OK, ""};
  sn__tcpros_header header;
  size_t used = 0;
  const char giant[] = "\xff\xff\xff\xff....";
  assert_int_equal(sn__tcpros_frame(giant, 8, 1000, &used, &err), SN_ELIMIT);
  assert_int_equal(sn__tcpros_parse(giant, 8, &header, &err), SN_ESYNTAX);
  assert_int_equal(sn__tcpros_parse("\5\0\0\0a=bc", 8, &header, &err), SN_ESYNTAX);
  assert_int_equal(sn__tcpros_parse("\4\0\0\0abcd", 8, &header, &err), SN_ESYNTAX);
  assert_int_equal(sn__tcpros_parse("\4\0\0\0=bcd", 8, &header, &err), SN_ESYNTAX);
  assert_int_equal(sn__tcpros_parse("\0\0\0\0", 4, &header, &err), SN_ESYNTAX);
  sn__bytes many = {0};
  for (int i = 0; i <= SN__TCPROS_FIELDS_MAX; i++) {
    sn__tcpros_put(&many, "a", "b");
  }
  assert_int_equal(sn__tcpros_parse(many.data, many.used, &header, &err), SN_ELIMIT);
  sn__bytes_free(&many);
  char value[8];
  assert_int_equal(sn__tcpros_parse("\4\0\0\0a=\0b", 8, &header, &err), SN_OK);
  assert_false(sn__tcpros_get(&header, "a", value, sizeof value));
}

/* ---- queues ---- */

/* The receiver gets complete frames in order; received and dropped frames add up. */
SN_TEST(a_queue_drops_the_oldest_frame_and_never_a_part) {
  const uint64_t seed = 20260;
  sn_random random;
  sn_random_init(&random, seed);
  for (size_t round = 0; round < sn_test_cases(200); round++) {
    sn__frame_queue queue;
    const size_t room = 1 + (size_t)sn_random_below(&random, 6);
    assert_true(sn__frame_queue_init(&queue, room));
    unsigned char stream[4096];
    size_t length = 0;
    unsigned pushed = 0;
    for (int i = 0; i < 200; i++) {
      if (sn_random_below(&random, 2) == 0) {
        const size_t size = 1 + (size_t)sn_random_below(&random, 7);
        sn__frame *frame = sn__frame_create(size);
        assert_non_null(frame);
        memset(frame->data, (int)pushed++, size);
        frame->data[0] = (char)size;
        sn__frame_queue_push(&queue, frame);
        sn__frame_drop(frame);
        assert_true(queue.count <= room + 1);
      } else {
        const char *bytes = NULL;
        const size_t wait = sn__frame_queue_peek(&queue, &bytes);
        const size_t sent = wait == 0 ? 0 : 1 + (size_t)sn_random_below(&random, wait);
        memcpy(stream + length, bytes == NULL ? "" : bytes, sent);
        length += sent;
        if (sent > 0) {
          sn__frame_queue_advance(&queue, sent);
        }
      }
    }
    const char *bytes = NULL;
    for (size_t n = sn__frame_queue_peek(&queue, &bytes); n > 0;
         n = sn__frame_queue_peek(&queue, &bytes)) {
      memcpy(stream + length, bytes, n);
      length += n;
      sn__frame_queue_advance(&queue, n);
    }
    size_t got = 0;
    int last = -1;
    for (size_t at = 0; at < length; got++) {
      const size_t size = stream[at];
      assert_in_range(size, 1, 7);
      assert_true(at + size <= length);
      for (size_t k = 1; k < size; k++) {
        assert_int_equal(stream[at + k], stream[at + 1]);
      }
      if (size > 1) {
        assert_true(stream[at + 1] > last);
        last = stream[at + 1];
      }
      at += size;
    }
    assert_int_equal(got + queue.dropped, pushed);
    sn__frame_queue_free(&queue);
  }
}

/* ---- names ---- */

SN_TEST(names_are_resolved_as_in_ros) {
  static const char *const rules[] = {"joint_states:=/all/joints", "/robot/a/b:=c", "/x:=~y"};
  const sn__graph_names names = {"/robot", "/robot/sinew", {rules, 3}};
  const sn__graph_names root = {"/", "/sinew", {NULL, 0}};
  sn_error err = {SN_OK, ""};
  char out[32];
  assert_int_equal(sn__graph_names_check(&names, &err), SN_OK);
  static const char *const cases[][2] = {{"tip", "/robot/tip"},
                                         {"/tf", "/tf"},
                                         {"~state", "/robot/sinew/state"},
                                         {"joint_states", "/all/joints"},
                                         {"/robot/joint_states", "/all/joints"},
                                         {"/joint_states", "/joint_states"},
                                         {"a/b", "/robot/c"},
                                         {"/x", "/robot/sinew/y"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_true(sn__graph_name_resolve(&names, cases[i][0], out, sizeof out));
    assert_string_equal(out, cases[i][1]);
  }
  assert_true(sn__graph_name_resolve(&root, "follow/x", out, sizeof out));
  assert_string_equal(out, "/follow/x");
  assert_false(sn__graph_name_resolve(&root, "a_name_that_is_too_long_for_this", out, sizeof out));
}

SN_TEST(invalid_names_are_rejected) {
  static const char *const bad[] = {"", "1a", "a-b", "a//b", "a b", "ä", "a.b"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_false(sn__graph_name_is_good(bad[i]));
  }
  static const char *const rules[][1] = {{"a"}, {"a:="}, {":=b"}, {"a:=b-c"}, {"a=b"}};
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    const sn__graph_names names = {"/", "/n", {rules[i], 1}};
    sn_error err = {SN_OK, ""};
    assert_int_equal(sn__graph_names_check(&names, &err), SN_EINVAL);
    sn_assert_contains(err.message, "name:=other_name");
  }
}
