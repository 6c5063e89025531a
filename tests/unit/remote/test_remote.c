/* The C functions under the control socket and the Foxglove server. */
#include <stdlib.h>

#include "control_rig.h"
#include "remote/remote.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

static control_rig rig;
static sn__remote_context context;

static int setup(void **state) {
  (void)state;
  control_rig_open(&rig);
  context = (sn__remote_context){.system = rig.system, .timeout_ns_max = 1000000};
  return 0;
}

static int teardown(void **state) {
  (void)state;
  control_rig_close(&rig);
  return 0;
}

/* The value of a property as JSON. */
static const char *get(const char *name) {
  static char text[4096];
  sn__buffer out = {0};
  sn_error err;
  assert_int_equal(sn__remote_get(rig.system, name, &out, &err), SN_OK);
  snprintf(text, sizeof text, "%.*s", (int)out.used, out.data);
  sn__buffer_free(&out);
  return text;
}

static sn_status set_json(const char *name, const char *text, sn_error *err) {
  json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
  assert_non_null(json);
  const sn_status status = sn__remote_set_json(&context, name, json, err);
  json_decref(json);
  return status;
}

/* Oracle: JSON is YAML, so the parser of YAML must come to the same value and the same verdict. */
SN_TEST(value_from_json_is_the_one_that_yaml_reads) {
  static const char *const cases[][2] = {
      {"source.gain", "2"},
      {"source.gain", "0.1"},
      {"source.gain", "1e-3"},
      {"source.gain", "2.0"},
      {"source.gain", "-0.5"},
      {"source.gain", "\"3\""},
      {"source.gain", "null"},
      {"source.gain", "true"},
      {"source.gain", "[1]"},
      {"source.gain", "{\"a\": 1}"},
      {"source.label", "\"\""},
      {"source.label", "\"x: [y, {z\""},
      {"source.label", "12"},
      {"source.label", "false"},
      {"source.label", "\"\\u00e9 \\\"q\\\" \\\\ \xF0\x9F\xA6\xBF\""},
      {"source.label", "\"a\\u0001b\""},
      {"source.label", "\"a\\nb\\tc\""},
      {"source.label", "[\"a\"]"},
      {"source.range", "{\"a\\u0007\": 1}"},
      {"source.offsets", "[]"},
      {"source.offsets", "[1.25, -3e-7, 4]"},
      {"source.offsets", "[[1]]"},
      {"source.offsets", "[1, \"two\"]"},
      {"source.offsets", "7"},
      {"source.range", "{\"low\": -5}"},
      {"source.range", "{\"low\": -7, \"high\": 9}"},
      {"source.range", "{\"wide\": 1}"},
      {"source.range", "{\"\": 1}"},
      {"source.range", "{}"},
      {"source.range.high", "77"},
      {"source.range.high", "77.5"},
      {"source.range.high", "9223372036854775807"},
      {"source", "1"},
      {"source.pain", "1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *name = cases[i][0];
    const char *text = cases[i][1];
    sn_error by_json = {SN_OK, ""};
    sn_error by_yaml = {SN_OK, ""};
    teardown(NULL);
    setup(NULL);
    const sn_status status = set_json(name, text, &by_json);
    char value[4096];
    snprintf(value, sizeof value, "%s", get("source"));
    teardown(NULL);
    setup(NULL);
    assert_int_equal(sn__remote_set_text(&context, name, text, &by_yaml), status);
    assert_string_equal(by_json.message, by_yaml.message);
    assert_string_equal(get("source"), value);
  }
}

SN_TEST(depth_of_a_value_is_bounded_as_in_yaml) {
  for (size_t depth = SN_VALUE_DEPTH_MAX - 1; depth <= SN_VALUE_DEPTH_MAX + 2; depth++) {
    char text[2 * (SN_VALUE_DEPTH_MAX + 2) + 1] = "";
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    sn_error by_json = {SN_OK, ""};
    sn_error by_yaml = {SN_OK, ""};
    const sn_status status = set_json("source.offsets", text, &by_json);
    assert_int_equal(sn__remote_set_text(&context, "source.offsets", text, &by_yaml), status);
    assert_string_equal(by_json.message, by_yaml.message);
    assert_true((status == SN_ELIMIT) == (depth == SN_VALUE_DEPTH_MAX + 2));
  }
}

SN_TEST(long_value_is_read_into_a_buffer_that_just_holds_it) {
  enum { LENGTH = 5000 };
  char label[LENGTH + 1];
  memset(label, 'x', LENGTH);
  label[LENGTH] = '\0';
  sn_error err;
  json_t *json = json_string(label);
  assert_int_equal(sn__remote_set_json(&context, "source.label", json, &err), SN_OK);
  json_decref(json);
  const size_t needed = LENGTH + 2 + 1; /* quotes, and the NUL while it is written */
  for (size_t max = needed - 1; max <= needed; max++) {
    sn__buffer out = {.max = max};
    const sn_status status = sn__remote_get(rig.system, "source.label", &out, &err);
    assert_int_equal(status, max < needed ? SN_ENOSPC : SN_OK);
    assert_int_equal(out.used, max < needed ? 0 : LENGTH + 2);
    sn__buffer_free(&out);
  }
}

SN_TEST(call_fills_typed_messages) {
  sn__remote_call call;
  sn_error err;
  assert_int_equal(sn__remote_call_open(&call, rig.system, "source.greet", &err), SN_OK);
  assert_ptr_equal(call.request_type, &sn_header_type);
  assert_ptr_equal(call.response_type, &sn_header_type);
  ((sn_header *)call.request)->stamp_ns = 42;
  assert_int_equal(sn__remote_call_run(&call, 1000000, &err), SN_OK);
  assert_int_equal(((const sn_header *)call.response)->stamp_ns, 42);
  assert_null(call.state);
  sn__remote_call_close(&call);
}

SN_TEST(lifecycle_operation_reports_the_new_state) {
  sn__remote_call call;
  sn_error err;
  assert_int_equal(sn__remote_call_open(&call, rig.system, "source.start", &err), SN_OK);
  assert_null(call.request_type);
  assert_int_equal(sn__remote_call_run(&call, 1000000, &err), SN_OK);
  assert_string_equal(call.state, "running");
  sn__remote_call_close(&call);
  assert_int_equal(sn__remote_call_open(&call, rig.system, "source.nothing", &err), SN_ENOENT);
}

typedef struct logger {
  sn_component base;
  const char *file;
} logger;

static const sn_property logger_properties[] = {
    SN_PROPERTY(logger, "file", file, .flags = SN_PROPERTY_PATH, .initial = "a"),
    {.name = NULL},
};
static const sn_component_type logger_type = {.abi = SN_COMPONENT_ABI,
                                              .name = "Logger",
                                              .size = sizeof(logger),
                                              .properties = logger_properties};

SN_TEST(network_client_cannot_set_the_name_of_a_file) {
  sn_component *component = NULL;
  sn_error err = {SN_OK, ""};
  assert_int_equal(sn_system_add(rig.system, &logger_type, "logger", &component, &err), SN_OK);
  context.is_network = true;
  assert_int_equal(set_json("logger.file", "\"b\"", &err), SN_EUNSUPPORTED);
  sn_assert_contains(err.message, "not set over the network");
  assert_string_equal(get("logger.file"), "\"a\"");
  assert_int_equal(set_json("source.gain", "2", &err), SN_OK);
  context.is_network = false;
  assert_int_equal(set_json("logger.file", "\"b\"", &err), SN_OK);
  assert_string_equal(get("logger.file"), "\"b\"");
}

SN_TEST_EACH(setup, teardown)
