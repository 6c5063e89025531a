#include <string.h>

#include "allocation.h"
#include "base/histogram_internal.h"
#include "rig.h"
#include "rt/system_internal.h"
#include "sinew/system.h"
#include "sn_test.h"

enum { MS = 1000000 };

SN_TEST(chain_of_components_runs_in_the_order_of_the_data) {
  rig r;
  rig_open(&r, MS);
  /* Added against the flow: the order comes from the connections. */
  part_sink *sink = rig_add(&r, &part_sink_type, "sink");
  part_gain *gain = rig_add(&r, &part_gain_type, "gain");
  part_source *source = rig_add(&r, &part_source_type, "source");
  rig_connect(&r, "gain.out", "sink.in");
  rig_connect(&r, "source.out", "gain.in");
  rig_begin(&r);
  rig_run(&r, 100 * MS);
  assert_int_equal(source->steps, 100);
  assert_int_equal(gain->steps, 100);
  assert_int_equal(sink->new_count, 100); /* none is a cycle late */
  assert_true(sink->last == 2.0 * 99.0);
  assert_true(sn_clock_now_ns(&r.clock) == 100 * MS);
  rig_close(&r);
}

SN_TEST(component_with_an_event_port_waits_for_events) {
  rig r;
  rig_open(&r, MS);
  part_gain *gain = rig_add(&r, &part_gain_type, "gain");
  rig_begin(&r);
  rig_run(&r, 10 * MS);
  assert_int_equal(gain->steps, 0);
  sn_source *source = NULL;
  assert_int_equal(sn_source_open(r.system, "gain.in", NULL, &source, &r.err), SN_OK);
  assert_int_equal(sn_source_write(source), SN_OK);
  rig_run(&r, 10 * MS);
  assert_int_equal(gain->steps, 1);
  sn_source_close(source);
  rig_close(&r);
}

SN_TEST(reading_distinguishes_new_old_and_no_data) {
  rig r;
  rig_open(&r, MS);
  sn_activity *slow = rig_activity(&r, "slow", 10 * MS);
  rig_add_to(&r, &part_source_type, "source", slow, 0);
  part_sink *sink = rig_add(&r, &part_sink_type, "sink");
  rig_connect(&r, "source.out", "sink.in");
  rig_begin(&r);
  rig_run(&r, 20 * MS);
  /* At 0 and 10 ms both are due; `main` was added first. */
  assert_int_equal(sink->none_count, 1);
  assert_int_equal(sink->new_count, 2);
  assert_int_equal(sink->old_count, 17);
  rig_close(&r);
}

SN_TEST(what_was_written_before_the_start_is_not_read) {
  for (size_t buffer = 0; buffer < 2; buffer++) {
    rig r;
    rig_open(&r, MS);
    rig_add(&r, &part_source_type, "source");
    part_sink *sink = rig_add(&r, &part_sink_type, "sink");
    const sn_connection connection = {.buffer = 8 * buffer};
    assert_int_equal(sn_system_connect(r.system, "source.out", "sink.in", &connection, &r.err),
                     SN_OK);
    rig_begin(&r);
    rig_run(&r, 2 * MS);
    assert_int_equal(sn_system_stop(r.system, &sink->component, &r.err), SN_OK);
    rig_run(&r, 5 * MS);
    assert_int_equal(sn_system_start(r.system, &sink->component, &r.err), SN_OK);
    assert_int_equal(sn_system_stop(r.system, sn_system_find(r.system, "source"), &r.err), SN_OK);
    sink->none_count = sink->new_count = 0;
    rig_run(&r, 3 * MS);
    assert_int_equal(sink->none_count, 3);
    assert_int_equal(sink->new_count, 0);
    rig_close(&r);
  }
}

