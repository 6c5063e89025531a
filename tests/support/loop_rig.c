#include "loop_rig.h"

#include <stdlib.h>

#include "sinew/components.h"
#include "sn_test.h"

sn_component *loop_add_model(rig *r, const char *urdf) {
  sn_component *model = rig_add_to(r, &sn_robot_model_component, "robot_model", NULL, 0);
  const sn_value text = {
      .name = "", .kind = SN_VALUE_TEXT, .text = urdf, .place = {.file = "test"}};
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&r->arena, &report, NULL), SN_OK);
  assert_int_equal(sn_system_set(r->system, model, "robot_description", &text, report, &r->err),
                   SN_OK);
  return model;
}

void loop_add_quadruped(rig *r, sn_test_robot *robot) {
  size_t size = 0;
  char *urdf = sn_test_read_file(SINEW_ROBOTS "/quadruped.urdf", &size);
  sn_test_robot_init_good(robot, urdf, NULL);
  (void)loop_add_model(r, urdf);
  free(urdf);
}

sn_component *loop_add_gate(rig *r) {
  rig_add(r, &sn_timer_component, "timer");
  rig_add(r, &sn_resources_control_component, "resources_control");
  rig_require(r, "resources_control.robot_model", "robot_model");
  sn_component *aggregator = rig_add(r, &sn_aggregator_component, "aggregator");
  rig_require(r, "aggregator.robot_model", "robot_model");
  rig_require(r, "aggregator.owners", "resources_control");
  rig_connect(r, "timer.sync", "aggregator.sync");
  return aggregator;
}

void loop_connect_controller(rig *r, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "%s.robot_model", name);
  rig_require(r, path, "robot_model");
  snprintf(path, sizeof path, "%s.arbiter", name);
  rig_require(r, path, "resources_control");
  snprintf(path, sizeof path, "%s.sync", name);
  rig_connect(r, "timer.sync", path);
}

void *loop_add_controller(rig *r, const sn_component_type *type, const char *name) {
  void *controller = rig_add(r, type, name);
  loop_connect_controller(r, name);
  return controller;
}
