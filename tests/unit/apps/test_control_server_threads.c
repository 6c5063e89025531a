/* The control socket with misbehaving and busy clients: bounded, fair, without effect on the
 * system. */
#define _GNU_SOURCE /* mallinfo2() */

#include <jansson.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "control_rig.h"
#include "control_socket_client.h"
#include "remote/request.h"
#include "sn_test.h"

SN_TEST(requests_of_one_client_are_answered_in_order) {
  client c = client_open(served.socket);
  for (int i = 0; i < 300; i++) {
    static const char *const verbs[] = {"\"ls\"", "\"get\",\"name\":\"source.gain\"",
                                        "\"call\",\"name\":\"source.add\",\"arguments\":{\"x\":1}",
                                        "\"fly\""};
    char line[128];
    snprintf(line, sizeof line, "{\"id\":%d,\"verb\":%s}", i, verbs[i % 4]);
    client_send_line(&c, line);
  }
  for (int i = 0; i < 300; i++) {
    client_expect_answer(&c, i, i % 4 != 3);
  }
  client_close(&c);
}

/* Each client sends without reading until it blocks, then reads: every request gets an answer. */
typedef struct flood {
  client c;
  size_t sent, heard;
  char rest[128]; /* rest of the last line */
  size_t rest_length;
} flood;

static void flood_on(flood *f, size_t most) {
  while (f->sent < most) {
    if (f->rest_length == 0) {
      static const char *const verbs[] = {"\"ls\"", "\"top\"",
                                          "\"set\",\"name\":\"source.gain\",\"value\":0.25",
                                          "\"call\",\"name\":\"source.add\""};
      f->rest_length = (size_t)snprintf(f->rest, sizeof f->rest, "{\"id\":%zu,\"verb\":%s}\n",
                                        f->sent, verbs[f->sent % 4]);
    }
    const size_t count = client_try_send(&f->c, f->rest, f->rest_length);
    memmove(f->rest, f->rest + count, f->rest_length - count);
    f->rest_length -= count;
    if (f->rest_length > 0) {
      return;
    }
    f->sent++;
  }
}

static void hear_some(flood *f) {
  (void)client_read(&f->c);
  size_t at = 0;
  for (char *end; at < f->c.used && (end = memchr(f->c.text + at, '\n', f->c.used - at)) != NULL;) {
    char expected[40];
    const int length = snprintf(expected, sizeof expected, "{\"id\":%zu,\"ok\":true", f->heard);
    assert_memory_equal(f->c.text + at, expected, (size_t)length);
    f->heard++;
    at = (size_t)(end - f->c.text) + 1;
  }
  memmove(f->c.text, f->c.text + at, f->c.used - at);
  f->c.used -= at;
}

#define FLOODS 64

SN_TEST(sixty_four_flooding_clients_are_all_served) {
  static flood floods[FLOODS];
  memset(floods, 0, sizeof floods);
  const size_t each = sn_test_cases(100);
  for (size_t i = 0; i < FLOODS; i++) {
    floods[i].c = client_open(served.socket);
  }
  size_t open = FLOODS;
  size_t furthest = 0;
  while (open > 0) {
    open = 0;
    size_t least = SIZE_MAX;
    furthest = 0;
    struct pollfd polls[FLOODS];
    for (size_t i = 0; i < FLOODS; i++) {
      flood_on(&floods[i], each);
      hear_some(&floods[i]);
      least = floods[i].heard < least ? floods[i].heard : least;
      furthest = floods[i].heard > furthest ? floods[i].heard : furthest;
      const bool is_open = floods[i].heard < each;
      open += is_open;
      polls[i] = (struct pollfd){is_open ? floods[i].c.fd : -1, POLLIN, 0};
    }
    if (open > 0) {
      assert_true(poll(polls, FLOODS, STALL_MS) > 0);
    }
  }
  for (size_t i = 0; i < FLOODS; i++) {
    assert_int_equal(floods[i].heard, each);
    client_close(&floods[i].c);
  }
}

/* The server queues one answer per client, so its memory does not grow with the requests. The test
 * measures the heap of the process, so the clients allocate nothing meanwhile. */
