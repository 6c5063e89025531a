/* The drivers as components: the same ports as the plant, with a serial bus. */
#define _GNU_SOURCE

#include <time.h>
#include <unistd.h>

#include "driver_rig.h"
#include "rt/estop/estop.h"
#include "rt/journal/journal_read.h"
#include "sim/sim_pty.h"
#include "sinew/components.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

typedef struct bench {
  rig r;
  sim_pty *ptys[2];
  sn_component *driver;
} bench;

static const sn_component_type *type_of(sim_kind kind) {
  return kind == SIM_DYNAMIXEL  ? &sn_driver_dynamixel_component
         : kind == SIM_HERKULEX ? &sn_driver_herkulex_component
                                : &sn_driver_feetech_component;
}

static void open_system(bench *b, sim_kind kind, bool is_real) {
  *b = (bench){.ptys = {NULL}};
  (is_real ? rig_open_real : rig_open)(&b->r, 5 * MS);
  b->driver = driver_rig_add(&b->r, type_of(kind));
}

/* Six servos on two buses, three each. */
static void open_bench(bench *b, sim_kind kind) {
  open_system(b, kind, true);
  char ports[160], servos[1024] = "[";
  for (size_t p = 0; p < 2; p++) {
    servo_sim sim;
    servo_sim_init(&sim, kind, 1000000, 4 + p);
    for (size_t i = 0; i < 3; i++) {
      servo_sim_add(&sim, (uint8_t)(1 + i), 77)->q = 0.2;
      char one[128];
      snprintf(one, sizeof one, "%s{joint: joint%zu, port: %zu, id: %zu, model: 77, torque_max: 2}",
               p + i == 0 ? "" : ", ", 3 * p + i + 1, p, i + 1);
      strcat(servos, one);
    }
    b->ptys[p] = sim_pty_start(&sim, NULL);
  }
  strcat(servos, "]");
  snprintf(ports, sizeof ports, "[%s, %s]", sim_pty_path(b->ptys[0]), sim_pty_path(b->ptys[1]));
  rig_set(&b->r, b->driver, "ports", ports);
  rig_set(&b->r, b->driver, "servos", servos);
  rig_set(&b->r, b->driver, "baud", "1000000");
  /* long timeouts, for a busy machine */
  rig_set(&b->r, b->driver, "period", "0.08");
  rig_set(&b->r, b->driver, "goal_timeout", "3600");
  rig_set(&b->r, b->driver, "guard_timeout", "10");
  rig_set(&b->r, b->driver, "answer_time", "0.02");
  rig_set(&b->r, b->driver, "stop", "limp");
  if (kind == SIM_FEETECH_SCS) {
    rig_set(&b->r, b->driver, "series", "scs");
  }
}

static void close_bench(bench *b) {
  rig_close(&b->r);
  for (size_t p = 0; p < 2; p++) {
    if (b->ptys[p] != NULL) {
      sim_pty_stop(b->ptys[p]);
    }
  }
}

static void pause_ms(long ms) {
  const struct timespec t = {.tv_nsec = ms * 1000000};
  nanosleep(&t, NULL);
}

static void send_some_goals(sn_source *source, int first, int last, double goal) {
  sn_servo_goal *msg = sn_source_msg(source);
  sn_msg_names_clear(&msg->name);
  msg->goal.count = 0;
  for (int i = first; i <= last; i++) {
    char name[16];
    const int length = snprintf(name, sizeof name, "joint%d", i);
    assert_int_equal(sn_msg_names_add(&msg->name, name, (size_t)length), SN_OK);
    msg->goal.data[msg->goal.count++] = goal;
  }
  msg->limp.count = 0;
  assert_int_equal(sn_source_write(source), SN_OK);
}

static void send_goals(sn_source *source, double goal) {
  send_some_goals(source, 1, 6, goal);
}

static bool all_are(sn_tap *health, uint8_t state) {
  for (size_t n = 0; n < 2000; n++) {
    const sn_servo_health *msg = sn_tap_read(health, NULL);
    bool all = msg != NULL && msg->state.count == 6;
    for (size_t i = 0; all && i < 6; i++) {
      all = msg->state.data[i] == state;
    }
    if (all) {
      return true;
    }
    pause_ms(10);
  }
  return false;
}

