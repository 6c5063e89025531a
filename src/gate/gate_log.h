/** @file
 *  Internal: what the gate has to say, as lines of the log. */
#ifndef SN_GATE_GATE_LOG_H
#define SN_GATE_GATE_LOG_H

#include "sinew/component.h"
#include "sinew/gate.h"

/** @param joints  of the sorted pose
 *  @param source  the name of the event's source. RT: yes */
void sn__gate_log_write(const sn_component *component, const sn_names *joints,
                        const sn_gate_event *event, const char *source) SN_RT;

#endif
