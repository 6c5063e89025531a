/* Throughput of a bus in simulated time: the delays of bytes and servos, independent of the
 * machine. */
#include <stdlib.h>

#include "bus_rig.h"
#include "rt/histogram.h"
#include "sinew/activity.h"
#include "sn_test.h"

#define BAUD 1000000
#define SERVOS 20
#define CYCLES 300

typedef struct family_case {
  const char *name;
  sim_kind kind;
  uint8_t firmware; /* Dynamixel's */
} family_case;

static const family_case cases[] = {{"dynamixel", SIM_DYNAMIXEL, 38},
                                    {"dynamixel, fast", SIM_DYNAMIXEL, 46},
                                    {"feetech sts", SIM_FEETECH_STS, 0},
                                    {"feetech scs", SIM_FEETECH_SCS, 0},
                                    {"herkulex", SIM_HERKULEX, 0}};

/* Results of CYCLES cycles. */
typedef struct figures {
  bool keeps_up;                         /* every servo had its goal and was read in every cycle */
  double load;                           /* of the wire */
  double bytes;                          /* a cycle, both ways */
  sn_histogram goal_jitter, read_jitter; /* of the time between two, against the period */
  uint64_t retries;
} figures;

static void watch_times(const bus_rig *rig, int64_t *goal_ns, int64_t *read_ns, figures *out) {
  for (size_t i = 0; i < SERVOS; i++) {
    const int64_t goal = rig->sim.servos[i].goal_ns;
    const int64_t read = sn__servo_bus_state(rig->bus, i).read_ns;
    if (goal_ns[i] != 0) {
      sn__histogram_add(&out->goal_jitter, llabs(goal - goal_ns[i] - rig->config.period_ns));
      sn__histogram_add(&out->read_jitter, llabs(read - read_ns[i] - rig->config.period_ns));
    }
    goal_ns[i] = goal;
    read_ns[i] = read;
  }
}

static figures measure(const family_case *c, int64_t period_ns) {
  bus_rig *rig = bus_rig_create(c->kind, SERVOS, BAUD, period_ns);
  rig->sim.firmware = c->firmware;
  bus_rig_goals(rig, 0.2, false);
  bus_rig_cycles(rig, 1500); /* until the line counts as good */
  const sn_bus_stats before = rig->bus->engine.stats;
  const uint64_t in_turn = rig->bus->cycles_in_turn;
  int64_t goal_ns[SERVOS] = {0}, read_ns[SERVOS] = {0};
  figures f = {.keeps_up = bus_rig_count(rig, SN__LINK_HOLD) == SERVOS};
  const int64_t start_ns = rig->now_ns;
  for (size_t n = 0; n < CYCLES; n++) {
    bus_rig_cycle(rig);
    watch_times(rig, goal_ns, read_ns, &f);
  }
  const sn_bus_stats after = rig->bus->engine.stats;
  f.keeps_up = f.keeps_up && rig->bus->cycles_in_turn == in_turn && rig->late_cycles == 0 &&
               sn__histogram_max_ns(&f.goal_jitter) < period_ns &&
               sn__histogram_max_ns(&f.read_jitter) < period_ns;
  f.load = (double)(after.busy_ns - before.busy_ns) / (double)(rig->now_ns - start_ns);
  f.bytes = (double)(after.sent_bytes + after.received_bytes - before.sent_bytes -
                     before.received_bytes) /
            CYCLES;
  f.retries = after.retries - before.retries;
  bus_rig_free(rig);
  return f;
}

/* To a quarter of a millisecond. */
static int64_t shortest_period_ns(const family_case *c) {
  int64_t too_short = 10, enough = 80; /* quarters of a millisecond */
  while (enough - too_short > 1) {
    const int64_t middle = (too_short + enough) / 2;
    if (measure(c, middle * 250000).keeps_up) {
      enough = middle;
    } else {
      too_short = middle;
    }
  }
  return enough * 250000;
}

SN_TEST(twenty_servos_are_driven_a_hundred_times_a_second) {
  print_message("20 servos, 1 Mbit/s: goals to all and positions from all in every cycle\n");
  print_message("%-16s %9s | at 100 Hz: %6s %12s %22s %22s %8s\n", "", "fastest", "load",
                "bytes/cycle", "goals' jitter p99, max", "reads' jitter p99, max", "retries");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int64_t period_ns = shortest_period_ns(&cases[i]);
    const figures f = measure(&cases[i], 10000000);
    print_message(
        "%-16s %6.0f Hz |            %4.0f %% %12.0f %9.2f ms, %6.2f ms %9.2f ms, %6.2f ms %8lu\n",
        cases[i].name, 1e9 / (double)period_ns, 100.0 * f.load, f.bytes,
        1e-6 * (double)sn__histogram_quantile_ns(&f.goal_jitter, 0.99),
        1e-6 * (double)sn__histogram_max_ns(&f.goal_jitter),
        1e-6 * (double)sn__histogram_quantile_ns(&f.read_jitter, 0.99),
        1e-6 * (double)sn__histogram_max_ns(&f.read_jitter), (unsigned long)f.retries);
    assert_true(period_ns <= 10000000);
    assert_true(f.keeps_up);
    assert_int_equal(f.retries, 0);
  }
}
