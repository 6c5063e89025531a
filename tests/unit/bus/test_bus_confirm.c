/* What stops a bus, what it says about it, and when it confirms that its servos obey; in simulated
   time, except for a guard that misses heartbeats. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "bus/bus_stop.h"
#include "bus/guard/guard_shared.h"
#include "bus_rig.h"
#include "find_guard.h"
#include "rig.h"
#include "rt/component_runtime.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

static bool has_obeyed(const sn__estop *estop) {
  sn__estop_party_info list[SN__ESTOP_PARTIES];
  assert_int_equal(sn__estop_parties(estop, sn__estop_number(estop), list), 1);
  return list[0].has_obeyed;
}

/* Like the thread of a bus: confirm when the servos are limp, not when the stop is seen. */
SN_TEST(a_bus_confirms_when_its_servos_obey) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *bus = bus_rig_moving((sim_kind)kind);
    sn__estop estop = {0};
    sn__bus_stop stop;
    const sn__bus_stop_config config = {
        .path = "simulated",
        .bus = bus->bus,
        .estop = &estop,
        .actuator = sn__estop_register(&estop, SN__ESTOP_ACTUATOR, "bus"),
        .goal_timeout_ns = 1000 * MS,
        .guard_timeout_ns = 10000 * MS,
        .limp = true};
    sn_error err = {SN_OK, ""};
    assert_int_equal(sn__bus_stop_init(&stop, &config, &err), SN_OK);
    sn__bus_stop_goals(&stop, bus->now_ns);
    (void)sn__estop_request(&estop, "test", "now");
    assert_true(sn__bus_stop_before(&stop, bus->now_ns));
    sn__bus_stop_after(&stop, bus->now_ns); /* nothing was sent yet */
    assert_false(has_obeyed(&estop));
    for (int n = 0; n < 50 && !has_obeyed(&estop); n++) {
      assert_true(sn__bus_stop_before(&stop, bus->now_ns));
      bus_rig_cycle(bus);
      sn__bus_stop_after(&stop, bus->now_ns);
    }
    assert_true(has_obeyed(&estop));
    for (size_t i = 0; i < 3; i++) {
      assert_false(bus->sim.servos[i].torque);
    }
    sn__bus_stop_leave(&stop);
    bus_rig_free(bus);
  }
}

/* ---- a bus of a system ---- */

/* Belongs to an activity, which is said to be alive or not. */
static sn_status do_nothing(sn_component *component, int64_t now_ns) {
  (void)component;
  (void)now_ns;
  return SN_OK;
}

static const sn_component_type driver_type = {.abi = SN_COMPONENT_ABI,
                                              .name = "driver",
                                              .doc = "Owns a bus.",
                                              .size = sizeof(sn_component),
                                              .step = do_nothing};

typedef struct fixture {
  rig r;
  bus_rig *bus;
  sn__estop *estop;
  sn__bus_stop stop;
} fixture;

static void open_fixture(fixture *f, const sn__bus_stop_config *config) {
  memset(f, 0, sizeof *f);
  rig_open(&f->r, 10 * MS);
  sn__bus_stop_config all = *config;
  all.component = rig_add(&f->r, &driver_type, "arm");
  f->bus = bus_rig_moving(SIM_DYNAMIXEL);
  f->estop = sn__estop_of(f->r.system);
  all.path = "simulated";
  all.bus = f->bus->bus;
  all.estop = f->estop;
  all.actuator = sn__estop_register(f->estop, SN__ESTOP_ACTUATOR, "arm");
  /* Heartbeats are in simulated time, which the guard does not know. */
  all.guard_timeout_ns = config->guard_timeout_ns > 0 ? config->guard_timeout_ns : INT64_MAX;
  atomic_store(&f->r.activity->is_live, true);
  assert_int_equal(sn__bus_stop_init(&f->stop, &all, &f->r.err), SN_OK);
}

static void close_fixture(fixture *f) {
  sn__bus_stop_leave(&f->stop);
  bus_rig_free(f->bus);
  atomic_store(&f->r.activity->is_live, false);
  rig_close(&f->r);
}

