#include "common/problems.h"

#include <stdbool.h>
#include <stdio.h>

#include "common/excerpt.h"

void problems_print(const sn_report *report) {
  excerpt lines = {0};
  for (size_t i = 0; i < sn_report_count(report); i++) {
    const sn_problem *problem = sn_report_at(report, i);
    const bool is_error = problem->severity == SN_SEVERITY_ERROR;
    char file[512];
    excerpt_clean(problem->place.file, file, sizeof file);
    fprintf(stderr, "%s:%u:%u: %s: %s\n", file, problem->place.line, problem->place.column,
            is_error ? "error" : "warning", problem->message);
    excerpt_print(&lines, stderr, problem->place);
    if (problem->hint != NULL) {
      fprintf(stderr, "      = hint: %s\n", problem->hint);
    }
  }
  const size_t found = sn_report_error_count(report) + sn_report_warning_count(report);
  if (found > sn_report_count(report)) {
    fprintf(stderr, "and %zu more\n", found - sn_report_count(report));
  }
  excerpt_free(&lines);
}
