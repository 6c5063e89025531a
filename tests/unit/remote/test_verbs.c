/* The verbs of the control socket. */
#include <stdlib.h>

#include "request_rig.h"
#include "sn_test.h"

SN_TEST(ls_shows_components_in_their_order) {
  json_t *result = request_result("{\"verb\":\"ls\"}");
  const json_t *list = json_object_get(result, "components");
  assert_int_equal(json_array_size(list), 3);
  assert_string_equal(request_text_at(json_array_get(list, 0), "name"), "source");
  assert_string_equal(request_text_at(json_array_get(list, 0), "type"), "Source");
  assert_string_equal(request_text_at(json_array_get(list, 0), "state"), "stopped");
  assert_string_equal(request_text_at(json_array_get(list, 0), "activity"), "cycle");
  assert_string_equal(request_text_at(json_array_get(list, 1), "name"), "source.filter");
  json_decref(result);
}

SN_TEST(describe_reports_tables_and_connections) {
  json_t *c = request_result("{\"verb\":\"describe\",\"name\":\"source\"}");
  const json_t *gain = request_find(json_object_get(c, "properties"), "name", "gain");
  sn_assert_near(json_real_value(json_object_get(gain, "value")), 0.5, 0.0);
  assert_true(json_is_true(json_object_get(gain, "live")));
  assert_string_equal(request_text_at(gain, "unit"), "1/s");
  const json_t *range = request_find(json_object_get(c, "properties"), "name", "range");
  const json_t *high = request_find(json_object_get(range, "items"), "name", "high");
  assert_string_equal(request_text_at(high, "initial"), "1");
  const json_t *count = request_find(json_object_get(c, "ports"), "name", "count");
  assert_string_equal(request_text_at(count, "kind"), "out");
  const json_t *connections = json_object_get(count, "connections");
  assert_int_equal(json_array_size(connections), 1);
  assert_string_equal(request_text_at(json_array_get(connections, 0), "peer"), "sink.in");
  const json_t *adds = request_find(json_object_get(c, "operations"), "name", "add");
  assert_string_equal(request_text_at(adds, "thread"), "own");
  const json_t *fields = json_object_get(json_object_get(adds, "request"), "fields");
  assert_int_equal(json_array_size(fields), 3);
  assert_string_equal(request_text_at(json_array_get(fields, 0), "type"), "float64");
  (void)request_find(json_object_get(c, "operations"), "name", "recover");
  json_decref(c);

  c = request_result("{\"verb\":\"describe\",\"name\":\"sink\"}");
  const json_t *in = request_find(json_object_get(c, "ports"), "name", "in");
  assert_string_equal(
      request_text_at(json_array_get(json_object_get(in, "connections"), 0), "peer"),
      "source.count");
  assert_true(json_is_true(json_object_get(in, "required")));
  const json_t *needs = json_object_get(c, "needs");
  assert_true(json_is_false(json_object_get(request_find(needs, "name", "model"), "ready")));
  assert_true(json_is_true(json_object_get(request_find(needs, "name", "adder"), "ready")));
  json_decref(c);

  c = request_result("{\"verb\":\"describe\",\"name\":\"sink.in\"}");
  assert_string_equal(request_text_at(c, "type"), "TimerEvent");
  json_decref(c);
  request_refused("{\"verb\":\"describe\",\"name\":\"sink.out\"}", "SN_ENOENT", "no port 'out'");
  request_refused("{\"verb\":\"describe\",\"name\":\"sunk\"}", "SN_ENOENT",
                  "unknown component 'sunk'");
}

SN_TEST(values_are_read_and_written) {
  json_t *v = request_result("{\"verb\":\"get\",\"name\":\"source.offsets\"}");
  assert_int_equal(json_array_size(v), 2);
  json_decref(v);
  v = request_result("{\"verb\":\"set\",\"name\":\"source.offsets\",\"value\":[1.25, -3e-7]}");
  sn_assert_near(json_real_value(json_array_get(v, 1)), -3e-7, 0.0);
  json_decref(v);
  v = request_result("{\"verb\":\"set\",\"name\":\"source.range.high\",\"text\":\"77\"}");
  assert_int_equal(json_integer_value(v), 77);
  json_decref(v);
  v = request_result("{\"verb\":\"set\",\"name\":\"source.range\",\"text\":\"{low: -5}\"}");
  assert_int_equal(json_integer_value(json_object_get(v, "low")), -5);
  assert_int_equal(json_integer_value(json_object_get(v, "high")), 77);
  json_decref(v);
  v = request_result(
      "{\"verb\":\"set\",\"name\":\"source.label\",\"value\":\"\\u00e9 \\\"x\\\": {\"}");
  assert_string_equal(json_string_value(v), "\xc3\xa9 \"x\": {");
  json_decref(v);
  v = request_result("{\"verb\":\"get\",\"name\":\"source.filter.width\"}");
  sn_assert_near(json_number_value(v), 3.0, 0.0);
  json_decref(v);
  v = request_result("{\"verb\":\"get\",\"name\":\"source\"}");
  assert_int_equal(json_object_size(v), 4);
  json_decref(v);
  v = request_result("{\"verb\":\"get\",\"name\":\"sink\"}");
  assert_int_equal(json_object_size(v), 0);
  json_decref(v);
}

