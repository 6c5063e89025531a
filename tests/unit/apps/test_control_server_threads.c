/* The control socket under bad and busy clients: bounded, fair, and never in the way. */
#define _GNU_SOURCE /* mallinfo2() */

#include <jansson.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control_rig.h"
#include "program.h"
#include "remote/request.h"
#include "run/control_path.h"
#include "sn_test.h"

#define PATIENCE_MS 60000 /* of a test that would otherwise hang */

static control_rig rig;

static int setup(void **state) {
  (void)state;
  atomic_store(&control_rig_gate_closed, false);
  control_rig_serve(&rig);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  atomic_store(&control_rig_gate_closed, false);
  control_rig_close(&rig);
  return 0;
}

/* ---- a client as plain as can be ---- */

typedef struct client {
  int fd;
  char *text; /* what came and was not taken */
  size_t used, size;
} client;

static client client_open(void) {
  client c = {.fd = -1};
  sn_error err;
  for (int tries = 0; tries < 1000; tries++) { /* a full backlog says EAGAIN */
    if (control_path_connect(rig.socket, &c.fd, &err) == SN_OK) {
      return c;
    }
    poll(NULL, 0, 5);
  }
  fail_msg("%s", err.message);
  return c;
}

static void client_close(client *c) {
  close(c->fd);
  free(c->text);
  *c = (client){.fd = -1};
}

/* Send as much as goes at once. @return bytes */
static size_t try_send(client *c, const char *text, size_t length) {
  const ssize_t count = send(c->fd, text, length, MSG_DONTWAIT | MSG_NOSIGNAL);
  return count < 0 ? 0 : (size_t)count;
}

/* Read what is there. @return false at the end */
static bool client_read(client *c) {
  if (c->used + 65536 > c->size) {
    c->size = c->used + 131072;
    c->text = realloc(c->text, c->size);
    assert_non_null(c->text);
  }
  const ssize_t count = recv(c->fd, c->text + c->used, 65536, MSG_DONTWAIT);
  c->used += count > 0 ? (size_t)count : 0;
  return count != 0;
}

/* While the server waits for its answers to be read it reads no more requests, so a client that has
   to wait takes what there is. */
static void client_send(client *c, const char *text, size_t length) {
  while (length > 0) {
    const size_t count = try_send(c, text, length);
    text += count;
    length -= count;
    if (length > 0) {
      struct pollfd one = {c->fd, POLLIN | POLLOUT, 0};
      assert_int_equal(poll(&one, 1, PATIENCE_MS), 1);
      if ((one.revents & POLLIN) != 0) {
        (void)client_read(c);
      }
    }
  }
}

static void say(client *c, const char *line) {
  client_send(c, line, strlen(line));
  client_send(c, "\n", 1);
}

/* The next line as JSON; NULL if the connection has ended. */
static json_t *hear(client *c) {
  for (;;) {
    char *end = c->used == 0 ? NULL : memchr(c->text, '\n', c->used);
    if (end != NULL) {
      json_t *json = json_loadb(c->text, (size_t)(end - c->text), 0, NULL);
      assert_non_null(json);
      const size_t length = (size_t)(end - c->text) + 1;
      memmove(c->text, c->text + length, c->used - length);
      c->used -= length;
      return json;
    }
    struct pollfd one = {c->fd, POLLIN, 0};
    assert_int_equal(poll(&one, 1, PATIENCE_MS), 1);
    if (!client_read(c)) {
      return NULL;
    }
  }
}

/* The next line must be an answer to this id, good or not. */
static void hear_answer(client *c, int id, bool ok) {
  json_t *json = hear(c);
  assert_non_null(json);
  assert_int_equal(json_integer_value(json_object_get(json, "id")), id);
  assert_int_equal(json_is_true(json_object_get(json, "ok")), ok);
  json_decref(json);
}

static void serve_others(void) {
  client c = client_open();
  say(&c, "{\"id\":1,\"verb\":\"ls\"}");
  hear_answer(&c, 1, true);
  client_close(&c);
}

/* ---- tests ---- */