SN_TEST(a_loop_in_the_data_flow_is_named_and_opened_by_a_delayed_connection) {
  rig r;
  rig_open(&r, MS);
  rig_add(&r, &part_gain_type, "a");
  rig_add(&r, &part_gain_type, "b");
  rig_add(&r, &part_gain_type, "c");
  rig_connect(&r, "a.out", "b.in");
  rig_connect(&r, "b.out", "c.in");
  rig_connect(&r, "c.out", "a.in");
  assert_int_equal(sn_system_begin(r.system, &r.err), SN_EINVAL);
  assert_non_null(strstr(r.err.message, "loop"));
  assert_non_null(strstr(r.err.message, "a -> b -> c -> a"));
  assert_int_equal(sn_system_disconnect(r.system, "c.out", "a.in", &r.err), SN_OK);
  const sn_connection delayed = {.delayed = true};
  assert_int_equal(sn_system_connect(r.system, "c.out", "a.in", &delayed, &r.err), SN_OK);
  rig_begin(&r);
  rig_run(&r, 10 * MS);
  rig_close(&r);
}

SN_TEST(wrong_connections_are_refused_with_names) {
  rig r;
  rig_open(&r, MS);
  rig_add(&r, &part_source_type, "source");
  rig_add(&r, &part_source_type, "second");
  rig_add(&r, &part_sink_type, "sink");
  static const struct {
    const char *from, *to;
    sn_status status;
    const char *text;
  } cases[] = {
      {"missing.out", "sink.in", SN_ENOENT, "unknown component 'missing'"},
      {"source.no", "sink.in", SN_ENOENT, "component 'source' (part_source) has no port 'no'"},
      {"source", "sink.in", SN_ENOENT, "'source' is not a port: expected component.port"},
      {"sink.in", "sink.in", SN_EINVAL, "sink.in is an input, expected an output"},
      {"source.out", "second.out", SN_EINVAL, "second.out is an output, expected an input"},
      {"source.out", "sink.in", SN_OK, ""},
      {"second.out", "sink.in", SN_EINVAL, "sink.in already has a writer: source.out"},
      {"second.out", "sink.many", SN_OK, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    r.err.message[0] = '\0';
    assert_int_equal(sn_system_connect(r.system, cases[i].from, cases[i].to, NULL, &r.err),
                     cases[i].status);
    assert_string_equal(r.err.message, cases[i].text);
  }
  const sn_connection huge = {.buffer = SN_BUFFER_MAX + 1};
  assert_int_equal(sn_system_connect(r.system, "source.out", "sink.many", &huge, &r.err),
                   SN_EINVAL);
  rig_close(&r);
}

SN_TEST(connection_of_different_types_is_refused) {
  static const sn_port ports[] = {{.name = "in",
                                   .kind = SN_PORT_IN,
                                   .type = &sn_timer_event_type,
                                   .offset = sizeof(sn_component)},
                                  {0}};
  const sn_component_type other = {.abi = SN_COMPONENT_ABI,
                                   .name = "other",
                                   .size = sizeof(sn_component) + sizeof(sn_input),
                                   .ports = ports};
  rig r;
  rig_open(&r, MS);
  rig_add(&r, &part_source_type, "source");
  rig_add(&r, &other, "other");
  assert_int_equal(sn_system_connect(r.system, "source.out", "other.in", NULL, &r.err), SN_EINVAL);
  assert_string_equal(r.err.message, "source.out is a JointState, but other.in a TimerEvent");
  rig_close(&r);
}

SN_TEST(several_writers_each_have_an_input_of_their_own) {
  rig r;
  rig_open(&r, MS);
  sn_component *a = rig_add(&r, &part_source_type, "a");
  sn_component *b = rig_add(&r, &part_source_type, "b");
  part_sink *sink = rig_add(&r, &part_sink_type, "sink");
  rig_set(&r, b, "scale", "10");
  rig_connect(&r, "a.out", "sink.many");
  rig_connect(&r, "b.out", "sink.many");
  rig_begin(&r);
  rig_run(&r, 4 * MS);
  assert_int_equal(sink->many.count, 2);
  assert_ptr_equal(sn_input_writer(&sink->many.items[0]), a);
  assert_ptr_equal(sn_input_writer(&sink->many.items[1]), b);
  assert_true(sink->sum == 11.0 * (0 + 1 + 2 + 3));
  assert_int_equal(sn_system_connect(r.system, "a.out", "sink.many", NULL, &r.err), SN_EBUSY);
  assert_int_equal(sn_system_disconnect(r.system, "a.out", "sink.many", &r.err), SN_EBUSY);
  rig_close(&r);
}

SN_TEST(buffered_connection_keeps_all_until_it_is_full) {
  for (int policy = 0; policy < 2; policy++) {
    rig r;
    rig_open(&r, MS);
    sn_activity *slow = rig_activity(&r, "slow", 1000 * MS);
    rig_add(&r, &part_source_type, "source");
    part_sink *sink = rig_add_to(&r, &part_sink_type, "sink", slow, 0);
    const sn_connection queue = {.buffer = 5, .overflow = (sn_overflow)policy};
    assert_int_equal(sn_system_connect(r.system, "source.out", "sink.in", &queue, &r.err), SN_OK);
    rig_begin(&r);
    rig_run(&r, 8 * MS);
    sn_connection_info info;
    assert_int_equal(sn_component_connections(&sink->component, &info, 1), 1);
    /* The sink is due at 0, after the source: it took the first of eight. */
    assert_int_equal(info.counts.written, 8);
    assert_int_equal(info.counts.lost, 2);
    assert_int_equal(info.waiting, 5);
    rig_run(&r, 992 * MS);
    sn_system_end(r.system);
    rig_close(&r);
  }
}

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

SN_TEST(needs_are_checked_and_connected) {
  rig r;
  rig_open(&r, MS);
  part_answer *user = rig_add(&r, &part_answer_type, "user"); /* before its provider */
  part_answer *provider = rig_add(&r, &part_answer_type, "provider");
  rig_add(&r, &part_source_type, "source");
  assert_int_equal(sn__system_require(r.system, "user.other", "source", &r.err), SN_EINVAL);
  assert_string_equal(r.err.message,
                      "component 'source' (part_source) has no service 'part_number'");
  assert_int_equal(sn__system_require(r.system, "user.none", "provider", &r.err), SN_ENOENT);
  assert_int_equal(sn__system_require(r.system, "user.other", "missing", &r.err), SN_ENOENT);
  assert_int_equal(sn__system_require(r.system, "user.peer", "provider.here", &r.err), SN_OK);
  rig_require(&r, "user.other", "provider");
  assert_int_equal(sn__system_require(r.system, "user.other", "provider", &r.err), SN_EINVAL);
  assert_false(sn_requester_is_ready(&user->other));
  rig_begin(&r);
  assert_true(sn_requester_is_ready(&user->other));
  assert_ptr_equal(user->other.iface, &provider->number);
  assert_true(sn_caller_is_ready(&user->peer));
  /* A provider cannot be removed while it is in use. */
  assert_int_equal(sn_system_stop(r.system, &provider->component, &r.err), SN_OK);
  assert_int_equal(sn_system_cleanup(r.system, &provider->component, &r.err), SN_EBUSY);
  assert_string_equal(r.err.message, "provider cannot cleanup: user uses it");
  assert_int_equal(sn__system_remove(r.system, &provider->component, &r.err), SN_EBUSY);
  rig_close(&r);
}

SN_TEST(services_that_need_each_other_are_an_error) {
  rig r;
  rig_open(&r, MS);
  rig_add(&r, &part_answer_type, "a");
  rig_add(&r, &part_answer_type, "b");
  rig_require(&r, "a.other", "b");
  rig_require(&r, "b.other", "a");
  assert_int_equal(sn_system_begin(r.system, &r.err), SN_EINVAL);
  assert_non_null(strstr(r.err.message, "need each other"));
  rig_close(&r);
}

SN_TEST(service_lives_and_dies_with_its_host) {
  rig r;
  rig_open(&r, MS);
  sn_component *service = NULL;
  assert_int_equal(sn_system_add(r.system, &part_answer_type, "host.inner", &service, &r.err),
                   SN_ENOENT);
  part_answer *host = rig_add(&r, &part_answer_type, "host");
  assert_int_equal(sn_system_add(r.system, &part_answer_type, "host.inner", &service, &r.err),
                   SN_OK);
  rig_require(&r, "host.other", "host.inner");
  rig_begin(&r);
  assert_int_equal(sn_component_state_now(service), SN_STATE_RUNNING);
  assert_ptr_equal(host->other.iface, &((part_answer *)service)->number);
  assert_int_equal(sn__system_remove(r.system, &host->component, &r.err), SN_EBUSY);
  sn_system_end(r.system);
  assert_int_equal(sn_component_state_now(service), SN_STATE_UNCONFIGURED);
  rig_close(&r);
}

SN_TEST(properties_change_while_running_only_where_marked) {
  rig r;
  rig_open(&r, MS);
  part_answer *answer = rig_add(&r, &part_answer_type, "answer");
  part_source *source = rig_add(&r, &part_source_type, "source");
  rig_set(&r, source, "width", "5");
  rig_begin(&r);
  assert_int_equal(rig_try_set(&r, source, "width", "7"), SN_EBUSY);
  assert_string_equal(r.err.message,
                      "'source.width' cannot change while source runs: stop it first");
  assert_int_equal(source->width, 5);
  rig_set(&r, answer, "number", "-3.5");
  rig_set(&r, answer, "words", "[left, right]");
  rig_set(&r, answer, "bag.label", "hoof");
  rig_set(&r, answer, "bag.inner", "4");
  assert_int_equal(answer->changed_count, 4);
  assert_string_equal(rig_get(&r, answer, "bag"), "{\"inner\":4,\"label\":\"hoof\"}");
  assert_string_equal(rig_get(&r, answer, "bag.label"), "\"hoof\"");
  assert_string_equal(answer->words.data[1], "right");
  assert_string_equal(rig_get(&r, answer, NULL),
                      "{\"number\":-3.5,\"words\":[\"left\",\"right\"],"
                      "\"bag\":{\"inner\":4,\"label\":\"hoof\"}}");
  assert_int_equal(rig_try_set(&r, answer, "number", "11"), SN_EINVAL);
  assert_int_equal(rig_try_set(&r, answer, "number", "[1]"), SN_EINVAL);
  assert_int_equal(rig_try_set(&r, answer, "bag.none", "1"), SN_EINVAL);
  assert_int_equal(rig_try_set(&r, answer, "none", "1"), SN_ENOENT);
  assert_int_equal(rig_try_set(&r, answer, "number.deeper", "1"), SN_ENOENT);
  assert_true(answer->number == -3.5);
  rig_close(&r);
}

SN_TEST(changing_a_property_a_thousand_times_takes_no_more_memory) {
  if (!sn_test_heap_is_watched()) {
    skip();
  }
  rig r;
  rig_open(&r, MS);
  part_answer *answer = rig_add(&r, &part_answer_type, "answer");
  rig_set(&r, answer, "words", "[one, two, three]");
  rig_set(&r, answer, "bag", "{inner: 1, label: first}");
  const long live = sn_test_heap_live();
  for (int i = 0; i < 1000; i++) {
    rig_set(&r, answer, "words", i % 2 == 0 ? "[one, two]" : "[three, four, five]");
    rig_set(&r, answer, "bag.inner", "5");
  }
  assert_int_equal(sn_test_heap_live(), live);
  assert_string_equal(answer->bag.label, "first");
  rig_close(&r);
}

SN_TEST(components_come_and_go_while_the_system_lives) {
  rig r;
  rig_open(&r, MS);
  rig_add(&r, &part_source_type, "source");
  rig_begin(&r);
  for (int i = 0; i < 20; i++) {
    part_sink *sink = rig_add(&r, &part_sink_type, "sink");
    rig_connect(&r, "source.out", "sink.in");
    assert_int_equal(sn_system_configure(r.system, &sink->component, &r.err), SN_OK);
    assert_int_equal(sn_system_start(r.system, &sink->component, &r.err), SN_OK);
    rig_run(&r, 5 * MS);
    assert_int_equal(sink->new_count, 5);
    assert_int_equal(sn__system_remove(r.system, &sink->component, &r.err), SN_OK);
    assert_null(sn_system_find(r.system, "sink"));
  }
  rig_close(&r);
}

SN_TEST(names_of_components_and_activities_are_checked) {
  rig r;
  rig_open(&r, MS);
  sn_component *c = NULL;
  static const char *const bad[] = {"", "a b", "a/b", "a.", "\xc3\xa4"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_not_equal(sn_system_add(r.system, &part_sink_type, bad[i], &c, &r.err), SN_OK);
  }
  rig_add(&r, &part_sink_type, "sink");
  assert_int_equal(sn_system_add(r.system, &part_sink_type, "sink", &c, &r.err), SN_EINVAL);
  assert_string_equal(r.err.message, "there is a component 'sink' already");
  static const sn_activity_config activities[] = {{.name = "main"},
                                                  {.name = "x y"},
                                                  {.name = "fast", .period_ns = 1},
                                                  {.name = "high", .priority = 100},
                                                  {.name = "where", .cpu = -1}};
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(sn_system_add_activity(r.system, &activities[i], NULL, &r.err), SN_EINVAL);
  }
  rig_close(&r);
}

