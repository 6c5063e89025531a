/* When a bus stops, and what its servos do then; in simulated time. */
#include "bus/families/servo_link.h"
#include "bus/guard/bus_safety.h"
#include "bus/guard/safe_frames.h"
#include "bus_rig.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

static const char *const families[] = {"dynamixel", "feetech_sts", "feetech_scs", "herkulex"};

/* ---- the decision ---- */

typedef struct judge {
  sn__bus_safety safety;
  sn__estop estop;
  int gate;
  int64_t now_ns;
} judge;

static judge judge_open(bool limp) {
  judge j = {.gate = -1, .now_ns = 1000 * MS};
  sn__bus_safety_init(&j.safety, 100 * MS, limp);
  return j;
}

static sn__estop_order look(judge *j, bool is_tripped) {
  const sn__estop_view view = sn__estop_look(&j->estop);
  return sn__bus_safety_judge(&j->safety, &view, is_tripped, j->now_ns);
}

/* A cycle of 10 ms, with new goals or without. */
static sn__estop_order pass(judge *j, bool has_goals) {
  j->now_ns += 10 * MS;
  if (has_goals) {
    sn__bus_safety_goals(&j->safety, j->now_ns);
  }
  return look(j, false);
}

SN_TEST(stale_goals_stop_the_bus) {
  for (int limp = 0; limp < 2; limp++) {
    judge j = judge_open(limp);
    for (int n = 0; n < 100; n++) {
      (void)pass(&j, false); /* without goals so far there is nothing to stop */
      assert_int_equal(j.safety.action, SN__BUS_FOLLOW);
    }
    (void)pass(&j, true);
    for (int n = 0; n < 10; n++) {
      (void)pass(&j, false);
      assert_int_equal(j.safety.action, SN__BUS_FOLLOW);
    }
    (void)pass(&j, false);
    assert_int_equal(j.safety.action, limp ? SN__BUS_LIMP : SN__BUS_HOLD);
    assert_int_equal(j.safety.cause, SN__BUS_STALE);
    assert_int_equal(j.safety.stale_ns, 110 * MS);
  }
}

SN_TEST(only_a_resume_ends_a_stop) {
  judge j = judge_open(false);
  (void)pass(&j, true);
  for (int n = 0; n < 20; n++) {
    (void)pass(&j, false);
    if (j.safety.cause == SN__BUS_STALE && !sn__estop_is_latched(&j.estop)) {
      (void)sn__estop_request(&j.estop, "test", "stale");
    }
  }
  for (int n = 0; n < 50; n++) {
    (void)pass(&j, true);
    assert_int_equal(j.safety.action, SN__BUS_HOLD);
  }
  sn__estop_release(&j.estop, sn__estop_number(&j.estop));
  (void)pass(&j, false);
  assert_int_equal(j.safety.action, SN__BUS_FOLLOW);
  for (int n = 0; n < 50; n++) { /* no goals since the resume: nothing is stale */
    (void)pass(&j, false);
    assert_int_equal(j.safety.action, SN__BUS_FOLLOW);
  }
}

SN_TEST(a_stop_that_no_gate_acknowledges_takes_50_ms) {
  judge j = judge_open(true);
  j.gate = sn__estop_register(&j.estop, SN__ESTOP_GATE, "gate");
  (void)pass(&j, true);
  (void)sn__estop_request(&j.estop, "test", "now");
  int waited = 0;
  while (pass(&j, true) != SN__ORDER_FREEZE) {
    assert_int_equal(j.safety.action, SN__BUS_FOLLOW);
    assert_true(++waited <= 6);
  }
  assert_int_equal(waited, 6); /* first seen, then 50 ms */
  assert_int_equal(j.safety.action, SN__BUS_LIMP);
  assert_int_equal(j.safety.cause, SN__BUS_ESTOP);
}

/* It claims to brake, but its goals do not arrive. */
SN_TEST(a_gate_with_stale_goals_is_not_followed) {
  judge j = judge_open(false);
  j.gate = sn__estop_register(&j.estop, SN__ESTOP_GATE, "gate");
  (void)pass(&j, true);
  const uint64_t number = sn__estop_request(&j.estop, "test", "now");
  sn__estop_gate_ack(&j.estop, j.gate, number, false);
  for (int n = 0; n < 6; n++) { /* 50 ms, from the first cycle that sees it */
    assert_int_equal(pass(&j, false), SN__ORDER_WAIT);
    assert_int_equal(j.safety.action, SN__BUS_FOLLOW);
  }
  assert_int_equal(pass(&j, false), SN__ORDER_FREEZE);
  assert_int_equal(j.safety.action, SN__BUS_HOLD);
  assert_int_equal(j.safety.cause, SN__BUS_ESTOP);
}

