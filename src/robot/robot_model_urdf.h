/** @file
 *  Internal: the component `RobotModelURDF`. */
#ifndef SN_ROBOT_ROBOT_MODEL_URDF_H
#define SN_ROBOT_ROBOT_MODEL_URDF_H

#include "model/robot_model.h"
#include "sinew/component.h"

/** The service of the component; NULL until it was configured once. RT: yes.  Threads: any. */
sn_robot_model *sn__robot_model_of(const sn_component *component) SN_RT;

/** The path of the robot's property file; empty: it has none. */
const char *sn__robot_model_property_file(const sn_component *component);

/** The path of the robot's own file, such as a URDF; empty: it has none. */
const char *sn__robot_model_file(const sn_component *component);

/* ---- robot_properties.c: operations of the property file ---- */

sn_status sn__robot_get_properties(sn_component *component, const void *request, void *response,
                                   sn_error *err);
sn_status sn__robot_save_properties(sn_component *component, const void *request, void *response,
                                    sn_error *err);

extern const sn_operation sn__robot_model_operations[];

#endif