SN_TEST(bad_values_change_nothing) {
  request_refused("{\"verb\":\"set\",\"name\":\"source.gain\",\"value\":11}", "SN_EINVAL",
                  "source.gain");
  request_refused("{\"verb\":\"set\",\"name\":\"source.gain\",\"value\":\"high\"}", "SN_EINVAL",
                  "number");
  request_refused("{\"verb\":\"set\",\"name\":\"source.gain\",\"text\":\"[1\"}", "SN_ESYNTAX", "");
  request_refused("{\"verb\":\"set\",\"name\":\"source.gain\"}", "SN_EINVAL", "either");
  request_refused("{\"verb\":\"set\",\"name\":\"source\",\"value\":1}", "SN_EINVAL",
                  "is not the name of a property");
  request_refused("{\"verb\":\"set\",\"name\":\"source.pain\",\"value\":1}", "SN_ENOENT", "'pain'");
  request_refused("{\"verb\":\"get\",\"name\":\"source.pain\"}", "SN_ENOENT", "'pain'");
  json_t *v = request_result("{\"verb\":\"get\",\"name\":\"source.gain\"}");
  sn_assert_near(json_real_value(v), 0.5, 0.0);
  json_decref(v);
}

SN_TEST(operations_are_called) {
  json_t *v = request_result(
      "{\"verb\":\"call\",\"name\":\"source.greet\",\"arguments\":{\"frame_id\":"
      "\"you\",\"stamp\":{\"sec\":3,\"nanosec\":5}}}");
  assert_string_equal(request_text_at(v, "frame_id"), "you");
  assert_int_equal(json_integer_value(json_object_get(json_object_get(v, "stamp"), "nanosec")), 5);
  json_decref(v);
  v = request_result("{\"verb\":\"call\",\"name\":\"source.greet\"}");
  assert_string_equal(request_text_at(v, "frame_id"), "anonymous");
  json_decref(v);
  request_refused("{\"verb\":\"call\",\"name\":\"source.refuse\"}", "SN_EBUSY", "not \"today\"");
  request_refused("{\"verb\":\"call\",\"name\":\"source.refuse\",\"arguments\":{\"a\":1}}",
                  "SN_EINVAL", "takes no arguments");
  request_refused("{\"verb\":\"call\",\"name\":\"source.greet\",\"arguments\":{\"a\":1}}",
                  "SN_EINVAL", "unknown field 'a'");
  request_refused("{\"verb\":\"call\",\"name\":\"source.greet\",\"arguments\":[1]}", "SN_EINVAL",
                  "an object");
  request_refused("{\"verb\":\"call\",\"name\":\"source.add\",\"arguments\":{\"x\":null}}",
                  "SN_EINVAL", "not finite");
  request_refused("{\"verb\":\"call\",\"name\":\"source.add\"}", "SN_ESTOPPED", "not running");
  request_refused("{\"verb\":\"call\",\"name\":\"source.nothing\"}", "SN_ENOENT", "'nothing'");
  request_refused("{\"verb\":\"call\",\"name\":\"missing.start\"}", "SN_ENOENT", "'missing'");
  request_refused("{\"verb\":\"call\",\"name\":\"source\"}", "SN_ENOENT", "component.operation");
  request_refused("{\"verb\":\"call\",\"name\":\"source.add\",\"timeout\":-1}", "SN_EINVAL",
                  "'timeout'");
}

