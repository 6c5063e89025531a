#define _GNU_SOURCE

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus/bus_pass.h"
#include "sn_test.h"

/* An engine at one end of a pseudo-terminal; the test is the servo at the other. */
typedef struct rig {
  int servo;
  sn_serial_port port;
  sn_clock clock;
  sn_bus_engine engine;
  int64_t heard_ns;
} rig;

static void rig_open(rig *r) {
  char path[64];
  memset(r, 0, sizeof *r);
  r->servo = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  assert_true(r->servo >= 0);
  assert_int_equal(grantpt(r->servo), 0);
  assert_int_equal(unlockpt(r->servo), 0);
  assert_int_equal(ptsname_r(r->servo, path, sizeof path), 0);
  sn_error err;
  assert_int_equal(sn__serial_open(path, 1000000, &r->port, &err), SN_OK);
  sn_clock_init_simulated(&r->clock, 0);
  sn__bus_engine_init(
      &r->engine,
      &(sn_bus_engine_config){.protocol = &sn_bus_feetech, .baud = 1000000, .answer_ns = 2000000});
}

static void rig_close(rig *r) {
  sn__serial_close(&r->port);
  close(r->servo);
}

static void ask(rig *r) {
  const sn_bus_item item = {1, 56, 2};
  const sn_bus_request request = {.kind = SN_BUS_READ, .count = 1, .items = &item};
  assert_true(sn__bus_engine_begin(&r->engine, &request, sn_clock_now_ns(&r->clock), INT64_MAX));
}

static void pass(rig *r) {
  assert_true(sn__bus_pass(&r->engine, &r->port, &r->clock, INT64_MAX, &r->heard_ns));
}

static bool step(rig *r, sn_bus_event *event) {
  return sn__bus_engine_step(&r->engine, r->heard_ns, event);
}

/* Servo 1 answers with the value of the register; only some of the bytes. */
static void answer(rig *r, uint8_t value, size_t from, size_t to) {
  uint8_t bytes[] = {0xFF, 0xFF, 1, 4, 0, value, 0, 0};
  bytes[7] = (uint8_t) ~(bytes[2] + bytes[3] + bytes[4] + bytes[5] + bytes[6]);
  assert_int_equal(write(r->servo, bytes + from, to - from), (ssize_t)(to - from));
}

/* The kernel may delay bytes between the two ends. */
static void wait_for_bytes(rig *r) {
  assert_true(sn__serial_wait(&r->port, -1, INT64_C(10000000000)));
}

SN_TEST(bytes_received_before_a_request_do_not_answer_it) {
  rig r;
  sn_bus_event event;
  rig_open(&r);
  answer(&r, 7, 0, 8); /* of an abandoned exchange */
  wait_for_bytes(&r);
  ask(&r);
  pass(&r);
  assert_false(step(&r, &event));
  sn_clock_advance(&r.clock, 1000000); /* the bytes take their time */
  answer(&r, 9, 0, 8);
  wait_for_bytes(&r);
  pass(&r);
  assert_true(step(&r, &event));
  assert_int_equal(event.kind, SN_BUS_ANSWER);
  assert_int_equal(event.status.data[0], 9);
  assert_true(step(&r, &event));
  assert_int_equal(event.kind, SN_BUS_DONE);
  assert_int_equal(r.engine.stats.garbage_bytes, 8);
  rig_close(&r);
}

/* The timeout passes in the middle of an answer, but the port was not read since. */
SN_TEST(a_stalled_host_reads_what_arrived_meanwhile) {
  rig r;
  sn_bus_event event;
  rig_open(&r);
  ask(&r);
  pass(&r);
  answer(&r, 9, 0, 5);
  wait_for_bytes(&r);
  pass(&r);
  sn_clock_advance(&r.clock, 1000000000);
  answer(&r, 9, 5, 8);
  assert_false(step(&r, &event));
  wait_for_bytes(&r);
  pass(&r);
  assert_true(step(&r, &event));
  assert_int_equal(event.kind, SN_BUS_ANSWER);
  assert_int_equal(event.status.data[0], 9);
  assert_int_equal(event.tries, 1);
  rig_close(&r);
}

SN_TEST(a_silent_servo_is_asked_again_and_then_missing) {
  rig r;
  sn_bus_event event;
  rig_open(&r);
  ask(&r);
  for (int tries = 0; tries < 3; tries++) { /* the second and third are retries */
    pass(&r);
    assert_false(step(&r, &event));
    sn_clock_advance(&r.clock, 3000000);
    pass(&r);
    assert_int_equal(step(&r, &event), tries == 2);
  }
  assert_int_equal(event.kind, SN_BUS_MISSING);
  assert_int_equal(event.tries, 3);
  rig_close(&r);
}

SN_TEST(a_lost_port_is_reported) {
  rig r;
  rig_open(&r);
  close(r.servo);
  ask(&r);
  assert_false(sn__bus_pass(&r.engine, &r.port, &r.clock, 10000000, &r.heard_ns));
  sn__serial_close(&r.port);
}