/* Both buses report their rate, load and lateness. */
static void check_buses(const bench *b, sn_tap *health) {
  const sn_servo_health *msg = NULL;
  for (size_t n = 0; n < 1000; n++) {
    msg = sn_tap_read(health, NULL);
    if (msg != NULL && msg->bus_rate.count == 2 && msg->bus_rate.data[0] > 0.0 &&
        msg->bus_rate.data[1] > 0.0) {
      break;
    }
    pause_ms(10);
  }
  assert_non_null(msg);
  assert_int_equal(msg->bus.count, 2);
  for (size_t i = 0; i < 2; i++) {
    assert_string_equal(sn_msg_names_at(&msg->bus, i), sim_pty_path(b->ptys[i]));
    assert_true(msg->bus_rate.data[i] > 0.0 && msg->bus_rate.data[i] < 25.0); /* 12.5 */
    assert_true(msg->bus_load.data[i] > 0.0 && msg->bus_load.data[i] < 1.0);
    assert_true(msg->bus_bytes.data[i] >= 1e5 * msg->bus_load.data[i] * 0.9); /* at 1 Mbit/s */
    assert_true(msg->jitter_max.data[i] > 0.0);
    assert_true(msg->jitter.data[i] <= msg->jitter_max.data[i]);
    /* A late servo is asked again, and simultaneous answers damage each other. */
    assert_true(msg->bus_damaged.data[i] == 0 ||
                msg->bus_retried.data[i] + msg->bus_missed.data[i] > 0);
  }
  assert_int_equal(msg->retried.count, 6);
  assert_int_equal(msg->damaged.count, 6);
}

SN_TEST(every_driver_moves_an_arm_over_two_buses) {
  for (int kind = 0; kind < 4; kind++) {
    bench b;
    open_bench(&b, (sim_kind)kind);
    sn_tap *measured, *health, *battery;
    sn_source *goals;
    assert_int_equal(sn_tap_open(b.r.system, "driver.joints_measured", NULL, &measured, &b.r.err),
                     SN_OK);
    assert_int_equal(sn_tap_open(b.r.system, "driver.health", NULL, &health, &b.r.err), SN_OK);
    assert_int_equal(sn_tap_open(b.r.system, "driver.battery_state", NULL, &battery, &b.r.err),
                     SN_OK);
    assert_int_equal(sn_source_open(b.r.system, "driver.goals", NULL, &goals, &b.r.err), SN_OK);
    rig_begin(&b.r);
    assert_int_equal(sn_system_launch(b.r.system, &b.r.err), SN_OK);
    assert_true(all_are(health, SN_SERVO_LIMP));
    send_goals(goals, -0.3);
    assert_true(all_are(health, SN_SERVO_HOLDS));
    bool is_there = false;
    for (size_t n = 0; n < 1000 && !is_there; n++) {
      const sn_joint_state *msg = sn_tap_read(measured, NULL);
      is_there =
          msg != NULL && msg->position.count == 6 && fabs(msg->position.data[5] + 0.3) < 0.15;
      pause_ms(10);
    }
    assert_true(is_there);
    check_buses(&b, health);
    const sn_battery_state *supply = sn_tap_read(battery, NULL);
    assert_non_null(supply);
    sn_assert_near(supply->voltage, kind == SIM_HERKULEX ? 7.4 : 12.0, 0.1);
    sn_source_close(goals);
    sn_tap_close(measured);
    sn_tap_close(health);
    sn_tap_close(battery);
    assert_int_equal(sn_system_stop(b.r.system, b.driver, &b.r.err), SN_OK);
    for (size_t p = 0; p < 2; p++) { /* limp was chosen */
      const servo_sim *sim = sim_pty_lock(b.ptys[p]);
      assert_false(sim->servos[0].torque || sim->servos[1].torque || sim->servos[2].torque);
      sim_pty_unlock(b.ptys[p]);
    }
    close_bench(&b);
  }
}

static bool all_get_to(sn_tap *measured, double goal) {
  for (size_t n = 0; n < 2000; n++) {
    const sn_joint_state *msg = sn_tap_read(measured, NULL);
    bool all = msg != NULL && msg->position.count == 6;
    for (size_t i = 0; all && i < 6; i++) {
      all = fabs(msg->position.data[i] - goal) < 0.15;
    }
    if (all) {
      return true;
    }
    pause_ms(10);
  }
  return false;
}

