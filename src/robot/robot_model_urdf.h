/** @file
 *  Internal: the component `RobotModelURDF`. */
#ifndef SN_ROBOT_ROBOT_MODEL_URDF_H
#define SN_ROBOT_ROBOT_MODEL_URDF_H

#include "model/robot_model.h"
#include "sinew/component.h"

/** The service of the component; NULL until it was configured once. RT: yes.  Threads: any. */
sn_robot_model *sn__robot_model_of(const sn_component *component) SN_RT;

extern const sn_operation sn__robot_model_operations[];

#endif