SN_TEST(check_reports_everything_at_once) {
  static const sn_port ports[] = {{.name = "in",
                                   .kind = SN_PORT_IN,
                                   .type = &sn_timer_event_type,
                                   .offset = sizeof(sn_component),
                                   .flags = SN_PORT_REQUIRED},
                                  {0}};
  static const sn_property properties[] = {{.name = "must",
                                            .kind = SN_PROPERTY_REAL,
                                            .flags = SN_PROPERTY_REQUIRED,
                                            .offset = sizeof(sn_component) + sizeof(sn_input)},
                                           {0}};
  const sn_component_type demanding = {
      .abi = SN_COMPONENT_ABI,
      .name = "demanding",
      .size = sizeof(sn_component) + sizeof(sn_input) + sizeof(double),
      .ports = ports,
      .properties = properties,
      .step = part_sink_type.step};
  rig r;
  rig_open(&r, MS);
  rig_add_to(&r, &demanding, "one", NULL, 0);
  rig_add(&r, &part_gain_type, "a");
  rig_add(&r, &part_gain_type, "b");
  rig_connect(&r, "a.out", "b.in");
  rig_connect(&r, "b.out", "a.in");
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&r.arena, &report, NULL), SN_OK);
  assert_int_equal(sn__system_check(r.system, NULL, NULL, report), SN_EINVAL);
  assert_int_equal(sn_report_error_count(report), 4);
  assert_int_equal(sn_system_begin(r.system, &r.err), SN_EINVAL);
  rig_close(&r);
}