/* One cycle reads all goals. */
static void expect_one_cycle(sn_journal *journal, size_t count) {
  const sn_msg_capacity capacity = {.item_count = SN_JOURNAL_ENTRY_MAX, .text_size = 256};
  sn_arena arena;
  sn_arena_init_growing(&arena, "entry", 0);
  sn_journal_entry *entry = sn_msg_create(&arena, &sn__journal_entry_type, &capacity);
  assert_non_null(entry);
  uint64_t cycle = 0;
  size_t found = 0;
  while (sn__journal_read(journal, entry)) {
    if (entry->kind == SN_JOURNAL_INPUT) {
      cycle = found++ == 0 ? entry->cycle : cycle;
      assert_int_equal(entry->cycle, cycle);
    }
  }
  assert_int_equal(found, count);
  assert_int_equal(sn__journal_lost(journal), 0);
  sn_arena_release(&arena);
}

/* A delayed peer sends many messages at once: the first cycle reads all, and messages that name
   some joints are merged. */
SN_TEST(goals_that_have_piled_up_are_taken_in_one_cycle) {
  enum { PILE = 60 };
  bench b;
  open_bench(&b, SIM_FEETECH_STS);
  const sn_connection connection = {.buffer = PILE + 10};
  sn_tap *measured;
  sn_source *goals;
  sn_journal *journal;
  assert_int_equal(sn_tap_open(b.r.system, "driver.joints_measured", NULL, &measured, &b.r.err),
                   SN_OK);
  assert_int_equal(sn_source_open(b.r.system, "driver.goals", &connection, &goals, &b.r.err),
                   SN_OK);
  assert_int_equal(sn__journal_open(b.r.system, &journal, &b.r.err), SN_OK);
  rig_begin(&b.r);
  for (size_t i = 0; i < PILE - 2; i++) {
    send_goals(goals, 0.2);
  }
  send_some_goals(goals, 1, 3, -0.3);
  send_some_goals(goals, 4, 6, -0.3);
  assert_int_equal(sn_system_launch(b.r.system, &b.r.err), SN_OK);
  assert_true(all_get_to(measured, -0.3));
  expect_one_cycle(journal, PILE);
  sn__journal_close(journal);
  sn_source_close(goals);
  sn_tap_close(measured);
  close_bench(&b);
}

static bool both_confirm(sn__estop *estop, uint64_t number) {
  for (size_t n = 0; n < 1000; n++) {
    sn__estop_party_info list[SN__ESTOP_PARTIES];
    const size_t count = sn__estop_parties(estop, number, list);
    assert_int_equal(count, 2);
    if (list[0].has_obeyed && list[1].has_obeyed) {
      sn_assert_contains(list[1].name, "driver (/dev/");
      return true;
    }
    pause_ms(10);
  }
  return false;
}

static void expect_goals(const bench *b, double least, double most) {
  for (size_t p = 0; p < 2; p++) {
    const servo_sim *sim = sim_pty_lock(b->ptys[p]);
    for (size_t i = 0; i < 3; i++) {
      assert_true(sim->servos[i].torque);
      assert_true(sim->servos[i].goal >= least && sim->servos[i].goal <= most);
    }
    sim_pty_unlock(b->ptys[p]);
  }
}

/* The buses check the latch directly, without a gate, a message or a cycle of the control loop.
   Then goals stop, and the buses latch it. */
