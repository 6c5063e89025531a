/* A calibration from the first reading to the next start, with simulated servos on a bus. */
#define _GNU_SOURCE

#include <time.h>
#include <unistd.h>

#include "bus/driver/driver.h"
#include "driver_rig.h"
#include "program.h"
#include "sim/sim_pty.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

static const double COUNT = 2.0 * 3.14159265358979323846 / 4096.0; /* rad */

typedef struct bench {
  rig r;
  sim_pty *pty;
  sn__driver *driver;
  sn_call_outcome *outcome;
  sn__calibration_state *readings;
  sn_call_names *reversed;
  char folder[64], path[128];
} bench;

static void open_bench(bench *b) {
  *b = (bench){.pty = NULL};
  rig_open_real(&b->r, 5000000);
  servo_sim sim;
  servo_sim_init(&sim, SIM_FEETECH_STS, 1000000, 4);
  servo_sim_add(&sim, 1, 777);
  servo_sim_add(&sim, 2, 777);
  b->pty = sim_pty_start(&sim, NULL);
  sn_test_folder_create(b->folder);
  snprintf(b->path, sizeof b->path, "%s/arm.yaml", b->folder);
  char ports[160];
  snprintf(ports, sizeof ports, "[%s]", sim_pty_path(b->pty));
  b->driver = driver_rig_add(&b->r, &sn_driver_feetech_component);
  rig_set(&b->r, b->driver, "ports", ports);
  rig_set(&b->r, b->driver, "servos", "[{joint: joint1, id: 1}, {joint: joint2, id: 2, gear: 2}]");
  rig_set(&b->r, b->driver, "calibration_file", b->path);
  /* long timeouts, for a busy machine */
  rig_set(&b->r, b->driver, "period", "0.08");
  rig_set(&b->r, b->driver, "goal_timeout", "3600");
  rig_set(&b->r, b->driver, "guard_timeout", "10");
  rig_set(&b->r, b->driver, "answer_time", "0.02");
  const sn_msg_capacity room = {.item_count = 8, .text_size = 1024};
  b->outcome = sn_msg_create(&b->r.arena, &sn_call_outcome_type, &room);
  b->readings = sn_msg_create(&b->r.arena, &sn__calibration_state_type, &room);
  b->reversed = sn_msg_create(&b->r.arena, &sn_call_names_type, &room);
  rig_begin(&b->r);
  assert_int_equal(sn_system_launch(b->r.system, &b->r.err), SN_OK);
}

static void close_bench(bench *b) {
  rig_close(&b->r);
  sim_pty_stop(b->pty);
  sn_test_folder_remove(b->folder);
}

static void call(bench *b, const char *operation, const void *request, void *response) {
  char path[64];
  sn_caller caller;
  snprintf(path, sizeof path, "driver.%s", operation);
  assert_int_equal(sn_caller_open(b->r.system, path, &caller, &b->r.err), SN_OK);
  sn_status status = SN_ETIMEDOUT;
  for (size_t n = 0; n < 60 && status == SN_ETIMEDOUT; n++) { /* a busy machine */
    status = sn_call(&caller, request, response, &b->r.err);
  }
  assert_int_equal(status, SN_OK);
  sn_caller_close(&caller);
}

static void pause_ms(long ms) {
  const struct timespec t = {.tv_nsec = ms * 1000000};
  nanosleep(&t, NULL);
}

/* Begin as soon as both servos are found; their present pose is position 0. */
static void begin(bench *b) {
  b->outcome->success = false;
  for (size_t n = 0; n < 1000 && !b->outcome->success; n++) {
    pause_ms(10);
    call(b, "beginCalibration", NULL, b->outcome);
  }
  assert_true(b->outcome->success);
}

/* Turn a limp servo by hand, until the driver has seen it there. */
static void turn(bench *b, size_t servo, double q) {
  servo_sim *sim = sim_pty_lock(b->pty);
  assert_false(sim->servos[servo].torque);
  sim->servos[servo].q = q;
  sim->servos[servo].qd = 0.0;
  sim_pty_unlock(b->pty);
  const double gear = servo == 1 ? 2.0 : 1.0;
  bool is_seen = false;
  for (size_t n = 0; n < 2000 && !is_seen; n++) {
    pause_ms(10);
    call(b, "getCalibration", NULL, b->readings);
    assert_true(b->readings->active);
    is_seen = fabs(b->readings->position.data[servo] - q / gear) <= COUNT;
  }
  assert_true(is_seen);
}

SN_TEST(ends_are_recorded_saved_and_used_from_the_next_start) {
  bench b;
  open_bench(&b);
  begin(&b);
  call(&b, "finishCalibration", b.reversed, b.outcome);
  assert_false(b.outcome->success);
  sn_assert_contains(b.outcome->message.data, "'joint1': its servo turned by 0.0 degrees");
  turn(&b, 0, -1.0);
  turn(&b, 0, 1.5);
  turn(&b, 1, 0.8);
  assert_int_equal(sn_msg_names_add(&b.reversed->names, "joint9", 6), SN_OK);
  call(&b, "finishCalibration", b.reversed, b.outcome);
  assert_false(b.outcome->success);
  sn_assert_contains(b.outcome->message.data, "'joint9'");
  assert_int_not_equal(access(b.path, F_OK), 0); /* nothing was saved so far */
  sn_msg_names_clear(&b.reversed->names);
  assert_int_equal(sn_msg_names_add(&b.reversed->names, "joint2", 6), SN_OK);
  call(&b, "finishCalibration", b.reversed, b.outcome);
  assert_true(b.outcome->success);
  call(&b, "getCalibration", NULL, b.readings);
  assert_true(b.readings->saved && !b.readings->active);
  sn_component *component = &b.driver->component;
  assert_int_equal(sn_system_stop(b.r.system, component, &b.r.err), SN_OK);
  assert_int_equal(sn_system_cleanup(b.r.system, component, &b.r.err), SN_OK);
  assert_int_equal(sn_system_configure(b.r.system, component, &b.r.err), SN_OK);
  const sn__driver_servo *items = b.driver->items;
  sn_assert_near(items[0].min, -1.0, COUNT);
  sn_assert_near(items[0].max, 1.5, COUNT);
  assert_int_equal(items[0].direction, 1);
  sn_assert_near(items[1].min, -0.4, COUNT);
  sn_assert_near(items[1].max, 0.0, COUNT);
  assert_int_equal(items[1].direction, -1);
  close_bench(&b);
}

SN_TEST(a_servo_that_is_unplugged_ends_it_and_nothing_is_saved) {
  bench b;
  open_bench(&b);
  begin(&b);
  turn(&b, 0, 1.0);
  turn(&b, 1, 1.0);
  sim_pty_unplug(b.pty);
  for (size_t n = 0; n < 2000 && b.readings->active; n++) {
    pause_ms(10);
    call(&b, "getCalibration", NULL, b.readings);
  }
  assert_false(b.readings->active);
  sn_assert_contains(b.readings->message.data, "does not answer; nothing was saved");
  call(&b, "finishCalibration", b.reversed, b.outcome);
  assert_false(b.outcome->success);
  assert_int_not_equal(access(b.path, F_OK), 0);
  close_bench(&b);
}
