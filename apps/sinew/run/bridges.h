/** @file
 *  Components that stand between a system and the world: servers and bridges. They take libraries
 *  that libsinew does without, so they are a library of their own, which the program links. */
#ifndef SINEW_BRIDGES_H
#define SINEW_BRIDGES_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/component.h"
#include "sinew/component_registry.h"
#include "sinew/log.h"
#include "sinew/status.h"
#include "sinew/system.h"

SN_BEGIN_DECLS

/** `cockpit`: serves the system to browsers and to Foxglove (docs/foxglove.md). Not there in a
 *  build without it. */
extern const sn_component_type sn_cockpit_component;

/** Add all that were built to a registry.
 *  @return as sn_component_registry_add().  RT: no.  Threads: one owner. */
sn_status sn_bridges_add(sn_component_registry *registry, sn_error *err);

/** Hand a line of the system's log to those that show it. Whoever reads the log calls it with each
 *  record.  RT: no.  Threads: any. */
void sn_bridges_log(sn_system *system, const sn_log_record *record);

/** Where the first cockpit of a system can be reached: `http://127.0.0.1:8080/`.
 *  @param out  empty if there is none
 *  RT: no.  Threads: any. */
void sn_bridges_address(sn_system *system, char *out, size_t size);

SN_END_DECLS

#endif
