/* The protocol of the control socket without the socket: a line in, a line out. */
#include <jansson.h>
#include <stdlib.h>

#include "control_rig.h"
#include "remote/request.h"
#include "sn_test.h"

static control_rig rig;
static sn__remote_context context;
static sn__remote_log log_lines;
static sn__remote_taps taps;

static int setup(void **state) {
  (void)state;
  control_rig_open(&rig);
  sn__remote_log_init(&log_lines);
  context = (sn__remote_context){
      .system = rig.system, .taps = &taps, .log = &log_lines, .timeout_ns_max = 1000000};
  return 0;
}

static int teardown(void **state) {
  (void)state;
  assert_null(taps.first);
  sn__remote_log_end(&log_lines);
  control_rig_close(&rig);
  return 0;
}

/* Ask; the answer must be one line of JSON. */
static json_t *ask_bytes(const char *line, size_t length, sn__remote_answer *answer) {
  *answer = (sn__remote_answer){.tap = NULL};
  sn__remote_request request = {.context = &context};
  if (sn__remote_request_parse(&request, line, length, answer)) {
    sn__remote_request_run(&request, answer);
  }
  const sn__buffer *reply = &answer->reply;
  assert_true(reply->used > 0);
  assert_int_equal(reply->data[reply->used - 1], '\n');
  assert_null(memchr(reply->data, '\n', reply->used - 1));
  json_error_t problem;
  json_t *json = json_loadb(reply->data, reply->used, JSON_REJECT_DUPLICATES, &problem);
  if (json == NULL) {
    fail_msg("%s: %.*s", problem.text, (int)reply->used, reply->data);
  }
  sn__buffer_free(&answer->reply);
  return json;
}

static json_t *ask(const char *line) {
  sn__remote_answer answer;
  json_t *json = ask_bytes(line, strlen(line), &answer);
  sn__remote_tap_close(&taps, answer.tap);
  return json;
}

/* The result of a request that is answered. */
static json_t *result_of(const char *line) {
  json_t *json = ask(line);
  if (!json_is_true(json_object_get(json, "ok"))) {
    fail_msg("%s: %s", line, json_string_value(json_object_get(json, "error")));
  }
  json_t *result = json_incref(json_object_get(json, "result"));
  assert_non_null(result);
  json_decref(json);
  return result;
}

/* The request is refused with this status and a message with this part. */
static void refused(const char *line, const char *status, const char *part) {
  json_t *json = ask(line);
  assert_true(json_is_false(json_object_get(json, "ok")));
  assert_string_equal(json_string_value(json_object_get(json, "status")), status);
  sn_assert_contains(json_string_value(json_object_get(json, "error")), part);
  json_decref(json);
}

static const char *text_at(const json_t *object, const char *name) {
  return json_string_value(json_object_get(object, name));
}

/* The item of a list whose member has this text. */
static json_t *find(const json_t *list, const char *member, const char *text) {
  size_t i;
  json_t *item;
  json_array_foreach(list, i, item) {
    const char *found = text_at(item, member);
    if (found != NULL && strcmp(found, text) == 0) {
      return item;
    }
  }
  fail_msg("there is no %s '%s'", member, text);
  return NULL;
}

