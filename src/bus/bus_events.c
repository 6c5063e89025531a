#include "bus/bus_events.h"

#include <stdio.h>

#include "bus/families/servo_link.h"

void sn__bus_log(const sn_component *component, int64_t now_ns, sn_log_level level,
                 const char *format, const char *text) {
  if (component != NULL) {
    const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = text};
    sn_component_log(component, now_ns, level, format, 1, &arg);
  }
}

/* The text after "servo 'name' (id 7)", with the value between `before` and `after` if there are
   two parts. */
typedef struct phrase {
  sn_log_level level;
  const char *before, *after;
} phrase;

static const phrase phrases[] = {
    [SN__SERVO_EVENT_FOUND] = {SN_LOG_INFO, " answers", NULL},
    [SN__SERVO_EVENT_MISSING] =
        {SN_LOG_ERROR, " does not answer; check its cable, power, id and baud rate. Searching",
         NULL},
    [SN__SERVO_EVENT_LOST] = {SN_LOG_ERROR, " no longer answers. Searching", NULL},
    [SN__SERVO_EVENT_MODEL] = {SN_LOG_ERROR, " has model ", ", not the configured one: no torque"},
    [SN__SERVO_EVENT_DUPLICATE] = {SN_LOG_ERROR, ": more than one servo has this id: no torque",
                                   NULL},
    [SN__SERVO_EVENT_HOLDS] = {SN_LOG_INFO, " holds its position", NULL},
    [SN__SERVO_EVENT_RELEASED] = {SN_LOG_INFO, " is limp", NULL},
    [SN__SERVO_EVENT_HOT] = {SN_LOG_ERROR, " is too hot, ",
                             " degrees Celsius; torque is off until 'rearm'"},
    [SN__SERVO_EVENT_VOLTAGE] = {SN_LOG_WARNING, ": ", " mV is outside of the limits"},
    [SN__SERVO_EVENT_REFUSED] = {SN_LOG_WARNING, " rejects a command, error ", ""},
    [SN__SERVO_EVENT_POWER] = {SN_LOG_WARNING,
                               " lost power for a moment: armed again at its present position",
                               NULL},
    [SN__SERVO_EVENT_STRAY] = {SN_LOG_WARNING, ": id ",
                               " answered instead and was ignored: its id was changed, or "
                               "'answer_time' is too short"},
    /* formatted in sn__servo_event_text() */
    [SN__SERVO_EVENT_FAULT] = {SN_LOG_ERROR, "", NULL},
    [SN__SERVO_EVENT_IN_TURN] = {SN_LOG_WARNING, "", NULL},
    [SN__SERVO_EVENT_NOISE] = {SN_LOG_WARNING, "", NULL},
};

/* The name of the lowest fault bit. */
static const char *fault_of(int32_t faults) {
  const unsigned bits = (unsigned)faults;
  return sn__servo_fault_text(bits & (~bits + 1u));
}

sn_log_level sn__servo_event_text(const sn__servo_bus *bus, const char *const *names,
                                  const sn__servo_event *event, char *out, size_t size) {
  const phrase *phrase_of_kind = &phrases[event->kind];
  const int id = bus->servos[event->servo].mount.id;
  char value[16] = "";
  const char *name = names[event->servo];
  switch (event->kind) {
    case SN__SERVO_EVENT_FAULT:
      snprintf(out, size, "servo '%s' (id %d): %s; torque is off until 'rearm'", name, id,
               fault_of(event->value));
      break;
    case SN__SERVO_EVENT_IN_TURN:
      snprintf(out, size, "not all servos can be read in one period: %d of %zu are read in each",
               (int)event->value, bus->count);
      break;
    case SN__SERVO_EVENT_NOISE:
      snprintf(out, size,
               "the line damages about %d of 10000 bytes (wrong checksums, partial packets): goals "
               "are sent repeatedly, damaged answers are requested again",
               (int)event->value);
      break;
    default:
      if (phrase_of_kind->after != NULL) {
        snprintf(value, sizeof value, "%d", (int)event->value);
      }
      snprintf(out, size, "servo '%s' (id %d)%s%s%s", name, id, phrase_of_kind->before, value,
               phrase_of_kind->after == NULL ? "" : phrase_of_kind->after);
      break;
  }
  return phrase_of_kind->level;
}

void sn__bus_log_event(const sn_component *component, int64_t now_ns, const sn__servo_bus *bus,
                       const char *const *names, const sn__servo_event *event) {
  if (component != NULL) {
    char text[240];
    const sn_log_level level = sn__servo_event_text(bus, names, event, text, sizeof text);
    sn__bus_log(component, now_ns, level, "{}", text);
  }
}
