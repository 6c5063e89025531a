/* The cockpit's server in a running system: clients connect and leave while it and others are
   stopped and started, and nothing waits for ever. */
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
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sn_test.h"
#include "ws_client.h"

enum { MS = 1000000, TIMEOUT_MS = 60000 };

/* ---- a component ---- */

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

/* Exercises everything in a loop. */
static void *visit(void *context) {
  unsigned round = *(const unsigned *)context;
  while (!atomic_load(&visitors_end)) {
    ws_client c;
    if (ws_client_open(&c, port_now())) {
      ws_client_send_text(
          &c,
          "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":1},{\"id\":2,"
          "\"channelId\":2},{\"id\":3,\"channelId\":3},{\"id\":4,\"channelId\":4},{\"id\":"
          "5,\"channelId\":5}]}");
      ws_client_send_text(&c, "{\"op\":\"subscribeParameterUpdates\",\"parameterNames\":[]}");
      ws_client_send_text(&c,
                          "{\"op\":\"advertise\",\"channels\":[{\"id\":1,\"topic\":\"/someone/in\","
                          "\"encoding\":\"json\"}]}");
      ws_client_send_text(
          &c,
          "{\"op\":\"setParameters\",\"parameters\":[{\"name\":\"someone.gain\",\"value\":"
          "2.5}],\"id\":\"s\"}");
      ws_client_send_frame(&c, 2, "\1\1\0\0\0{\"position\":[1]}", 21);
      ws_client_call(&c, "/someone/own", 1);
      ws_client_call(&c, "/someone/emergencyStop", 2);
      if (round % 3 != 0) {
        (void)ws_client_wait(&c, "\"id\":\"s\"");
      }
      ws_client_call(&c, round % 2 == 0 ? "/someone/stop" : "/someone/start", 3);
      ws_client_read(&c, 5);
      atomic_fetch_add(&visits, 1);
    }
    ws_client_close(&c);
    round++;
  }
  return NULL;
}

SN_TEST(clients_connect_and_leave_while_the_server_restarts) {
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
    (void)sn_system_stop(r.system, cockpit, &err); /* may be stopped already */
    (void)sn_system_start(r.system, cockpit, &err);
  }
  /* Stop the system while clients are connected. */
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

SN_TEST(emergency_stop_overtakes_waiting_calls) {
  enum { CALLERS = 8 };
  ws_client callers[CALLERS];
  ws_client c;
  atomic_store(&gate_is_closed, true);
  for (int i = 0; i < CALLERS; i++) {
    assert_true(ws_client_open(&callers[i], port_now()));
    ws_client_call(&callers[i], "/someone/wait", 1);
  }
  while (atomic_load(&inside) < 4) { /* all slow workers */
    nanosleep(&(struct timespec){0, MS}, NULL);
  }
  assert_true(ws_client_open(&c, port_now()));
  ws_client_call(&c, "/someone/emergencyStop", 7);
  while (!is_latched()) {
    assert_true(ws_client_read(&c, 1));
  }
  assert_true(ws_client_wait(&c, "not stopped: this system has no component that could stop"));
  atomic_store(&gate_is_closed, false);
  for (int i = 0; i < CALLERS; i++) {
    assert_true(ws_client_wait(&callers[i], "\3")); /* a response */
    ws_client_close(&callers[i]);
  }
  ws_client_close(&c);
}

/* The stop works while the system is locked and the cycle hangs. */
SN_TEST(stop_is_answered_when_it_is_confirmed) {
  sn__estop *e = sn__estop_of(r.system);
  const int arm = sn__estop_register(e, SN__ESTOP_ACTUATOR, "arm");
  ws_client c;
  assert_true(ws_client_open(&c, port_now()));
  atomic_store(&step_hangs, true);
  sn_system_hold(r.system);
  ws_client_call(&c, "/someone/emergencyStop", 7);
  assert_true(ws_client_wait(&c, "not stopped, did not obey: 'arm' (no confirmation"));
  assert_true(ws_client_has(&c, "serviceCallFailure"));
  assert_false(ws_client_has(&c, "json{}")); /* no response */
  /* The next stop is confirmed when the cycle sees it; repeat it on a slow machine. */
  unsigned id = 7;
  while (!ws_client_has(&c, "json{}")) { /* of a response */
    const uint64_t before = sn__estop_number(e);
    ws_client_call(&c, "/someone/emergencyStop", ++id);
    while (sn__estop_number(e) == before) {
      assert_true(ws_client_read(&c, 1));
    }
    sn__estop_confirm(e, arm, sn__estop_number(e), SN__ORDER_FREEZE);
    ws_client_read(&c, 200);
  }
  sn_system_release(r.system);
  ws_client_close(&c);
}

static void assert_health(const char *expected) {
  for (int i = 0; i < TIMEOUT_MS / 20; i++) {
    ws_client c = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port_now()),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    assert_int_equal(connect(c.fd, (const struct sockaddr *)&at, sizeof at), 0);
    char request[100];
    const int length = snprintf(request, sizeof request,
                                "GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", port_now());
    ws_client_send(&c, request, (size_t)length);
    assert_true(ws_client_wait(&c, "}"));
    const bool is_there = ws_client_has(&c, expected);
    ws_client_close(&c);
    if (is_there) {
      return;
    }
    nanosleep(&(struct timespec){0, 20 * MS}, NULL);
  }
  fail_msg("/health never said %s", expected);
}

SN_TEST(health_reports_the_state_of_the_system) {
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

SN_TEST(server_starts_again_after_a_stop) {
  ws_client c;
  assert_true(ws_client_open(&c, port_now()));
  sn_system_end(r.system);
  assert_int_equal(port_now(), 0);
  assert_false(ws_client_wait(&c, "never comes"));
  ws_client_close(&c);
  assert_int_equal(sn_system_begin(r.system, &r.err), SN_OK);
  assert_int_not_equal(port_now(), 0);
  assert_true(ws_client_open(&c, port_now()));
  ws_client_close(&c);
}

SN_TEST(start_fails_if_the_port_is_in_use) {
  char taken[16];
  sn_component *second = rig_add_to(&r, &sn_cockpit_component, "second", NULL, 0);
  snprintf(taken, sizeof taken, "%d", port_now());
  rig_set(&r, second, "port", taken);
  assert_int_equal(sn_system_configure(r.system, second, &r.err), SN_OK);
  assert_int_equal(sn_system_start(r.system, second, &r.err), SN_EBUSY);
  assert_non_null(strstr(r.err.message, "is taken"));
  assert_int_equal(sn_component_state_now(second), SN_STATE_STOPPED);
}

SN_TEST(address_beyond_loopback_needs_a_token) {
  sn_component *second = rig_add_to(&r, &sn_cockpit_component, "second", NULL, 0);
  rig_set(&r, second, "address", "0.0.0.0");
  assert_int_equal(sn_system_configure(r.system, second, &r.err), SN_EINVAL);
  assert_non_null(strstr(r.err.message, "token_file"));
  rig_set(&r, second, "token_file", "/missing/nothing");
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

SN_TEST_EACH(setup, teardown)