static void requests_of_one_client_are_answered_in_order(void **state) {
  (void)state;
  client c = client_open();
  for (int i = 0; i < 300; i++) {
    static const char *const verbs[] = {"\"ls\"", "\"get\",\"name\":\"source.gain\"",
                                        "\"call\",\"name\":\"source.add\",\"arguments\":{\"x\":1}",
                                        "\"fly\""};
    char line[128];
    snprintf(line, sizeof line, "{\"id\":%d,\"verb\":%s}", i, verbs[i % 4]);
    say(&c, line);
  }
  for (int i = 0; i < 300; i++) {
    hear_answer(&c, i, i % 4 != 3);
  }
  client_close(&c);
}

/* Each floods without reading until nothing more goes, then reads: every request that was sent has
   its answer. */
typedef struct flood {
  client c;
  size_t sent, heard;
  char rest[128]; /* of the last line, which did not go whole */
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
    const size_t count = try_send(&f->c, f->rest, f->rest_length);
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

static void sixty_four_flooding_clients_are_all_served(void **state) {
  (void)state;
  static flood floods[FLOODS];
  memset(floods, 0, sizeof floods);
  const size_t each = sn_test_cases(100);
  for (size_t i = 0; i < FLOODS; i++) {
    floods[i].c = client_open();
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
      assert_true(poll(polls, FLOODS, PATIENCE_MS) > 0);
    }
  }
  for (size_t i = 0; i < FLOODS; i++) {
    assert_int_equal(floods[i].heard, each);
    client_close(&floods[i].c);
  }
}

/* Answers wait in the server only one for each client: what it keeps does not grow with what was
   sent. The heap of all threads is looked at, so the clients keep nothing in it meanwhile. */
static void a_flood_without_a_reader_takes_bounded_memory(void **state) {
  (void)state;
  const size_t before = mallinfo2().uordblks;
  client clients[FLOODS];
  for (size_t i = 0; i < FLOODS; i++) {
    clients[i] = client_open();
  }
  static const char line[] = "{\"id\":1,\"verb\":\"describe\",\"name\":\"source\"}\n";
  for (int round = 0; round < 20; round++) {
    for (size_t i = 0; i < FLOODS; i++) {
      for (int k = 0; k < 1000 && try_send(&clients[i], line, sizeof line - 1) > 0; k++) {
      }
    }
    serve_others();
  }
  const size_t after = mallinfo2().uordblks;
  /* One answer and one line of 4 kB each, and something for the requests under way. */
  assert_true(after < before + FLOODS * 64 * 1024);
  for (size_t i = 0; i < FLOODS; i++) {
    client_close(&clients[i]);
  }
  serve_others();
}

/* @return whether a question is answered; if not, because all places are taken */
static bool is_served(client *c, const char *verb) {
  char line[80];
  snprintf(line, sizeof line, "{\"id\":1,\"verb\":\"%s\",\"name\":\"source.gain\"}", verb);
  say(c, strcmp(verb, "names") == 0 ? "{\"id\":1,\"verb\":\"names\"}" : line);
  json_t *json = hear(c);
  assert_non_null(json);
  const bool ok = json_is_true(json_object_get(json, "ok"));
  if (!ok) {
    assert_string_equal(json_string_value(json_object_get(json, "status")), "SN_EBUSY");
    sn_assert_contains(json_string_value(json_object_get(json, "error")), "places");
  }
  json_decref(json);
  return ok;
}

static void begin_to_wait(client *c) {
  *c = client_open();
  say(c, "{\"id\":7,\"verb\":\"call\",\"name\":\"source.block\",\"timeout\":60}");
}

