/* Fuzzes the protocol of the control socket: whatever the line, there is an answer of one line of
   JSON, and the system is whole afterwards. Each line end in the input begins the next request. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "remote/request.h"
#include "sinew/fault.h"
#include "sinew/msg_types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct part {
  sn_component base;
  double gain;
  const char *label;
  sn_reals list;
  sn_output out;
  sn_input in;
} part;

static sn_status echo(sn_component *component, const void *request, void *response, sn_error *err) {
  (void)component;
  (void)err;
  return sn_msg_copy(&sn_joint_state_type, response, request);
}

static sn_status write(sn_component *component, int64_t now_ns) {
  (void)now_ns;
  return sn_output_write(&((part *)component)->out);
}

static const sn_property properties[] = {
    SN_PROPERTY(part, "gain", gain, .initial = "1", .flags = SN_PROPERTY_LIVE, .max = 5.0),
    SN_PROPERTY(part, "label", label, .initial = "x"),
    SN_PROPERTY(part, "list", list, .flags = SN_PROPERTY_LIVE),
    {.name = NULL},
};
static const sn_port ports[] = {
    SN_OUTPUT(part, "out", out, &sn_joint_state_type, .doc = ""),
    SN_INPUT(part, "in", in, &sn_joint_state_type, .flags = SN_PORT_FEEDBACK),
    {.name = NULL},
};
static const sn_operation operations[] = {
    {"own", SN_OWN_THREAD, &sn_joint_state_type, &sn_joint_state_type, echo, ""},
    {"any", SN_CLIENT_THREAD, &sn_joint_state_type, &sn_joint_state_type, echo, ""},
    {.name = NULL},
};
static const sn_component_type part_type = {.abi = SN_COMPONENT_ABI,
                                            .name = "Part",
                                            .size = sizeof(part),
                                            .properties = properties,
                                            .ports = ports,
                                            .operations = operations,
                                            .step = write};

static sn_system *make_system(sn_clock *clock) {
  sn_clock_init_simulated(clock, 0);
  const sn_system_config config = {.clock = clock, .capacity = {.item_count = 8, .text_size = 16}};
  sn_system *system = sn_system_create(&config);
  const sn_activity_config cycle = {.name = "cycle", .period_ns = 1000000};
  sn_activity *activity = NULL;
  SN_ASSERT(sn_system_add_activity(system, &cycle, &activity, NULL) == SN_OK);
  static const char *const names[] = {"a", "a.b", "c"};
  for (size_t i = 0; i < 3; i++) {
    sn_component *component = NULL;
    SN_ASSERT(sn_system_add(system, &part_type, names[i], &component, NULL) == SN_OK);
    if (strchr(names[i], '.') == NULL) {
      SN_ASSERT(sn_system_assign(system, component, activity, 0, NULL) == SN_OK);
    }
  }
  return system;
}

static void ask(sn__remote_context *context, sn__remote_sources *sources, const char *line,
                size_t length) {
  sn__remote_answer answer = {.tap = NULL};
  sn__remote_request request = {.context = context, .sources = sources};
  if (sn__remote_request_parse(&request, line, length, &answer)) {
    sn__remote_request_run(&request, &answer);
  }
  SN_ASSERT(answer.reply.used > 0);
  SN_ASSERT(memchr(answer.reply.data, '\n', answer.reply.used) ==
            answer.reply.data + answer.reply.used - 1);
  json_t *json = json_loadb(answer.reply.data, answer.reply.used, JSON_REJECT_DUPLICATES, NULL);
  SN_ASSERT(json != NULL);
  const json_t *ok = json_object_get(json, "ok");
  SN_ASSERT(json_is_boolean(ok));
  SN_ASSERT(json_object_get(json, json_is_true(ok) ? "result" : "error") != NULL);
  SN_ASSERT(answer.tap == NULL || json_is_true(ok));
  json_decref(json);
  sn__remote_tap_close(context->taps, answer.tap);
  sn__buffer_free(&answer.reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sn_clock clock;
  sn__remote_taps taps = {NULL};
  sn__remote_sources sources = {0};
  sn__remote_context context = {
      .system = make_system(&clock), .taps = &taps, .timeout_ns_max = 1000};
  const char *at = (const char *)data;
  const char *end = at + size;
  for (size_t lines = 0; at <= end && lines < 20; lines++) {
    const char *stop = at == end ? NULL : memchr(at, '\n', (size_t)(end - at));
    const size_t length = stop == NULL ? (size_t)(end - at) : (size_t)(stop - at);
    char *line =
        malloc(length + 1); /* on the heap, so that the sanitizer sees a read past the end */
    SN_ASSERT(line != NULL);
    memcpy(line, at, length);
    line = realloc(line, length == 0 ? 1 : length);
    ask(&context, &sources, line, length);
    free(line);
    at += length + 1;
  }
  (void)sn_system_run(context.system, 3000000, NULL, NULL, NULL);
  sn__remote_sources_close(&sources);
  sn_system_destroy(context.system);
  return 0;
}