SN_TEST(buses_obey_the_emergency_stop_and_latch_it) {
  bench b;
  open_bench(&b, SIM_FEETECH_STS);
  rig_set(&b.r, b.driver, "goal_timeout", "2");
  sn_tap *measured, *health;
  sn_source *goals;
  assert_int_equal(sn_tap_open(b.r.system, "driver.joints_measured", NULL, &measured, &b.r.err),
                   SN_OK);
  assert_int_equal(sn_source_open(b.r.system, "driver.goals", NULL, &goals, &b.r.err), SN_OK);
  assert_int_equal(sn_tap_open(b.r.system, "driver.health", NULL, &health, &b.r.err), SN_OK);
  rig_begin(&b.r);
  sn__estop *estop = sn__estop_of(b.r.system);
  assert_int_equal(sn_system_launch(b.r.system, &b.r.err), SN_OK);
  assert_true(all_are(health, SN_SERVO_LIMP));
  send_goals(goals, 0.2);
  assert_true(all_are(health, SN_SERVO_HOLDS));
  const uint64_t number = sn__estop_request(estop, "test", "now");
  assert_true(both_confirm(estop, number));
  for (size_t n = 0; n < 50; n++) { /* only a resume moves a goal */
    send_goals(goals, -1.0);
    pause_ms(10);
  }
  expect_goals(&b, 0.0, 0.4);
  sn__estop_release(estop, number);
  for (size_t n = 0; n < 100; n++) {
    send_goals(goals, -0.5);
    pause_ms(10);
  }
  assert_true(all_get_to(measured, -0.5));
  for (size_t n = 0; n < 1000 && !sn__estop_is_latched(estop); n++) {
    pause_ms(10); /* no goals any more */
  }
  sn__stop_text text;
  assert_true(sn__estop_text(estop, sn__estop_latched(estop), &text));
  assert_string_equal(text.who, "driver");
  sn_assert_contains(text.why, "no goals for ");
  assert_true(both_confirm(estop, sn__estop_latched(estop)));
  send_goals(goals, 0.5);
  pause_ms(300);
  expect_goals(&b, -0.7, -0.3);
  sn_source_close(goals);
  sn_tap_close(measured);
  sn_tap_close(health);
  close_bench(&b);
}

SN_TEST(wrong_properties_are_reported_before_a_byte_is_sent) {
  static const char *const cases[][3] = {
      {"servos", "[{joint: elbow, id: 1}]", "servos[0]: the robot has no movable joint 'elbow'"},
      {"servos", "[{joint: joint1, id: 1}, {joint: joint2, id: 1}]",
       "servos 'joint1' and 'joint2' have the same id 1"},
      {"servos", "[{joint: joint1, id: 253}]", "id 253, must be 0 .. 252"},
      {"servos", "[{joint: joint1, id: 1, port: 1}]", "port 1, but there are 1 ports"},
      {"servos", "[{joint: joint1, id: 1, direction: 0}]", "direction must be 1 or -1"},
      {"servos", "[{joint: joint1, id: 1, min: 1, max: -1}]", "min 1 rad is above max -1 rad"},
      {"ports", "[/dev/a, /dev/b]", "port '/dev/b' has no servo"},
      {"answer_time", "0.01", "period 0.01 s is too short: one goal and one servo that does not"},
      {"servos", "[{joint: joint1, id: 1}, {joint: joint1, id: 2}]", "joint1"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b;
    open_system(&b, SIM_DYNAMIXEL, false);
    rig_set(&b.r, b.driver, "ports", "[/dev/a]");
    rig_set(&b.r, b.driver, "servos", "[{joint: joint1, id: 1}]");
    rig_set(&b.r, b.driver, cases[i][0], cases[i][1]);
    assert_int_not_equal(sn_system_configure(b.r.system, b.driver, &b.r.err), SN_OK);
    sn_assert_contains(b.r.err.message, cases[i][2]);
    close_bench(&b);
  }
}

SN_TEST(a_simulated_clock_is_refused) {
  bench b;
  open_system(&b, SIM_DYNAMIXEL, false);
  rig_set(&b.r, b.driver, "ports", "[/dev/a]");
  rig_set(&b.r, b.driver, "servos", "[{joint: joint1, id: 1}]");
  assert_int_equal(sn_system_configure(b.r.system, b.driver, &b.r.err), SN_OK);
  assert_int_not_equal(sn_system_start(b.r.system, b.driver, &b.r.err), SN_OK);
  sn_assert_contains(b.r.err.message, "real servos move in real time");
  close_bench(&b);
}

SN_TEST(a_missing_port_is_logged_once_and_waited_for) {
  bench b;
  open_system(&b, SIM_FEETECH_STS, true);
  rig_set(&b.r, b.driver, "ports", "[/dev/ttyNoSuch7]");
  rig_set(&b.r, b.driver, "servos", "[{joint: joint1, id: 1}]");
  rig_begin(&b.r);
  pause_ms(900);
  char last[300];
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_ERROR, last, sizeof last), 1);
  sn_assert_contains(last, "no port '/dev/ttyNoSuch7'");
  assert_int_equal(sn_component_state_now(b.driver), SN_STATE_RUNNING);
  close_bench(&b);
}