SN_TEST(a_flood_without_a_reader_takes_bounded_memory) {
  const size_t before = mallinfo2().uordblks;
  client clients[FLOODS];
  for (size_t i = 0; i < FLOODS; i++) {
    clients[i] = client_open(served.socket);
  }
  static const char line[] = "{\"id\":1,\"verb\":\"describe\",\"name\":\"source\"}\n";
  for (int round = 0; round < 20; round++) {
    for (size_t i = 0; i < FLOODS; i++) {
      for (int k = 0; k < 1000 && client_try_send(&clients[i], line, sizeof line - 1) > 0; k++) {
      }
    }
    client_expect_served(served.socket);
  }
  const size_t after = mallinfo2().uordblks;
  /* One answer and one line of 4 kB each, plus requests under way. */
  assert_true(after < before + FLOODS * 64 * 1024);
  for (size_t i = 0; i < FLOODS; i++) {
    client_close(&clients[i]);
  }
  client_expect_served(served.socket);
}

/* @return whether a request is answered; false: all connections are in use */
static bool is_served(client *c, const char *verb) {
  char line[80];
  snprintf(line, sizeof line, "{\"id\":1,\"verb\":\"%s\",\"name\":\"source.gain\"}", verb);
  client_send_line(c, strcmp(verb, "names") == 0 ? "{\"id\":1,\"verb\":\"names\"}" : line);
  json_t *json = client_receive(c);
  assert_non_null(json);
  const bool ok = json_is_true(json_object_get(json, "ok"));
  if (!ok) {
    assert_string_equal(json_string_value(json_object_get(json, "status")), "SN_EBUSY");
    sn_assert_contains(json_string_value(json_object_get(json, "error")), "too many clients");
  }
  json_decref(json);
  return ok;
}

static void begin_to_wait(client *c) {
  *c = client_open(served.socket);
  client_send_line(c, "{\"id\":7,\"verb\":\"call\",\"name\":\"source.block\",\"timeout\":60}");
}

/* Busy clients keep their connections; then there is the reserve, then a refusal. */
SN_TEST(reserved_connections_can_only_stop_the_robot) {
  static client clients[CONTROL_CLIENTS_MAX];
  client extras[CONTROL_STOP_ONLY_MAX];
  atomic_store(&control_rig_gate_closed, true);
  for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
    begin_to_wait(&clients[i]);
  }
  for (size_t i = 0; i < CONTROL_STOP_ONLY_MAX; i++) {
    extras[i] = client_open(served.socket);
    assert_true(is_served(&extras[i], "names"));
    assert_false(is_served(&extras[i], "get"));
  }
  client last = client_open(served.socket);
  json_t *json = client_receive(&last);
  assert_string_equal(json_string_value(json_object_get(json, "status")), "SN_EBUSY");
  sn_assert_contains(json_string_value(json_object_get(json, "error")), "too many clients");
  json_decref(json);
  assert_null(client_receive(&last));
  client_close(&last);
  assert_null(client_receive(&extras[0])); /* a connection of the reserve lasts some seconds */
  for (size_t i = 0; i < CONTROL_STOP_ONLY_MAX; i++) {
    client_close(&extras[i]);
  }
  atomic_store(&control_rig_gate_closed, false);
  for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
    client_expect_answer(&clients[i], 7, true);
    client_close(&clients[i]);
  }
}

SN_TEST(the_longest_idle_client_is_closed_first) {
  static client clients[CONTROL_CLIENTS_MAX];
  atomic_store(&control_rig_gate_closed, true);
  begin_to_wait(&clients[0]);
  for (size_t i = 1; i < CONTROL_CLIENTS_MAX; i++) {
    clients[i] = client_open(served.socket);
    assert_true(is_served(&clients[i], "get"));
  }
  client late = client_open(served.socket);
  for (int tries = 0; !is_served(&late, "get"); tries++) { /* no client was silent for a second */
    assert_true(tries < 600);
    client_close(&late);
    poll(NULL, 0, 100);
    late = client_open(served.socket);
  }
  assert_null(client_receive(&clients[1]));
  assert_true(is_served(&clients[CONTROL_CLIENTS_MAX - 1], "get"));
  atomic_store(&control_rig_gate_closed, false);
  client_expect_answer(&clients[0], 7, true); /* the oldest client, but busy */
  client_close(&late);
  for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
    client_close(&clients[i]);
  }
}

SN_TEST(slow_operations_do_not_delay_others) {
  atomic_store(&control_rig_gate_closed, true);
  client stuck[12];
  for (int i = 0; i < 12; i++) {
    stuck[i] = client_open(served.socket);
    client_send_line(&stuck[i], "{\"id\":7,\"verb\":\"call\",\"name\":\"source.block\"}");
  }
  while (atomic_load(&control_rig_inside) < 4) {
    poll(NULL, 0, 1);
  }
  for (int i = 0; i < 20; i++) {
    client_expect_served(served.socket);
  }
  assert_int_equal(atomic_load(&control_rig_inside), 4); /* still connected */
  client_close(&stuck[0]);                               /* no longer busy */
  atomic_store(&control_rig_gate_closed, false);
  for (int i = 1; i < 12; i++) {
    client_expect_answer(&stuck[i], 7, true);
    client_close(&stuck[i]);
  }
}