static void bad_requests_are_answered_with_the_reason(void **state) {
  (void)state;
  refused("", "SN_ESYNTAX", "column");
  refused("{\"id\":1,\"verb\":\"ls\"", "SN_ESYNTAX", "column");
  refused("\xff\xfe{}", "SN_ESYNTAX", "column");
  refused("[1]", "SN_EINVAL", "an object");
  refused("{\"verb\":1}", "SN_EINVAL", "'verb'");
  refused("{\"verb\":\"fly\"}", "SN_ENOENT", "no verb 'fly'");
  refused("{\"verb\":\"ls\",\"verb\":\"ls\"}", "SN_ESYNTAX", "duplicate");
  refused("{\"verb\":\"ls\",\"colour\":1}", "SN_EINVAL", "takes no 'colour'");
  refused("{\"verb\":\"get\"}", "SN_EINVAL", "needs 'name'");
  refused("{\"verb\":\"get\",\"name\":7}", "SN_EINVAL", "'name' must be a text");
  refused("{\"verb\":\"ls\",\"id\":{}}", "SN_EINVAL", "the id must be");
  refused("{\"verb\":\"ls\",\"id\":1.5}", "SN_EINVAL", "the id must be");
  refused(
      "{\"verb\":\"ls\",\"id\":\"0123456789012345678901234567890123456789012345678901234567890"
      "1234567890123456789012345678901234567890\"}",
      "SN_EINVAL", "the id must be");
}

static void a_deeply_nested_line_is_refused(void **state) {
  (void)state;
  static char line[60000];
  memset(line, '[', sizeof line);
  sn__remote_answer answer;
  json_t *json = ask_bytes(line, sizeof line, &answer);
  assert_string_equal(text_at(json, "status"), "SN_ESYNTAX");
  json_decref(json);
}

static void a_line_may_be_long_only_where_values_are(void **state) {
  (void)state;
  const size_t size = SN__REMOTE_LINE_MAX + 100;
  char *line = malloc(size + 1);
  assert_non_null(line);
  memset(line, ' ', size);
  line[size] = '\0';
  memcpy(line, "{\"verb\":\"ls\"}", 13);
  refused(line, "SN_ELIMIT", "too long for 'ls'");
  memcpy(line, "{\"verb\":\"set\",\"name\":\"source.gain\",\"value\":2}", 46);
  json_decref(result_of(line));
  free(line);
}

static void the_id_comes_back_as_it_was(void **state) {
  (void)state;
  static const char *const ids[] = {"7", "\"a \\\"b\\\"\"", "-9223372036854775808", "null"};
  for (size_t i = 0; i < 4; i++) {
    char line[128];
    snprintf(line, sizeof line, "{\"verb\":\"help\",\"id\":%s}", ids[i]);
    json_t *json = ask(line);
    json_t *id = json_loads(ids[i], JSON_DECODE_ANY, NULL);
    assert_true(json_equal(json_object_get(json, "id"), id));
    json_decref(id);
    json_decref(json);
  }
}

static void ls_shows_components_in_their_order(void **state) {
  (void)state;
  json_t *result = result_of("{\"verb\":\"ls\"}");
  const json_t *list = json_object_get(result, "components");
  assert_int_equal(json_array_size(list), 3);
  assert_string_equal(text_at(json_array_get(list, 0), "name"), "source");
  assert_string_equal(text_at(json_array_get(list, 0), "type"), "Source");
  assert_string_equal(text_at(json_array_get(list, 0), "state"), "stopped");
  assert_string_equal(text_at(json_array_get(list, 0), "activity"), "cycle");
  assert_string_equal(text_at(json_array_get(list, 1), "name"), "source.filter");
  json_decref(result);
}

