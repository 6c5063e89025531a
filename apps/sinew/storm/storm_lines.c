/* The log: a component that is held after a fault says so, each time, once; and no line comes back
   within a second, unless something was done to the system since. */
#include <stdio.h>
#include <string.h>

#include "storm/storm.h"

enum { LINES = 64, LINE_SIZE = 320 };

#define SECOND_NS INT64_C(1000000000)

/* The last warnings and errors, oldest first in turn. */
struct storm_lines {
  struct {
    char text[LINE_SIZE]; /* without numbers */
    int64_t at_ns;
    uint64_t faults; /* of the storm, until then */
  } last[LINES];
  size_t next;
  uint64_t held; /* lines about components that are held */
};

bool storm_lines_create(storm_run *run) {
  run->lines = SN_NEW(&run->arena, storm_lines, 1);
  return run->lines != NULL;
}

/* What a line says, without its numbers: counts and times differ. */
static void describe(const sn_log_record *record, char *text) {
  int used = snprintf(text, LINE_SIZE, "%s: %s", record->source == NULL ? "" : record->source,
                      record->format);
  for (size_t i = 0; i < record->arg_count && used > 0 && used < LINE_SIZE; i++) {
    if (record->args[i].kind == SN_LOG_TEXT) {
      used += snprintf(text + used, LINE_SIZE - (size_t)used, " | %s", record->args[i].value.text);
    }
  }
}

static bool check_line(storm_run *run, const sn_log_record *record) {
  storm_lines *l = run->lines;
  char text[LINE_SIZE];
  describe(record, text);
  for (size_t i = 0; i < LINES; i++) {
    if (strcmp(l->last[i].text, text) == 0 && record->now_ns - l->last[i].at_ns < SECOND_NS &&
        run->fault_count == l->last[i].faults) {
      return storm_violate(run, "logged again after %.3f s: %.180s",
                           1e-9 * (double)(record->now_ns - l->last[i].at_ns), text);
    }
  }
  memcpy(l->last[l->next].text, text, sizeof text);
  l->last[l->next].at_ns = record->now_ns;
  l->last[l->next].faults = run->fault_count;
  l->next = (l->next + 1) % LINES;
  return true;
}

static uint64_t held_count(const storm_run *run) {
  uint64_t sum = 0;
  for (size_t i = 0; i < sn_system_component_count(run->app.system); i++) {
    sum += sn_component_info_of(sn_system_component_at(run->app.system, i)).fault_count;
  }
  return sum;
}

bool storm_lines_check(storm_run *run) {
  static sn_log_record record;
  bool good = true;
  while (sn_log_read(run->app.log, &record)) {
    run->lines->held += strstr(record.format, "held until it is recovered") != NULL;
    if (record.level >= SN_LOG_WARNING) {
      good = check_line(run, &record) && good;
    }
  }
  if (sn_log_dropped(run->app.log) > 0) {
    return storm_violate(run, "the log lost %llu lines",
                         (unsigned long long)sn_log_dropped(run->app.log));
  }
  const uint64_t held = held_count(run);
  return good && (held == run->lines->held ||
                  storm_violate(run, "%llu faults of components, %llu lines about them",
                                (unsigned long long)held, (unsigned long long)run->lines->held));
}