/* A cycle of 10 ms, with new goals or without. @return what the bus does in it */
static sn__bus_action pass(fixture *f, bool has_goals) {
  if (has_goals) {
    sn__bus_stop_goals(&f->stop, f->bus->now_ns);
  }
  assert_true(sn__bus_stop_before(&f->stop, f->bus->now_ns));
  bus_rig_cycle(f->bus);
  sn__bus_stop_after(&f->stop, f->bus->now_ns);
  return f->stop.safety.action;
}

static void expect_text(const sn__estop *estop, const char *who, const char *why) {
  sn__stop_text text;
  assert_true(sn__estop_text(estop, sn__estop_latched(estop), &text));
  assert_string_equal(text.who, who);
  assert_string_equal(text.why, why);
}

SN_TEST(stale_goals_stop_the_bus_and_the_system_and_are_logged_once) {
  static const char *const ends[] = {"hold where they are", "go limp"};
  for (int limp = 0; limp < 2; limp++) {
    fixture f;
    char line[300] = "", expected[300];
    open_fixture(&f, &(sn__bus_stop_config){.goal_timeout_ns = 95 * MS, .limp = limp});
    for (int k = 0; k < 20; k++) { /* none yet: nothing to stop */
      assert_int_equal(pass(&f, false), SN__BUS_FOLLOW);
    }
    assert_int_equal(pass(&f, true), SN__BUS_FOLLOW);
    for (int k = 0; k < 9; k++) {
      assert_int_equal(pass(&f, false), SN__BUS_FOLLOW);
    }
    assert_false(sn__servo_bus_is_frozen(f.bus->bus));
    assert_int_equal(rig_drain_log(&f.r, SN_LOG_WARNING, NULL, 0), 0);
    for (int k = 0; k < 50; k++) {
      assert_int_equal(pass(&f, k > 0), limp ? SN__BUS_LIMP : SN__BUS_HOLD);
      assert_true(sn__servo_bus_is_frozen(f.bus->bus));
    }
    assert_int_equal(f.bus->sim.servos[0].torque, !limp);
    assert_int_equal(rig_drain_log(&f.r, SN_LOG_WARNING, line, sizeof line), 1);
    snprintf(expected, sizeof expected,
             "arm: no goals for 100 ms at 'simulated': emergency stop, servos %s", ends[limp]);
    sn_assert_contains(line, expected);
    assert_int_equal(sn__estop_latched(f.estop), 1);
    expect_text(f.estop, "arm", "no goals for 100 ms at 'simulated'");
    assert_true(has_obeyed(f.estop));
    sn__estop_release(f.estop, 1);
    assert_int_equal(pass(&f, false), SN__BUS_FOLLOW);
    assert_false(sn__servo_bus_is_frozen(f.bus->bus));
    assert_int_equal(pass(&f, true), SN__BUS_FOLLOW);
    close_fixture(&f);
  }
}

/* Another stop is in force, and no gate has answered it yet: the first text stays. */
SN_TEST(stale_goals_during_a_stop_are_not_a_second_one) {
  fixture f;
  open_fixture(&f, &(sn__bus_stop_config){.goal_timeout_ns = 25 * MS});
  (void)sn__estop_register(f.estop, SN__ESTOP_GATE, "gate");
  (void)pass(&f, true);
  (void)sn__estop_request(f.estop, "somebody", "else");
  int cycles = 0;
  while (pass(&f, false) == SN__BUS_FOLLOW) {
    assert_true(++cycles < 10);
  }
  assert_int_equal(f.stop.safety.cause, SN__BUS_STALE);
  assert_int_equal(sn__estop_number(f.estop), 1);
  expect_text(f.estop, "somebody", "else");
  close_fixture(&f);
}

/* A system that ends stops its cycles first, then its drivers. */
SN_TEST(goals_of_a_system_that_ends_are_stale_after_five_seconds) {
  static const struct {
    int64_t timeout_ns, stale_ns;
  } cases[] = {{100 * MS, 5000 * MS}, {6000 * MS, 6000 * MS}};
  for (size_t i = 0; i < 2; i++) {
    fixture f;
    open_fixture(&f, &(sn__bus_stop_config){.goal_timeout_ns = cases[i].timeout_ns});
    const int64_t sent_ns = f.bus->now_ns;
    (void)pass(&f, true);
    atomic_store(&f.r.activity->is_live, false);
    const int64_t age_ns = cases[i].stale_ns;
    assert_true(sn__bus_stop_before(&f.stop, sent_ns + age_ns));
    assert_int_equal(f.stop.safety.action, SN__BUS_FOLLOW);
    assert_true(sn__bus_stop_before(&f.stop, sent_ns + age_ns + 1));
    assert_int_equal(f.stop.safety.cause, SN__BUS_STALE);
    close_fixture(&f);
  }
}