/* Heap calls of this thread, between one cycle and the next. */
typedef struct heap_watch {
  size_t calls, cycles;
  bool is_touched;
} heap_watch;

static bool watch_heap(void *context, int64_t now_ns) {
  heap_watch *watch = context;
  (void)now_ns;
  watch->is_touched |= watch->cycles > 0 && sn_test_heap_calls() != watch->calls;
  watch->calls = sn_test_heap_calls();
  watch->cycles++;
  return true;
}

SN_TEST(cycle_touches_no_heap) {
  rig r;
  rig_open(&r, MS);
  rig_add(&r, &part_source_type, "source");
  rig_add(&r, &part_gain_type, "gain");
  rig_add(&r, &part_sink_type, "sink");
  part_faulty *bad = rig_add(&r, &part_faulty_type, "bad");
  rig_set(&r, bad, "fail_at", "5");
  rig_set(&r, bad, "kind", "1");
  const sn_connection queue = {.buffer = 4};
  rig_connect(&r, "source.out", "gain.in");
  assert_int_equal(sn_system_connect(r.system, "gain.out", "sink.in", &queue, &r.err), SN_OK);
  rig_begin(&r);
  heap_watch watch = {0};
  assert_int_equal(sn_system_run(r.system, 100 * MS, watch_heap, &watch, &r.err), SN_OK);
  assert_int_equal(watch.cycles, 100);
  assert_false(watch.is_touched);
  rig_close(&r);
}