/* Of busy clients none makes room: beyond them there is the reserve, and then a line. */
static void beyond_all_places_there_is_a_reserve_to_stop(void **state) {
  (void)state;
  static client clients[CONTROL_CLIENTS_MAX];
  client extras[CONTROL_RESERVE];
  atomic_store(&control_rig_gate_closed, true);
  for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
    begin_to_wait(&clients[i]);
  }
  for (size_t i = 0; i < CONTROL_RESERVE; i++) {
    extras[i] = client_open();
    assert_true(is_served(&extras[i], "names"));
    assert_false(is_served(&extras[i], "get"));
  }
  client last = client_open();
  json_t *json = hear(&last);
  assert_string_equal(json_string_value(json_object_get(json, "status")), "SN_EBUSY");
  sn_assert_contains(json_string_value(json_object_get(json, "error")), "places");
  json_decref(json);
  assert_null(hear(&last));
  client_close(&last);
  assert_null(hear(&extras[0])); /* a place of the reserve is for some seconds */
  for (size_t i = 0; i < CONTROL_RESERVE; i++) {
    client_close(&extras[i]);
  }
  atomic_store(&control_rig_gate_closed, false);
  for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
    hear_answer(&clients[i], 7, true);
    client_close(&clients[i]);
  }
}

static void the_client_that_was_silent_longest_makes_room(void **state) {
  (void)state;
  static client clients[CONTROL_CLIENTS_MAX];
  atomic_store(&control_rig_gate_closed, true);
  begin_to_wait(&clients[0]);
  for (size_t i = 1; i < CONTROL_CLIENTS_MAX; i++) {
    clients[i] = client_open();
    assert_true(is_served(&clients[i], "get"));
  }
  client late = client_open();
  for (int tries = 0; !is_served(&late, "get"); tries++) { /* nobody was silent for a second */
    assert_true(tries < 600);
    client_close(&late);
    poll(NULL, 0, 100);
    late = client_open();
  }
  assert_null(hear(&clients[1]));
  assert_true(is_served(&clients[CONTROL_CLIENTS_MAX - 1], "get"));
  atomic_store(&control_rig_gate_closed, false);
  hear_answer(&clients[0], 7, true); /* it was the oldest of all, but busy */
  client_close(&late);
  for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
    client_close(&clients[i]);
  }
}

static void operations_that_wait_do_not_hold_up_others(void **state) {
  (void)state;
  atomic_store(&control_rig_gate_closed, true);
  client stuck[12];
  for (int i = 0; i < 12; i++) {
    stuck[i] = client_open();
    say(&stuck[i], "{\"id\":7,\"verb\":\"call\",\"name\":\"source.block\"}");
  }
  while (atomic_load(&control_rig_inside) < 4) {
    poll(NULL, 0, 1);
  }
  for (int i = 0; i < 20; i++) {
    serve_others();
  }
  assert_int_equal(atomic_load(&control_rig_inside), 4); /* still there: the others passed by */
  client_close(&stuck[0]);                               /* one that does not wait any longer */
  atomic_store(&control_rig_gate_closed, false);
  for (int i = 1; i < 12; i++) {
    hear_answer(&stuck[i], 7, true);
    client_close(&stuck[i]);
  }
}

static void half_a_line_waits_for_its_other_half(void **state) {
  (void)state;
  client gone = client_open();
  client_send(&gone, "{\"id\":1,\"ver", 12);
  client_close(&gone);
  client c = client_open();
  client_send(&c, "{\"id\":1,\"ver", 12);
  serve_others();
  static const char more[] = "b\":\"ls\"}\n\n\n{\"id\":2,\"verb\":\"help\"}\n{\"id\"";
  client_send(&c, more, sizeof more - 1);
  hear_answer(&c, 1, true);
  hear_answer(&c, 2, true);
  say(&c, ":3,\"verb\":\"help\"}");
  hear_answer(&c, 3, true);
  client_close(&c);
}

static void who_says_that_was_all_still_gets_the_answers(void **state) {
  (void)state;
  client c = client_open();
  say(&c, "{\"id\":1,\"verb\":\"ls\"}\n{\"id\":2,\"verb\":\"ls\"}");
  shutdown(c.fd, SHUT_WR);
  hear_answer(&c, 1, true);
  hear_answer(&c, 2, true);
  assert_null(hear(&c));
  client_close(&c);
}

