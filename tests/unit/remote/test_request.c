/* The protocol of the control socket without the socket: a line in, a line out. */
#include <stdlib.h>

#include "request_rig.h"
#include "sn_test.h"

SN_TEST(bad_requests_are_answered_with_the_reason) {
  request_refused("", "SN_ESYNTAX", "column");
  request_refused("{\"id\":1,\"verb\":\"ls\"", "SN_ESYNTAX", "column");
  request_refused("\xff\xfe{}", "SN_ESYNTAX", "column");
  request_refused("[1]", "SN_EINVAL", "an object");
  request_refused("{\"verb\":1}", "SN_EINVAL", "'verb'");
  request_refused("{\"verb\":\"fly\"}", "SN_ENOENT", "unknown verb 'fly'");
  request_refused("{\"verb\":\"ls\",\"verb\":\"ls\"}", "SN_ESYNTAX", "duplicate");
  request_refused("{\"verb\":\"ls\",\"colour\":1}", "SN_EINVAL", "takes no 'colour'");
  request_refused("{\"verb\":\"get\"}", "SN_EINVAL", "needs 'name'");
  request_refused("{\"verb\":\"get\",\"name\":7}", "SN_EINVAL", "'name' must be a text");
  request_refused("{\"verb\":\"ls\",\"id\":{}}", "SN_EINVAL", "the id must be");
  request_refused("{\"verb\":\"ls\",\"id\":1.5}", "SN_EINVAL", "the id must be");
  request_refused(
      "{\"verb\":\"ls\",\"id\":\"0123456789012345678901234567890123456789012345678901234567890"
      "1234567890123456789012345678901234567890\"}",
      "SN_EINVAL", "the id must be");
}

SN_TEST(deeply_nested_line_is_refused) {
  static char line[60000];
  memset(line, '[', sizeof line);
  sn__remote_answer answer;
  json_t *json = request_ask_bytes(line, sizeof line, &answer);
  assert_string_equal(request_text_at(json, "status"), "SN_ESYNTAX");
  json_decref(json);
}

SN_TEST(only_verbs_with_values_accept_long_lines) {
  const size_t size = SN__REMOTE_LINE_MAX + 100;
  char *line = malloc(size + 1);
  assert_non_null(line);
  memset(line, ' ', size);
  line[size] = '\0';
  memcpy(line, "{\"verb\":\"ls\"}", 13);
  request_refused(line, "SN_ELIMIT", "too long for 'ls'");
  memcpy(line, "{\"verb\":\"set\",\"name\":\"source.gain\",\"value\":2}", 46);
  json_decref(request_result(line));
  free(line);
}

SN_TEST(answer_repeats_the_id) {
  static const char *const ids[] = {"7", "\"a \\\"b\\\"\"", "-9223372036854775808", "null"};
  for (size_t i = 0; i < 4; i++) {
    char line[128];
    snprintf(line, sizeof line, "{\"verb\":\"help\",\"id\":%s}", ids[i]);
    json_t *json = request_ask(line);
    json_t *id = json_loads(ids[i], JSON_DECODE_ANY, NULL);
    assert_true(json_equal(json_object_get(json, "id"), id));
    json_decref(id);
    json_decref(json);
  }
}

SN_TEST(stream_is_opened_with_its_rate_and_count) {
  sn__remote_answer answer;
  const char *line =
      "{\"id\":\"s\",\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":100,\"count\":3}";
  json_t *json = request_ask_bytes(line, strlen(line), &answer);
  assert_string_equal(request_text_at(json_object_get(json, "result"), "type"), "TimerEvent");
  assert_non_null(answer.tap);
  assert_string_equal(answer.stream_id, "\"s\"");
  assert_int_equal(answer.period_ns, 10000000);
  assert_int_equal(answer.count, 3);
  sn__remote_tap_close(&request_fixture.taps, answer.tap);
  json_decref(json);
  line = "{\"id\":2,\"verb\":\"cancel\",\"stream\":\"s\"}";
  json = request_ask_bytes(line, strlen(line), &answer);
  assert_true(answer.cancels);
  assert_string_equal(answer.stream_id, "\"s\"");
  json_decref(json);
  request_refused("{\"verb\":\"echo\",\"name\":\"sink.in\"}", "SN_EINVAL", "sink.in");
  request_refused("{\"verb\":\"echo\",\"name\":\"source.count\",\"rate\":0}", "SN_EINVAL",
                  "'rate'");
  request_refused("{\"verb\":\"echo\",\"name\":\"source\"}", "SN_ENOENT", "source");
  request_refused("{\"verb\":\"cancel\",\"stream\":[]}", "SN_EINVAL", "'stream'");
}

/* The page has a row for each verb, and each argument of it in that row. */
SN_TEST(documentation_describes_every_verb) {
  size_t size = 0;
  char *page = sn_test_read_file(SINEW_DOCS "/control-socket.md", &size);
  json_t *v = request_result("{\"verb\":\"help\"}");
  assert_true(json_array_size(v) > 10);
  size_t i;
  json_t *verb;
  json_array_foreach(v, i, verb) {
    char name[40];
    snprintf(name, sizeof name, "`%s`", request_text_at(verb, "verb"));
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
    snprintf(arguments, sizeof arguments, "%s", request_text_at(verb, "arguments"));
    for (char *word = strtok(arguments, " !"); word != NULL; word = strtok(NULL, " !")) {
      snprintf(name, sizeof name, "`%s`", word);
      sn_assert_contains(line, name);
    }
  }
  json_decref(v);
  free(page);
}

SN_TEST_EACH(request_rig_open, request_rig_close)
