/** @file
 *  Small plots as SVG inside a page: axes with round numbers, lines, bands and points. Colours come
 *  from the page's style sheet, so they suit light and dark. */
#ifndef SINEW_APP_PLOT_H
#define SINEW_APP_PLOT_H

#include <stddef.h>
#include <stdio.h>

/** A plot and its ranges. */
typedef struct plot {
  FILE *out;
  double x_min, x_max, y_min, y_max;
  int width, height; /**< pixels */
} plot;

/** Begin a plot; its ranges get a margin. Titles are plain text. */
void plot_begin(plot *p, const char *title, const char *x_title, const char *y_title);

void plot_end(plot *p);

/** A line through points; points that are not finite interrupt it.
 *  @param style  class of the style sheet */
void plot_line(plot *p, const char *style, const double *x, const double *y, size_t count);

/** The area between two lines. */
void plot_band(plot *p, const char *style, const double *x, const double *lower,
               const double *upper, size_t count);

/** A dot for each point. */
void plot_dots(plot *p, const char *style, const double *x, const double *y, size_t count);

/** Widen a range to include all finite numbers. */
void plot_extend(double *least, double *most, const double *x, size_t count);

/** Write text with HTML escaped. */
void plot_text(FILE *out, const char *text);

#endif
