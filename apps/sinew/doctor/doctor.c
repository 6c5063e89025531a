/* `sinew doctor`: checks the machine and prints a fix for each finding that is not good. */
#include "doctor/doctor.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/print.h"

static const char *verdict_text(doctor_verdict verdict) {
  static const char *const texts[] = {"good", "fair", "bad"};
  return texts[verdict];
}

static json_t *finding_json(const char *name, const doctor_finding *f) {
  return json_pack("{s:s, s:s, s:s, s:s}", "check", name, "verdict", verdict_text(f->verdict),
                   "text", f->text, "fix", f->fix);
}

static void print_finding(const char *name, const doctor_finding *f) {
  printf("%-4s  %-12s %s\n", verdict_text(f->verdict), name, f->text);
  if (f->fix[0] != '\0') {
    printf("      %-12s fix: %s\n", "", f->fix);
  }
  fflush(stdout); /* the next check may take a while */
}

static int examine(const doctor_options *options) {
  size_t counts[3] = {0, 0, 0};
  json_t *list = json_array();
  for (const doctor_check *c = doctor_checks; c->name != NULL; c++) {
    doctor_finding f = {.verdict = DOCTOR_GOOD};
    c->run(options, &f);
    counts[f.verdict]++;
    if (options->as_json) {
      json_array_append_new(list, finding_json(c->name, &f));
    } else {
      print_finding(c->name, &f);
    }
  }
  int code = counts[DOCTOR_BAD] == 0 ? EXIT_GOOD : EXIT_NO;
  if (options->as_json) {
    json_t *all = json_pack("{s:b, s:O}", "ok", counts[DOCTOR_BAD] == 0, "checks", list);
    code = json_line_print(all) == EXIT_FAULT ? EXIT_FAULT : code;
  } else {
    printf("%zu good, %zu fair, %zu bad\n", counts[DOCTOR_GOOD], counts[DOCTOR_FAIR],
           counts[DOCTOR_BAD]);
  }
  json_decref(list);
  return code;
}

static int run_doctor(void *arguments) {
  return examine(arguments);
}

static const command_option options[] = {
    {"--port", "N", OPTION_INTEGER, offsetof(doctor_options, port),
     .help = "Port of the cockpit to check", .min = 1, .max = 65535},
    {"--json", NULL, OPTION_FLAG, offsetof(doctor_options, as_json), .help = "Print JSON"},
    {0}};
static const doctor_options initial = {.port = 8080};

const command command_doctor = {
    .name = "doctor",
    .purpose =
        "Check whether this machine is ready for real-time control; print how to fix what is "
        "not.",
    .options = {options},
    .size = sizeof initial,
    .initial = &initial,
    .run = run_doctor};
