#include "ident_tools/report_page.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "command.h"
#include "common/print.h"

enum { BINS = 40, PLOT_WIDTH = 460, PLOT_HEIGHT = 240 };

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1d2733;--soft:#5c6b7a;--paper:#fbfcfd;--card:#fff;"
    "--line:#dde3e9;--a:#0b6bcb;--b:#d9480f;--band:#0b6bcb26;--good:#18794e;--bad:#c92a2a}"
    "@media (prefers-color-scheme: dark){:root{--ink:#e4eaf0;--soft:#93a1b0;--paper:#12171d;"
    "--card:#1a2129;--line:#2e3843;--a:#5aa9f7;--b:#ff9f68;--band:#5aa9f733;--good:#56d39b;"
    "--bad:#ff8787}}"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
    "max-width:1000px;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin:0 0 .5rem}"
    "section{background:var(--card);border:1px solid var(--line);border-radius:10px;"
    "padding:1rem 1.2rem;margin:1.2rem 0}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "td,th{padding:.15rem .9rem .15rem 0;text-align:right;font-weight:400}"
    "th{color:var(--soft);text-align:left}"
    ".good{color:var(--good)}.bad{color:var(--bad)}.soft{color:var(--soft)}"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:.6rem;"
    "margin-top:.8rem}svg{width:100%;height:auto}"
    ".grid{stroke:var(--line);fill:none}.tick{font-size:10.5px;fill:var(--soft)}"
    ".title{font-size:12.5px;fill:var(--ink)}.mid{text-anchor:middle}.end{text-anchor:end}"
    ".a,.b{fill:none;stroke:var(--a);stroke-width:1.6}.b{stroke:var(--b);stroke-width:1.3}"
    ".dots{fill:none;stroke:var(--a);stroke-width:1.6;stroke-linecap:round;opacity:.35}"
    ".band{fill:var(--band)}.swatch{display:inline-block;width:1.4em;height:3px;"
    "vertical-align:middle;margin:0 .3em 0 .9em}";

bool report_page_open(whole_file *file, const char *path) {
  if (!whole_file_open(file, path)) {
    return false;
  }
  fprintf(file->out,
          "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
          "<meta name='viewport' content='width=device-width'>"
          "<title>Servo identification</title><style>%s</style></head><body>\n"
          "<h1>Servo identification</h1>",
          style);
  return true;
}

int report_page_close(whole_file *file, const char *path, bool is_open) {
  if (is_open) {
    fputs("</body></html>\n", file->out);
  }
  if (!is_open || !whole_file_close(file)) {
    char clean[512];
    text_clean(path, clean, sizeof clean);
    fprintf(stderr, "sinew ident: cannot write the report %s: %s\n", clean, strerror(errno));
    return EXIT_FAULT;
  }
  return EXIT_GOOD;
}

plot report_page_plot(FILE *out) {
  return (plot){out, INFINITY, -INFINITY, INFINITY, -INFINITY, PLOT_WIDTH, PLOT_HEIGHT};
}

void report_page_cloud(FILE *out, const char *title, const char *x_title, const char *y_title,
                       const double *x, const double *y, size_t count, double y_max) {
  plot p = report_page_plot(out);
  plot_extend(&p.x_min, &p.x_max, x, count);
  p.y_max = y_max;
  p.y_min = -y_max;
  double sum[BINS] = {0};
  double weight[BINS] = {0};
  for (size_t i = 0; i < count; i++) {
    const double part = (x[i] - p.x_min) / (p.x_max - p.x_min);
    const size_t bin = (size_t)fmin(fmax(part * BINS, 0.0), BINS - 1.0);
    sum[bin] += y[i];
    weight[bin] += 1.0;
  }
  double middle[BINS];
  double mean[BINS];
  for (size_t k = 0; k < BINS; k++) {
    middle[k] = p.x_min + ((double)k + 0.5) / BINS * (p.x_max - p.x_min);
    mean[k] = weight[k] > 0.0 ? sum[k] / weight[k] : (double)NAN;
  }
  plot_begin(&p, title, x_title, y_title);
  plot_dots(&p, "dots", x, y, count);
  plot_line(&p, "b", middle, mean, BINS);
  plot_end(&p);
}
