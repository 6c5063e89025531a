#include "request_rig.h"

#include "sn_test.h"

request_rig request_fixture;

int request_rig_open(void **state) {
  (void)state;
  control_rig_open(&request_fixture.rig);
  sn__remote_log_init(&request_fixture.log);
  request_fixture.context = (sn__remote_context){.system = request_fixture.rig.system,
                                                 .taps = &request_fixture.taps,
                                                 .log = &request_fixture.log,
                                                 .timeout_ns_max = 1000000};
  return 0;
}

int request_rig_close(void **state) {
  (void)state;
  assert_null(request_fixture.taps.first);
  sn__remote_log_end(&request_fixture.log);
  control_rig_close(&request_fixture.rig);
  return 0;
}

/* The answer must be one line of JSON. */
json_t *request_ask_bytes(const char *line, size_t length, sn__remote_answer *answer) {
  *answer = (sn__remote_answer){.tap = NULL};
  sn__remote_request request = {.context = &request_fixture.context};
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

json_t *request_ask(const char *line) {
  sn__remote_answer answer;
  json_t *json = request_ask_bytes(line, strlen(line), &answer);
  sn__remote_tap_close(&request_fixture.taps, answer.tap);
  return json;
}

/* The result of a request that is answered. */
json_t *request_result(const char *line) {
  json_t *json = request_ask(line);
  if (!json_is_true(json_object_get(json, "ok"))) {
    fail_msg("%s: %s", line, json_string_value(json_object_get(json, "error")));
  }
  json_t *result = json_incref(json_object_get(json, "result"));
  assert_non_null(result);
  json_decref(json);
  return result;
}

/* The request is refused with this status and a message with this part. */
void request_refused(const char *line, const char *status, const char *part) {
  json_t *json = request_ask(line);
  assert_true(json_is_false(json_object_get(json, "ok")));
  assert_string_equal(json_string_value(json_object_get(json, "status")), status);
  sn_assert_contains(json_string_value(json_object_get(json, "error")), part);
  json_decref(json);
}

const char *request_text_at(const json_t *object, const char *name) {
  return json_string_value(json_object_get(object, name));
}

/* The item of a list whose member has this text. */
json_t *request_find(const json_t *list, const char *member, const char *text) {
  size_t i;
  json_t *item;
  json_array_foreach(list, i, item) {
    const char *found = request_text_at(item, member);
    if (found != NULL && strcmp(found, text) == 0) {
      return item;
    }
  }
  fail_msg("no %s '%s'", member, text);
  return NULL;
}
