/* The plant with MuJoCo's physics. */
#include <string.h>

#include "base/fail.h"
#include "plant/mujoco/mujoco_physics.h"
#include "plant/plant_component.h"
#include "servo/servo_original.h"
#include "sinew/components.h"

static sn_status configure(sn_component *component, sn_error *err) {
  sn__plant_component *self = (sn__plant_component *)component;
  if (strcmp(self->dynamics, "coupled") != 0) {
    return sn__fail(err, SN_EINVAL,
                    "dynamics: MuJoCo moves the whole robot; use the type plant for joints by "
                    "themselves");
  }
  return sn__plant_configure(self, sn__mujoco_create, err);
}

const sn_component_type sn_plant_mujoco_component =
    SN__PLANT_TYPE("plant_mujoco",
                   "Simulates the robot: servo models on a bus with faults, and MuJoCo's dynamics.",
                   "components:\n"
                   "  plant: {type: plant_mujoco}\n");