/* Until the bus has carried it out, the next cycle is urgent. */
SN_TEST(a_stop_is_awaited_until_the_bus_has_carried_it_out) {
  fixture f;
  open_fixture(&f, &(sn__bus_stop_config){.goal_timeout_ns = 1000 * MS});
  (void)pass(&f, true);
  assert_false(sn__bus_stop_is_awaited(&f.stop));
  for (uint64_t number = 1; number <= 3; number++) {
    assert_int_equal(sn__estop_request(f.estop, "test", ""), number);
    assert_true(sn__bus_stop_is_awaited(&f.stop));
    assert_false(has_obeyed(f.estop));
    int cycles = 0;
    while (sn__bus_stop_is_awaited(&f.stop)) {
      assert_true(++cycles < 10);
      (void)pass(&f, true);
    }
    assert_true(has_obeyed(f.estop));
  }
  close_fixture(&f);
}

/* It follows a gate that brakes, holds when that has come to rest, and freezes without one. Only a
   freeze is not where the gate believes. */
SN_TEST(a_bus_confirms_what_it_does) {
  fixture f;
  open_fixture(&f, &(sn__bus_stop_config){.goal_timeout_ns = 1000 * MS, .limp = true});
  const int gate = sn__estop_register(f.estop, SN__ESTOP_GATE, "gate");
  (void)pass(&f, true);
  const uint64_t number = sn__estop_request(f.estop, "test", "");
  assert_int_equal(pass(&f, true), SN__BUS_FOLLOW); /* the gate is awaited: not confirmed */
  assert_true(sn__bus_stop_is_awaited(&f.stop));
  sn__estop_gate_ack(f.estop, gate, number, false);
  assert_int_equal(pass(&f, true), SN__BUS_FOLLOW);
  assert_false(sn__bus_stop_is_awaited(&f.stop));
  assert_false(sn__estop_look(f.estop).is_frozen);
  sn__estop_gate_ack(f.estop, gate, number, true);
  int cycles = 0;
  while (pass(&f, true) != SN__BUS_KEEP) {
    assert_true(++cycles < 20);
  }
  for (int k = 0; k < 20; k++) {
    assert_int_equal(pass(&f, true), SN__BUS_KEEP);
  }
  assert_false(sn__estop_look(f.estop).is_frozen);
  assert_true(f.bus->sim.servos[0].torque); /* braked servos keep it */
  sn__estop_gate_resume(f.estop, gate, number);
  sn__estop_unregister(f.estop, gate);
  assert_int_equal(pass(&f, true), SN__BUS_FOLLOW);
  (void)sn__estop_request(f.estop, "test", "");
  for (int k = 0; k < 20; k++) {
    (void)pass(&f, true);
  }
  assert_int_equal(f.stop.safety.action, SN__BUS_LIMP);
  assert_true(sn__estop_look(f.estop).is_frozen);
  assert_int_equal(rig_drain_log(&f.r, SN_LOG_WARNING, NULL, 0), 0); /* who stopped has said it */
  close_fixture(&f);
}

/* ---- a bus without a system ---- */

SN_TEST(a_bus_without_a_system_has_a_latch_of_its_own) {
  bus_rig *bus = bus_rig_moving(SIM_DYNAMIXEL);
  sn__bus_stop stop;
  const sn__bus_stop_config config = {
      .path = "alone", .bus = bus->bus, .goal_timeout_ns = 20 * MS, .guard_timeout_ns = INT64_MAX};
  assert_int_equal(sn__bus_stop_init(&stop, &config, NULL), SN_OK);
  sn__bus_stop_goals(&stop, bus->now_ns);
  assert_true(sn__bus_stop_before(&stop, bus->now_ns));
  assert_int_equal(stop.safety.action, SN__BUS_FOLLOW);
  assert_true(sn__bus_stop_before(&stop, bus->now_ns + 30 * MS));
  assert_int_equal(stop.safety.action, SN__BUS_HOLD);
  sn__bus_stop_after(&stop, bus->now_ns + 30 * MS);
  assert_int_equal(sn__estop_latched(&stop.own), 1);
  expect_text(&stop.own, "bus", "no goals for 30 ms at 'alone'");
  sn__bus_stop_leave(&stop);
  bus_rig_free(bus);
}

