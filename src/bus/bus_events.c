#include "bus/bus_events.h"

#include <stdio.h>
#include <string.h>

#include "bus/families/servo_link.h"

void sn__bus_log(const sn_component *component, int64_t now_ns, sn_log_level level,
                 const char *format, const char *text) {
  if (component != NULL) {
    const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = text};
    sn_component_log(component, now_ns, level, format, 1, &arg);
  }
}

/* A text in the log ring is short: split a long one; the reader joins the pieces. */
void sn__bus_log_long(const sn_component *component, int64_t now_ns, sn_log_level level,
                      const char *text) {
  char pieces[3][SN_LOG_TEXT_SIZE];
  sn_log_arg args[3];
  const size_t length = strlen(text);
  for (size_t i = 0; i < 3; i++) {
    const size_t at = i * (SN_LOG_TEXT_SIZE - 1);
    snprintf(pieces[i], sizeof pieces[i], "%s", at < length ? text + at : "");
    args[i] = (sn_log_arg){.kind = SN_LOG_TEXT, .value.text = pieces[i]};
  }
  if (component != NULL) {
    sn_component_log(component, now_ns, level, "{}{}{}", 3, args);
  }
}

/* The text after "servo 'name' (id 7)", with the value between `before` and `after` if there are
   two parts. */
typedef struct phrase {
  sn_log_level level;
  const char *before, *after;
} phrase;

static const phrase phrases[] = {
    [SN__NEWS_FOUND] = {SN_LOG_INFO, " answers", NULL},
    [SN__NEWS_MISSING] =
        {SN_LOG_ERROR,
         " does not answer: is it on this cable, has it power, are id and baud rate "
         "right? It is looked for",
         NULL},
    [SN__NEWS_LOST] = {SN_LOG_ERROR, " does not answer any more: it is looked for", NULL},
    [SN__NEWS_MODEL] = {SN_LOG_ERROR, " is of model ",
                        ", not of the one it should be: it gets no torque"},
    [SN__NEWS_DUPLICATE] = {SN_LOG_ERROR, ": more than one servo has this id: they get no torque",
                            NULL},
    [SN__NEWS_HOLDS] = {SN_LOG_INFO, " holds its position", NULL},
    [SN__NEWS_RELEASED] = {SN_LOG_INFO, " is limp", NULL},
    [SN__NEWS_HOT] = {SN_LOG_ERROR, " is too hot, ",
                      " degrees Celsius; it is let go until 'rearm'"},
    [SN__NEWS_VOLTAGE] = {SN_LOG_WARNING, ": ", " mV is out of its limits"},
    [SN__NEWS_REFUSED] = {SN_LOG_WARNING, " rejects a command, error ", ""},
    [SN__NEWS_POWER] = {SN_LOG_WARNING,
                        " was without power for a moment: it is armed again where it is", NULL},
    [SN__NEWS_STRAY] = {SN_LOG_WARNING, " is asked, and id ",
                        " answers, which is not believed: it was given another's id, or "
                        "'answer_time' is too short"},
    /* formatted in sn__bus_events_text() */
    [SN__NEWS_FAULT] = {SN_LOG_ERROR, "", NULL},
    [SN__NEWS_IN_TURN] = {SN_LOG_WARNING, "", NULL},
    [SN__NEWS_NOISE] = {SN_LOG_WARNING, "", NULL},
};

/* The name of the lowest fault bit. */
static const char *fault_of(int32_t faults) {
  const unsigned bits = (unsigned)faults;
  return sn__servo_fault_text(bits & (~bits + 1u));
}

sn_log_level sn__bus_events_text(const sn__servo_bus *bus, const char *const *names,
                                 const sn__servo_news *news, char *out, size_t size) {
  const phrase *phrase_of_kind = &phrases[news->kind];
  const int id = bus->servos[news->servo].mount.id;
  char value[16] = "";
  const char *name = names[news->servo];
  switch (news->kind) {
    case SN__NEWS_FAULT:
      snprintf(out, size, "servo '%s' (id %d): %s; it is let go until 'rearm'", name, id,
               fault_of(news->value));
      break;
    case SN__NEWS_IN_TURN:
      snprintf(out, size,
               "not all servos can be read in one period: %d of %zu have their turn in each",
               (int)news->value, bus->count);
      break;
    case SN__NEWS_NOISE:
      snprintf(
          out, size,
          "the line damages bytes, about %d of 10000: wrong checksums, pieces of packets; goals "
          "go out several times, and what is damaged is asked for again",
          (int)news->value);
      break;
    default:
      if (phrase_of_kind->after != NULL) {
        snprintf(value, sizeof value, "%d", (int)news->value);
      }
      snprintf(out, size, "servo '%s' (id %d)%s%s%s", name, id, phrase_of_kind->before, value,
               phrase_of_kind->after == NULL ? "" : phrase_of_kind->after);
      break;
  }
  return phrase_of_kind->level;
}

void sn__bus_log_news(const sn_component *component, int64_t now_ns, const sn__servo_bus *bus,
                      const char *const *names, const sn__servo_news *news) {
  if (component != NULL) {
    char text[240];
    const sn_log_level level = sn__bus_events_text(bus, names, news, text, sizeof text);
    sn__bus_log_long(component, now_ns, level, text);
  }
}
