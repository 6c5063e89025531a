/* The HTML report of `sinew ident`: one self-contained page. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "common/print.h"
#include "ident_tools/ident.h"
#include "ident_tools/report_page.h"

enum {
  SHOWN_MAX = 1500, /* points of the plot over time */
  DOTS_MAX = 2500   /* of the plot over velocity */
};
#define SHOWN_S 10.0 /* seconds of the plot over time */

/* Columns of numbers for the plots, on the heap. */
typedef struct columns {
  double *x;
  double *y;
  double *z;
} columns;

static bool create_columns(columns *c, size_t count) {
  *c = (columns){calloc(count + 1, sizeof(double)), calloc(count + 1, sizeof(double)),
                 calloc(count + 1, sizeof(double))};
  return c->x != NULL && c->y != NULL && c->z != NULL;
}

static void free_columns(columns *c) {
  free(c->x);
  free(c->y);
  free(c->z);
}

/* Ten seconds from the middle: measured and predicted position. */
static void plot_positions(FILE *out, const sn_ident_result *r, columns *c) {
  const sn_ident_prediction *p = r->predictions;
  const size_t middle = r->prediction_count / 2;
  size_t first = middle;
  while (first > 0 && p[first - 1].time_s > p[middle].time_s - 0.5 * SHOWN_S) {
    first--;
  }
  size_t last = middle;
  while (last < r->prediction_count && p[last].time_s < p[middle].time_s + 0.5 * SHOWN_S) {
    last++;
  }
  const size_t stride = (last - first) / SHOWN_MAX + 1;
  size_t n = 0;
  for (size_t i = first; i < last; i += stride, n++) {
    c->x[n] = p[i].time_s;
    c->y[n] = p[i].position;
    c->z[n] = p[i].predicted;
  }
  plot plot_of = report_page_plot(out);
  plot_extend(&plot_of.x_min, &plot_of.x_max, c->x, n);
  plot_extend(&plot_of.y_min, &plot_of.y_max, c->y, n);
  plot_extend(&plot_of.y_min, &plot_of.y_max, c->z, n);
  plot_begin(&plot_of, "Position: measured and predicted", "time, s", "rad");
  plot_line(&plot_of, "a", c->x, c->y, n);
  plot_line(&plot_of, "b", c->x, c->z, n);
  plot_end(&plot_of);
}

/* Residual over velocity: ideally a flat cloud around zero. */
static void plot_residuals(FILE *out, const sn_ident_result *r, columns *c) {
  const size_t stride = r->prediction_count / DOTS_MAX + 1;
  size_t n = 0;
  for (size_t i = 0; i < r->prediction_count; i += stride, n++) {
    c->x[n] = r->predictions[i].velocity;
    c->y[n] = 1000.0 * (r->predictions[i].position - r->predictions[i].predicted);
  }
  report_page_cloud(out, "Residual over velocity", "rad/s", "mrad", c->x, c->y, n,
                    4000.0 * r->error_rad);
}

/* The estimate over the log, with its 95 % band. */
static void plot_parameter(FILE *out, const sn_ident_result *r, size_t k, const char *unit,
                           columns *c) {
  double *value = calloc(r->step_count + 1, sizeof *value);
  if (value == NULL) {
    return;
  }
  plot plot_of = report_page_plot(out);
  for (size_t i = 0; i < r->step_count; i++) {
    c->x[i] = r->steps[i].time_s;
    value[i] = r->steps[i].value[k];
    c->y[i] = value[i] - 1.96 * r->steps[i].std[k];
    c->z[i] = value[i] + 1.96 * r->steps[i].std[k];
  }
  const size_t settled = r->step_count / 6; /* earlier estimates are meaningless */
  plot_extend(&plot_of.x_min, &plot_of.x_max, c->x, r->step_count);
  plot_extend(&plot_of.y_min, &plot_of.y_max, c->y + settled, r->step_count - settled);
  plot_extend(&plot_of.y_min, &plot_of.y_max, c->z + settled, r->step_count - settled);
  char title[32];
  snprintf(title, sizeof title, k < 4 ? "alpha[%zu]" : "inertia", k);
  plot_begin(&plot_of, title, "time, s", unit);
  plot_band(&plot_of, "band", c->x, c->y, c->z, r->step_count);
  for (size_t i = 0; i < r->step_count; i++) {
    value[i] = value[i] >= plot_of.y_min && value[i] <= plot_of.y_max ? value[i] : NAN;
  }
  plot_line(&plot_of, "a", c->x, value, r->step_count);
  plot_end(&plot_of);
  free(value);
}