static void describe_tells_everything(void **state) {
  (void)state;
  json_t *c = result_of("{\"verb\":\"describe\",\"name\":\"source\"}");
  const json_t *gain = find(json_object_get(c, "properties"), "name", "gain");
  sn_assert_near(json_real_value(json_object_get(gain, "value")), 0.5, 0.0);
  assert_true(json_is_true(json_object_get(gain, "live")));
  assert_string_equal(text_at(gain, "unit"), "1/s");
  const json_t *range = find(json_object_get(c, "properties"), "name", "range");
  const json_t *high = find(json_object_get(range, "items"), "name", "high");
  assert_string_equal(text_at(high, "initial"), "1");
  const json_t *count = find(json_object_get(c, "ports"), "name", "count");
  assert_string_equal(text_at(count, "kind"), "out");
  const json_t *connections = json_object_get(count, "connections");
  assert_int_equal(json_array_size(connections), 1);
  assert_string_equal(text_at(json_array_get(connections, 0), "peer"), "sink.in");
  const json_t *adds = find(json_object_get(c, "operations"), "name", "add");
  assert_string_equal(text_at(adds, "thread"), "own");
  const json_t *fields = json_object_get(json_object_get(adds, "request"), "fields");
  assert_int_equal(json_array_size(fields), 3);
  assert_string_equal(text_at(json_array_get(fields, 0), "type"), "float64");
  (void)find(json_object_get(c, "operations"), "name", "recover");
  json_decref(c);

  c = result_of("{\"verb\":\"describe\",\"name\":\"sink\"}");
  const json_t *in = find(json_object_get(c, "ports"), "name", "in");
  assert_string_equal(text_at(json_array_get(json_object_get(in, "connections"), 0), "peer"),
                      "source.count");
  assert_true(json_is_true(json_object_get(in, "required")));
  const json_t *needs = json_object_get(c, "needs");
  assert_true(json_is_false(json_object_get(find(needs, "name", "model"), "ready")));
  assert_true(json_is_true(json_object_get(find(needs, "name", "adder"), "ready")));
  json_decref(c);

  c = result_of("{\"verb\":\"describe\",\"name\":\"sink.in\"}");
  assert_string_equal(text_at(c, "type"), "TimerEvent");
  json_decref(c);
  refused("{\"verb\":\"describe\",\"name\":\"sink.out\"}", "SN_ENOENT", "no port 'out'");
  refused("{\"verb\":\"describe\",\"name\":\"sunk\"}", "SN_ENOENT", "no component 'sunk'");
}

static void values_are_read_and_written(void **state) {
  (void)state;
  json_t *v = result_of("{\"verb\":\"get\",\"name\":\"source.offsets\"}");
  assert_int_equal(json_array_size(v), 2);
  json_decref(v);
  v = result_of("{\"verb\":\"set\",\"name\":\"source.offsets\",\"value\":[1.25, -3e-7]}");
  sn_assert_near(json_real_value(json_array_get(v, 1)), -3e-7, 0.0);
  json_decref(v);
  v = result_of("{\"verb\":\"set\",\"name\":\"source.range.high\",\"text\":\"77\"}");
  assert_int_equal(json_integer_value(v), 77);
  json_decref(v);
  v = result_of("{\"verb\":\"set\",\"name\":\"source.range\",\"text\":\"{low: -5}\"}");
  assert_int_equal(json_integer_value(json_object_get(v, "low")), -5);
  assert_int_equal(json_integer_value(json_object_get(v, "high")), 77);
  json_decref(v);
  v = result_of("{\"verb\":\"set\",\"name\":\"source.label\",\"value\":\"\\u00e9 \\\"x\\\": {\"}");
  assert_string_equal(json_string_value(v), "\xc3\xa9 \"x\": {");
  json_decref(v);
  v = result_of("{\"verb\":\"get\",\"name\":\"source.filter.width\"}");
  sn_assert_near(json_number_value(v), 3.0, 0.0);
  json_decref(v);
  v = result_of("{\"verb\":\"get\",\"name\":\"source\"}");
  assert_int_equal(json_object_size(v), 4);
  json_decref(v);
  v = result_of("{\"verb\":\"get\",\"name\":\"sink\"}");
  assert_int_equal(json_object_size(v), 0);
  json_decref(v);
}

