/** @file
 *  The frame of HTML reports: one self-contained page in light and dark. */
#ifndef SINEW_APP_REPORT_PAGE_H
#define SINEW_APP_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/whole_file.h"
#include "ident_tools/plot.h"

/** Begin a page that replaces the file when it is complete. @return false with errno set */
bool report_page_open(whole_file *file, const char *path);

/** End it.
 *  @param is_open  what report_page_open() returned
 *  @return EXIT_GOOD, or EXIT_FAULT with a message printed */
int report_page_close(whole_file *file, const char *path, bool is_open);

/** A plot of the usual size, with empty ranges. */
plot report_page_plot(FILE *out);

/** Dots, and the mean of each part of the range of x: a residual that is zero on average is
 *  explained.
 *  @param y_max  largest magnitude that is shown */
void report_page_cloud(FILE *out, const char *title, const char *x_title, const char *y_title,
                       const double *x, const double *y, size_t count, double y_max);

#endif
