#include "scenario.h"

#include <string.h>

#include "deploy/deployment.h"
#include "msg/msg_names_internal.h"
#include "sinew/components.h"
#include "sn_test.h"

enum { MS = 1000000 };
static const char QUADRUPED[] = SINEW_ROBOTS "/quadruped.yaml";
static const char standard[] = "include: [standard.yaml]\n";

sn_tap *scenario_tap(scenario *s, const char *from) {
  sn_tap *tap = NULL;
  sn_error err;
  assert_int_equal(sn_tap_open(s->system, from, NULL, &tap, &err), SN_OK);
  return tap;
}

/* The deployment that @p text describes; it may include the two of the library. */
static void build(scenario *s, const char *robot, const char *text) {
  *s = (scenario){.hash = 14695981039346656037U};
  sn_arena_init_growing(&s->arena, "scenario", 1 << 16);
  sn_clock_init_simulated(&s->clock, 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&s->arena, &report, NULL), SN_OK);
  sn_component_registry *registry = sn_component_registry_create(&s->arena);
  sn_deployment_file files[] = {{.name = "standard.yaml"}, {.name = "walking.yaml"}};
  files[0].text = sn_standard_deployment(&files[0].size);
  files[1].text = sn__walking_deployment(&files[1].size);
  static const char *const without[] = {"cockpit"};
  const sn_deployment_config config = {.registry = registry,
                                       .files = files,
                                       .file_count = 2,
                                       .without = without,
                                       .without_count = 1,
                                       .robot = robot,
                                       .may_read = true};
  const sn_deployment *deployment = NULL;
  sn_error err;
  assert_int_equal(sn_components_add(registry, &err), SN_OK);
  assert_int_equal(sn_deployment_parse(&s->arena, text, strlen(text), "scenario.yaml", &config,
                                       report, &deployment),
                   SN_OK);
  s->system = sn_system_create(
      &(sn_system_config){.clock = &s->clock, .capacity = sn_deployment_capacity(deployment)});
  assert_non_null(s->system);
  assert_int_equal(sn_deployment_build(deployment, s->system, report), SN_OK);
  s->context = (sn__remote_context){
      .system = s->system, .taps = &s->taps, .timeout_ns_max = INT64_C(1000000000)};
  s->sorted = scenario_tap(s, "aggregator.joints_sorted");
  s->measured = scenario_tap(s, "plant.joints_measured");
}

static void begin(scenario *s) {
  sn_error err;
  assert_int_equal(sn_system_begin(s->system, &err), SN_OK);
  scenario_run(s, 100);
}

void scenario_open(scenario *s) {
  scenario_open_with(s, standard);
}

void scenario_open_with(scenario *s, const char *text) {
  scenario_open_robot(s, QUADRUPED, text);
}

void scenario_open_robot(scenario *s, const char *robot, const char *text) {
  build(s, robot, text);
  begin(s);
}

void scenario_open_recorded(scenario *s, const char *path) {
  sn_error err;
  build(s, QUADRUPED, standard);
  assert_int_equal(
      sn__recorder_start(s->system, &(sn_recorder_config){.path = path}, &s->recorder, &err),
      SN_OK);
  begin(s);
}

void scenario_close(scenario *s) {
  sn_error err;
  if (s->recorder != NULL) {
    assert_int_equal(sn__recorder_stop(s->recorder, NULL, &err), SN_OK);
  }
  sn__remote_sources_close(&s->sources);
  sn_tap_close(s->sorted);
  sn_tap_close(s->measured);
  sn_system_destroy(s->system);
  sn_arena_release(&s->arena);
}

static void add_to_hash(scenario *s, const sn_joint_state *pose) {
  const unsigned char *bytes = (const unsigned char *)pose->position.data;
  for (size_t i = 0; i < pose->position.count * sizeof(double); i++) {
    s->hash = (s->hash ^ bytes[i]) * 1099511628211U;
  }
}

void scenario_run(scenario *s, int cycles) {
  sn_error err;
  for (int k = 0; k < cycles; k++) {
    assert_int_equal(sn_system_run(s->system, MS, NULL, NULL, &err), SN_OK);
    if (s->recorder != NULL) {
      assert_int_equal(sn__recorder_drain(s->recorder, &err), SN_OK);
    }
    const sn_joint_state *pose = sn_tap_read(s->sorted, NULL);
    if (pose != NULL) {
      add_to_hash(s, pose);
    }
  }
}

json_t *scenario_ask(scenario *s, const char *request) {
  char line[1024];
  snprintf(line, sizeof line, "%s", request);
  for (char *at = strchr(line, '\''); at != NULL; at = strchr(at, '\'')) {
    *at = '"';
  }
  sn__remote_request r = {.context = &s->context, .sources = &s->sources};
  sn__remote_answer answer = {.tap = NULL};
  if (sn__remote_request_parse(&r, line, strlen(line), &answer)) {
    sn__remote_request_run(&r, &answer);
  }
  json_t *json = json_loadb(answer.reply.data, answer.reply.used, 0, NULL);
  sn__buffer_free(&answer.reply);
  if (!json_is_true(json_object_get(json, "ok"))) {
    fail_msg("%s: %s", line, json_string_value(json_object_get(json, "error")));
  }
  json_t *result = json_incref(json_object_get(json, "result"));
  json_decref(json);
  return result;
}

void scenario_do(scenario *s, const char *request) {
  json_t *result = scenario_ask(s, request);
  const json_t *success = json_object_get(result, "success");
  if (success != NULL && !json_is_true(success)) {
    fail_msg("%s: %s", request, json_string_value(json_object_get(result, "message")));
  }
  json_decref(result);
}

void scenario_lead(scenario *s, const char *joint, double position, int cycles) {
  char line[256];
  snprintf(line, sizeof line,
           "{'verb':'publish','name':'follow.in_joints_ref','message':{'name':['%s'],'position':"
           "[%.17g]}}",
           joint, position);
  for (int k = 0; k < cycles; k++) {
    if (k % 10 == 0) {
      scenario_do(s, line);
    }
    scenario_run(s, 1);
  }
}

const char *scenario_owner(scenario *s, const char *limb) {
  static char owner[64];
  json_t *result = scenario_ask(s, "{'verb':'call','name':'resources_control.getOwners'}");
  const json_t *limbs = json_object_get(result, "resources");
  owner[0] = '\0';
  for (size_t i = 0; i < json_array_size(limbs); i++) {
    if (strcmp(json_string_value(json_array_get(limbs, i)), limb) == 0) {
      snprintf(owner, sizeof owner, "%s",
               json_string_value(json_array_get(json_object_get(result, "owners"), i)));
    }
  }
  json_decref(result);
  return owner;
}

static double position_in(sn_tap *tap, const char *joint) {
  const sn_joint_state *pose = sn_tap_read(tap, NULL);
  assert_non_null(pose);
  const int index = sn__msg_names_index(&pose->name, joint);
  assert_true(index >= 0);
  return pose->position.data[index];
}

double scenario_commanded(scenario *s, const char *joint) {
  return position_in(s->sorted, joint);
}

double scenario_measured(scenario *s, const char *joint) {
  return position_in(s->measured, joint);
}