SN_TEST(more_buses_than_places_are_refused) {
  static sn__bus_stop stops[SN__GUARD_PLACES + 1];
  bus_rig *bus = bus_rig_moving(SIM_DYNAMIXEL);
  const sn__bus_stop_config config = {.path = "many", .bus = bus->bus};
  sn_error err = {.message = "nothing"};
  for (size_t i = 0; i < SN__GUARD_PLACES; i++) {
    assert_int_equal(sn__bus_stop_init(&stops[i], &config, &err), SN_OK);
    assert_string_equal(err.message, "nothing");
  }
  assert_int_equal(sn__bus_stop_init(&stops[SN__GUARD_PLACES], &config, NULL), SN_ELIMIT);
  assert_int_equal(sn__bus_stop_init(&stops[SN__GUARD_PLACES], &config, &err), SN_ELIMIT);
  assert_int_equal(err.code, SN_ELIMIT);
  sn_assert_contains(err.message, "'many': more than 32 buses");
  sn__bus_stop_leave(&stops[7]);
  assert_int_equal(sn__bus_stop_init(&stops[7], &config, &err), SN_OK);
  for (size_t i = 0; i < SN__GUARD_PLACES; i++) {
    sn__bus_stop_leave(&stops[i]);
  }
  bus_rig_free(bus);
}

/* ---- the guard ---- */

static int open_terminal(int *master) {
  char path[64];
  struct termios raw;
  *master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  assert_true(*master >= 0);
  assert_int_equal(grantpt(*master), 0);
  assert_int_equal(unlockpt(*master), 0);
  assert_int_equal(tcgetattr(*master, &raw), 0);
  cfmakeraw(&raw);
  assert_int_equal(tcsetattr(*master, TCSANOW, &raw), 0);
  assert_int_equal(ptsname_r(*master, path, sizeof path), 0);
  const int port = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  assert_true(port >= 0);
  return port;
}

static void pause_ms(long ms) {
  const struct timespec t = {.tv_nsec = ms * MS};
  nanosleep(&t, NULL);
}

/* What the guard writes are the frames of the bus, of the safe state that was chosen. */
static void expect_frames(const fixture *f, int master) {
  sn__safe_bytes expected;
  uint8_t bytes[SN__SAFE_BYTES_MAX];
  (f->stop.config.limp ? sn__safe_frames_limp : sn__safe_frames_hold)(f->bus->bus, &expected);
  size_t used = 0;
  for (int n = 0; n < 2000 && used < expected.count; n++) {
    const ssize_t got = read(master, bytes + used, expected.count - used);
    used += got > 0 ? (size_t)got : 0;
    pause_ms(used < expected.count ? 5 : 0);
  }
  assert_int_equal(used, expected.count);
  assert_memory_equal(bytes, expected.bytes, used);
}

SN_TEST(a_bus_whose_thread_hangs_is_stopped_by_the_guard_until_a_resume) {
  for (int limp = 0; limp < 2; limp++) {
    fixture f;
    int master = -1;
    char line[300] = "";
    const int port = open_terminal(&master);
    open_fixture(&f,
                 &(sn__bus_stop_config){
                     .goal_timeout_ns = 100000 * MS, .guard_timeout_ns = 100 * MS, .limp = limp});
    sn__bus_stop_port(&f.stop, port);
    while (sn__guard_tripped(f.stop.place) == SN__GUARD_FINE) { /* no heartbeat any more */
      pause_ms(5);
    }
    expect_frames(&f, master);
    assert_true(sn__bus_stop_must_yield(&f.stop));
    assert_int_equal(pass(&f, true), limp ? SN__BUS_LIMP : SN__BUS_HOLD);
    assert_int_equal(f.stop.safety.cause, SN__BUS_GUARD);
    assert_false(sn__bus_stop_must_yield(&f.stop)); /* it sends what stops */
    assert_int_equal(rig_drain_log(&f.r, SN_LOG_ERROR, line, sizeof line), 1);
    sn_assert_contains(line, "the thread of a bus hung ('simulated'): emergency stop, servos");
    expect_text(f.estop, "guard", "the thread of a bus hung ('simulated')");
    assert_int_not_equal(sn__guard_tripped(f.stop.place), SN__GUARD_FINE);
    sn__bus_stop_port(&f.stop, -1); /* nothing is watched any more */
    sn__estop_release(f.estop, 1);
    assert_int_equal(pass(&f, true), SN__BUS_FOLLOW);
    assert_int_equal(sn__guard_tripped(f.stop.place), SN__GUARD_FINE);
    assert_false(sn__bus_stop_must_yield(&f.stop));
    close_fixture(&f);
    close(port);
    close(master);
  }
}

