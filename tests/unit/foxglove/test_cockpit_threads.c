/* The cockpit's server in a system that lives: clients come and go while it and others are stopped
   and started, and nothing waits for ever. */
#define _POSIX_C_SOURCE 200809L

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "rig.h"
#include "rt/estop/estop.h"
#include "run/bridges.h"
#include "sinew/components.h"
#include "sinew/estop.h"
#include "sinew/msg_stop.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

enum { MS = 1000000, PATIENCE_MS = 60000 };

/* ---- a component to be asked ---- */

typedef struct part {
  sn_component base;
  double gain;
  sn_input in;
  sn_output out;
} part;

static atomic_bool gate_is_closed, step_hangs;
static atomic_int inside;

static sn_status wait_at_gate(sn_component *component, const void *request, void *response,
                              sn_error *err) {
  (void)component, (void)request, (void)response, (void)err;
  atomic_fetch_add(&inside, 1);
  while (atomic_load(&gate_is_closed)) {
    nanosleep(&(struct timespec){0, MS}, NULL);
  }
  atomic_fetch_sub(&inside, 1);
  return SN_OK;
}

static sn_status do_own(sn_component *component, const void *request, void *response,
                        sn_error *err) {
  (void)component, (void)request, (void)response, (void)err;
  return SN_OK;
}

static sn_status step(sn_component *component, int64_t now_ns) {
  part *p = (part *)component;
  while (atomic_load(&step_hangs)) {
    nanosleep(&(struct timespec){0, MS}, NULL);
  }
  (void)sn_input_read(&p->in, NULL);
  ((sn_joint_state *)p->out.msg)->header.stamp_ns = now_ns;
  return sn_output_write(&p->out);
}

static const sn_property part_properties[] = {
    SN_PROPERTY(part, "gain", gain, .initial = "1", .flags = SN_PROPERTY_LIVE, .max = 1e9), {0}};
static const sn_port part_ports[] = {
    SN_INPUT(part, "in", in, &sn_joint_state_type, .flags = SN_PORT_FEEDBACK, .doc = ""),
    SN_OUTPUT(part, "out", out, &sn_joint_state_type, .doc = ""),
    {0}};
static const sn_operation part_operations[] = {
    {"wait", SN_CLIENT_THREAD, NULL, NULL, wait_at_gate, ""},
    {"emergencyStop", SN_CLIENT_THREAD, &sn_call_stop_type, NULL, do_own, ""},
    {"own", SN_OWN_THREAD, NULL, NULL, do_own, ""},
    {0}};
static const sn_component_type part_type = {.abi = SN_COMPONENT_ABI,
                                            .name = "Part",
                                            .size = sizeof(part),
                                            .properties = part_properties,
                                            .ports = part_ports,
                                            .operations = part_operations,
                                            .step = step};

/* ---- a client ---- */

typedef struct client {
  int fd;
  unsigned char *bytes; /* what came */
  size_t used, size;
} client;

static bool read_some(client *c, int timeout_ms) {
  struct pollfd p = {c->fd, POLLIN, 0};
  if (poll(&p, 1, timeout_ms) <= 0) {
    return true;
  }
  if (c->used + 65536 > c->size) {
    c->size = c->used + 262144;
    c->bytes = realloc(c->bytes, c->size);
  }
  const ssize_t count = recv(c->fd, c->bytes + c->used, 65536, 0);
  c->used += count > 0 ? (size_t)count : 0;
  return count > 0;
}

static bool has(const client *c, const char *text) {
  const size_t length = strlen(text);
  for (size_t i = 0; i + length <= c->used; i++) {
    if (memcmp(c->bytes + i, text, length) == 0) {
      return true;
    }
  }
  return false;
}

/* @return whether it came before the connection ended */
static bool wait_for(client *c, const char *text) {
  for (int waited_ms = 0; !has(c, text); waited_ms += 10) {
    if (!read_some(c, 10)) {
      return has(c, text);
    }
    assert_true(waited_ms < PATIENCE_MS);
  }
  return true;
}

static void send_bytes(client *c, const void *bytes, size_t size) {
  (void)!send(c->fd, bytes, size, MSG_NOSIGNAL);
}

