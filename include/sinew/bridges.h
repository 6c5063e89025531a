/** @file
 *  Types of components that stand between a running system and the world. They are no part of
 *  libsinew, but of libsinew_bridges, with the libraries that they need. */
#ifndef SINEW_BRIDGES_H
#define SINEW_BRIDGES_H

#include "sinew/api.h"
#include "sinew/component_registry.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Add all of them to a registry: `ros1`, a node of a ROS 1 graph (docs/ros.md).
 *  @return as sn_component_registry_add().  RT: no.  Threads: one owner. */
sn_status sn_bridges_add(sn_component_registry *registry, sn_error *err);

SN_END_DECLS

#endif
