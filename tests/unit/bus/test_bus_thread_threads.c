#define _GNU_SOURCE

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bus/bus_thread.h"
#include "sim/sim_pty.h"
#include "sinew/random.h"
#include "sn_test.h"

#define VELOCITY_MAX 4.0   /* rad/s */
#define PERIOD_NS 80000000 /* long, for a busy machine */

static const char *const families[] = {"dynamixel", "feetech_sts", "feetech_scs", "herkulex"};
static const char *const names[] = {"a", "b", "c"};

typedef struct rig {
  sn_arena arena;
  sn_clock clock;
  sim_pty *pty;
  sn__servo_bus *bus;
  sn__bus_thread *thread;
  char link[64];
} rig;

static void pause_ms(long ms) {
  const struct timespec t = {.tv_nsec = ms * 1000000};
  nanosleep(&t, NULL);
}

/* Long timeouts: a busy machine must not fail the test. */
static rig *rig_start_with(sim_kind kind, bool stops_limp, int64_t period_ns, sn__estop *estop) {
  rig *r = calloc(1, sizeof *r);
  assert_non_null(r);
  servo_sim sim;
  servo_sim_init(&sim, kind, 1000000, 3);
  sn__servo_mount mounts[3];
  const sn_servo_family *family = sn__servo_family_find(families[kind]);
  for (size_t i = 0; i < 3; i++) {
    servo_sim_add(&sim, (uint8_t)(1 + i), 1030)->q = 0.3;
    mounts[i] = (sn__servo_mount){.id = (uint8_t)(1 + i),
                                  .direction = 1,
                                  .zero = family->counts_centre,
                                  .gear = 1.0,
                                  .goal_min = -2.0,
                                  .goal_max = 2.0,
                                  .velocity_max = VELOCITY_MAX,
                                  .torque_limit = 1.0};
  }
  snprintf(r->link, sizeof r->link, "/tmp/sinew_bus_%d_%d", (int)getpid(), (int)kind);
  r->pty = sim_pty_start(&sim, r->link);
  sn_clock_init_monotonic(&r->clock);
  sn_arena_init_growing(&r->arena, "bus", 65536);
  const sn__servo_bus_config config = {.family = family,
                                       .baud = 1000000,
                                       .answer_ns = 20000000,
                                       .period_ns = period_ns,
                                       .servos = mounts,
                                       .count = 3};
  sn_error err;
  assert_int_equal(sn__servo_bus_create(&r->arena, &config, &r->bus, &err), SN_OK);
  const sn__bus_thread_config thread = {.path = r->link,
                                        .bus = r->bus,
                                        .clock = &r->clock,
                                        .names = names,
                                        .estop = estop,
                                        .actuator = estop == NULL ? -1 : 0,
                                        .stops_limp = stops_limp,
                                        .goal_timeout_ns = INT64_C(3600000000000),
                                        .guard_timeout_ns = INT64_C(3600000000000)};
  assert_int_equal(sn__bus_thread_start(&thread, &r->thread, &err), SN_OK);
  return r;
}

static rig *rig_start(sim_kind kind, bool stops_limp) {
  return rig_start_with(kind, stops_limp, PERIOD_NS, NULL);
}

static void send_goals(rig *r, double goal) {
  sn__bus_goals *goals = sn__bus_thread_goals(r->thread);
  for (size_t i = 0; i < 3; i++) {
    goals->goal[i] = goal;
    goals->has_goal[i] = true;
  }
  sn__bus_thread_send(r->thread);
}

/* Waits until all three are in this state. */
static bool wait_for(rig *r, sn__servo_link link) {
  for (size_t n = 0; n < 2000; n++) {
    const sn__servo_report *report = sn__bus_thread_report(r->thread);
    bool all = report != NULL;
    for (size_t i = 0; all && i < 3; i++) {
      all = report->servos[i].link == link;
    }
    if (all) {
      return true;
    }
    pause_ms(10);
  }
  return false;
}

static bool servos_have_torque(rig *r) {
  servo_sim *sim = sim_pty_lock(r->pty);
  const bool have = sim->servos[0].torque && sim->servos[1].torque && sim->servos[2].torque;
  sim_pty_unlock(r->pty);
  return have;
}

static bool is_near(rig *r, double q) {
  for (size_t n = 0; n < 1000; n++) {
    const sn__servo_report *report = sn__bus_thread_report(r->thread);
    if (report != NULL && fabs(report->servos[2].q - q) < 0.15) {
      return true;
    }
    pause_ms(10);
  }
  return false;
}

static void rig_stop(rig *r) {
  sn__bus_thread_stop(r->thread);
}

static void rig_free(rig *r) {
  sim_pty_stop(r->pty);
  sn_arena_release(&r->arena);
  free(r);
}