/* A frame with a mask of zeros. */
static void send_frame(client *c, int opcode, const void *payload, size_t size) {
  unsigned char frame[1024] = {(unsigned char)(0x80 | opcode), 0x80 | 126,
                               (unsigned char)(size >> 8), (unsigned char)size};
  assert_true(size <= sizeof frame - 8);
  memcpy(frame + 8, payload, size);
  send_bytes(c, frame, 8 + size);
}

static void send_text(client *c, const char *text) {
  send_frame(c, 1, text, strlen(text));
}

static bool client_open(client *c, int port) {
  *c = (client){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const struct sockaddr_in at = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (port == 0 || connect(c->fd, (const struct sockaddr *)&at, sizeof at) != 0) {
    return false;
  }
  char request[400];
  const int length = snprintf(
      request, sizeof request,
      "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\n"
      "Sec-WebSocket-Protocol: foxglove.websocket.v1\r\n\r\n",
      port);
  send_bytes(c, request, (size_t)length);
  return wait_for(c, "advertiseServices");
}

static void client_close(client *c) {
  close(c->fd);
  free(c->bytes);
}

/* The id of a service, read from what the server has told. */
static unsigned service_of(const client *c, const char *name) {
  char text[100];
  const int length = snprintf(text, sizeof text, ",\"name\":\"%s\"", name);
  for (size_t i = 0; i + (size_t)length < c->used; i++) {
    if (memcmp(c->bytes + i, text, (size_t)length) == 0) {
      size_t at = i;
      while (c->bytes[at - 1] >= '0' && c->bytes[at - 1] <= '9') {
        at--;
      }
      return (unsigned)strtoul((const char *)c->bytes + at, NULL, 10);
    }
  }
  fail_msg("there is no service %s", name);
  return 0;
}

static void call(client *c, const char *name, unsigned id) {
  unsigned char request[32] = {2};
  const unsigned service = service_of(c, name);
  memcpy(request + 1, &service, 4); /* tests run where the wire's order is the machine's */
  memcpy(request + 5, &id, 4);
  memcpy(request + 9, "\4\0\0\0json{}", 10);
  send_frame(c, 2, request, 19);
}

/* ---- the system ---- */

static rig r;
static sn_component *cockpit, *someone;

static int port_now(void) {
  char address[128];
  sn_bridges_address(r.system, address, sizeof address);
  const char *colon = strrchr(address, ':');
  return colon == NULL ? 0 : atoi(colon + 1);
}

static int setup(void **state) {
  (void)state;
  rig_open_real(&r, MS);
  someone = rig_add(&r, &part_type, "someone");
  cockpit = rig_add_to(&r, &sn_cockpit_component, "cockpit", NULL, 0);
  rig_set(&r, cockpit, "port", "0");
  atomic_store(&gate_is_closed, false);
  rig_begin(&r);
  assert_int_equal(sn_system_launch(r.system, &r.err), SN_OK);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  atomic_store(&gate_is_closed, false);
  atomic_store(&step_hangs, false);
  rig_close(&r);
  return 0;
}

/* ---- tests ---- */

static atomic_bool visitors_end;
static atomic_int visits;

/* Does a bit of everything, again and again. */
static void *visit(void *context) {
  unsigned round = *(const unsigned *)context;
  while (!atomic_load(&visitors_end)) {
    client c;
    if (client_open(&c, port_now())) {
      send_text(&c,
                "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":1},{\"id\":2,"
                "\"channelId\":2},{\"id\":3,\"channelId\":3},{\"id\":4,\"channelId\":4},{\"id\":"
                "5,\"channelId\":5}]}");
      send_text(&c, "{\"op\":\"subscribeParameterUpdates\",\"parameterNames\":[]}");
      send_text(&c,
                "{\"op\":\"advertise\",\"channels\":[{\"id\":1,\"topic\":\"/someone/in\","
                "\"encoding\":\"json\"}]}");
      send_text(&c,
                "{\"op\":\"setParameters\",\"parameters\":[{\"name\":\"someone.gain\",\"value\":"
                "2.5}],\"id\":\"s\"}");
      send_frame(&c, 2, "\1\1\0\0\0{\"position\":[1]}", 21);
      call(&c, "/someone/own", 1);
      call(&c, "/someone/emergencyStop", 2);
      if (round % 3 != 0) {
        (void)wait_for(&c, "\"id\":\"s\"");
      }
      call(&c, round % 2 == 0 ? "/someone/stop" : "/someone/start", 3);
      read_some(&c, 5);
      atomic_fetch_add(&visits, 1);
    }
    client_close(&c);
    round++;
  }
  return NULL;
}

static void clients_come_and_go_while_it_is_stopped_and_started(void **state) {
  (void)state;
  enum { VISITORS = 4 };
  static unsigned numbers[VISITORS] = {0, 1, 2, 3};
  pthread_t threads[VISITORS];
  atomic_store(&visitors_end, false);
  atomic_store(&visits, 0);
  for (int i = 0; i < VISITORS; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, visit, &numbers[i]), 0);
  }
  for (int round = 0; round < 10 || atomic_load(&visits) < 20; round++) {
    sn_log_record record;
    while (sn_log_read(r.log, &record)) {
      sn_bridges_log(r.system, &record);
    }
    nanosleep(&(struct timespec){0, 30 * MS}, NULL);
    sn_error err;
    (void)sn_system_stop(r.system, cockpit, &err); /* who is faster is not known */
    (void)sn_system_start(r.system, cockpit, &err);
  }
  /* The end of all while clients are there. */
  sn_system_halt(r.system);
  atomic_store(&visitors_end, true);
  for (int i = 0; i < VISITORS; i++) {
    pthread_join(threads[i], NULL);
  }
  sn_system_end(r.system);
}

