/* Sustained overruns are logged, shown and end in a stop. In simulated time, so all counts are
   exact. */
#include <math.h>
#include <string.h>

#include "rig.h"
#include "rt/component_runtime.h"
#include "rt/estop/estop.h"
#include "rt/overruns.h"
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

SN_TEST(lost_cycles_are_logged_once_a_second) {
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
  assert_true(sn__activity_is_late(r.activity, sn_clock_now_ns(&r.clock)));
  rig_close(&r);
}

SN_TEST(single_overrun_is_counted_and_not_logged) {
  rig r;
  open_slow(&r, 2500000, 100 * MS, 101 * MS);
  rig_run(&r, 3 * second);
  const sn_activity_timing *timing = sn_activity_timing_of(r.activity);
  assert_int_equal(timing->overruns, 1);
  assert_int_equal(timing->skipped, 1);
  assert_int_equal(rig_drain_log(&r, SN_LOG_WARNING, NULL, 0), 0);
  assert_false(sn__activity_is_late(r.activity, sn_clock_now_ns(&r.clock)));
  rig_close(&r);
}

SN_TEST(activity_that_keeps_its_time_again_is_not_late) {
  rig r;
  open_slow(&r, 2500000, 0, second);
  rig_run(&r, 2 * second);
  assert_true(sn__activity_is_late(r.activity, sn_clock_now_ns(&r.clock)));
  rig_run(&r, 3 * second);
  assert_false(sn__activity_is_late(r.activity, sn_clock_now_ns(&r.clock)));
  assert_int_equal(sn_activity_timing_of(r.activity)->lost_last, 0);
  rig_close(&r);
}

static sn__estop *estop_of(const rig *r) {
  return sn__estop_of(r->system);
}

/* Of a second with steps of 300 ms, four cycles are left: the robot must not go on like that. */
SN_TEST(activity_that_loses_nearly_all_cycles_stops_the_robot) {
  rig r;
  open_slow(&r, 300 * MS, 0, INT64_MAX);
  rig_run(&r, 2 * second); /* the first of two bad seconds, which takes 1.2 s, is over */
  assert_false(sn__estop_is_latched(estop_of(&r)));
  rig_run(&r, second);
  assert_true(sn__estop_is_latched(estop_of(&r)));
  sn__stop_text text;
  assert_true(sn__estop_text(estop_of(&r), 1, &text));
  assert_string_equal(text.who, "main");
  sn_assert_contains(text.why, "max_lost");
  char line[300] = "";
  assert_int_equal(rig_drain_log(&r, SN_LOG_ERROR, line, sizeof line), 1);
  sn_assert_contains(line, "main: emergency stop: 1196 of 1200 cycles lost");
  rig_run(&r, 10 * second); /* while it is stopped it is not stopped again */
  assert_int_equal(sn__estop_number(estop_of(&r)), 1);
  sn__estop_release(estop_of(&r), 1); /* and after a resume it is judged anew */
  rig_run(&r, 5 * second);
  assert_int_equal(sn__estop_latched(estop_of(&r)), 2);
  rig_close(&r);
}

/* The next stop needs two bad seconds again, whatever came before the resume. */
SN_TEST(after_a_resume_one_bad_second_does_not_stop_the_robot) {
  rig r;
  open_slow(&r, 300 * MS, 0, INT64_MAX);
  while (!sn__estop_is_latched(estop_of(&r))) {
    rig_run(&r, 300 * MS);
  }
  sn__estop_release(estop_of(&r), 1);
  rig_run(&r, 4 * 300 * MS);
  assert_false(sn__estop_is_latched(estop_of(&r)));
  rig_run(&r, 4 * 300 * MS);
  assert_true(sn__estop_is_latched(estop_of(&r)));
  rig_close(&r);
}

SN_TEST(one_long_stall_does_not_stop_the_robot) {
  static const int64_t starts[] = {0, INT64_C(3001000000)}; /* at once, and after good seconds */
  for (size_t i = 0; i < 2; i++) {
    rig r;
    open_slow(&r, 5 * second, starts[i], starts[i] + 1);
    rig_run(&r, 20 * second);
    assert_int_equal(sn_activity_timing_of(r.activity)->skipped, 4999);
    assert_int_equal(rig_drain_log(&r, SN_LOG_WARNING, NULL, 0), 1);
    assert_int_equal(sn__estop_number(estop_of(&r)), 0);
    rig_close(&r);
  }
}

/* A step of 2 ms loses one cycle; one of 1.0005 ms ends late and loses none before it has come 2000
   times. The second that begins at 1 s has 1000 ticks. */
