#include "rig.h"
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
