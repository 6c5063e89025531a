/* Needs and services, properties while running, components that come and go. */
#include "allocation.h"
#include "rig.h"
#include "rt/system_internal.h"
#include "sn_test.h"

enum { MS = 1000000 };

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

/* Each change has a number, from whatever source; a bag changes with what is in it. */
SN_TEST(changes_of_properties_are_numbered) {
  rig r;
  rig_open(&r, MS);
  part_answer *answer = rig_add(&r, &part_answer_type, "answer");
  const sn_component *component = &answer->component;
  const sn_property *table = part_answer_type.properties;
  const sn_property *number = sn_property_find(table, "number");
  const sn_property *bag = sn_property_find(table, "bag");
  const uint64_t before = sn__system_change(r.system);
  assert_int_equal(sn__property_change(component, number), 0);
  rig_set(&r, answer, "number", "1");
  rig_begin(&r);
  rig_set(&r, answer, "bag.inner", "4");
  assert_int_equal(sn__property_change(component, number), before + 1);
  assert_int_equal(sn__property_change(component, bag), before + 2);
  assert_int_equal(rig_try_set(&r, answer, "number", "11"), SN_EINVAL);
  assert_int_equal(sn__system_change(r.system), before + 2);
  rig_set(&r, answer, "number", "2");
  assert_int_equal(sn__property_change(component, number), before + 3);
  assert_int_equal(sn__property_change(component, bag), before + 2);
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