SN_TEST(a_twentieth_of_lost_or_half_of_late_cycles_is_not_logged_more_is) {
  static const struct {
    int64_t step_ns;
    int count;
    const char *line;
  } cases[] = {{2000000, 50, NULL},
               {2000000, 51, "main: 51 of 1000 cycles lost and 51 ended late in 1 s"},
               {1000500, 500, NULL},
               {1000500, 501, "main: 0 of 1000 cycles lost and 501 ended late in 1 s"}};
  for (size_t i = 0; i < 4; i++) {
    rig r;
    const int64_t from_ns = 1100 * (int64_t)MS;
    open_slow(&r, cases[i].step_ns, from_ns, from_ns + cases[i].count * cases[i].step_ns - 1);
    rig_run(&r, 4 * second);
    assert_int_equal(sn_activity_timing_of(r.activity)->overruns, cases[i].count);
    char line[200] = "";
    assert_int_equal(rig_drain_log(&r, SN_LOG_WARNING, line, sizeof line), cases[i].line != NULL);
    sn_assert_contains(line, cases[i].line == NULL ? "" : cases[i].line);
    rig_close(&r);
  }
}

/* Steps of 350 ms make windows of 1.05 s, steps of 340 ms such of 1.02 s. */
SN_TEST(length_of_the_window_is_rounded_to_tenths) {
  static const struct {
    int64_t step_ns;
    const char *end;
  } cases[] = {{350 * MS, " in 1.1 s: "}, {340 * MS, " in 1 s: "}};
  for (size_t i = 0; i < 2; i++) {
    rig r;
    char line[200] = "";
    open_slow(&r, cases[i].step_ns, 0, INT64_MAX);
    rig_run(&r, 1100 * (int64_t)MS);
    assert_int_equal(rig_drain_log(&r, SN_LOG_WARNING, line, sizeof line), 1);
    sn_assert_contains(line, cases[i].end);
    rig_close(&r);
  }
}

SN_TEST(a_bad_second_counts_as_late_for_three_seconds_more) {
  rig r;
  open_slow(&r, 2500000, 0, second / 2);
  rig_run(&r, 2 * second);
  const int64_t late_ns = sn_activity_timing_of(r.activity)->late_ns;
  assert_true(late_ns >= second);
  assert_true(sn__activity_is_late(r.activity, late_ns + 3 * second));
  assert_false(sn__activity_is_late(r.activity, late_ns + 3 * second + 1));
  rig_close(&r);
}

/* Whether activities would be late if the current time were another one, asked while they run. */
typedef struct later {
  const sn_activity *periodic, *by_events;
  size_t asked;
} later;

static bool ask_later(void *context, int64_t now_ns) {
  later *self = context;
  const int64_t due_ns = self->periodic->due_ns;
  assert_false(sn__activity_is_late(self->periodic, now_ns));
  assert_false(sn__activity_is_late(self->periodic, due_ns + second));
  assert_true(sn__activity_is_late(self->periodic, due_ns + second + 1));
  assert_false(sn__activity_is_late(self->by_events, now_ns + 100 * second));
  self->asked++;
  return true;
}

SN_TEST(a_cycle_of_more_than_a_second_hangs_but_waiting_for_an_event_does_not) {
  rig r;
  rig_open(&r, MS);
  later self = {.periodic = r.activity, .by_events = rig_activity(&r, "events", 0)};
  rig_begin(&r);
  assert_int_equal(sn_system_run(r.system, 5 * second, ask_later, &self, &r.err), SN_OK);
  assert_int_equal(self.asked, 5000);
  /* Nothing steps it any more: it cannot hang. */
  assert_false(sn__activity_is_late(r.activity, 100 * second));
  rig_close(&r);
}

SN_TEST(bound_is_a_property_of_the_activity) {
  static const struct {
    double max_lost;
    bool stops;
  } cases[] = {{0.0, false}, {0.61, false}, {0.6, false}, {0.59, true}, {1.0, false}};
  for (size_t i = 0; i < 5; i++) {
    rig r;
    rig_open(&r, MS);
    sn_activity *other = NULL;
    const sn_activity_config config = {
        .name = "other", .period_ns = MS, .max_lost = cases[i].max_lost};
    assert_int_equal(sn_system_add_activity(r.system, &config, &other, &r.err), SN_OK);
    slow *self = rig_add_to(&r, &slow_type, "slow", other, 0);
    self->step_ns = 2500000; /* loses 0.6 */
    self->until_ns = INT64_MAX;
    rig_begin(&r);
    rig_run(&r, 10 * second);
    assert_int_equal(sn__estop_is_latched(estop_of(&r)), cases[i].stops);
    rig_close(&r);
  }
  rig r;
  rig_open(&r, MS);
  static const double bad[] = {-0.1, 1.1, NAN};
  for (size_t i = 0; i < 3; i++) {
    const sn_activity_config config = {.name = "other", .period_ns = MS, .max_lost = bad[i]};
    assert_int_equal(sn_system_add_activity(r.system, &config, NULL, &r.err), SN_EINVAL);
    sn_assert_contains(r.err.message, "max_lost");
  }
  rig_close(&r);
}
