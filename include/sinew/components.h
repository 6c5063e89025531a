/** @file
 *  The types of components that come with Sinew. Their ports, properties and operations are in
 * their tables: `sinew ls` shows those of a running system. */
#ifndef SINEW_COMPONENTS_H
#define SINEW_COMPONENTS_H

#include "sinew/api.h"
#include "sinew/component.h"
#include "sinew/component_registry.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** `RobotModelURDF`: the robot model as a service. Its interface SN_ROBOT_MODEL gives an
 *  `sn_robot_model *` (robot_model.h); who uses it holds the model from configure to cleanup. */
SN_API extern const sn_component_type sn_robot_model_component;
#define SN_ROBOT_MODEL "RobotModelURDF"

/** `timer`: the tick. */
SN_API extern const sn_component_type sn_timer_component;

/** `aggregator`: the gate between controllers and servos (gate.h). Who writes to `in_joints` is
 * known by the connection; `owners` (owners.h) says what each may move. */
SN_API extern const sn_component_type sn_aggregator_component;

/** Add all of them to a registry.
 *  @return as sn_component_registry_add().  RT: no.  Threads: one owner. */
SN_API sn_status sn_components_add(sn_component_registry *registry, sn_error *err);

SN_END_DECLS

#endif
