/* What a bus can do, in its own time: bytes and servos' delays as on a wire, nothing of the machine
   that runs it. SINEW_TEST_SCALE=50 makes 10⁷ damaged answers of each family. */
#include "bus_rig.h"
#include "sn_test.h"

#define BAUD 1000000
#define SERVOS 20
#define CYCLES 300

static uint64_t reads_of_all(const bus_rig *rig) {
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < SERVOS; i++) {
    least = rig->sim.servos[i].reads < least ? rig->sim.servos[i].reads : least;
  }
  return least;
}

/* Every servo has its goal and is read in every cycle of this length? */
static bool keeps_up(sim_kind kind, int64_t period_ns, bool prints) {
  bus_rig *rig = bus_rig_create(kind, SERVOS, BAUD, period_ns);
  bus_rig_goals(rig, 0.2, false);
  bus_rig_cycles(rig, 1500);
  const uint64_t in_turn = rig->bus->cycles_in_turn, reads = reads_of_all(rig);
  const int64_t busy_ns = rig->bus->engine.stats.busy_ns, start_ns = rig->now_ns;
  rig->busy_ns = 0;
  rig->goal_gap_max_ns = 0;
  bus_rig_cycles(rig, CYCLES);
  const bool good = bus_rig_count(rig, SN__LINK_HOLD) == SERVOS &&
                    rig->bus->cycles_in_turn == in_turn && rig->late_cycles == 0;
  if (prints) {
    print_message(
        "%-12s %d servos, 1 Mbit/s: %4.0f Hz, bytes on the wire %2.0f %% of the time, "
        "oldest goal %.1f periods, %lu reads in %d cycles\n",
        rig->config.family->name, SERVOS, 1e9 / (double)period_ns,
        100.0 * (double)(rig->bus->engine.stats.busy_ns - busy_ns) /
            (double)(rig->now_ns - start_ns),
        (double)rig->goal_gap_max_ns / (double)period_ns,
        (unsigned long)(reads_of_all(rig) - reads), CYCLES);
  }
  bus_rig_free(rig);
  return good;
}

static void twenty_servos_are_driven_a_hundred_times_a_second(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    int64_t period_ns = 4000000;
    while (period_ns < 20000000 && !keeps_up((sim_kind)kind, period_ns, false)) {
      period_ns += 250000;
    }
    (void)keeps_up((sim_kind)kind, period_ns, true);
    assert_true(period_ns <= 10000000);
  }
}

/* The last gate alone: answers of a moving servo, one byte in a hundred another, through the parser
   and the doubt. What is believed is the servo's position, or nearer to it than its noise. */
static void answers_that_are_believed_are_true(void **state) {
  (void)state;
  static const wire_family families[] = {WIRE_DYNAMIXEL, WIRE_FEETECH, WIRE_FEETECH, WIRE_HERKULEX};
  const size_t count = sn_test_cases(200000);
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_prepare((sim_kind)kind, 1, BAUD, 10000000);
    const sn_servo_family *family = rig->config.family;
    sim_servo *servo = &rig->sim.servos[0];
    sn__servo_trust trust;
    const double noise = fmax(0.005 * family->counts_per_rad, 2.0);
    sn__servo_trust_init(&trust, 1.5 * 4.0 * family->counts_per_rad, noise);
    const sn_bus_item item = {1, family->state.address, family->state.size};
    const sn_bus_request request = {.kind = SN_BUS_READ, .count = 1, .items = &item};
    uint64_t damaged = 0, passed = 0, believed = 0, wrong = 0;
    double wrong_max = 0.0;
    for (size_t n = 0; n < count; n++) {
      const int64_t now_ns = (int64_t)n * 10000000;
      servo->q = 0.9 * sin(2e-9 * (double)now_ns);
      servo->qd = 1.8 * cos(2e-9 * (double)now_ns);
      sim_refresh(&rig->sim, servo);
      uint8_t params[16] = {(uint8_t)item.address, (uint8_t)item.size}, bytes[64];
      const size_t before = families[kind] == WIRE_HERKULEX ? 2 : 0;
      memcpy(params + before, servo->ram + item.address, item.size);
      const size_t size = wire_write(families[kind], 1, 4, 0, 0, params, before + item.size, bytes);
      bool is_damaged = false;
      for (size_t i = 0; i < size; i++) {
        if (sn_random_unit(&rig->sim.random) < 0.01) {
          bytes[i] ^= (uint8_t)(1 + sn_random_below(&rig->sim.random, 255));
          is_damaged = true;
        }
      }
      damaged += is_damaged;
      size_t used = 0;
      sn_bus_status status;
      sn_servo_reading reading;
      if (family->protocol->parse(bytes, size, 64, &used, &status) != SN_BUS_PACKET ||
          !sn_bus_status_answers(family->protocol, &request, 0, &status) ||
          status.size != item.size) {
        continue;
      }
      family->read_state(status.data, &reading);
      passed += is_damaged;
      if (sn__servo_trust_take(&trust, reading.counts, reading.check, true, now_ns)) {
        const double error = fabs((double)reading.counts - servo->counts);
        believed++;
        wrong += error > 0.0;
        wrong_max = fmax(wrong_max, error);
      }
    }
    print_message(
        "%-12s %zu answers, %lu damaged, %lu of them with a good checksum; %lu positions "
        "believed, %lu not the servo's, by %.0f counts at most (noise: %.0f)\n",
        family->name, count, (unsigned long)damaged, (unsigned long)passed, (unsigned long)believed,
        (unsigned long)wrong, wrong_max, noise);
    assert_true(believed > count / 2);
    assert_true(damaged > count / 20);
    assert_true(wrong_max <= noise);
    bus_rig_free(rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twenty_servos_are_driven_a_hundred_times_a_second),
      cmocka_unit_test(answers_that_are_believed_are_true),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
