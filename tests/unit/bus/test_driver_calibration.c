/* What begins and ends a calibration, with states of servos and times as the test wants them. */
#include "bus/driver/driver.h"
#include "driver_rig.h"
#include "rt/estop/estop.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

#define SECOND INT64_C(1000000000)

typedef struct bench {
  rig r;
  sn__driver *driver;
  sn_call_outcome *outcome;
  sn__calibration_state *state;
  int64_t now_ns;
} bench;

static void open_bench(bench *b, const char *file) {
  *b = (bench){.now_ns = SECOND};
  rig_open(&b->r, 5000000);
  b->driver = driver_rig_add(&b->r, &sn_driver_feetech_component);
  rig_set(&b->r, b->driver, "ports", "[/dev/none]");
  rig_set(&b->r, b->driver, "servos",
          "[{joint: joint1, id: 1}, {joint: joint2, id: 2, direction: -1, gear: 2}]");
  rig_set(&b->r, b->driver, "calibration_file", file);
  assert_int_equal(sn_system_configure(b->r.system, &b->driver->component, &b->r.err), SN_OK);
  const sn_msg_capacity room = {.item_count = 8, .text_size = 1024};
  b->outcome = sn_msg_create(&b->r.arena, &sn_call_outcome_type, &room);
  b->state = sn_msg_create(&b->r.arena, &sn__calibration_state_type, &room);
  assert_true(b->outcome != NULL && b->state != NULL);
}

/* A cycle in which the servos are at these counts. */
static void step(bench *b, int64_t passed_ns, int32_t first, int32_t second) {
  const int32_t counts[] = {first, second};
  b->now_ns += passed_ns;
  b->driver->step_ns = b->now_ns;
  for (size_t i = 0; i < 2; i++) {
    b->driver->states[i] = (sn__servo_state){
        .link = SN__LINK_LIMP, .has_position = true, .counts = counts[i], .read_ns = b->now_ns};
  }
  sn__driver_calibration_step(b->driver, b->now_ns);
}

static bool run(bench *b, sn_operation_function *operation) {
  b->r.err.message[0] = '\0';
  assert_int_equal(operation(&b->driver->component, NULL, b->outcome, &b->r.err), SN_OK);
  return b->outcome->success;
}

static const sn__calibration_state *look(bench *b) {
  assert_int_equal(sn__driver_get_calibration(&b->driver->component, NULL, b->state, &b->r.err),
                   SN_OK);
  return b->state;
}

static void begin(bench *b) {
  step(b, 1000000, 2000, 2100);
  assert_true(run(b, sn__driver_begin_calibration));
  assert_true(look(b)->active);
}

static void expect_ended(bench *b, const char *why) {
  assert_false(look(b)->active);
  assert_false(b->state->saved);
  assert_int_equal(b->state->position.count, 0);
  sn_assert_contains(b->state->message.data, why);
}

SN_TEST(readings_are_those_of_the_joints) {
  bench b;
  open_bench(&b, "/tmp/none.yaml");
  begin(&b);
  step(&b, 5000000, 1500, 2612);
  step(&b, 5000000, 2300, 2356);
  const sn__calibration_state *now = look(&b);
  const double count = 2.0 * 3.14159265358979323846 / 4096.0;
  assert_int_equal(now->position.count, 2);
  sn_assert_near(now->position.data[0], 300.0 * count, 1e-12);
  sn_assert_near(now->min.data[0], -500.0 * count, 1e-12);
  sn_assert_near(now->max.data[0], 300.0 * count, 1e-12);
  sn_assert_near(now->position.data[1], -128.0 * count, 1e-12); /* reversed, with a gear */
  sn_assert_near(now->min.data[1], -256.0 * count, 1e-12);
  sn_assert_near(now->max.data[1], 0.0, 1e-12);
  assert_string_equal(sn_msg_names_at(&now->name, 1), "joint2");
  assert_string_equal(sn_msg_names_at(&now->problem, 1), "");
  rig_close(&b.r);
}

SN_TEST(a_calibration_is_refused_with_its_reason) {
  bench b;
  open_bench(&b, "");
  step(&b, 0, 2000, 2000);
  assert_false(run(&b, sn__driver_begin_calibration));
  sn_assert_contains(b.outcome->message.data, "set its property calibration_file");
  rig_close(&b.r);
  open_bench(&b, "/tmp/none.yaml");
  assert_false(run(&b, sn__driver_begin_calibration));
  sn_assert_contains(b.outcome->message.data, "the servo of 'joint1' does not answer");
  step(&b, 0, 2000, 2000);
  b.driver->states[1].link = SN__LINK_HOLD;
  assert_false(run(&b, sn__driver_begin_calibration));
  sn_assert_contains(b.outcome->message.data, "the servo of 'joint2' has torque: support the arm");
  assert_false(run(&b, sn__driver_cancel_calibration));
  sn_assert_contains(b.outcome->message.data, "no calibration runs");
  begin(&b);
  assert_false(run(&b, sn__driver_begin_calibration));
  sn_assert_contains(b.outcome->message.data, "runs already");
  assert_true(run(&b, sn__driver_cancel_calibration));
  expect_ended(&b, "cancelled; nothing was saved");
  rig_close(&b.r);
}

SN_TEST(a_servo_that_is_lost_or_taken_ends_it) {
  bench b;
  open_bench(&b, "/tmp/none.yaml");
  static const struct {
    sn__servo_link link;
    const char *why;
  } cases[] = {{SN__LINK_ABSENT, "does not answer; nothing was saved: joint2"},
               {SN__LINK_LIMIT, "does not answer; nothing was saved: joint2"},
               {SN__LINK_ARM, "has torque; nothing was saved: joint2"},
               {SN__LINK_HOLD, "has torque; nothing was saved: joint2"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    begin(&b);
    b.driver->states[1].link = cases[i].link;
    sn__driver_calibration_step(b.driver, b.now_ns);
    expect_ended(&b, cases[i].why);
  }
  begin(&b);
  sn__driver_calibration_step(b.driver, b.now_ns + SECOND); /* nothing was read for a second */
  expect_ended(&b, "does not answer; nothing was saved: joint1");
  rig_close(&b.r);
}

SN_TEST(an_emergency_stop_ends_it_and_forbids_another) {
  bench b;
  open_bench(&b, "/tmp/none.yaml");
  begin(&b);
  sn__estop *estop = sn__estop_of(b.r.system);
  const uint64_t number = sn__estop_request(estop, "test", "now");
  step(&b, 1000000, 2000, 2100);
  expect_ended(&b, "emergency stop; nothing was saved");
  assert_false(run(&b, sn__driver_begin_calibration));
  sn_assert_contains(b.outcome->message.data, "the emergency stop is latched: resume first");
  sn__estop_release(estop, number);
  begin(&b);
  rig_close(&b.r);
}

SN_TEST(a_client_that_goes_away_ends_it) {
  bench b;
  open_bench(&b, "/tmp/none.yaml");
  begin(&b);
  for (size_t i = 0; i < 100; i++) { /* as long as it asks, it runs */
    step(&b, SECOND, 2000, 2100);
    assert_true(look(&b)->active);
  }
  for (size_t i = 0; i < 14; i++) {
    step(&b, SECOND, 2000, 2100);
  }
  assert_int_equal(b.driver->calibration.end, SN__CALIBRATION_RUNS);
  step(&b, SECOND, 2000, 2100);
  expect_ended(&b, "its readings were not requested any more");
  rig_close(&b.r);
}