SN_TEST(a_gate_that_brakes_is_followed_to_its_rest) {
  judge j = judge_open(true); /* braked servos keep their torque */
  j.gate = sn__estop_register(&j.estop, SN__ESTOP_GATE, "gate");
  (void)pass(&j, true);
  const uint64_t number = sn__estop_request(&j.estop, "test", "now");
  sn__estop_gate_ack(&j.estop, j.gate, number, false);
  for (int n = 0; n < 100; n++) {
    assert_int_equal(pass(&j, true), SN__ORDER_FOLLOW);
    assert_int_equal(j.safety.action, SN__BUS_FOLLOW);
  }
  sn__estop_gate_ack(&j.estop, j.gate, number, true);
  for (int n = 0; n < 20; n++) {
    (void)pass(&j, true);
  }
  assert_int_equal(j.safety.action, SN__BUS_KEEP);
  sn__estop_gate_resume(&j.estop, j.gate, number);
  (void)pass(&j, true);
  assert_int_equal(j.safety.action, SN__BUS_FOLLOW);
}

SN_TEST(a_stop_by_the_guard_lasts) {
  judge j = judge_open(false);
  (void)pass(&j, true);
  (void)look(&j, true);
  assert_int_equal(j.safety.action, SN__BUS_HOLD);
  assert_int_equal(j.safety.cause, SN__BUS_GUARD);
}

/* ---- the servos ---- */

SN_TEST(a_freeze_holds_where_measured_and_no_goal_counts) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_moving((sim_kind)kind);
    double measured[3];
    for (size_t i = 0; i < 3; i++) {
      measured[i] = rig->bus->servos[i].state.q;
      assert_true(rig->sim.servos[i].goal > measured[i] + 0.02); /* it lags behind */
    }
    sn__servo_bus_freeze(rig->bus, SN__BUS_HOLD);
    assert_false(sn__servo_bus_is_stopped(rig->bus));
    bus_rig_cycle(rig);
    assert_true(sn__servo_bus_is_stopped(rig->bus));
    const double count = 1.0 / sim_counts_per_rad((sim_kind)kind);
    sn_assert_near(rig->sim.servos[1].goal, measured[1], 0.51 * count);
    bus_rig_goals(rig, -1.0, false);
    sn__servo_bus_freeze(rig->bus, SN__BUS_HOLD); /* a second freeze does not move the goal */
    bus_rig_cycles(rig, 100);
    for (size_t i = 0; i < 3; i++) {
      sn_assert_near(rig->sim.servos[i].goal, measured[i], 0.51 * count);
      assert_true(rig->sim.servos[i].torque);
    }
    sn__servo_bus_thaw(rig->bus);
    bus_rig_cycles(rig, 100);
    sn_assert_near(rig->sim.servos[1].goal, measured[1],
                   0.51 * count); /* earlier goals do not count */
    bus_rig_goals(rig, -1.0, false);
    bus_rig_cycles(rig, 200);
    sn_assert_near(rig->sim.servos[1].goal, -1.0, count);
    bus_rig_free(rig);
  }
}

SN_TEST(a_freeze_takes_torque_and_gives_none) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_moving((sim_kind)kind);
    sn__servo_bus_goal(rig->bus, 2, 0.0, true);
    bus_rig_cycles(rig, 20);
    assert_false(rig->sim.servos[2].torque);
    sn__servo_bus_freeze(rig->bus, SN__BUS_HOLD);
    sn__servo_bus_goal(rig->bus, 2, 0.0, false); /* ignored while frozen */
    sn__servo_bus_goal(rig->bus, 1, 0.0, true);  /* limp is allowed */
    bus_rig_cycles(rig, 50);
    assert_true(rig->sim.servos[0].torque);
    assert_false(rig->sim.servos[1].torque);
    assert_false(rig->sim.servos[2].torque);
    sn__servo_bus_freeze(rig->bus, SN__BUS_LIMP); /* limp overrides hold */
    assert_false(sn__servo_bus_is_stopped(rig->bus));
    bus_rig_cycles(rig, 20);
    assert_true(sn__servo_bus_is_stopped(rig->bus));
    assert_false(rig->sim.servos[0].torque);
    sn__servo_bus_thaw(rig->bus);
    bus_rig_cycles(rig, 50);
    assert_false(rig->sim.servos[0].torque); /* it waits for a goal */
    bus_rig_goals(rig, 0.0, false);
    bus_rig_cycles(rig, 50);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 3);
    bus_rig_free(rig);
  }
}

