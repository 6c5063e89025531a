#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "common/print.h"
#include "ident_tools/ident.h"

/* JSON has no infinity. */
static json_t *number_json(double x) {
  return isfinite(x) ? json_real(x) : json_null();
}

static json_t *numbers_json(const double *x, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(list, number_json(x[i]));
  }
  return list;
}

static json_t *motion_json(const sn_ident_motion *m) {
  return json_pack("{s:f, s:o, s:o, s:f}", "middle_rad", m->middle_rad, "amplitude_rad",
                   numbers_json(m->amplitude_rad, 3), "frequency_hz",
                   numbers_json(m->frequency_Hz, 3), "duration_s", m->duration_s);
}

static json_t *answer_json(const ident_request *request, const ident_answer *a) {
  const sn_ident_result *r = &a->result;
  json_t *item = json_pack(
      "{s:s, s:b, s:o, s:o, s:f, s:f, s:o, s:I, s:b, s:f, s:I, s:I}", "name", a->entry->name, "ok",
      r->ok, "alpha", numbers_json(r->params.alpha, 4), "alpha_std", numbers_json(r->std, 4), "qs",
      r->params.qs, "delta", r->params.delta, "error_rad", number_json(r->error_rad), "samples",
      (json_int_t)r->sample_count, "excited", r->excited, "excitation", r->excitation, "delay",
      (json_int_t)r->delay, "lines", (json_int_t)a->track->line_count);
  if (item == NULL) {
    return NULL;
  }
  if (request->config.fit_stribeck) {
    json_object_set_new(item, "qs_std", number_json(r->std[SN_IDENT_QS]));
    json_object_set_new(item, "delta_std", number_json(r->std[SN_IDENT_DELTA]));
  }
  if (request->config.identify_inertia) {
    json_object_set_new(item, "inertia", number_json(r->params.inertia));
    json_object_set_new(item, "inertia_std", number_json(r->std[SN_IDENT_INERTIA]));
  }
  if (r->reason != NULL) {
    json_object_set_new(item, "reason", json_string(r->reason));
  }
  if (a->has_motion) {
    json_object_set_new(item, "suggest", motion_json(&a->motion));
  }
  return item;
}

static int print_json(const ident_request *request, const ident_answer *answers, size_t count) {
  json_t *servos = json_array();
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(servos, answer_json(request, &answers[i]));
  }
  json_t *json = json_pack("{s:o}", "servos", servos);
  return json_line_print(json);
}

static void print_answer(const ident_request *request, const ident_answer *a) {
  static const char *const units[] = {"V s/rad", "V", "V", "V/(N m)"};
  const sn_ident_result *r = &a->result;
  char name[80];
  text_clean(a->entry->name, name, sizeof name);
  printf("%s: %s\n", name, r->reason == NULL ? "good" : r->reason);
  for (size_t i = 0; i < 4; i++) {
    printf("  alpha[%zu]  %10.4f +- %.4f %s%s\n", i, r->params.alpha[i], r->std[i], units[i],
           r->is_excited[i] ? "" : "  (not excited)");
  }
  if (request->config.identify_inertia) {
    printf("  inertia   %10.4f +- %.4f V s2/rad\n", r->params.inertia, r->std[SN_IDENT_INERTIA]);
  }
  if (request->config.fit_stribeck) {
    printf("  qs        %10.4f +- %.4f rad/s\n  delta     %10.4f +- %.4f\n", r->params.qs,
           r->std[SN_IDENT_QS], r->params.delta, r->std[SN_IDENT_DELTA]);
  }
  printf("  %zu samples, prediction error %.3g rad, delay %zu, excitation %.2f\n", r->sample_count,
         r->error_rad, r->delay, r->excitation);
  if (r->velocity_ignored) {
    printf("  the velocity of the log contradicts its positions and was not used\n");
  }
  if (a->has_motion) {
    const sn_ident_motion *m = &a->motion;
    printf("  try for %.0f s: q = %.4g", m->duration_s, m->middle_rad);
    for (size_t k = 0; k < 3; k++) {
      printf(" + %.4g sin(2 pi %.4g t)", m->amplitude_rad[k], m->frequency_Hz[k]);
    }
    printf("\n");
  }
}

int ident_print(const ident_request *request, const ident_answer *answers, size_t count) {
  if (request->json) {
    return print_json(request, answers, count);
  }
  for (size_t i = 0; i < count; i++) {
    print_answer(request, &answers[i]);
  }
  return EXIT_GOOD;
}