static bool is_latched(void) {
  sn_estop_state stop;
  sn_estop_look(r.system, 0, &stop);
  return stop.is_latched;
}

static void an_emergency_stop_passes_calls_that_wait(void **state) {
  (void)state;
  enum { CALLERS = 8 };
  client callers[CALLERS];
  client c;
  atomic_store(&gate_is_closed, true);
  for (int i = 0; i < CALLERS; i++) {
    assert_true(client_open(&callers[i], port_now()));
    call(&callers[i], "/someone/wait", 1);
  }
  while (atomic_load(&inside) < 4) { /* all that work for clients */
    nanosleep(&(struct timespec){0, MS}, NULL);
  }
  assert_true(client_open(&c, port_now()));
  call(&c, "/someone/emergencyStop", 7);
  while (!is_latched()) {
    assert_true(read_some(&c, 1));
  }
  assert_true(wait_for(&c, "not stopped: this system has no component that could stop"));
  atomic_store(&gate_is_closed, false);
  for (int i = 0; i < CALLERS; i++) {
    assert_true(wait_for(&callers[i], "\3")); /* a response */
    client_close(&callers[i]);
  }
  client_close(&c);
}

/* While somebody holds the system, and the cycle hangs: the stop needs neither. */
static void a_stop_is_answered_when_it_is_confirmed(void **state) {
  (void)state;
  sn__estop *e = sn__estop_of(r.system);
  const int arm = sn__estop_register(e, SN__ESTOP_ACTUATOR, "arm");
  client c;
  assert_true(client_open(&c, port_now()));
  atomic_store(&step_hangs, true);
  sn_system_hold(r.system);
  call(&c, "/someone/emergencyStop", 7);
  assert_true(wait_for(&c, "not stopped, did not obey: 'arm' (no confirmation"));
  assert_true(has(&c, "serviceCallFailure"));
  assert_false(has(&c, "json{}")); /* no response */
  /* The next one is confirmed as fast as it is seen; the machine may be slower than that. */
  unsigned id = 7;
  while (!has(&c, "json{}")) { /* of a response */
    const uint64_t before = sn__estop_number(e);
    call(&c, "/someone/emergencyStop", ++id);
    while (sn__estop_number(e) == before) {
      assert_true(read_some(&c, 1));
    }
    sn__estop_confirm(e, arm, sn__estop_number(e), SN__ORDER_FREEZE);
    read_some(&c, 200);
  }
  sn_system_release(r.system);
  client_close(&c);
}

static void assert_health(const char *expected) {
  for (int i = 0; i < PATIENCE_MS / 20; i++) {
    client c = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port_now()),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    assert_int_equal(connect(c.fd, (const struct sockaddr *)&at, sizeof at), 0);
    char request[100];
    const int length = snprintf(request, sizeof request,
                                "GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", port_now());
    send_bytes(&c, request, (size_t)length);
    assert_true(wait_for(&c, "}"));
    const bool is_there = has(&c, expected);
    client_close(&c);
    if (is_there) {
      return;
    }
    nanosleep(&(struct timespec){0, 20 * MS}, NULL);
  }
  fail_msg("/health never said %s", expected);
}