/* One servo is unplugged while the others are stopped: it still has torque when it is back. */
SN_TEST(an_absent_servo_loses_its_torque_when_it_is_back) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_moving((sim_kind)kind);
    rig->sim.servos[1].is_unplugged = true;
    bus_rig_cycles(rig, 200);
    assert_int_equal(sn__servo_bus_state(rig->bus, 1).link, SN__LINK_ABSENT);
    sn__servo_bus_freeze(rig->bus, SN__BUS_LIMP);
    bus_rig_cycles(rig, 50);
    assert_true(rig->sim.servos[1].torque);
    rig->sim.servos[1].is_unplugged = false;
    int cycles = 0;
    for (; cycles < 300 && rig->sim.servos[1].torque; cycles++) {
      bus_rig_cycle(rig);
      const bool is_back = sn__servo_bus_state(rig->bus, 1).link != SN__LINK_ABSENT;
      assert_false(is_back && rig->sim.servos[1].torque && sn__servo_bus_is_stopped(rig->bus));
    }
    assert_in_range(cycles, 2, 299); /* it was back with torque for some cycles */
    bus_rig_cycles(rig, 50);
    assert_false(rig->sim.servos[1].torque);
    assert_true(sn__servo_bus_is_stopped(rig->bus));
    bus_rig_free(rig);
  }
}

SN_TEST(braked_servos_keep_their_last_goal) {
  bus_rig *rig = bus_rig_moving(SIM_DYNAMIXEL);
  const double goal = rig->sim.servos[0].goal;
  sn__servo_bus_freeze(rig->bus, SN__BUS_KEEP);
  bus_rig_goals(rig, -1.0, false);
  bus_rig_cycles(rig, 50);
  sn_assert_near(rig->sim.servos[0].goal, goal, 1e-9);
  bus_rig_free(rig);
}

/* ---- the servos' own watchdog ---- */

static const uint8_t *watchdog(const bus_rig *rig) {
  return &rig->sim.servos[0].ram[98];
}

/* The bus is silent for this time. */
static void fall_silent(bus_rig *rig, int64_t ns) {
  rig->now_ns += ns;
  servo_sim_advance(&rig->sim, rig->now_ns);
}

SN_TEST(dynamixels_stop_themselves_and_are_taken_back) {
  bus_rig *rig = bus_rig_prepare(SIM_DYNAMIXEL, 2, 1000000, 10 * MS);
  rig->config.watchdog_ns = 190 * MS;
  rig->sim.servos[0].ram[98] =
      0xFF; /* set by a program that died: it accepts neither goal nor limit */
  rig->sim.servos[0].torque = true;
  bus_rig_build(rig);
  bus_rig_goals(rig, 0.3, false);
  bus_rig_cycles(rig, 100);
  assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 2);
  assert_int_equal(*watchdog(rig), 10); /* of 20 ms */
  sn_assert_near(rig->sim.servos[0].goal, 0.3, 0.002);
  assert_int_equal(rig->sim.servos[0].watchdog_trips, 0);
  fall_silent(rig, 500 * MS);
  assert_int_equal(rig->sim.servos[0].watchdog_trips, 1);
  assert_int_equal(*watchdog(rig), 0xFF);
  bus_rig_goals(rig, -0.3, false);
  bus_rig_cycles(rig, 100);
  assert_int_equal(*watchdog(rig), 10);
  sn_assert_near(rig->sim.servos[0].goal, -0.3, 0.002);
  assert_int_equal(rig->events[SN__SERVO_EVENT_REFUSED], 0);
  sn__servo_bus_unwatch(rig->bus); /* a clean end: it holds its goal */
  bus_rig_cycles(rig, 10);
  assert_true(sn__servo_bus_is_unwatched(rig->bus));
  assert_int_equal(*watchdog(rig), 0);
  fall_silent(rig, 5000 * MS);
  assert_int_equal(rig->sim.servos[0].watchdog_trips, 1);
  bus_rig_free(rig);
}

/* ---- bytes for the guard ---- */

SN_TEST(prepared_bytes_stop_the_servos_alone) {
  static sn__safe_bytes safe;
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_moving((sim_kind)kind);
    sn__safe_frames_hold(rig->bus, &safe);
    servo_sim_receive(&rig->sim, safe.bytes, safe.count, rig->now_ns);
    for (size_t i = 0; i < 3; i++) {
      sn_assert_near(rig->sim.servos[i].goal, rig->bus->servos[i].state.q,
                     0.51 / sim_counts_per_rad((sim_kind)kind));
      assert_true(rig->sim.servos[i].torque);
    }
    sn__safe_frames_limp(rig->bus, &safe);
    servo_sim_receive(&rig->sim, safe.bytes, safe.count, rig->now_ns);
    for (size_t i = 0; i < 3; i++) {
      assert_false(rig->sim.servos[i].torque);
    }
    assert_int_equal(rig->sim.out_count, 0); /* without any answer */
    bus_rig_free(rig);
  }
}