SN_TEST(goals_go_over_the_terminal_and_states_come_back) {
  for (int kind = 0; kind < 4; kind++) {
    rig *r = rig_start((sim_kind)kind, true);
    assert_true(wait_for(r, SN__LINK_LIMP));
    send_goals(r, -0.4);
    assert_true(wait_for(r, SN__LINK_HOLD));
    assert_true(is_near(r, -0.4));
    assert_true(servos_have_torque(r));
    rig_stop(r);
    servo_sim *sim = sim_pty_lock(r->pty); /* limp was chosen */
    assert_false(sim->servos[0].torque || sim->servos[1].torque || sim->servos[2].torque);
    sim_pty_unlock(r->pty);
    rig_free(r);
  }
}

SN_TEST(held_servos_stay_so_when_the_thread_ends) {
  rig *r = rig_start(SIM_FEETECH_STS, false);
  send_goals(r, 0.3);
  assert_true(wait_for(r, SN__LINK_HOLD));
  rig_stop(r);
  assert_true(servos_have_torque(r));
  rig_free(r);
}

/* The servos keep their power, or lose it and are moved. */
static void unplug(rig *r, sn_random *random) {
  sim_pty_unplug(r->pty);
  assert_true(wait_for(r, SN__LINK_ABSENT));
  assert_false(sn__bus_thread_report(r->thread)->is_open);
  servo_sim *sim = sim_pty_lock(r->pty);
  const bool loses_power = sn_random_below(random, 2) == 0;
  for (size_t i = 0; loses_power && i < 3; i++) {
    sim->servos[i].torque = false;
    sim->servos[i].q = sn_random_between(random, -1.0, 1.0);
    sim->servos[i].qd = 0.0;
  }
  sim_pty_unlock(r->pty);
}

/* SINEW_TEST_SCALE=34 for a hundred of each family. */
SN_TEST(the_adapter_is_pulled_out_and_put_back) {
  sn_random random;
  sn_random_init(&random, 12);
  for (int kind = 0; kind < 4; kind++) {
    rig *r = rig_start((sim_kind)kind, false);
    const size_t times = sn_test_cases(3);
    for (size_t n = 0; n < times; n++) {
      send_goals(r, sn_random_between(&random, -1.0, 1.0));
      assert_true(wait_for(r, SN__LINK_HOLD));
      pause_ms((long)sn_random_below(&random, 150)); /* moving or at the goal */
      unplug(r, &random);
      sim_pty_plug(r->pty);
    }
    send_goals(r, 0.3);
    assert_true(wait_for(r, SN__LINK_HOLD));
    assert_true(is_near(r, 0.3));
    assert_true(sn__bus_thread_report(r->thread)->is_open);
    rig_stop(r);
    const servo_sim *sim = sim_pty_lock(r->pty);
    double jump = 0.0, on_jump = 0.0;
    for (size_t i = 0; i < 3; i++) {
      jump = fmax(jump, sim->servos[i].goal_jump);
      on_jump = fmax(on_jump, sim->servos[i].torque_on_jump);
    }
    sim_pty_unlock(r->pty);
    const double count = 1.0 / sim_counts_per_rad((sim_kind)kind);
    print_message(
        "%s: unplugged %zu times, goals moved by %.4f rad at most (%.4f in a period), "
        "%.4f off when torque came on\n",
        families[kind], times, jump, VELOCITY_MAX * 1e-9 * PERIOD_NS, on_jump);
    /* a goal may be lost when unplugged: the next one makes up for it */
    assert_true(jump <= 3.0 * VELOCITY_MAX * 1e-9 * PERIOD_NS + 2.0 * count);
    assert_true(on_jump <= 3.0 * count);
    rig_free(r);
  }
}

/* The next cycle would be an hour away. */
SN_TEST(a_stop_does_not_wait_for_the_next_cycle) {
  static sn__estop estop;
  assert_int_equal(sn__estop_register(&estop, SN__ESTOP_ACTUATOR, "bus"), 0);
  rig *r = rig_start_with(SIM_FEETECH_STS, true, INT64_C(3600000000000), &estop);
  for (int n = 0; n < 2000 && sn__bus_thread_report(r->thread) == NULL; n++) {
    pause_ms(10); /* the first cycle is over */
  }
  const uint64_t cycles = sn__bus_thread_report(r->thread)->cycles;
  const uint64_t number = sn__estop_request(&estop, "test", "");
  sn__estop_party_info parties[SN__ESTOP_PARTIES] = {{.has_obeyed = false}};
  for (int n = 0; n < 3000 && !parties[0].has_obeyed; n++) {
    pause_ms(10);
    assert_int_equal(sn__estop_parties(&estop, number, parties), 1);
  }
  assert_true(parties[0].has_obeyed);
  pause_ms(200); /* later cycles are not urgent */
  const uint64_t after = sn__bus_thread_report(r->thread)->cycles;
  assert_true(after > cycles && after <= cycles + 2);
  rig_stop(r);
  rig_free(r);
}
