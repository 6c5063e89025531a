#include "deployed.h"

#include <string.h>

#include "msg/msg_names_internal.h"
#include "robot.h"
#include "sinew/components.h"
#include "sn_test.h"

#define LINK(name)                                                                         \
  "<link name='" name                                                                      \
  "'><inertial><origin xyz='0 0 0.05'/><mass value='0.1'/><inertia ixx='1e-4' iyy='1e-4' " \
  "izz='1e-4' ixy='0' ixz='0' iyz='0'/></inertial></link>"
#define JOINT(name, parent, child)                                                        \
  "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child \
  "'/><origin xyz='0 0 0.1'/><axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='5' "  \
  "velocity='5'/></joint>"

const char sn_deployed_robot[] = "<robot name='small'>" LINK("base") LINK("head1") LINK("head2")
    LINK("nose1") LINK("leg1") LINK("leg2") LINK("eye1") LINK("eye2") JOINT("h1", "base", "head1")
        JOINT("h2", "head1", "head2") JOINT("n1", "head2", "nose1") JOINT("l1", "base", "leg1")
            JOINT("l2", "leg1", "leg2") JOINT("e1", "head2", "eye1")
                JOINT("e2", "eye1", "eye2") "</robot>";

void sn_deployed_init(sn_deployed *d) {
  *d = (sn_deployed){0};
  sn_arena_init_growing(&d->arena, "deployment", 0);
  sn_arena_init_growing(&d->problems, "problems", 0);
  sn_clock_init_simulated(&d->clock, 0);
  assert_int_equal(sn_report_create(&d->problems, &d->report, NULL), SN_OK);
  d->registry = sn_component_registry_create(&d->arena);
  assert_int_equal(sn_components_add(d->registry, &d->err), SN_OK);
  assert_int_equal(sn_log_create(&d->arena, 4096, &d->log, NULL), SN_OK);
}

sn_status sn_deployed_load(sn_deployed *d, const char *path) {
  static const char *const without[] = {"cockpit"};
  sn_deployment_file standard = {.name = "standard.yaml"};
  standard.text = sn_standard_deployment(&standard.size);
  const sn_deployment_config config = {.registry = d->registry,
                                       .files = &standard,
                                       .file_count = 1,
                                       .without = without,
                                       .without_count = 1};
  sn_status status = sn_deployment_load(&d->arena, path, &config, d->report, &d->deployment);
  if (status == SN_OK) {
    const sn_system_config system = {
        .clock = &d->clock, .log = d->log, .capacity = sn_deployment_capacity(d->deployment)};
    d->system = sn_system_create(&system);
    status = sn_deployment_build(d->deployment, d->system, d->report);
  }
  return status;
}

void sn_deployed_open(sn_deployed *d, const char *path) {
  sn_deployed_init(d);
  if (sn_deployed_load(d, path) != SN_OK) {
    fail_msg("%s was refused:\n%s", path, sn_test_problems(d->report));
  }
  if (sn_system_begin(d->system, &d->err) != SN_OK) {
    fail_msg("%s does not begin: %s", path, d->err.message);
  }
}

void sn_deployed_free(sn_deployed *d) {
  sn_system_destroy(d->system);
  sn_arena_release(&d->arena);
  sn_arena_release(&d->problems);
}

void sn_deployed_run(sn_deployed *d, double duration_s) {
  if (sn_system_run(d->system, (int64_t)(1e9 * duration_s), NULL, NULL, &d->err) != SN_OK) {
    fail_msg("%s", d->err.message);
  }
}

sn_component *sn_deployed_find(const sn_deployed *d, const char *name) {
  sn_component *component = sn_system_find(d->system, name);
  if (component == NULL) {
    fail_msg("component '%s' does not exist", name);
  }
  return component;
}

sn_status sn_deployed_set(sn_deployed *d, const char *component, const char *path,
                          const char *value) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "value", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  const sn_value *tree = NULL;
  d->err = (sn_error){.message = ""};
  assert_int_equal(sn_value_parse_text(&arena, value, strlen(value), "value", report, &tree),
                   SN_OK);
  const sn_status status =
      sn_system_set(d->system, sn_deployed_find(d, component), path, tree, report, &d->err);
  sn_arena_release(&arena);
  return status;
}

bool sn_deployed_switch(sn_deployed *d, const char *component, bool on, const char *resource) {
  char name[100];
  snprintf(name, sizeof name, "%s.setOperational", component);
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(d->system, name, &caller, &d->err), SN_OK);
  sn_set_operational *request = sn_msg_create(&d->arena, &sn_set_operational_type, NULL);
  const sn_msg_capacity roomy = {.text_size = 256};
  sn_call_outcome *outcome = sn_msg_create(&d->arena, &sn_call_outcome_type, &roomy);
  request->operational = on;
  if (resource != NULL) {
    assert_int_equal(sn_msg_names_add(&request->resources, resource, strlen(resource)), SN_OK);
  }
  assert_int_equal(sn_call(&caller, request, outcome, &d->err), SN_OK);
  snprintf(d->err.message, sizeof d->err.message, "%s", outcome->message.data);
  sn_caller_close(&caller);
  return outcome->success;
}

const char *sn_deployed_owner(sn_deployed *d, const char *resource) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(d->system, "resources_control.getOwners", &caller, &d->err),
                   SN_OK);
  sn_resource_assignment *table = sn_msg_create(&d->arena, &sn_resource_assignment_type, NULL);
  assert_int_equal(sn_call(&caller, NULL, table, &d->err), SN_OK);
  sn_caller_close(&caller);
  const int index = sn__msg_names_index(&table->resources, resource);
  return index < 0 ? "?" : sn_msg_names_at(&table->owners, (size_t)index);
}

size_t sn_deployed_count_log(sn_deployed *d, const char *text) {
  sn_log_record record;
  size_t count = 0;
  while (sn_log_read(d->log, &record)) {
    char line[512];
    sn_log_format(&record, line, sizeof line);
    count += strstr(line, text) != NULL;
  }
  return count;
}
