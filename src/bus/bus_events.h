/** @file
 *  Internal: log messages about the events of a bus. */
#ifndef SN_BUS_BUS_EVENTS_H
#define SN_BUS_BUS_EVENTS_H

#include "bus/families/servo_bus.h"
#include "sinew/component.h"

/** A line with one text. @param component  NULL: nothing is written */
void sn__bus_log(const sn_component *component, int64_t now_ns, sn_log_level level,
                 const char *format, const char *text);

/** Format an event. @param names of the servos @return its severity */
sn_log_level sn__servo_event_text(const sn__servo_bus *bus, const char *const *names,
                                  const sn__servo_event *event, char *out, size_t size);
void sn__bus_log_event(const sn_component *component, int64_t now_ns, const sn__servo_bus *bus,
                       const char *const *names, const sn__servo_event *event);

#endif