static void bad_values_change_nothing(void **state) {
  (void)state;
  refused("{\"verb\":\"set\",\"name\":\"source.gain\",\"value\":11}", "SN_EINVAL", "source.gain");
  refused("{\"verb\":\"set\",\"name\":\"source.gain\",\"value\":\"high\"}", "SN_EINVAL", "number");
  refused("{\"verb\":\"set\",\"name\":\"source.gain\",\"text\":\"[1\"}", "SN_ESYNTAX", "");
  refused("{\"verb\":\"set\",\"name\":\"source.gain\"}", "SN_EINVAL", "either");
  refused("{\"verb\":\"set\",\"name\":\"source\",\"value\":1}", "SN_EINVAL", "is not the name of a property");
  refused("{\"verb\":\"set\",\"name\":\"source.pain\",\"value\":1}", "SN_ENOENT", "'pain'");
  refused("{\"verb\":\"get\",\"name\":\"source.pain\"}", "SN_ENOENT", "'pain'");
  json_t *v = result_of("{\"verb\":\"get\",\"name\":\"source.gain\"}");
  sn_assert_near(json_real_value(v), 0.5, 0.0);
  json_decref(v);
}

static void operations_are_called(void **state) {
  (void)state;
  json_t *v = result_of(
      "{\"verb\":\"call\",\"name\":\"source.greet\",\"arguments\":{\"frame_id\":"
      "\"you\",\"stamp\":{\"sec\":3,\"nanosec\":5}}}");
  assert_string_equal(text_at(v, "frame_id"), "you");
  assert_int_equal(json_integer_value(json_object_get(json_object_get(v, "stamp"), "nanosec")), 5);
  json_decref(v);
  v = result_of("{\"verb\":\"call\",\"name\":\"source.greet\"}");
  assert_string_equal(text_at(v, "frame_id"), "nobody");
  json_decref(v);
  refused("{\"verb\":\"call\",\"name\":\"source.refuse\"}", "SN_EBUSY", "not \"today\"");
  refused("{\"verb\":\"call\",\"name\":\"source.refuse\",\"arguments\":{\"a\":1}}", "SN_EINVAL",
          "takes no arguments");
  refused("{\"verb\":\"call\",\"name\":\"source.greet\",\"arguments\":{\"a\":1}}", "SN_EINVAL",
          "no field 'a'");
  refused("{\"verb\":\"call\",\"name\":\"source.greet\",\"arguments\":[1]}", "SN_EINVAL",
          "an object");
  refused("{\"verb\":\"call\",\"name\":\"source.add\",\"arguments\":{\"x\":null}}", "SN_EINVAL",
          "not finite");
  refused("{\"verb\":\"call\",\"name\":\"source.add\"}", "SN_ESTOPPED", "not running");
  refused("{\"verb\":\"call\",\"name\":\"source.nothing\"}", "SN_ENOENT", "'nothing'");
  refused("{\"verb\":\"call\",\"name\":\"nobody.start\"}", "SN_ENOENT", "'nobody'");
  refused("{\"verb\":\"call\",\"name\":\"source\"}", "SN_ENOENT", "component.operation");
  refused("{\"verb\":\"call\",\"name\":\"source.add\",\"timeout\":-1}", "SN_EINVAL", "'timeout'");
}

static void every_component_can_be_started_and_stopped(void **state) {
  (void)state;
  static const char *const steps[][2] = {{"start", "running"},
                                         {"stop", "stopped"},
                                         {"cleanup", "unconfigured"},
                                         {"configure", "stopped"}};
  for (size_t i = 0; i < 4; i++) {
    char line[128];
    snprintf(line, sizeof line, "{\"verb\":\"call\",\"name\":\"source.%s\"}", steps[i][0]);
    json_t *v = result_of(line);
    assert_string_equal(text_at(v, "state"), steps[i][1]);
    json_decref(v);
  }
  refused("{\"verb\":\"call\",\"name\":\"source.recover\"}", "SN_EINVAL", "source");
}