SN_TEST(half_a_line_waits_for_its_other_half) {
  client gone = client_open(served.socket);
  client_send(&gone, "{\"id\":1,\"ver", 12);
  client_close(&gone);
  client c = client_open(served.socket);
  client_send(&c, "{\"id\":1,\"ver", 12);
  client_expect_served(served.socket);
  static const char more[] = "b\":\"ls\"}\n\n\n{\"id\":2,\"verb\":\"help\"}\n{\"id\"";
  client_send(&c, more, sizeof more - 1);
  client_expect_answer(&c, 1, true);
  client_expect_answer(&c, 2, true);
  client_send_line(&c, ":3,\"verb\":\"help\"}");
  client_expect_answer(&c, 3, true);
  client_close(&c);
}

SN_TEST(a_half_closed_client_still_gets_its_answers) {
  client c = client_open(served.socket);
  client_send_line(&c, "{\"id\":1,\"verb\":\"ls\"}\n{\"id\":2,\"verb\":\"ls\"}");
  shutdown(c.fd, SHUT_WR);
  client_expect_answer(&c, 1, true);
  client_expect_answer(&c, 2, true);
  assert_null(client_receive(&c));
  client_close(&c);
}

/* A request of a megabyte is read; one byte more is refused, and the line after it is answered. */
SN_TEST(a_line_has_at_most_a_megabyte) {
  const char *request = "{\"id\":5,\"verb\":\"set\",\"name\":\"source.gain\",\"value\":2}";
  const size_t size = SN__REMOTE_LONG_LINE_MAX;
  char *line = malloc(2 * size);
  assert_non_null(line);
  memset(line, ' ', 2 * size);
  memcpy(line, request, strlen(request));
  client c = client_open(served.socket);
  line[size] = '\n';
  client_send(&c, line, size + 1);
  client_expect_answer(&c, 5, true);
  for (size_t extra = 1; extra < size; extra *= 1000) {
    line[size] = ' ';
    line[size + extra] = '\n';
    client_send(&c, line, size + extra + 1);
    line[size + extra] = ' ';
    json_t *json = client_receive(&c);
    assert_string_equal(json_string_value(json_object_get(json, "status")), "SN_ELIMIT");
    json_decref(json);
    client_send_line(&c, "{\"id\":6,\"verb\":\"help\"}");
    client_expect_answer(&c, 6, true);
  }
  client_close(&c);
  free(line);
}

/* After a long line many short ones are in one buffer. */
SN_TEST(short_lines_behind_a_long_one_are_all_answered) {
  client c = client_open(served.socket);
  char *line = malloc(200000);
  assert_non_null(line);
  memset(line, ' ', 200000);
  client_send(&c, line, 199999);
  free(line);
  flood f = {.c = c};
  client_send_line(&f.c, "{\"id\":0,\"verb\":\"set\",\"name\":\"source.gain\",\"value\":1}");
  f.sent = 1;
  while (f.heard < 500) {
    flood_on(&f, 500);
    struct pollfd one = {f.c.fd, POLLIN, 0};
    assert_int_equal(poll(&one, 1, STALL_MS), 1);
    hear_some(&f);
  }
  client_close(&f.c);
}

/* The server can end at any time. */
SN_TEST(the_server_ends_while_clients_are_busy) {
  for (int round = 0; round < 10; round++) {
    client clients[16];
    for (int i = 0; i < 16; i++) {
      clients[i] = client_open(served.socket);
      client_send_line(&clients[i],
                       "{\"id\":1,\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":200}");
      for (int k = 0; k < 20; k++) {
        client_send_line(&clients[i],
                         i % 2 == 0 ? "{\"id\":2,\"verb\":\"top\"}"
                                    : "{\"id\":2,\"verb\":\"call\",\"name\":\"source.reset\"}");
      }
    }
    control_server_stop(served.server);
    served.server = NULL;
    for (int i = 0; i < 16; i++) {
      client_close(&clients[i]);
    }
    sn_error err = {SN_OK, ""};
    assert_int_equal(control_server_start(served.system, served.socket, &served.server, &err),
                     SN_OK);
    client_expect_served(served.socket);
  }
}

SN_TEST_EACH(control_rig_set_up, control_rig_tear_down)
