/* Hooks of components, faults and overruns. */
#include "rig.h"
#include "rt/histogram.h"
#include "sn_test.h"

enum { MS = 1000000 };

SN_TEST(hooks_run_in_order_and_may_refuse) {
  static const char *const hooks[] = {"configure", "start"};
  for (size_t i = 0; i < 2; i++) {
    rig r;
    rig_open(&r, MS);
    part_faulty *good = rig_add(&r, &part_faulty_type, "good");
    part_faulty *bad = rig_add(&r, &part_faulty_type, "bad");
    rig_set(&r, bad, "refuse", hooks[i]);
    assert_int_equal(sn_system_begin(r.system, &r.err), SN_EINVAL);
    char expected[100];
    snprintf(expected, sizeof expected, "bad did not %s: set to refuse", hooks[i]);
    assert_string_equal(r.err.message, expected);
    /* All that was begun is undone. */
    assert_int_equal(sn_component_state_now(&good->component), SN_STATE_UNCONFIGURED);
    assert_int_equal(sn_component_state_now(&bad->component), SN_STATE_UNCONFIGURED);
    assert_int_equal(good->started, good->stopped);
    assert_int_equal(good->configured, good->cleaned);
    rig_set(&r, bad, "refuse", "nothing");
    rig_begin(&r);
    rig_run(&r, 3 * MS);
    assert_int_equal(bad->steps, 3);
    rig_close(&r);
  }
}

SN_TEST(hook_in_a_wrong_state_is_refused) {
  rig r;
  rig_open(&r, MS);
  sn_component *c = rig_add(&r, &part_faulty_type, "one");
  assert_int_equal(sn_system_start(r.system, c, &r.err), SN_EINVAL);
  assert_string_equal(r.err.message, "one cannot start: it is unconfigured");
  assert_int_equal(sn_system_stop(r.system, c, &r.err), SN_EINVAL);
  assert_int_equal(sn_system_cleanup(r.system, c, &r.err), SN_EINVAL);
  assert_int_equal(sn_system_recover(r.system, c, &r.err), SN_EINVAL);
  assert_int_equal(sn_system_configure(r.system, c, &r.err), SN_OK);
  assert_int_equal(sn_system_configure(r.system, c, &r.err), SN_EINVAL);
  assert_string_equal(r.err.message, "one cannot configure: it is stopped");
  assert_int_equal(sn_system_start(r.system, c, &r.err), SN_OK);
  assert_int_equal(sn_system_cleanup(r.system, c, &r.err), SN_EINVAL);
  assert_int_equal(sn_system_stop(r.system, c, &r.err), SN_OK);
  assert_int_equal(sn_system_cleanup(r.system, c, &r.err), SN_OK);
  rig_close(&r);
}

SN_TEST(fault_holds_one_component_and_the_others_go_on) {
  static const struct {
    const char *kind;
    sn_step_fault fault;
  } cases[] = {{"1", SN_STEP_FAULT_STATUS}, {"2", SN_STEP_FAULT_NOT_FINITE}};
  for (size_t i = 0; i < 2; i++) {
    rig r;
    rig_open(&r, MS);
    part_faulty *bad = rig_add(&r, &part_faulty_type, "bad");
    part_source *source = rig_add(&r, &part_source_type, "source");
    rig_set(&r, bad, "fail_at", "4");
    rig_set(&r, bad, "kind", cases[i].kind);
    sn_tap *tap = NULL;
    assert_int_equal(sn_tap_open(r.system, "bad.out", NULL, &tap, &r.err), SN_OK);
    rig_begin(&r);
    rig_run(&r, 10 * MS);
    const sn_component_info info = sn_component_info_of(&bad->component);
    assert_int_equal(info.state, SN_STATE_ERROR);
    assert_int_equal(info.fault, cases[i].fault);
    assert_int_equal(info.fault_ns, 4 * MS);
    assert_int_equal(info.fault_count, 1);
    assert_int_equal(bad->steps, 5);
    assert_int_equal(source->steps, 10);
    /* NaN never left it. */
    assert_int_equal(sn_tap_counts(tap).written,
                     cases[i].fault == SN_STEP_FAULT_NOT_FINITE ? 4 : 5);
    char line[200] = "";
    assert_int_equal(rig_drain_log(&r, SN_LOG_ERROR, line, sizeof line), 1);
    assert_non_null(strstr(line, "bad: "));
    /* It stays held until it is recovered, then goes on. */
    assert_int_equal(sn_system_recover(r.system, &bad->component, &r.err), SN_OK);
    rig_run(&r, 10 * MS);
    assert_int_equal(bad->steps, 15);
    sn_tap_close(tap);
    rig_close(&r);
  }
}

