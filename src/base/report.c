#include "sinew/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/report_internal.h"
#include "base/text.h"
#include "sinew/fault.h"

struct sn_report {
  sn_arena *arena;
  sn_problem *problems;
  size_t count;
  size_t capacity;
  size_t error_count;
  size_t warning_count;
};

sn_status sn_report_create(sn_arena *arena, sn_report **out, sn_error *err) {
  sn_report *report = SN_NEW(arena, sn_report, 1);
  if (report == NULL) {
    return sn__fail(err, SN_ENOMEM, "report: no room in arena '%s'", sn_arena_name(arena));
  }
  report->arena = arena;
  *out = report;
  return SN_OK;
}

const char *sn__report_text(sn_report *report, const char *text) {
  return sn_arena_text(report->arena, text, strlen(text));
}

size_t sn_report_count(const sn_report *report) {
  return report->count;
}

size_t sn_report_error_count(const sn_report *report) {
  return report->error_count;
}

size_t sn_report_warning_count(const sn_report *report) {
  return report->warning_count;
}

const sn_problem *sn_report_at(const sn_report *report, size_t index) {
  SN_ASSERT(index < report->count);
  return &report->problems[index];
}

/* Make room for an error by dropping the last warning. @return the free slot at the end, NULL if
 * there are only errors */
static sn_problem *drop_last_warning(sn_report *report) {
  for (size_t i = report->count; i-- > 0;) {
    if (report->problems[i].severity == SN_SEVERITY_WARNING) {
      report->count--;
      memmove(&report->problems[i], &report->problems[i + 1],
              (report->count - i) * sizeof *report->problems);
      return &report->problems[report->count];
    }
  }
  return NULL;
}

/* Room for one more problem. Without memory it is still counted, so a file with errors is never
 * accepted. */
static sn_problem *next_problem(sn_report *report, sn_severity severity) {
  if (report->count == SN_PROBLEMS_MAX) {
    return severity == SN_SEVERITY_ERROR ? drop_last_warning(report) : NULL;
  }
  if (report->count == report->capacity) {
    const size_t capacity = report->capacity == 0 ? 16 : 2 * report->capacity;
    sn_problem *problems = SN_NEW(report->arena, sn_problem, capacity);
    if (problems == NULL) {
      return NULL;
    }
    if (report->count > 0) {
      memcpy(problems, report->problems, report->count * sizeof *problems);
    }
    report->problems = problems;
    report->capacity = capacity;
  }
  return &report->problems[report->count];
}

/* "did you mean 'a'?; in macro 'leg' called at a.xacro:3, in file 'b' included at c.xacro:1". */
static void describe_origins(const char *hint, const sn_origin *origin, char *out, size_t size) {
  enum { SHOWN_MAX = 6 };
  size_t used = (size_t)snprintf(out, size, "%.300s", hint == NULL ? "" : hint);
  const char *separator = used == 0 ? "" : "; ";
  for (size_t shown = 0; origin != NULL && used < size; shown++) {
    if (shown == SHOWN_MAX) {
      snprintf(out + used, size - used, ", ...");
      return;
    }
    used += (size_t)snprintf(out + used, size - used, "%sin %s '%.60s' %s at %.80s:%u", separator,
                             origin->what, origin->name, origin->verb, origin->place.file,
                             origin->place.line);
    separator = ", ";
    origin = origin->place.origin;
  }
}

void sn__report_add(sn_report *report, sn_severity severity, sn_place place, const char *hint,
                    const char *format, ...) {
  *(severity == SN_SEVERITY_ERROR ? &report->error_count : &report->warning_count) += 1;
  sn_problem *problem = next_problem(report, severity);
  if (problem == NULL) {
    return;
  }
  char text[400];
  va_list args;
  va_start(args, format);
  const size_t length = sn__text_format(text, sizeof text, format, args);
  va_end(args);
  const char *message = sn_arena_text(report->arena, text, length);
  if (message == NULL) {
    return;
  }
  const char *hint_copy = NULL;
  if (hint != NULL || place.origin != NULL) {
    char whole[SN__TEXT_MAX];
    if (place.origin != NULL) {
      describe_origins(hint, place.origin, whole, sizeof whole);
      hint = whole;
    }
    const size_t hint_length = sn__text_clean(hint, text, sizeof text);
    hint_copy = sn_arena_text(report->arena, text, hint_length);
    place.origin = NULL; /* it may not live as long as the report */
  }
  *problem =
      (sn_problem){.severity = severity, .place = place, .message = message, .hint = hint_copy};
  report->count++;
}

sn_status sn__report_fail(const sn_report *report, sn_status status, sn_error *err) {
  for (size_t i = 0; i < report->count; i++) {
    const sn_problem *problem = &report->problems[i];
    if (problem->severity == SN_SEVERITY_ERROR) {
      return sn__fail(err, status, "%s:%u:%u: %s", problem->place.file, problem->place.line,
                      problem->place.column, problem->message);
    }
  }
  return sn__fail(err, status, "%s", sn_status_text(status));
}