static const char *const units[] = {"V s/rad", "V", "V", "V/(N m)", "V s2/rad", "rad/s", ""};

static void put_row(FILE *out, const sn_ident_result *r, const char *name, size_t k, double value) {
  fprintf(out,
          "<tr><th>%s</th><td>%.5g</td><td>&plusmn; %.2g</td><td class='soft'>%s</td>"
          "<td>%s</td></tr>\n",
          name, value, r->std[k], units[k],
          r->is_excited[k] ? "" : "<span class='bad'>not excited</span>");
}

static void put_table(FILE *out, const ident_request *request, const ident_answer *a) {
  const sn_ident_result *r = &a->result;
  fputs("<table>\n", out);
  for (size_t k = 0; k < 4; k++) {
    char name[16];
    snprintf(name, sizeof name, "alpha[%zu]", k);
    put_row(out, r, name, k, r->params.alpha[k]);
  }
  if (request->config.identify_inertia) {
    put_row(out, r, "inertia", SN_IDENT_INERTIA, r->params.inertia);
  }
  if (request->config.fit_stribeck) {
    put_row(out, r, "qs", SN_IDENT_QS, r->params.qs);
    put_row(out, r, "delta", SN_IDENT_DELTA, r->params.delta);
  }
  fputs("</table>\n<p class='soft'>", out);
  if (isfinite(r->error_rad)) {
    fprintf(out, "Prediction error %.3g mrad over %zu samples; ", 1000.0 * r->error_rad,
            r->sample_count);
  }
  fprintf(out,
          "%.4g Hz; delay %zu samples; excitation %.2f; noise %.2g mrad, %.2g rad/s, "
          "%.2g N m; smoothed over &plusmn;%zu samples.</p>\n",
          1.0 / r->period_s, r->delay, r->excitation, 1000.0 * r->position_noise, r->velocity_noise,
          r->effort_noise, r->smoothing);
  if (a->has_motion) {
    const sn_ident_motion *m = &a->motion;
    fprintf(out, "<p>To excite it, move for %.0f s: q = %.4g", m->duration_s, m->middle_rad);
    for (size_t k = 0; k < 3; k++) {
      fprintf(out, " + %.4g sin(2&pi; %.4g t)", m->amplitude_rad[k], m->frequency_Hz[k]);
    }
    fputs("</p>\n", out);
  }
}

static void put_servo(FILE *out, const ident_request *request, const ident_answer *a) {
  const sn_ident_result *r = &a->result;
  char name[128];
  text_clean(a->entry->name, name, sizeof name);
  fputs("<section><h2>", out);
  plot_text(out, name);
  fprintf(out, " <span class='%s'>%s</span></h2>\n", r->ok ? "good" : "bad",
          r->ok ? "good" : r->reason);
  put_table(out, request, a);
  columns c;
  const size_t most = SHOWN_MAX > DOTS_MAX ? SHOWN_MAX : DOTS_MAX;
  if (r->prediction_count > 1 && create_columns(&c, most + 2)) {
    fputs("<div class='plots'>\n", out);
    plot_positions(out, r, &c);
    plot_residuals(out, r, &c);
    for (size_t k = 0; k < (request->config.identify_inertia ? 5u : 4u) && r->step_count > 6; k++) {
      plot_parameter(out, r, k, units[k], &c);
    }
    fputs("</div>\n", out);
    free_columns(&c);
  }
  fputs("</section>\n", out);
}

int ident_report(const ident_request *request, const ident_answer *answers, size_t count) {
  whole_file file;
  const bool is_open = report_page_open(&file, request->report);
  if (is_open) {
    FILE *out = file.out;
    size_t ok_count = 0;
    for (size_t i = 0; i < count; i++) {
      ok_count += answers[i].result.ok;
    }
    char log[512];
    text_clean(request->log, log, sizeof log);
    fputs("<p>", out);
    plot_text(out, log);
    fprintf(out,
            ": %zu of %zu servos good.<span class='swatch' style='background:var(--a)'></span>"
            "measured, estimate <span class='swatch' style='background:var(--b)'></span>"
            "predicted, mean. Bands hold 95 %%.</p>\n",
            ok_count, count);
    for (size_t i = 0; i < count; i++) {
      put_servo(out, request, &answers[i]);
    }
  }
  return report_page_close(&file, request->report, is_open);
}