SN_TEST(every_component_can_be_started_and_stopped) {
  static const char *const steps[][2] = {{"start", "running"},
                                         {"stop", "stopped"},
                                         {"cleanup", "unconfigured"},
                                         {"configure", "stopped"}};
  for (size_t i = 0; i < 4; i++) {
    char line[128];
    snprintf(line, sizeof line, "{\"verb\":\"call\",\"name\":\"source.%s\"}", steps[i][0]);
    json_t *v = request_result(line);
    assert_string_equal(request_text_at(v, "state"), steps[i][1]);
    json_decref(v);
  }
  request_refused("{\"verb\":\"call\",\"name\":\"source.recover\"}", "SN_EINVAL", "source");
}

SN_TEST(connections_are_made_and_undone) {
  json_decref(
      request_result("{\"verb\":\"disconnect\",\"from\":\"source.count\",\"to\":\"sink.in\"}"));
  request_refused("{\"verb\":\"disconnect\",\"from\":\"source.count\",\"to\":\"sink.in\"}",
                  "SN_ENOENT", "source.count");
  json_decref(
      request_result("{\"verb\":\"connect\",\"from\":\"source.count\",\"to\":\"sink.in\","
                     "\"buffer\":8,\"overflow\":\"refuse\"}"));
  json_t *c = request_result("{\"verb\":\"describe\",\"name\":\"sink.in\"}");
  const json_t *connection = json_array_get(json_object_get(c, "connections"), 0);
  assert_int_equal(json_integer_value(json_object_get(connection, "buffer")), 8);
  assert_string_equal(request_text_at(connection, "overflow"), "refuse");
  json_decref(c);
  request_refused("{\"verb\":\"connect\",\"from\":\"source.pose\",\"to\":\"sink.many\"}",
                  "SN_EINVAL", "");
  request_refused(
      "{\"verb\":\"connect\",\"from\":\"source.count\",\"to\":\"sink.many\",\"buffer\":1e9}",
      "SN_EINVAL", "'buffer'");
  request_refused(
      "{\"verb\":\"connect\",\"from\":\"source.count\",\"to\":\"sink.many\",\"overflow\":\"x\"}",
      "SN_EINVAL", "'overflow'");
}

SN_TEST(top_shows_activities_and_components) {
  json_t *v = request_result("{\"verb\":\"top\",\"histograms\":true}");
  const json_t *cycle = request_find(json_object_get(v, "activities"), "name", "cycle");
  assert_int_equal(json_integer_value(json_object_get(cycle, "period_ns")), 2000000);
  assert_true(json_is_array(json_object_get(json_object_get(cycle, "duration"), "buckets")));
  assert_int_equal(json_array_size(json_object_get(v, "components")), 3);
  json_decref(v);
}

SN_TEST(names_contain_everything_for_completion) {
  json_t *v = request_result("{\"verb\":\"names\"}");
  const json_t *names = request_find(v, "component", "source");
  assert_int_equal(json_array_size(json_object_get(names, "outputs")), 2);
  assert_int_equal(json_array_size(json_object_get(names, "inputs")), 0);
  assert_int_equal(json_array_size(json_object_get(names, "properties")), 4 + 2);
  assert_int_equal(json_array_size(json_object_get(names, "operations")), 6 + 5);
  json_decref(v);
}

SN_TEST(log_is_read_on_from_a_line_number) {
  for (int64_t i = 0; i < 600; i++) {
    const sn_log_record record = {.now_ns = i,
                                  .level = SN_LOG_INFO,
                                  .source = "x",
                                  .format = "line {}",
                                  .arg_count = 1,
                                  .args = {{SN_LOG_INT, {.integer = i}}}};
    sn__remote_log_add(&request_fixture.log, &record);
  }
  json_t *v = request_result("{\"verb\":\"log\",\"limit\":2}");
  const json_t *lines = json_object_get(v, "lines");
  assert_int_equal(json_array_size(lines), 2);
  assert_string_equal(request_text_at(json_array_get(lines, 1), "text"), "x: line 599");
  assert_int_equal(json_integer_value(json_object_get(v, "next")), 601);
  json_decref(v);
  v = request_result(
      "{\"verb\":\"log\",\"since\":1,\"limit\":512}"); /* the first ones have been overwritten */
  lines = json_object_get(v, "lines");
  assert_int_equal(json_array_size(lines), SN__REMOTE_LOG_LINES);
  assert_string_equal(request_text_at(json_array_get(lines, 0), "text"), "x: line 88");
  json_decref(v);
  v = request_result("{\"verb\":\"log\",\"since\":601}");
  assert_int_equal(json_array_size(json_object_get(v, "lines")), 0);
  assert_int_equal(json_integer_value(json_object_get(v, "next")), 601);
  json_decref(v);
}

SN_TEST_EACH(request_rig_open, request_rig_close)
