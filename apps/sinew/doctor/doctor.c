/* `sinew doctor`: is this machine ready? Every finding that is not good says what to do. */
#include "doctor/doctor.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "common/json_line.h"
#include "common/numbers.h"

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
  fflush(stdout); /* the next one may take its time */
}

static int examine(const doctor_options *options, bool as_json) {
  size_t counts[3] = {0, 0, 0};
  json_t *list = json_array();
  for (const doctor_check *c = doctor_checks; c->name != NULL; c++) {
    doctor_finding f = {.verdict = DOCTOR_GOOD};
    c->look(options, &f);
    counts[f.verdict]++;
    if (as_json) {
      json_array_append_new(list, finding_json(c->name, &f));
    } else {
      print_finding(c->name, &f);
    }
  }
  int code = counts[DOCTOR_BAD] == 0 ? EXIT_GOOD : EXIT_NO;
  if (as_json) {
    json_t *all = json_pack("{s:b, s:O}", "ok", counts[DOCTOR_BAD] == 0, "checks", list);
    code = json_line_print(all) == EXIT_FAULT ? EXIT_FAULT : code;
  } else {
    printf("%zu good, %zu fair, %zu bad\n", counts[DOCTOR_GOOD], counts[DOCTOR_FAIR],
           counts[DOCTOR_BAD]);
  }
  json_decref(list);
  return code;
}

static bool parse_port(const char *text, int *port) {
  double number = 0.0;
  const char *end = number_at(text, &number);
  if (end == NULL || *end != '\0' || !(number >= 1.0 && number <= 65535.0) ||
      number != (double)(int)number) {
    return false;
  }
  *port = (int)number;
  return true;
}

int command_doctor(int argc, char **argv) {
  doctor_options options = {.port = 8080};
  bool as_json = false;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--json") == 0) {
      as_json = true;
    } else if (strcmp(argv[i], "--port") == 0 && i + 1 < argc) {
      if (!parse_port(argv[++i], &options.port)) {
        return command_misused(argv[0], argv[i]);
      }
    } else {
      return command_misused(argv[0], argv[i]);
    }
  }
  return examine(&options, as_json);
}