/* The component is held in the cycle that asks for memory, and gets none: the arena is sealed from
   start to stop. */
SN_TEST(allocation_in_a_step_holds_that_component) {
  rig r;
  rig_open(&r, MS);
  part_faulty *bad = rig_add(&r, &part_faulty_type, "bad");
  part_source *source = rig_add(&r, &part_source_type, "source");
  rig_set(&r, bad, "fail_at", "4");
  rig_set(&r, bad, "kind", "5");
  rig_begin(&r);
  const size_t size = sn_component_info_of(&bad->component).memory_size;
  rig_run(&r, 10 * MS);
  const sn_component_info info = sn_component_info_of(&bad->component);
  assert_int_equal(info.state, SN_STATE_ERROR);
  assert_int_equal(info.fault, SN_STEP_FAULT_ALLOCATED);
  assert_int_equal(info.fault_ns, 4 * MS);
  assert_int_equal(bad->steps, 5);
  assert_int_equal(source->steps, 10);
  assert_null(bad->got);
  assert_int_equal(info.memory_size, size);
  char line[200] = "";
  assert_int_equal(rig_drain_log(&r, SN_LOG_ERROR, line, sizeof line), 1);
  assert_non_null(strstr(line, "bad: memory was allocated in a cycle"));
  /* Recovered, it goes on; stopped, cleaned up and configured anew, it may allocate again. */
  assert_int_equal(sn_system_recover(r.system, &bad->component, &r.err), SN_OK);
  rig_run(&r, 10 * MS);
  assert_int_equal(bad->steps, 15);
  assert_int_equal(sn_system_stop(r.system, &bad->component, &r.err), SN_OK);
  assert_non_null(sn_arena_alloc(sn_component_arena(&bad->component), 64, 8));
  assert_int_equal(sn_system_start(r.system, &bad->component, &r.err), SN_OK);
  assert_null(sn_arena_alloc(sn_component_arena(&bad->component), 64, 8));
  rig_run(&r, MS); /* the component is held, whatever caused it */
  assert_int_equal(sn_component_state_now(&bad->component), SN_STATE_ERROR);
  assert_int_equal(sn_system_stop(r.system, &bad->component, &r.err), SN_OK);
  assert_int_equal(sn_system_cleanup(r.system, &bad->component, &r.err), SN_OK);
  assert_int_equal(sn_system_configure(r.system, &bad->component, &r.err), SN_OK);
  assert_non_null(sn_arena_alloc(sn_component_arena(&bad->component), 64, 8));
  rig_close(&r);
}

/* Exact in simulated time: the step lets the clock go on itself. */
SN_TEST(overrun_of_a_deadline_is_a_fault_and_counted_exactly) {
  static const double factors[] = {1.5, 2.0, 10.0, 37.5, 100.0};
  for (size_t i = 0; i < 5; i++) {
    rig r;
    rig_open(&r, MS);
    part_faulty *bad = rig_add_to(&r, &part_faulty_type, "bad", r.activity, MS);
    part_source *source = rig_add(&r, &part_source_type, "source");
    char overrun[40];
    snprintf(overrun, sizeof overrun, "%g", 1e-3 * factors[i]);
    rig_set(&r, bad, "fail_at", "3");
    rig_set(&r, bad, "kind", "3");
    rig_set(&r, bad, "overrun", overrun);
    rig_begin(&r);
    rig_run(&r, 200 * MS);
    const sn_component_info info = sn_component_info_of(&bad->component);
    assert_int_equal(info.state, SN_STATE_ERROR);
    assert_int_equal(info.fault, SN_STEP_FAULT_OVERRUN);
    assert_int_equal(bad->steps, 4);
    /* The cycle of 3 ms ended at 3 + factor; of the ticks that passed the last one is run at once,
       and those before it are left out. */
    const uint64_t skipped = (uint64_t)factors[i] - 1;
    const sn_activity_timing *timing = sn_activity_timing_of(r.activity);
    assert_int_equal(timing->overruns, factors[i] > 1.0 ? 1 : 0);
    assert_int_equal(timing->skipped, skipped);
    assert_int_equal(timing->cycles, 200 - skipped);
    assert_int_equal(source->steps, 200 - skipped);
    assert_true(sn__histogram_max_ns(&timing->duration) == (int64_t)(1e6 * factors[i] + 0.5));
    rig_close(&r);
  }
}