/* A request of a megabyte is read; one byte more is refused, and the line after it is answered. */
static void a_line_has_at_most_a_megabyte(void **state) {
  (void)state;
  const char *request = "{\"id\":5,\"verb\":\"set\",\"name\":\"source.gain\",\"value\":2}";
  const size_t size = SN__REMOTE_LONG_LINE_MAX;
  char *line = malloc(2 * size);
  assert_non_null(line);
  memset(line, ' ', 2 * size);
  memcpy(line, request, strlen(request));
  client c = client_open();
  line[size] = '\n';
  client_send(&c, line, size + 1);
  hear_answer(&c, 5, true);
  for (size_t extra = 1; extra < size; extra *= 1000) {
    line[size] = ' ';
    line[size + extra] = '\n';
    client_send(&c, line, size + extra + 1);
    line[size + extra] = ' ';
    json_t *json = hear(&c);
    assert_string_equal(json_string_value(json_object_get(json, "status")), "SN_ELIMIT");
    json_decref(json);
    say(&c, "{\"id\":6,\"verb\":\"help\"}");
    hear_answer(&c, 6, true);
  }
  client_close(&c);
  free(line);
}

/* After a long line many short ones are in one buffer. */
static void short_lines_behind_a_long_one_are_all_answered(void **state) {
  (void)state;
  client c = client_open();
  char *line = malloc(200000);
  assert_non_null(line);
  memset(line, ' ', 200000);
  client_send(&c, line, 199999);
  free(line);
  flood f = {.c = c};
  say(&f.c, "{\"id\":0,\"verb\":\"set\",\"name\":\"source.gain\",\"value\":1}");
  f.sent = 1;
  while (f.heard < 500) {
    flood_on(&f, 500);
    struct pollfd one = {f.c.fd, POLLIN, 0};
    assert_int_equal(poll(&one, 1, PATIENCE_MS), 1);
    hear_some(&f);
  }
  client_close(&f.c);
}

/* The source numbers its messages: those between two events were dropped, and one may be under way
   while they are counted. */
