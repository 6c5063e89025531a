#include "common/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 25 };

void progress_show(const char *what, double part) {
  const double shown = fmin(fmax(part, 0.0), 1.0);
  char bar[WIDTH + 1];
  memset(bar, ' ', WIDTH);
  memset(bar, '=', (size_t)(shown * WIDTH));
  bar[WIDTH] = '\0';
  fprintf(stderr, "\r%s [%s] %3d %%", what, bar, (int)(100.0 * shown));
}

void progress_end(void) {
  fputs("\r\033[K", stderr);
}
