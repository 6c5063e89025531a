/* Recognition of emergency stops in lines of the control socket. */
#include <jansson.h>

#include "remote/stop_line.h"
#include "sinew/random.h"
#include "sn_test.h"

static bool reads(const char *line, sn__stop_line *out) {
  return sn__stop_line_read(line, strlen(line), out);
}

SN_TEST(stop_is_recognised_with_its_texts) {
  sn__stop_line line;
  assert_true(reads("{\"verb\":\"stop\"}", &line));
  assert_string_equal(line.id, "null");
  assert_string_equal(line.who, "");
  assert_false(line.is_call);
  assert_true(reads(
      " { \"id\" : 12 ,\t\"who\":\"me\", \"verb\" : \"stop\" , \"why\" : \"a \\\"cat\\\"\" } ",
      &line));
  assert_string_equal(line.id, "12");
  assert_string_equal(line.who, "me");
  assert_string_equal(line.why, "a \"cat\"");
  assert_true(
      reads("{\"id\":\"x y\",\"verb\":\"call\",\"name\":\"aggregator.emergencyStop\",\"arguments\":"
            "{\"who\":\"\\u00e9\\ud83d\\ude00\",\"deep\":[{\"why\":\"no\"}],\"why\":\"yes\"},"
            "\"timeout\":1}",
            &line));
  assert_true(line.is_call);
  assert_string_equal(line.id, "\"x y\"");
  assert_string_equal(line.who, "\xc3\xa9\xf0\x9f\x98\x80");
  assert_string_equal(line.why, "yes");
  assert_true(reads("{\"\\u0076erb\":\"sto\\u0070\"}", &line));
}

SN_TEST(other_lines_are_not_stops) {
  static const char *const lines[] = {
      "",
      "stop",
      "{}",
      "\"verb\":\"stop\"",
      "[{\"verb\":\"stop\"}]",
      "{\"verb\":\"stopp\"}",
      "{\"verb\":\"sto\"}",
      "{\"verb\":1,\"x\":\"stop\"}",
      "{\"verb\":\"ls\",\"name\":\"stop\"}",
      "{\"verb\":\"call\",\"name\":\"aggregator.resume\"}",
      "{\"verb\":\"call\",\"name\":\"emergencyStop\"}",
      "{\"verb\":\"call\",\"name\":\"a.emergencyStops\"}",
      "{\"verb\":\"set\",\"text\":\"{\\\"verb\\\":\\\"stop\\\"}\"}",
      "{\"verb\":\"set\",\"value\":{\"verb\":\"stop\"}}",
      "{\"verb\":\"call\",\"name\":\"a.b\",\"arguments\":{\"name\":\"a.emergencyStop\"}}",
      "{\"verb\":\"call\",\"name\":\"a.b\",\"arguments\":{\"verb\":\"stop\"}}",
      "{\"verb\":\"stop\"",
      "{\"verb\":\"stop\"}x",
      "{\"verb\":\"stop\",}",
      "{\"verb\":\"stop\",\"why\":\"\\q\"}",
      "{\"verb\":\"stop\",\"why\":\"\\ud800\"}",
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    sn__stop_line line;
    if (reads(lines[i], &line)) {
      fail_msg("%s", lines[i]);
    }
  }
}

SN_TEST(ids_that_cannot_be_repeated_become_null) {
  static const char *const ids[] = {
      "null",
      "true",
      "[1]",
      "{\"a\":1}",
      "\"\xc3\xa9\"",
      "\"12345678901234567890123456789012345678901234567890123456789012345678901234567890\""};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    char text[256];
    sn__stop_line line;
    snprintf(text, sizeof text, "{\"id\":%s,\"verb\":\"stop\"}", ids[i]);
    assert_true(reads(text, &line));
    assert_string_equal(line.id, "null");
  }
}

SN_TEST(long_texts_are_cut) {
  char text[2048] = "{\"verb\":\"stop\",\"who\":\"";
  for (int i = 0; i < 200; i++) {
    strcat(text, "\\u20ac");
  }
  strcat(text, "\"}");
  sn__stop_line line;
  assert_true(reads(text, &line));
  assert_int_equal(strlen(line.who) % 3, 0); /* whole characters */
  assert_true(strlen(line.who) > 50 && strlen(line.who) < sizeof line.who);
}

/* No stop that a JSON parser would find is missed. */
SN_TEST(stop_lines_agree_with_jansson) {
  static const char seed[] =
      "{\"id\":7,\"verb\":\"stop\",\"who\":\"m\\u00e9\",\"why\":\"x\",\"more\":[1,{\"a\":null}]}";
  static const char letters[] = "{}[]\",:\\ u0a1st";
  sn_random random;
  sn_random_init(&random, 3);
  size_t stops = 0;
  for (size_t k = 0; k < sn_test_cases(200000); k++) {
    char text[sizeof seed];
    memcpy(text, seed, sizeof seed);
    for (uint64_t n = sn_random_below(&random, 3); n > 0; n--) {
      text[sn_random_below(&random, sizeof seed - 1)] =
          letters[sn_random_below(&random, sizeof letters - 1)];
    }
    json_t *json = json_loadb(text, sizeof seed - 1, JSON_REJECT_DUPLICATES, NULL);
    const char *verb = json_string_value(json_object_get(json, "verb"));
    if (verb != NULL && strcmp(verb, "stop") == 0) {
      sn__stop_line line;
      const char *who = json_string_value(json_object_get(json, "who"));
      assert_true(reads(text, &line));
      assert_string_equal(line.who, who == NULL ? "" : who);
      stops++;
    }
    json_decref(json);
  }
  assert_true(stops > 1000);
}

SN_TEST(arguments_are_read_as_far_as_they_are_valid) {
  static const struct {
    const char *text, *who, *why;
  } cases[] = {
      {"{\"who\":\"a\",\"why\":\"b\\u00e9\"}", "a", "b\xc3\xa9"},
      {"{\"why\":\"b\",\"colour\":[1,{\"who\":\"x\"}]}", "", "b"},
      {"{\"who\":\"a\",\"why\":7}", "a", ""},
      {"{\"who\":\"a\",\"why\":", "a", ""},
      {"{}", "", ""},
      {"", "", ""},
      {"nonsense", "", ""},
      {"[\"who\"]", "", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn__stop_line line;
    sn__stop_arguments_read(cases[i].text, strlen(cases[i].text), &line);
    assert_string_equal(line.who, cases[i].who);
    assert_string_equal(line.why, cases[i].why);
  }
}
