/** @file
 *  Servers and bridges: components that connect a system to other programs. They need more
 *  libraries than libsinew, so they are a separate library that the program links. */
#ifndef SINEW_BRIDGES_H
#define SINEW_BRIDGES_H

#include <stddef.h>

#include "foxglove/playback.h"
#include "sinew/api.h"
#include "sinew/component.h"
#include "sinew/log.h"
#include "sinew/status.h"
#include "sinew/system.h"

SN_BEGIN_DECLS

/** `cockpit`: serves the system to browsers and to Foxglove (docs/foxglove.md). Only in builds with
 *  SINEW_COCKPIT. */
extern const sn_component_type sn_cockpit_component;

/** Add all of this build to a registry.
 *  @return as sn_component_registry_add().  RT: no.  Threads: one owner. */
sn_status sn_bridges_add(sn_component_registry *registry, sn_error *err);

/** Pass a record of the system's log to the components that show it. The reader of the log calls it
 *  for each record.  RT: no.  Threads: any. */
void sn_bridges_log(sn_system *system, const sn_log_record *record);

/** The address of the first cockpit of a system: `http://127.0.0.1:8080/`.
 *  @param out  empty if there is none
 *  RT: no.  Threads: any. */
void sn_bridges_address(sn_system *system, char *out, size_t size);

/** Add a component `cockpit` that shows a played recording.
 *  @param playback  must outlive the system
 *  @return as sn_system_add(); SN_EUNSUPPORTED: this build has no cockpit
 *  RT: no.  Threads: any. */
sn_status sn_bridges_add_player(sn_system *system, const sn__playback *playback, sn_component **out,
                                sn_error *err);

SN_END_DECLS

#endif
