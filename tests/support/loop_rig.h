/** @file
 *  The control loop for tests of controllers: robot model, timer, arbiter and gate. */
#ifndef SN_TEST_LOOP_RIG_H
#define SN_TEST_LOOP_RIG_H

#include "rig.h"
#include "robot.h"

/** Add `robot_model` with this URDF text. */
sn_component *loop_add_model(rig *r, const char *urdf);

/** Add `robot_model` with the quadruped. @param robot  receives the same robot */
void loop_add_quadruped(rig *r, sn_test_robot *robot);

/** Add `timer`, `resources_control` and `aggregator`, and connect them. @return the last */
sn_component *loop_add_gate(rig *r);

/** Add a controller with its model, arbiter and timer. */
void *loop_add_controller(rig *r, const sn_component_type *type, const char *name);
/** What the latter does with a component that exists. */
void loop_connect_controller(rig *r, const char *name);

#endif