static void a_stream_sends_the_latest_and_counts_the_rest(void **state) {
  (void)state;
  client c = client_open();
  say(&c, "{\"id\":3,\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":50,\"count\":8}");
  hear_answer(&c, 3, true);
  json_int_t first = 0;
  json_int_t dropped_first = 0;
  json_int_t last = 0;
  for (int i = 1; i <= 8; i++) {
    json_t *json = hear(&c);
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
  json_t *json = hear(&c);
  assert_string_equal(json_string_value(json_object_get(json, "end")), "count");
  json_decref(json);
  say(&c, "{\"id\":4,\"verb\":\"help\"}");
  hear_answer(&c, 4, true);
  client_close(&c);
}

static void a_message_too_long_for_a_line_is_told(void **state) {
  (void)state;
  client c = client_open();
  say(&c, "{\"id\":3,\"verb\":\"echo\",\"name\":\"source.pose\",\"count\":1}");
  hear_answer(&c, 3, true);
  client other = client_open();
  say(&other, "{\"id\":4,\"verb\":\"call\",\"name\":\"source.shout\"}");
  hear_answer(&other, 4, true);
  client_close(&other);
  json_t *json = hear(&c);
  assert_true(json_is_null(json_object_get(json, "event")));
  assert_int_equal(json_integer_value(json_object_get(json, "number")), 1);
  json_decref(json);
  json = hear(&c);
  assert_string_equal(json_string_value(json_object_get(json, "end")), "count");
  json_decref(json);
  client_close(&c);
}

/* Who reads the port now. */
static size_t count_readers(void) {
  client c = client_open();
  say(&c, "{\"id\":1,\"verb\":\"describe\",\"name\":\"source.count\"}");
  json_t *json = hear(&c);
  const size_t readers =
      json_array_size(json_object_get(json_object_get(json, "result"), "connections"));
  json_decref(json);
  client_close(&c);
  return readers;
}

/* The component's cost does not grow with those who listen. */
static void streams_of_one_port_share_one_reader(void **state) {
  (void)state;
  client clients[20];
  for (int i = 0; i < 20; i++) {
    clients[i] = client_open();
    say(&clients[i], "{\"id\":3,\"verb\":\"echo\",\"name\":\"source.count\"}");
    hear_answer(&clients[i], 3, true);
  }
  assert_int_equal(count_readers(), 2);
  for (int i = 0; i < 20; i++) {
    json_t *json = hear(&clients[i]); /* each of them gets events */
    assert_int_equal(json_integer_value(json_object_get(json, "number")), 1);
    json_decref(json);
    client_close(&clients[i]);
  }
  while (count_readers() > 1) { /* soon nobody but the sink */
  }
}

/* Events and answers come mixed, each whole; after the cancel there is no event. */
static void a_stream_is_cancelled_between_requests(void **state) {
  (void)state;
  client c = client_open();
  for (int i = 0; i < 9; i++) {
    char line[100];
    snprintf(line, sizeof line, "{\"id\":%d,\"verb\":\"echo\",\"name\":\"source.count\"}", i);
    say(&c, line);
  }
  say(&c, "{\"id\":20,\"verb\":\"ls\"}");
  size_t answers = 0;
  bool has_limit = false;
  while (answers < 10) {
    json_t *json = hear(&c);
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
    say(&c, line);
  }
  for (bool is_done = false; !is_done;) {
    json_t *json = hear(&c);
    is_done = json_integer_value(json_object_get(json, "id")) == 107;
    json_decref(json);
  }
  for (int i = 0; i < 50; i++) {
    say(&c, "{\"id\":30,\"verb\":\"help\"}");
    hear_answer(&c, 30, true);
  }
  client_close(&c);
}

static void who_leaves_in_the_middle_of_a_stream_leaves_nothing_behind(void **state) {
  (void)state;
  for (int i = 0; i < 30; i++) {
    client c = client_open();
    say(&c, "{\"id\":3,\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":200}");
    say(&c, "{\"id\":4,\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":200}");
    if (i % 3 > 0) {
      hear_answer(&c, 3, true);
    }
    if (i % 3 > 1) {
      json_decref(hear(&c));
    }
    client_close(&c);
  }
  while (count_readers() > 1) { /* soon nobody but the sink */
  }
}

/* It gets nothing into its own way either: streams keep the latest message only. */
static void a_client_that_never_reads_stops_nobody(void **state) {
  (void)state;
  client lazy = client_open();
  for (int i = 0; i < 8; i++) {
    say(&lazy, "{\"id\":3,\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":200}");
  }
  for (int i = 0; i < 200000 && try_send(&lazy, "{\"id\":9,\"verb\":\"top\"}\n", 23) > 0; i++) {
  }
  for (int i = 0; i < 20; i++) {
    serve_others();
  }
  client_close(&lazy);
  serve_others();
}

/* ---- the socket itself ---- */

static void the_socket_is_for_one_user_and_one_system(void **state) {
  (void)state;
  struct stat info;
  assert_int_equal(stat(rig.socket, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  control_server *second = NULL;
  sn_error err = {SN_OK, ""};
  assert_int_equal(control_server_start(rig.system, rig.socket, &second, &err), SN_EBUSY);
  sn_assert_contains(err.message, "another system answers");
  serve_others();
}

static void a_socket_left_behind_is_replaced(void **state) {
  (void)state;
  char path[128];
  snprintf(path, sizeof path, "%s/left.sock", rig.folder);
  sn_error err = {SN_OK, ""};
  int fd = -1;
  assert_int_equal(control_path_listen(path, &fd, &err), SN_OK);
  close(fd); /* as after a crash: the file is still there */
  control_server *second = NULL;
  assert_int_equal(control_server_start(rig.system, path, &second, &err), SN_OK);
  control_server_stop(second);
  assert_int_equal(access(path, F_OK), -1);

  sn_test_write(rig.folder, "file.sock", "precious");
  snprintf(path, sizeof path, "%s/file.sock", rig.folder);
  assert_int_equal(control_server_start(rig.system, path, &second, &err), SN_EIO);
  sn_assert_contains(err.message, "is no socket");
  assert_int_equal(access(path, F_OK), 0);
}

static void names_make_paths_in_a_folder_of_this_user(void **state) {
  (void)state;
  char path[CONTROL_PATH_SIZE];
  char expected[CONTROL_PATH_SIZE];
  sn_error err = {SN_OK, ""};
  setenv("XDG_RUNTIME_DIR", rig.folder, 1);
  assert_int_equal(control_path(NULL, NULL, path, &err), SN_OK);
  snprintf(expected, sizeof expected, "%s/sinew/default.sock", rig.folder);
  assert_string_equal(path, expected);
  control_server *second = NULL;
  assert_int_equal(control_server_start(rig.system, path, &second, &err), SN_OK);
  struct stat info;
  snprintf(expected, sizeof expected, "%s/sinew", rig.folder);
  assert_int_equal(stat(expected, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  control_server_stop(second);
  assert_int_equal(chmod(expected, 0777), 0);
  assert_int_equal(control_server_start(rig.system, path, &second, &err), SN_EIO);
  sn_assert_contains(err.message, "closed to others");
  unsetenv("XDG_RUNTIME_DIR");
  assert_int_equal(control_path(NULL, "a", path, &err), SN_OK);
  snprintf(expected, sizeof expected, "/tmp/sinew-%ld/a.sock", (long)geteuid());
  assert_string_equal(path, expected);
  static const char *const bad[] = {"", ".", "../x", "a/b", "a b", "\xc3\xa4"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(control_path(NULL, bad[i], path, &err), SN_EINVAL);
  }
  char many[300];
  memset(many, 'x', sizeof many);
  many[299] = '\0';
  assert_int_equal(control_path(many, NULL, path, &err), SN_ELIMIT);
  assert_int_equal(control_path(NULL, many, path, &err), SN_ELIMIT);
}

/* The server may end at any moment of its clients. */
static void the_server_ends_while_clients_are_busy(void **state) {
  (void)state;
  for (int round = 0; round < 10; round++) {
    client clients[16];
    for (int i = 0; i < 16; i++) {
      clients[i] = client_open();
      say(&clients[i], "{\"id\":1,\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":200}");
      for (int k = 0; k < 20; k++) {
        say(&clients[i], i % 2 == 0 ? "{\"id\":2,\"verb\":\"top\"}"
                                    : "{\"id\":2,\"verb\":\"call\",\"name\":\"source.reset\"}");
      }
    }
    control_server_stop(rig.server);
    rig.server = NULL;
    for (int i = 0; i < 16; i++) {
      client_close(&clients[i]);
    }
    sn_error err = {SN_OK, ""};
    assert_int_equal(control_server_start(rig.system, rig.socket, &rig.server, &err), SN_OK);
    serve_others();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(requests_of_one_client_are_answered_in_order, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(sixty_four_flooding_clients_are_all_served, setup, teardown),
      cmocka_unit_test_setup_teardown(a_flood_without_a_reader_takes_bounded_memory, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(beyond_all_places_there_is_a_reserve_to_stop, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(the_client_that_was_silent_longest_makes_room, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(operations_that_wait_do_not_hold_up_others, setup, teardown),
      cmocka_unit_test_setup_teardown(half_a_line_waits_for_its_other_half, setup, teardown),
      cmocka_unit_test_setup_teardown(who_says_that_was_all_still_gets_the_answers, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(a_line_has_at_most_a_megabyte, setup, teardown),
      cmocka_unit_test_setup_teardown(short_lines_behind_a_long_one_are_all_answered, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(a_stream_sends_the_latest_and_counts_the_rest, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(a_message_too_long_for_a_line_is_told, setup, teardown),
      cmocka_unit_test_setup_teardown(streams_of_one_port_share_one_reader, setup, teardown),
      cmocka_unit_test_setup_teardown(a_stream_is_cancelled_between_requests, setup, teardown),
      cmocka_unit_test_setup_teardown(who_leaves_in_the_middle_of_a_stream_leaves_nothing_behind,
                                      setup, teardown),
      cmocka_unit_test_setup_teardown(a_client_that_never_reads_stops_nobody, setup, teardown),
      cmocka_unit_test_setup_teardown(the_socket_is_for_one_user_and_one_system, setup, teardown),
      cmocka_unit_test_setup_teardown(a_socket_left_behind_is_replaced, setup, teardown),
      cmocka_unit_test_setup_teardown(names_make_paths_in_a_folder_of_this_user, setup, teardown),
      cmocka_unit_test_setup_teardown(the_server_ends_while_clients_are_busy, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
