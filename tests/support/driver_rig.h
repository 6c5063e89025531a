/** @file
 *  What the tests of the drivers share. */
#ifndef SN_TEST_DRIVER_RIG_H
#define SN_TEST_DRIVER_RIG_H

#include "rig.h"

/** Add the model of robots/arm6.urdf as `robot_model`, configured. */
void driver_rig_add_model(rig *r);

/** Add a driver named `driver` and the model of robots/arm6.urdf that it needs, configured. */
void *driver_rig_add(rig *r, const sn_component_type *type);

#endif
