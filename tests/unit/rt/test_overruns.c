/* Sustained overruns are logged, shown and end in a stop. In simulated time, so all counts are
   exact. */
#include <string.h>

#include "rig.h"
#include "sn_test.h"

enum { MS = 1000000 };
static const int64_t second = INT64_C(1000000000);

/* Takes `step_ns` of simulated time in each step from `from_ns` until `until_ns`. */
typedef struct slow {
  sn_component component;
  int64_t step_ns, from_ns, until_ns;
} slow;

static sn_status slow_step(sn_component *component, int64_t now_ns) {
  const slow *self = (const slow *)component;
  if (now_ns >= self->from_ns && now_ns < self->until_ns) {
    sn_clock_advance(sn_system_clock(component->system), self->step_ns);
  }
  return SN_OK;
}

static const sn_component_type slow_type = {
    .abi = SN_COMPONENT_ABI,
    .name = "slow",
    .doc = "Takes its time.",
    .size = sizeof(slow),
    .step = slow_step,
};

static slow *open_slow(rig *r, int64_t step_ns, int64_t from_ns, int64_t until_ns) {
  rig_open(r, MS);
  slow *self = rig_add(r, &slow_type, "slow");
  self->step_ns = step_ns;
  self->from_ns = from_ns;
  self->until_ns = until_ns;
  rig_begin(r);
  return self;
}

static void lost_cycles_are_logged_once_a_second(void **state) {
  (void)state;
  rig r;
  open_slow(&r, 2500000, 0, INT64_MAX); /* 2.5 ms in a cycle of 1 ms */
  rig_run(&r, 5 * second);
  const sn_activity_timing *timing = sn_activity_timing_of(r.activity);
  assert_int_equal(timing->overruns, timing->cycles);
  char line[200] = "";
  assert_int_equal(rig_drain_log(&r, SN_LOG_WARNING, line, sizeof line), 5);
  /* 400 cycles fit into a second, 600 are left out. */
  assert_non_null(strstr(line, "main: 600 of 1000 cycles lost and 400 ended late in 1 s"));
  assert_int_equal(timing->lost_last, 600);
  assert_int_equal(timing->overran_last, 400);
  assert_true(sn_activity_is_late(r.activity, sn_clock_now_ns(&r.clock)));
  rig_close(&r);
}

static void single_overrun_is_counted_and_not_logged(void **state) {
  (void)state;
  rig r;
  open_slow(&r, 2500000, 100 * MS, 101 * MS);
  rig_run(&r, 3 * second);
  const sn_activity_timing *timing = sn_activity_timing_of(r.activity);
  assert_int_equal(timing->overruns, 1);
  assert_int_equal(timing->skipped, 1);
  assert_int_equal(rig_drain_log(&r, SN_LOG_WARNING, NULL, 0), 0);
  assert_false(sn_activity_is_late(r.activity, sn_clock_now_ns(&r.clock)));
  rig_close(&r);
}

static void activity_that_keeps_its_time_again_is_not_late(void **state) {
  (void)state;
  rig r;
  open_slow(&r, 2500000, 0, second);
  rig_run(&r, 2 * second);
  assert_true(sn_activity_is_late(r.activity, sn_clock_now_ns(&r.clock)));
  rig_run(&r, 3 * second);
  assert_false(sn_activity_is_late(r.activity, sn_clock_now_ns(&r.clock)));
  assert_int_equal(sn_activity_timing_of(r.activity)->lost_last, 0);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lost_cycles_are_logged_once_a_second),
      cmocka_unit_test(single_overrun_is_counted_and_not_logged),
      cmocka_unit_test(activity_that_keeps_its_time_again_is_not_late),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