/* As many as a bus may have; Dynamixel's stuffing is at its worst with ids and goals of 0xFD. */
SN_TEST(prepared_bytes_have_room_for_every_servo) {
  static sn__safe_bytes safe;
  for (int kind = 0; kind < 4; kind++) {
    sn_arena arena;
    sn_arena_init_growing(&arena, "bus", 65536);
    const sn_servo_family *family = sn__servo_family_find(families[kind]);
    sn__servo_mount mounts[SN__BUS_SERVOS_MAX];
    for (size_t i = 0; i < SN__BUS_SERVOS_MAX; i++) {
      mounts[i] = (sn__servo_mount){.id = (uint8_t)i,
                                    .direction = 1,
                                    .zero = family->counts_centre,
                                    .gear = 1.0,
                                    .goal_min = -2.0,
                                    .goal_max = 2.0,
                                    .velocity_max = 4.0};
    }
    const sn__servo_bus_config config = {.family = family,
                                         .baud = 1000000,
                                         .period_ns = 10 * MS,
                                         .servos = mounts,
                                         .count = SN__BUS_SERVOS_MAX};
    sn__servo_bus *bus = NULL;
    sn_error err;
    assert_int_equal(sn__servo_bus_create(&arena, &config, &bus, &err), SN_OK);
    for (size_t i = 0; i < SN__BUS_SERVOS_MAX; i++) {
      bus->servos[i].state.link = SN__LINK_HOLD;
      bus->servos[i].state.has_position = true;
      bus->servos[i].filter.counts = kind == SIM_DYNAMIXEL ? (int32_t)0xFDFFFFFD : 0xFD;
    }
    sn__safe_frames_hold(bus, &safe);
    assert_true(safe.count > 64 * 3 && safe.count <= SN__SAFE_BYTES_MAX);
    sn__safe_frames_limp(bus, &safe);
    assert_true(safe.count > 64 && safe.count <= SN__SAFE_BYTES_MAX);
    sn_arena_release(&arena);
  }
}

/* With or without a guard, a cut cycle sends no further requests. */
SN_TEST(a_cycle_that_is_cut_sends_nothing_more) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 3, 1000000, 10 * MS);
    sn__servo_bus_arm(rig->bus, true);
    bus_rig_goals(rig, 0.2, false);
    bus_rig_cycles(rig, 200);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 3);
    size_t bytes = 1;
    sn__servo_bus_cycle(rig->bus, rig->now_ns);
    sn__servo_bus_cut(rig->bus);
    sn__servo_bus_step(rig->bus, rig->now_ns);
    (void)sn__bus_engine_output(&rig->bus->engine, &bytes);
    assert_int_equal(bytes, 0);
    assert_true(sn__servo_bus_is_over(rig->bus));
    const uint64_t goals = rig->sim.servos[0].goal_count;
    bus_rig_cycle(rig); /* the next cycle is complete */
    assert_true(rig->sim.servos[0].goal_count > goals);
    bus_rig_free(rig);
  }
}

/* A stop does not wait for the next cycle; goals must not move faster because of that. */
SN_TEST(cycles_that_come_early_move_goals_by_their_share) {
  bus_rig *rig = bus_rig_create(SIM_FEETECH_STS, 1, 1000000, 100 * MS);
  sn__servo_bus_arm(rig->bus, true);
  bus_rig_goals(rig, 0.0, false);
  bus_rig_cycles(rig, 200);
  assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 1);
  const double before = rig->bus->servos[0].sent;
  bus_rig_goals(rig, 100.0, false);
  for (int n = 0; n < 10; n++) {
    rig->bus->answers_seen = UINT64_MAX; /* as if servos answered, so that goals are sent */
    rig->bus->servos[0].unsent = 0;
    sn__servo_bus_cycle(rig->bus, rig->bus->start_ns + 5 * MS);
    sn__servo_bus_cut(rig->bus);
  }
  const double moved = rig->bus->servos[0].sent - before;
  sn_assert_near(moved, rig->bus->servos[0].mount.velocity_max * 0.05, 1e-9);
  bus_rig_free(rig);
}