/* The control process may die in the next moment: without a guard the servos would go on. */
SN_TEST(a_guard_that_has_ended_is_replaced_and_that_is_logged_once) {
  fixture f;
  int master = -1;
  char line[300] = "";
  const int port = open_terminal(&master);
  open_fixture(&f, &(sn__bus_stop_config){.goal_timeout_ns = 100000 * MS});
  sn__bus_stop_port(&f.stop, port);
  f.bus->now_ns = 2000 * MS; /* it may be started again a second after it failed */
  for (int k = 0; k < 2; k++) {
    const pid_t guard = find_guard(ttyname(port), 0);
    for (int n = 0; n < 20; n++) {
      assert_int_equal(pass(&f, true), SN__BUS_FOLLOW);
    }
    assert_int_equal(rig_drain_log(&f.r, SN_LOG_WARNING, NULL, 0), 0);
    assert_int_equal(kill(guard, SIGKILL), 0);
    while (rig_drain_log(&f.r, SN_LOG_WARNING, line, sizeof line) == 0) {
      assert_int_equal(pass(&f, true), SN__BUS_FOLLOW);
    }
    sn_assert_contains(line, "the guard process had ended; another one has been started");
    assert_true(find_guard(ttyname(port), guard) != guard); /* it has the port */
  }
  sn__bus_stop_port(&f.stop, -1);
  close_fixture(&f);
  close(port);
  close(master);
}

/* Without descriptors none can be started. It is tried again every second, and said once. */
SN_TEST(a_guard_that_cannot_be_started_is_logged_once_until_it_runs) {
  fixture f;
  int master = -1;
  char line[300] = "";
  struct rlimit usual, none;
  const int port = open_terminal(&master);
  open_fixture(&f, &(sn__bus_stop_config){.goal_timeout_ns = 100000 * MS});
  sn__bus_stop_port(&f.stop, port);
  f.bus->now_ns = 20000 * MS;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
  for (int k = 0; k < 2; k++) {
    assert_int_equal(kill(find_guard(ttyname(port), 0), SIGKILL), 0);
    while (guard_of(ttyname(port)) != 0) {
      pause_ms(5);
    }
    none = usual;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (int n = 0; n < 350; n++) { /* 3.5 s */
      assert_int_equal(pass(&f, true), SN__BUS_FOLLOW);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    assert_int_equal(rig_drain_log(&f.r, SN_LOG_WARNING, line, sizeof line), 1);
    sn_assert_contains(line, "no guard process: ");
    for (int n = 0; n < 350; n++) {
      assert_int_equal(pass(&f, true), SN__BUS_FOLLOW);
    }
    assert_int_equal(rig_drain_log(&f.r, SN_LOG_WARNING, line, sizeof line), 1);
    sn_assert_contains(line, "another one has been started");
  }
  sn__bus_stop_port(&f.stop, -1);
  close_fixture(&f);
  close(port);
  close(master);
}

/* The last test: it cannot be undone. */
SN_TEST(a_process_that_is_about_to_end_sends_nothing_more) {
  fixture f;
  int master = -1;
  const int port = open_terminal(&master);
  open_fixture(&f, &(sn__bus_stop_config){.goal_timeout_ns = 1000 * MS});
  sn__bus_stop_port(&f.stop, port);
  assert_int_equal(pass(&f, true), SN__BUS_FOLLOW);
  assert_false(sn__bus_stop_must_yield(&f.stop));
  sn__guard_trip();
  assert_true(sn__bus_stop_must_yield(&f.stop));
  assert_false(sn__bus_stop_before(&f.stop, f.bus->now_ns));
  expect_frames(&f, master);
  sn__bus_stop_port(&f.stop, -1);
  close_fixture(&f);
  close(port);
  close(master);
}