static void connections_are_made_and_undone(void **state) {
  (void)state;
  json_decref(result_of("{\"verb\":\"disconnect\",\"from\":\"source.count\",\"to\":\"sink.in\"}"));
  refused("{\"verb\":\"disconnect\",\"from\":\"source.count\",\"to\":\"sink.in\"}", "SN_ENOENT",
          "source.count");
  json_decref(
      result_of("{\"verb\":\"connect\",\"from\":\"source.count\",\"to\":\"sink.in\","
                "\"buffer\":8,\"overflow\":\"refuse\"}"));
  json_t *c = result_of("{\"verb\":\"describe\",\"name\":\"sink.in\"}");
  const json_t *connection = json_array_get(json_object_get(c, "connections"), 0);
  assert_int_equal(json_integer_value(json_object_get(connection, "buffer")), 8);
  assert_string_equal(text_at(connection, "overflow"), "refuse");
  json_decref(c);
  refused("{\"verb\":\"connect\",\"from\":\"source.pose\",\"to\":\"sink.many\"}", "SN_EINVAL", "");
  refused("{\"verb\":\"connect\",\"from\":\"source.count\",\"to\":\"sink.many\",\"buffer\":1e9}",
          "SN_EINVAL", "'buffer'");
  refused(
      "{\"verb\":\"connect\",\"from\":\"source.count\",\"to\":\"sink.many\",\"overflow\":\"x\"}",
      "SN_EINVAL", "'overflow'");
}

static void a_stream_is_opened_with_its_rate_and_count(void **state) {
  (void)state;
  sn__remote_answer answer;
  const char *line =
      "{\"id\":\"s\",\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":100,\"count\":3}";
  json_t *json = ask_bytes(line, strlen(line), &answer);
  assert_string_equal(text_at(json_object_get(json, "result"), "type"), "TimerEvent");
  assert_non_null(answer.tap);
  assert_string_equal(answer.stream_id, "\"s\"");
  assert_int_equal(answer.period_ns, 10000000);
  assert_int_equal(answer.count, 3);
  sn__remote_tap_close(&taps, answer.tap);
  json_decref(json);
  line = "{\"id\":2,\"verb\":\"cancel\",\"stream\":\"s\"}";
  json = ask_bytes(line, strlen(line), &answer);
  assert_true(answer.cancels);
  assert_string_equal(answer.stream_id, "\"s\"");
  json_decref(json);
  refused("{\"verb\":\"echo\",\"name\":\"sink.in\"}", "SN_EINVAL", "sink.in");
  refused("{\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":0}", "SN_EINVAL", "'rate'");
  refused("{\"verb\":\"echo\",\"name\":\"source\"}", "SN_ENOENT", "source");
  refused("{\"verb\":\"cancel\",\"stream\":[]}", "SN_EINVAL", "'stream'");
}

static void top_shows_activities_and_components(void **state) {
  (void)state;
  json_t *v = result_of("{\"verb\":\"top\",\"histograms\":true}");
  const json_t *cycle = find(json_object_get(v, "activities"), "name", "cycle");
  assert_int_equal(json_integer_value(json_object_get(cycle, "period_ns")), 2000000);
  assert_true(json_is_array(json_object_get(json_object_get(cycle, "duration"), "buckets")));
  assert_int_equal(json_array_size(json_object_get(v, "components")), 3);
  json_decref(v);
}

static void names_hold_all_that_can_be_completed(void **state) {
  (void)state;
  json_t *v = result_of("{\"verb\":\"names\"}");
  const json_t *names = find(v, "component", "source");
  assert_int_equal(json_array_size(json_object_get(names, "outputs")), 2);
  assert_int_equal(json_array_size(json_object_get(names, "inputs")), 0);
  assert_int_equal(json_array_size(json_object_get(names, "properties")), 4 + 2);
  assert_int_equal(json_array_size(json_object_get(names, "operations")), 6 + 5);
  json_decref(v);
}

