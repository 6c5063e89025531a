#include "deployment_case.h"
#include "sinew/tap.h"

static void parse_good(const char *yaml, const char *setting) {
  if (rig_parse(&deployment_r, yaml, setting) != SN_OK) {
    fail_msg("%s\n%s", yaml, sn_test_problems(deployment_r.report));
  }
}

static void run(const built *b, double duration_s) {
  sn_error err;
  if (sn_system_begin(b->system, &err) != SN_OK ||
      sn_system_run(b->system, (int64_t)(duration_s * 1e9), NULL, NULL, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
}

static double last_x(const built *b, sn_tap *tap) {
  (void)b;
  const sn_vec3 *msg = sn_tap_read(tap, NULL);
  assert_non_null(msg);
  return msg->x;
}

static sn_tap *tap_of(const built *b, const char *port) {
  sn_tap *tap = NULL;
  sn_error err;
  assert_int_equal(sn_tap_open(b->system, port, NULL, &tap, &err), SN_OK);
  return tap;
}

SN_TEST(pipeline_runs_as_written) {
  parse_good(deployment_pipeline, NULL);
  assert_int_equal(sn_deployment_component_count(deployment_r.deployment), 4);
  assert_int_equal(sn_deployment_connection_count(deployment_r.deployment), 3);
  assert_int_equal(sn_deployment_activity_count(deployment_r.deployment), 2);
  assert_int_equal(sn_deployment_capacity(deployment_r.deployment).item_count, 3);
  assert_int_equal(sn_deployment_capacity(deployment_r.deployment).text_size, 100);
  assert_null(sn_deployment_model(deployment_r.deployment));
  built b;
  deployment_build(&b);
  sn_tap *tap = tap_of(&b, "gain.out");
  const sn_component_info info = sn_component_info_of(sn_system_find(b.system, "gain"));
  assert_int_equal(info.deadline_ns, 5000000);
  assert_string_equal(sn_activity_config_of(info.activity)->name, "control");
  assert_int_equal(sn_activity_config_of(info.activity)->period_ns, 10000000);
  assert_int_equal(sn_activity_config_of(info.activity)->priority, 3);
  run(&b, 1.0); /* 100 cycles: the last step writes 99 */
  sn_assert_near(last_x(&b, tap), 99.0 * 3.0 * 5.0, 0.0);
  sn_connection_info links[4];
  const size_t count = sn_component_connections(sn_system_find(b.system, "sink"), links, 4);
  size_t buffered = 0;
  for (size_t i = 0; i < count; i++) {
    if (links[i].connection.buffer == 10) {
      assert_int_equal(links[i].connection.overflow, SN_OVERFLOW_REFUSE);
      assert_string_equal(links[i].reader_port, "in");
      buffered++;
    }
  }
  assert_int_equal(buffered, 1);
  sn_tap_close(tap);
  sn_system_destroy(b.system);
}

SN_TEST(settings_win_over_the_file) {
  parse_good(deployment_pipeline, "gain.gain=7.5");
  built b;
  deployment_build(&b);
  assert_string_equal(deployment_get(&b, "gain", "gain"), "7.5");
  sn_system_destroy(b.system);
  parse_good(deployment_pipeline, "gain.scale.factor=9");
  deployment_build(&b);
  assert_string_equal(deployment_get(&b, "gain.scale", "factor"), "9");
  sn_system_destroy(b.system);
  parse_good(deployment_pipeline, "source.limits.high= 4 ");
  deployment_build(&b);
  assert_string_equal(deployment_get(&b, "source", "limits"), "{\"low\":-1,\"high\":4}");
  sn_system_destroy(b.system);
  parse_good(deployment_pipeline, "source.names=[a, 'b=c']");
  deployment_build(&b);
  assert_string_equal(deployment_get(&b, "source", "names"), "[\"a\",\"b=c\"]");
  sn_system_destroy(b.system);
  parse_good(deployment_pipeline, "slow.period=0.25");
  deployment_build(&b);
  assert_int_equal(sn_activity_config_of(sn_system_find_activity(b.system, "slow"))->period_ns,
                   250000000);
  sn_system_destroy(b.system);
}

SN_TEST(without_activities_there_is_one) {
  parse_good("components: {s: {type: Source}, c: {type: Scale}}\n", "main.priority=5");
  assert_int_equal(sn_deployment_activity_count(deployment_r.deployment), 1);
  built b;
  deployment_build(&b);
  const sn_activity *main_activity = sn_system_find_activity(b.system, "main");
  assert_int_equal(sn_activity_config_of(main_activity)->period_ns, 1000000);
  assert_int_equal(sn_activity_config_of(main_activity)->priority, 5);
  assert_ptr_equal(sn_component_info_of(sn_system_find(b.system, "s")).activity, main_activity);
  assert_null(sn_component_info_of(sn_system_find(b.system, "c")).activity); /* has no step */
  sn_system_destroy(b.system);
}

SN_TEST(empty_files_are_deployments_of_nothing) {
  static const char *const texts[] = {"", "components:\n", "components: {}\nconnections: []\n",
                                      "components:\nconnections:\nactivities:\ncapacity:\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    parse_good(texts[i], NULL);
    assert_int_equal(sn_deployment_component_count(deployment_r.deployment), 0);
    built b;
    deployment_build(&b);
    sn_system_destroy(b.system);
  }
}

SN_TEST(needs_are_met_by_the_only_one_that_can) {
  static const char two[] =
      "components:\n"
      "  s: {type: Source}\n"
      "  g: {type: Gain, needs: {scaler: b}}\n"
      "  h: {type: Gain, services: {own: {type: Scale, properties: {factor: 7}}}}\n"
      "  i: {type: Gain, needs: {scaler: own}, services: {own: {type: Scale}}}\n"
      "  j: {type: Gain, needs: {scaler: ~}}\n"
      "  b: {type: Scale, properties: {factor: 11}}\n"
      "  k: {type: Sink, properties: {label: x}, needs: {reset: s.reset}}\n"
      "connections: [s.out -> g.in, s.out -> h.in, s.out -> i.in, s.out -> j.in]\n";
  parse_good(two, NULL);
  built b;
  deployment_build(&b);
  sn_tap *taps[4];
  static const char *const ports[] = {"g.out", "h.out", "i.out", "j.out"};
  static const double factors[] = {11.0, 7.0, 1.0, 1.0};
  for (size_t i = 0; i < 4; i++) {
    taps[i] = tap_of(&b, ports[i]);
  }
  run(&b, 0.011);
  for (size_t i = 0; i < 4; i++) {
    sn_assert_near(last_x(&b, taps[i]), 10.0 * 2.0 * factors[i], 0.0);
    sn_tap_close(taps[i]);
  }
  sn_system_destroy(b.system);
}

SN_TEST(delayed_and_feedback_connections_make_no_ring) {
  parse_good(
      "components: {g: {type: Gain}, h: {type: Gain}}\n"
      "connections:\n"
      "  - g.out -> h.in\n"
      "  - {from: h.out, to: g.in, delayed: true}\n",
      NULL);
  built b;
  deployment_build(&b);
  sn_system_destroy(b.system);
}

/* A ring that spans two activities is none: each reads what the other wrote last. */
SN_TEST(rings_over_two_activities_are_allowed) {
  parse_good(
      "activities: {a: {period: 0.01}, b: {period: 0.02}}\n"
      "components: {g: {type: Gain, activity: a}, h: {type: Gain, activity: b}}\n"
      "connections: [g.out -> h.in, h.out -> g.in]\n",
      NULL);
  built b;
  deployment_build(&b);
  sn_system_destroy(b.system);
}

SN_TEST_EACH(deployment_set_up, deployment_tear_down)
