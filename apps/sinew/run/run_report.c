#include "run/run_report.h"

#include <stdio.h>
#include <string.h>

#include "common/print.h"

/* The user sees that they are missing. */
static void print_missing_meshes(const sn_report *report, const char *file) {
  for (size_t i = 0; i < sn_report_count(report); i++) {
    const sn_problem *problem = sn_report_at(report, i);
    if (strncmp(problem->message, "mesh", 4) == 0 && strstr(problem->message, " not found: ")) {
      fprintf(stderr, "%s: warning: %s%s%s%s\n", file, problem->message,
              problem->hint == NULL ? "" : " (", problem->hint == NULL ? "" : problem->hint,
              problem->hint == NULL ? "" : ")");
    }
  }
}

void run_report_problems(const app_system *app, const run_arguments *arguments, const char *path) {
  const size_t warnings = sn_report_warning_count(app->report);
  const char *file = arguments->robot == NULL ? path : arguments->robot;
  if (app->system == NULL || warnings == 0) {
    problems_print(app->report);
  } else {
    fprintf(stderr, "%s: %zu warning%s; 'sinew check %s' lists them\n", file, warnings,
            warnings == 1 ? "" : "s", file);
    print_missing_meshes(app->report, file);
  }
}

void run_report_no_stance(const app_system *app, const run_arguments *arguments) {
  const char *reason = app->no_stance.message;
  if (reason[0] != '\0' && app->system != NULL) {
    fprintf(stderr, "sinew %s: %s; its base is fixed\n", arguments->command, reason);
  }
}