static void health_says_whether_it_runs(void **state) {
  (void)state;
  sn__estop *e = sn__estop_of(r.system);
  assert_health("{\"state\":\"running\",\"stalled\":[],\"not_running\":[],\"not_obeyed\":[],");
  assert_int_equal(sn_system_stop(r.system, someone, &r.err), SN_OK);
  assert_health("{\"state\":\"degraded\",\"stalled\":[],\"not_running\":[\"someone\"]");
  assert_int_equal(sn_system_start(r.system, someone, &r.err), SN_OK);
  atomic_store(&step_hangs, true);
  assert_health("{\"state\":\"stalled\",\"stalled\":[\"main\"]");
  atomic_store(&step_hangs, false);
  assert_health("{\"state\":\"running\"");
  const int arm = sn__estop_register(e, SN__ESTOP_ACTUATOR, "arm");
  const uint64_t number = sn_estop_request(r.system, "", "");
  assert_health("\"state\":\"stop not obeyed\"");
  assert_health("\"not_obeyed\":[\"arm\"]");
  sn__estop_confirm(e, arm, number, SN__ORDER_FREEZE);
  assert_health("\"state\":\"stopped\"");
  assert_int_equal(sn_estop_resume(r.system, &r.err), SN_OK);
  assert_health("\"state\":\"running\"");
}

static void it_begins_again_after_the_end(void **state) {
  (void)state;
  client c;
  assert_true(client_open(&c, port_now()));
  sn_system_end(r.system);
  assert_int_equal(port_now(), 0);
  assert_false(wait_for(&c, "never comes"));
  client_close(&c);
  assert_int_equal(sn_system_begin(r.system, &r.err), SN_OK);
  assert_int_not_equal(port_now(), 0);
  assert_true(client_open(&c, port_now()));
  client_close(&c);
}

static void a_port_that_is_taken_ends_the_beginning(void **state) {
  (void)state;
  char taken[16];
  sn_component *second = rig_add_to(&r, &sn_cockpit_component, "second", NULL, 0);
  snprintf(taken, sizeof taken, "%d", port_now());
  rig_set(&r, second, "port", taken);
  assert_int_equal(sn_system_configure(r.system, second, &r.err), SN_OK);
  assert_int_equal(sn_system_start(r.system, second, &r.err), SN_EBUSY);
  assert_non_null(strstr(r.err.message, "is taken"));
  assert_int_equal(sn_component_state_now(second), SN_STATE_STOPPED);
}

static void elsewhere_needs_a_token(void **state) {
  (void)state;
  sn_component *second = rig_add_to(&r, &sn_cockpit_component, "second", NULL, 0);
  rig_set(&r, second, "address", "0.0.0.0");
  assert_int_equal(sn_system_configure(r.system, second, &r.err), SN_EINVAL);
  assert_non_null(strstr(r.err.message, "token_file"));
  rig_set(&r, second, "token_file", "/nobody/nothing");
  assert_int_equal(sn_system_configure(r.system, second, &r.err), SN_EIO);
  char path[] = "/tmp/sinew-token-XXXXXX";
  const int fd = mkstemp(path);
  assert_int_equal(write(fd, "short\n", 6), 6);
  rig_set(&r, second, "token_file", path);
  assert_int_equal(sn_system_configure(r.system, second, &r.err), SN_EINVAL);
  assert_non_null(strstr(r.err.message, "has 5 characters, expected 16 to 256"));
  assert_int_equal(pwrite(fd, "0123456789abcdef", 16, 0), 16);
  assert_int_equal(sn_system_configure(r.system, second, &r.err), SN_OK);
  close(fd);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(clients_come_and_go_while_it_is_stopped_and_started, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(an_emergency_stop_passes_calls_that_wait, setup, teardown),
      cmocka_unit_test_setup_teardown(a_stop_is_answered_when_it_is_confirmed, setup, teardown),
      cmocka_unit_test_setup_teardown(health_says_whether_it_runs, setup, teardown),
      cmocka_unit_test_setup_teardown(it_begins_again_after_the_end, setup, teardown),
      cmocka_unit_test_setup_teardown(a_port_that_is_taken_ends_the_beginning, setup, teardown),
      cmocka_unit_test_setup_teardown(elsewhere_needs_a_token, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
