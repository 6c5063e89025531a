#include "ident_tools/plot.h"

#include <math.h>
#include <stdbool.h>

enum { LEFT = 58, RIGHT = 10, TOP = 24, BOTTOM = 36 };

static double x_of(const plot *p, double x) {
  return LEFT + (x - p->x_min) / (p->x_max - p->x_min) * (p->width - LEFT - RIGHT);
}

static double y_of(const plot *p, double y) {
  const double inside = (y - p->y_min) / (p->y_max - p->y_min) * (p->height - TOP - BOTTOM);
  return p->height - BOTTOM - inside;
}

/* A margin; never an empty range. */
static void widen(double *least, double *most, double air) {
  if (!(*most >= *least)) {
    *least = 0.0;
    *most = 1.0;
  }
  const double range = *most - *least;
  const double more =
      range > 1e-12 * (fabs(*least) + fabs(*most)) ? air * range : 0.5 + 0.1 * fabs(*most);
  *least -= more;
  *most += more;
}

/* 1, 2 or 5 times a power of ten, about `count` of them in the range. */
static double round_step(double range, int count) {
  const double raw = range / count;
  const double power = pow(10.0, floor(log10(raw)));
  const double part = raw / power;
  return power * (part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0);
}

static void draw_ticks(const plot *p) {
  const double x_step = round_step(p->x_max - p->x_min, 6);
  const int x_last = (int)floor(p->x_max / x_step);
  for (int k = (int)ceil(p->x_min / x_step); k <= x_last; k++) {
    const double x = k * x_step;
    const double at = x_of(p, x);
    fprintf(p->out,
            "<path class='grid' d='M%.1f %d V%d'/><text x='%.1f' y='%d' class='tick mid'>"
            "%.6g</text>",
            at, TOP, p->height - BOTTOM, at, p->height - BOTTOM + 14, x);
  }
  const double y_step = round_step(p->y_max - p->y_min, 4);
  const int y_last = (int)floor(p->y_max / y_step);
  for (int k = (int)ceil(p->y_min / y_step); k <= y_last; k++) {
    const double y = k * y_step;
    const double at = y_of(p, y);
    fprintf(p->out,
            "<path class='grid' d='M%d %.1f H%d'/><text x='%d' y='%.1f' class='tick end'>"
            "%.6g</text>",
            LEFT, at, p->width - RIGHT, LEFT - 5, at + 3.5, y);
  }
}

void plot_begin(plot *p, const char *title, const char *x_title, const char *y_title) {
  widen(&p->x_min, &p->x_max, 0.0);
  widen(&p->y_min, &p->y_max, 0.06);
  fprintf(p->out, "<svg viewBox='0 0 %d %d' role='img' aria-label='%s'>", p->width, p->height,
          title);
  draw_ticks(p);
  fprintf(p->out,
          "<text x='%d' y='14' class='title'>%s</text><text x='%d' y='%d' class='tick mid'>%s"
          "</text><text transform='translate(11 %d) rotate(-90)' class='tick mid'>%s</text>\n",
          LEFT, title, (p->width + LEFT - RIGHT) / 2, p->height - 6, x_title,
          (p->height + TOP - BOTTOM) / 2, y_title);
}

void plot_end(plot *p) {
  fputs("</svg>\n", p->out);
}

void plot_line(plot *p, const char *style, const double *x, const double *y, size_t count) {
  fprintf(p->out, "<path class='%s' d='", style);
  bool is_open = false;
  for (size_t i = 0; i < count; i++) {
    const bool is_good = isfinite(x[i]) && isfinite(y[i]);
    if (is_good) {
      fprintf(p->out, "%c%.1f %.1f", is_open ? 'L' : 'M', x_of(p, x[i]), y_of(p, y[i]));
    }
    is_open = is_good;
  }
  fputs("'/>\n", p->out);
}

static double inside(const plot *p, double y) {
  return fmin(fmax(y, p->y_min), p->y_max);
}

void plot_band(plot *p, const char *style, const double *x, const double *lower,
               const double *upper, size_t count) {
  fprintf(p->out, "<path class='%s' d='", style);
  for (size_t i = 0; i < count; i++) {
    fprintf(p->out, "%c%.1f %.1f", i == 0 ? 'M' : 'L', x_of(p, x[i]), y_of(p, inside(p, upper[i])));
  }
  for (size_t i = count; i-- > 0;) {
    fprintf(p->out, "L%.1f %.1f", x_of(p, x[i]), y_of(p, inside(p, lower[i])));
  }
  fputs("Z'/>\n", p->out);
}

void plot_dots(plot *p, const char *style, const double *x, const double *y, size_t count) {
  fprintf(p->out, "<path class='%s' d='", style);
  for (size_t i = 0; i < count; i++) {
    if (y[i] >= p->y_min && y[i] <= p->y_max) { /* a line of zero length with round caps is a dot */
      fprintf(p->out, "M%.1f %.1fh0", x_of(p, x[i]), y_of(p, y[i]));
    }
  }
  fputs("'/>\n", p->out);
}

void plot_extend(double *least, double *most, const double *x, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (isfinite(x[i])) {
      *least = fmin(*least, x[i]);
      *most = fmax(*most, x[i]);
    }
  }
}

void plot_text(FILE *out, const char *text) {
  for (const char *at = text; *at != '\0'; at++) {
    const char *mark = *at == '<'    ? "&lt;"
                       : *at == '>'  ? "&gt;"
                       : *at == '&'  ? "&amp;"
                       : *at == '"'  ? "&quot;"
                       : *at == '\'' ? "&#39;"
                                     : NULL;
    if (mark != NULL) {
      fputs(mark, out);
    } else {
      fputc(*at, out);
    }
  }
}
