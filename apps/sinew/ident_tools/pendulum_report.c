/* The HTML report of `sinew ident` for servos that move a pendulum. */
#include <math.h>
#include <stdio.h>

#include "command.h"
#include "common/print.h"
#include "ident_tools/pendulum.h"
#include "ident_tools/report_page.h"

enum { SHOWN_MAX = 1500 }; /* points of a plot */

/* Columns for the plots of one log. */
typedef struct columns {
  double *x, *y, *z;
} columns;

static void put_heading(FILE *out, const pendulum_work *w) {
  char name[128];
  text_clean(w->entry->name, name, sizeof name);
  fputs("<section><h2>", out);
  plot_text(out, name);
  fprintf(out, " <span class='%s'>%s</span></h2>\n", w->reason == NULL ? "good" : "bad",
          w->reason == NULL ? "good" : w->reason);
}

static void put_parameters(FILE *out, const sn__oe_result *r) {
  fputs(
      "<p>Values, and how far the truth is away at most in 95 % of all cases if the servo is as "
      "the model says.</p><table>\n",
      out);
  for (int k = 0; k < SN__OE_COUNT; k++) {
    if (r->is_free[k]) {
      char doubt[32] = "not known";
      if (isfinite(r->std[k])) {
        snprintf(doubt, sizeof doubt, "&plusmn; %.2g", PENDULUM_INTERVAL * r->std[k]);
      }
      fprintf(out, "<tr><th>%s</th><td>%.5g</td><td>%s</td><td class='soft'>%s</td></tr>\n",
              sn__oe_name(r, (sn__oe_param)k), r->value[k], doubt, sn__oe_unit((sn__oe_param)k));
    }
  }
  fputs("</table>\n", out);
}

static void put_extensions(FILE *out, const pendulum_work *w) {
  const pendulum_crossed simplest = pendulum_cross_simplest(w);
  if (simplest == PENDULUM_CROSSED) {
    fputs("<p>Which extension pays: that needs two logs or more.</p>\n", out);
    return;
  }
  fprintf(
      out,
      "<p>Which extension pays: simulated logs of one part of the logs, by models of the others "
      "(mean absolute error). The simplest one that is about as good as the best is "
      "<b>%s</b>.</p><table>\n",
      pendulum_crossed_name(simplest));
  for (size_t k = 0; k < PENDULUM_CROSSED; k++) {
    fprintf(out, "<tr><th>%s</th>", pendulum_crossed_name((pendulum_crossed)k));
    if (isfinite(w->cross_rad[k])) {
      fprintf(out, "<td>%.1f mrad</td></tr>\n", 1e3 * w->cross_rad[k]);
    } else {
      fputs("<td class='soft'>no fit</td></tr>\n", out);
    }
  }
  fputs("</table>\n", out);
}

static void put_rows(FILE *out, const pendulum_log *log) {
  const sn__log_rows *r = &log->rows;
  fprintf(out,
          "<p class='soft'>Gain %g, %.3g V, %zu samples, none left out: %zu driven; %zu at rest, "
          "which show what friction holds; %zu limp, which show friction without the motor; %zu "
          "with the drive at its limit. Mean absolute error %.1f mrad, root mean square %.1f. "
          "Noise %.2g mrad at rest, %.2g when fast.</p>\n",
          log->log.gain, log->log.voltage, log->log.count, r->driven, r->at_rest, r->limp,
          r->saturated, 1e3 * log->score.mae_rad, 1e3 * log->score.rms_rad,
          1e3 * log->noise.rest_rad, 1e3 * log->noise.fast_rad);
}

static void plot_motion(FILE *out, const pendulum_log *log, columns *c) {
  const size_t stride = log->log.count / SHOWN_MAX + 1;
  size_t n = 0;
  for (size_t i = 0; i < log->log.count; i += stride, n++) {
    c->x[n] = log->log.samples[i].time_s;
    c->y[n] = log->log.samples[i].position;
    c->z[n] = log->simulated[i];
  }
  plot p = report_page_plot(out);
  plot_extend(&p.x_min, &p.x_max, c->x, n);
  plot_extend(&p.y_min, &p.y_max, c->y, n);
  plot_extend(&p.y_min, &p.y_max, c->z, n);
  plot_begin(&p, "Position: measured and simulated", "time, s", "rad");
  plot_line(&p, "a", c->x, c->y, n);
  plot_line(&p, "b", c->x, c->z, n);
  plot_end(&p);
}

/* Residuals over the speed of the simulation, or over the torque of the weight. */
static void plot_residuals(FILE *out, const pendulum_work *w, const pendulum_log *log, columns *c,
                           bool is_load) {
  const sn__servo_log *l = &log->log;
  const size_t stride = l->count / SHOWN_MAX + 1;
  size_t n = 0;
  for (size_t i = 1; i < l->count; i += stride, n++) {
    const double dt_s = l->samples[i].time_s - l->samples[i - 1].time_s;
    c->x[n] = is_load ? sn__pendulum_torque_at(&l->load,
                                               l->samples[i].position + w->result.servo.zero_rad)
                      : (log->simulated[i] - log->simulated[i - 1]) / dt_s;
    c->y[n] = 1e3 * (l->samples[i].position - log->simulated[i]);
  }
  report_page_cloud(out, is_load ? "Residual over load" : "Residual over speed",
                    is_load ? "N m" : "rad/s", "mrad", c->x, c->y, n, 4e3 * log->score.rms_rad);
}

static void put_log(FILE *out, const pendulum_work *w, const pendulum_log *log, const char *title,
                    columns *c) {
  char path[256];
  text_clean(log->log.path, path, sizeof path);
  fprintf(out, "<section><h2>%s ", title);
  plot_text(out, path);
  fputs("</h2>\n", out);
  put_rows(out, log);
  fputs("<div class='plots'>\n", out);
  plot_motion(out, log, c);
  plot_residuals(out, w, log, c, false);
  plot_residuals(out, w, log, c, true);
  fputs("</div></section>\n", out);
}

int pendulum_report(pendulum_work *w) {
  columns c = {SN_NEW(&w->arena, double, SHOWN_MAX + 2), SN_NEW(&w->arena, double, SHOWN_MAX + 2),
               SN_NEW(&w->arena, double, SHOWN_MAX + 2)};
  if (c.x == NULL || c.y == NULL || c.z == NULL) {
    return out_of_memory();
  }
  whole_file file;
  const bool is_open = report_page_open(&file, w->request->report);
  if (is_open) {
    FILE *out = file.out;
    fputs(
        "<p><span class='swatch' style='background:var(--a)'></span>measured "
        "<span class='swatch' style='background:var(--b)'></span>simulated, mean.</p>\n",
        out);
    put_heading(out, w);
    put_parameters(out, &w->result);
    put_extensions(out, w);
    fputs("</section>\n", out);
    for (size_t i = 0; i < w->fitted_count; i++) {
      put_log(out, w, &w->fitted[i], "Fitted:", &c);
    }
    for (size_t i = 0; i < w->validated_count; i++) {
      put_log(out, w, &w->validated[i], "Validated:", &c);
    }
  }
  return report_page_close(&file, w->request->report, is_open);
}
