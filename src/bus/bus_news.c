#include "bus/bus_news.h"

#include <stdio.h>
#include <string.h>

void sn__bus_log(const sn_component *component, int64_t now_ns, sn_log_level level,
                 const char *format, const char *text) {
  if (component != NULL) {
    const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = text};
    sn_component_log(component, now_ns, level, format, 1, &arg);
  }
}

/* A text in the ring is short: a long one goes in pieces, which are put together again. */
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

typedef struct phrase {
  sn_log_level level;
  const char *format; /* name, id, value or text */
} phrase;

static const phrase phrases[] = {
    [SN__NEWS_FOUND] = {SN_LOG_INFO, "servo '{}' (id {}) answers"},
    [SN__NEWS_LOST] = {SN_LOG_ERROR, "servo '{}' (id {}) does not answer any more"},
    [SN__NEWS_MODEL] = {SN_LOG_ERROR,
                        "servo '{}' (id {}) is of model {}, not the one it should be: it gets no "
                        "torque"},
    [SN__NEWS_DUPLICATE] = {SN_LOG_ERROR,
                            "servo '{}': {} is the id of more than one servo: they get no torque"},
    [SN__NEWS_HOLDS] = {SN_LOG_INFO, "servo '{}' (id {}) holds its position"},
    [SN__NEWS_RELEASED] = {SN_LOG_INFO, "servo '{}' (id {}) is limp"},
    [SN__NEWS_FAULT] = {SN_LOG_ERROR, "servo '{}' (id {}): {}; it is let go until 'rearm'"},
    [SN__NEWS_HOT] = {SN_LOG_ERROR,
                      "servo '{}' (id {}) is too hot, {} degrees Celsius; it is let go until "
                      "'rearm'"},
    [SN__NEWS_VOLTAGE] = {SN_LOG_WARNING, "servo '{}' (id {}): {} mV is out of its limits"},
    [SN__NEWS_REFUSED] = {SN_LOG_WARNING, "servo '{}' (id {}) refuses what it is told, error {}"},
    [SN__NEWS_POWER] =
        {SN_LOG_WARNING,
         "servo '{}' (id {}) was without power for a moment: it is armed again where "
         "it is"},
    [SN__NEWS_IN_TURN] = {SN_LOG_WARNING,
                          "not all servos can be read in one period: {} of {} have their turn"},
};

/* The first of the faults in words. */
static const char *fault_of(int32_t faults) {
  const unsigned bits = (unsigned)faults;
  return sn_servo_fault_text(bits & (~bits + 1u));
}

void sn__bus_tell(const sn_component *component, int64_t now_ns, const sn__servo_bus *bus,
                  const char *const *names, uint8_t id, const sn__servo_news *news) {
  if (component == NULL) {
    return;
  }
  const phrase *said = &phrases[news->kind];
  sn_log_arg args[3] = {{.kind = SN_LOG_TEXT, .value.text = names[news->servo]},
                        {.kind = SN_LOG_INT, .value.integer = id},
                        {.kind = SN_LOG_INT, .value.integer = news->value}};
  if (news->kind == SN__NEWS_FAULT) {
    args[2] = (sn_log_arg){.kind = SN_LOG_TEXT, .value.text = fault_of(news->value)};
  } else if (news->kind == SN__NEWS_IN_TURN) {
    args[0] = args[2];
    args[1].value.integer = (int64_t)bus->count;
  }
  sn_component_log(component, now_ns, said->level, said->format, 3, args);
}
