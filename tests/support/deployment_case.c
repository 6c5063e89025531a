#include "deployment_case.h"

#include "program.h"

rig deployment_r;
char deployment_folder[64];

int deployment_set_up(void **state) {
  (void)state;
  rig_start(&deployment_r);
  sn_test_folder_create(deployment_folder);
  return 0;
}

int deployment_tear_down(void **state) {
  (void)state;
  rig_free(&deployment_r);
  sn_test_folder_remove(deployment_folder);
  return 0;
}

void deployment_build(built *b) {
  sn_clock_init_simulated(&b->clock, 0);
  const sn_system_config config = {.clock = &b->clock,
                                   .capacity = sn_deployment_capacity(deployment_r.deployment)};
  b->system = sn_system_create(&config);
  assert_non_null(b->system);
  if (sn_deployment_build(deployment_r.deployment, b->system, deployment_r.report) != SN_OK) {
    fail_msg("%s", sn_test_problems(deployment_r.report));
  }
}

const char *deployment_get(const built *b, const char *component, const char *property) {
  static char text[1024];
  sn_error err;
  sn_component *found = sn_system_find(b->system, component);
  assert_non_null(found);
  if (sn_system_get(b->system, found, property, text, sizeof text, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  return text;
}

const char deployment_pipeline[] =
    "activities:\n"
    "  control: {period: 0.01, priority: 3}\n"
    "  slow: {period: 0.1}\n"
    "capacity: {items: 3, text: 100}\n"
    "components:\n"
    "  sink: {type: Sink, properties: {label: end}, activity: slow}\n"
    "  gain:\n"
    "    type: Gain\n"
    "    deadline: 0.005\n"
    "    properties: {gain: 3}\n"
    "    services: {scale: {type: Scale, properties: {factor: 5}}}\n"
    "  source: {type: Source}\n"
    "connections:\n"
    "  - source.out -> gain.in\n"
    "  - {from: gain.out, to: sink.in, buffer: 10, overflow: refuse}\n"
    "  - {from: sink.out, to: sink.back}\n";
