#include "driver_rig.h"

#include <stdlib.h>

#include "sinew/components.h"
#include "sn_test.h"

void driver_rig_add_model(rig *r) {
  sn_component *model = rig_add_to(r, &sn_robot_model_component, "robot_model", NULL, 0);
  char *urdf = sn_test_read_file(SINEW_ROBOTS "/arm6.urdf", &(size_t){0});
  const sn_value text = {
      .name = "", .kind = SN_VALUE_TEXT, .text = urdf, .place = {.file = "arm6"}};
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&r->arena, &report, NULL), SN_OK);
  assert_int_equal(sn_system_set(r->system, model, "robot_description", &text, report, &r->err),
                   SN_OK);
  free(urdf);
  assert_int_equal(sn_system_configure(r->system, model, &r->err), SN_OK);
}

void *driver_rig_add(rig *r, const sn_component_type *type) {
  driver_rig_add_model(r);
  void *driver = rig_add(r, type, "driver");
  rig_require(r, "driver.robot_model", "robot_model");
  return driver;
}