static void the_log_is_read_from_where_one_was(void **state) {
  (void)state;
  for (int64_t i = 0; i < 600; i++) {
    const sn_log_record record = {.now_ns = i,
                                  .level = SN_LOG_INFO,
                                  .source = "x",
                                  .format = "line {}",
                                  .arg_count = 1,
                                  .args = {{SN_LOG_INT, {.integer = i}}}};
    sn__remote_log_add(&log_lines, &record);
  }
  json_t *v = result_of("{\"verb\":\"log\",\"limit\":2}");
  const json_t *lines = json_object_get(v, "lines");
  assert_int_equal(json_array_size(lines), 2);
  assert_string_equal(text_at(json_array_get(lines, 1), "text"), "x: line 599");
  assert_int_equal(json_integer_value(json_object_get(v, "next")), 601);
  json_decref(v);
  v = result_of("{\"verb\":\"log\",\"since\":1,\"limit\":512}"); /* the first ones are gone */
  lines = json_object_get(v, "lines");
  assert_int_equal(json_array_size(lines), SN__REMOTE_LOG_LINES);
  assert_string_equal(text_at(json_array_get(lines, 0), "text"), "x: line 88");
  json_decref(v);
  v = result_of("{\"verb\":\"log\",\"since\":601}");
  assert_int_equal(json_array_size(json_object_get(v, "lines")), 0);
  assert_int_equal(json_integer_value(json_object_get(v, "next")), 601);
  json_decref(v);
}

/* The page has a row for each verb, and each argument of it in that row. */
static void the_documentation_knows_every_verb(void **state) {
  (void)state;
  size_t size = 0;
  char *page = sn_test_read_file(SINEW_DOCS "/control-socket.md", &size);
  json_t *v = result_of("{\"verb\":\"help\"}");
  assert_true(json_array_size(v) > 10);
  size_t i;
  json_t *verb;
  json_array_foreach(v, i, verb) {
    char name[40];
    snprintf(name, sizeof name, "`%s`", text_at(verb, "verb"));
    const char *row = strstr(page, "| verb |");
    assert_non_null(row);
    while ((row = strchr(row, '\n')) != NULL) {
      row++;
      const char *place = strstr(row, name);
      if (place != NULL && place < strchr(row + 2, '|')) {
        break;
      }
    }
    if (row == NULL) {
      fail_msg("docs/control-socket.md has no row for %s", name);
    }
    char line[1024];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(row, "\n"), row);
    char arguments[128];
    snprintf(arguments, sizeof arguments, "%s", text_at(verb, "arguments"));
    for (char *word = strtok(arguments, " !"); word != NULL; word = strtok(NULL, " !")) {
      snprintf(name, sizeof name, "`%s`", word);
      sn_assert_contains(line, name);
    }
  }
  json_decref(v);
  free(page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(bad_requests_are_answered_with_the_reason, setup, teardown),
      cmocka_unit_test_setup_teardown(a_deeply_nested_line_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(a_line_may_be_long_only_where_values_are, setup, teardown),
      cmocka_unit_test_setup_teardown(the_id_comes_back_as_it_was, setup, teardown),
      cmocka_unit_test_setup_teardown(ls_shows_components_in_their_order, setup, teardown),
      cmocka_unit_test_setup_teardown(describe_tells_everything, setup, teardown),
      cmocka_unit_test_setup_teardown(values_are_read_and_written, setup, teardown),
      cmocka_unit_test_setup_teardown(bad_values_change_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(operations_are_called, setup, teardown),
      cmocka_unit_test_setup_teardown(every_component_can_be_started_and_stopped, setup, teardown),
      cmocka_unit_test_setup_teardown(connections_are_made_and_undone, setup, teardown),
      cmocka_unit_test_setup_teardown(a_stream_is_opened_with_its_rate_and_count, setup, teardown),
      cmocka_unit_test_setup_teardown(top_shows_activities_and_components, setup, teardown),
      cmocka_unit_test_setup_teardown(names_hold_all_that_can_be_completed, setup, teardown),
      cmocka_unit_test_setup_teardown(the_log_is_read_from_where_one_was, setup, teardown),
      cmocka_unit_test_setup_teardown(the_documentation_knows_every_verb, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
