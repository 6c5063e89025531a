/* The verb `publish`: valid messages reach the input that the client names. */
#include "parts.h"
#include "remote/request.h"
#include "rig.h"
#include "sn_test.h"

typedef struct world {
  rig r;
  part_sink *sink;
  part_source *source;
  sn__remote_taps taps;
  sn__remote_context context;
  sn__remote_sources sources;
  char reply[2048];
} world;

static world w;

static int setup(void **state) {
  (void)state;
  w = (world){.context = {.timeout_ns_max = 1000000}};
  rig_open(&w.r, 1000000);
  w.sink = rig_add(&w.r, &part_sink_type, "sink");
  w.source = rig_add(&w.r, &part_source_type, "source");
  rig_add(&w.r, &part_gain_type, "gain");
  rig_connect(&w.r, "source.out", "gain.in");
  rig_begin(&w.r);
  w.context.system = w.r.system;
  w.context.taps = &w.taps;
  return 0;
}

static int teardown(void **state) {
  (void)state;
  sn__remote_sources_close(&w.sources);
  rig_close(&w.r);
  return 0;
}

/* The answer, a line. */
static const char *ask(const char *line, sn__remote_sources *sources) {
  sn__remote_request request = {.context = &w.context, .sources = sources};
  sn__remote_answer answer = {.tap = NULL};
  if (sn__remote_request_parse(&request, line, strlen(line), &answer)) {
    assert_true(sn__remote_request_is_slow(&request));
    sn__remote_request_run(&request, &answer);
  }
  snprintf(w.reply, sizeof w.reply, "%.*s", (int)answer.reply.used, answer.reply.data);
  sn__buffer_free(&answer.reply);
  return w.reply;
}

SN_TEST(message_arrives_in_the_next_cycle) {
  const char *line =
      "{\"verb\":\"publish\",\"name\":\"sink.in\",\"message\":{\"name\":[\"a\"],\"position\":[7.5]}"
      "}";
  assert_string_equal(
      ask(line, &w.sources),
      "{\"id\":null,\"ok\":true,\"result\":{\"port\":\"sink.in\",\"type\":\"JointState\"}}\n");
  const uint64_t before = w.sink->new_count;
  rig_run(&w.r, 1000000);
  assert_int_equal(w.sink->new_count, before + 1);
  sn_assert_near(w.sink->last, 7.5, 0.0);
  rig_run(&w.r, 1000000);
  assert_int_equal(w.sink->new_count, before + 1); /* once */
}

SN_TEST(second_message_uses_the_same_source) {
  for (int k = 0; k < 20; k++) { /* more than a client may have open */
    sn_assert_contains(
        ask("{\"verb\":\"publish\",\"name\":\"sink.in\",\"message\":{}}", &w.sources),
        "\"ok\":true");
  }
  assert_non_null(w.sources.items[0].source);
  assert_null(w.sources.items[1].source);
}

SN_TEST(input_belongs_to_one_client_until_it_leaves) {
  static sn__remote_sources other;
  const char *line = "{\"verb\":\"publish\",\"name\":\"sink.in\",\"message\":{}}";
  sn_assert_contains(ask(line, &w.sources), "\"ok\":true");
  sn_assert_contains(ask(line, &other), "already has a writer");
  sn__remote_sources_close(&w.sources);
  sn_assert_contains(ask(line, &other), "\"ok\":true");
  sn__remote_sources_close(&other);
}

SN_TEST(invalid_message_is_refused_with_a_reason_and_not_written) {
  static const struct {
    const char *arguments, *expected;
  } cases[] = {
      {"\"name\":\"sink.in\"", "'publish' needs 'message'"},
      {"\"message\":{}", "'publish' needs 'name'"},
      {"\"name\":7,\"message\":{}", "'name' must be a text"},
      {"\"name\":\"sink.nose\",\"message\":{}", "no port 'nose'"},
      {"\"name\":\"source.out\",\"message\":{}", "source.out"},
      {"\"name\":\"gain.in\",\"message\":{}", "already has a writer: source.out"},
      {"\"name\":\"sink.in\",\"message\":[1]", "JointState"},
      {"\"name\":\"sink.in\",\"message\":{\"colour\":1}", "unknown field 'colour'"},
      {"\"name\":\"sink.in\",\"message\":{\"position\":[null]}", "not finite"},
      {"\"name\":\"sink.in\",\"message\":{\"position\":\"far\"}", "position"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char line[256];
    snprintf(line, sizeof line, "{\"verb\":\"publish\",%s}", cases[i].arguments);
    ask(line, &w.sources);
    sn_assert_contains(w.reply, "\"ok\":false");
    sn_assert_contains(w.reply, cases[i].expected);
  }
  const uint64_t before = w.sink->new_count;
  rig_run(&w.r, 2000000);
  assert_int_equal(w.sink->new_count, before);
}

SN_TEST(client_without_sources_cannot_publish) {
  sn_assert_contains(ask("{\"verb\":\"publish\",\"name\":\"sink.in\",\"message\":{}}", NULL),
                     "SN_EINVAL");
}

SN_TEST(client_has_a_bounded_number_of_inputs) {
  sn_source *source = NULL;
  sn_error err;
  char name[32];
  for (int k = 0; k <= SN__REMOTE_SOURCES_MAX; k++) {
    snprintf(name, sizeof name, "extra%d", k);
    rig_add(&w.r, &part_sink_type, name);
    snprintf(name, sizeof name, "extra%d.in", k);
    const sn_status status = sn__remote_source_open(&w.sources, w.r.system, name, &source, &err);
    assert_int_equal(status, k < SN__REMOTE_SOURCES_MAX ? SN_OK : SN_ELIMIT);
  }
  sn_assert_contains(err.message, "8 inputs");
}

SN_TEST_EACH(setup, teardown)
