/** @file
 *  The component `cockpit`, whose type run/bridges.h declares. */
#ifndef SN_FOXGLOVE_COCKPIT_H
#define SN_FOXGLOVE_COCKPIT_H

#include <stddef.h>

#include "foxglove/playback.h"
#include "sinew/component.h"
#include "sinew/log.h"

/** Keep a line of the log for clients. The caller holds the system. */
void sn__cockpit_log(sn_component *component, const sn_log_record *record);

/** `http://127.0.0.1:8080/`; empty while the server does not run. The caller holds the system. */
void sn__cockpit_address(sn_component *component, char *out, size_t size);

/** A recording is played in this system. Before the system begins.
 *  @param playback  not copied */
void sn__cockpit_play(sn_component *component, const sn__playback *playback);

#endif
