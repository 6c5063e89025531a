/* How noisy a log is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/offline/ident_work.h"

/* One signal of a sample, selected by the address of its field. */
static double field(const sn__ident_work *w, size_t i, size_t offset) {
  double value;
  memcpy(&value, (const char *)&w->samples[i] + offset, sizeof value);
  return value;
}

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* A divided difference of neighbours that were measured: motion is so smooth that only noise is
   left, scaled here to the standard deviation of a sample. Holds for uneven times too.
   @param at  count samples in order */
static double divided_difference(const sn__ident_work *w, const size_t *at, size_t count,
                                 size_t offset) {
  double sum = 0.0;
  double square = 0.0;
  for (size_t k = 0; k < count; k++) {
    double weight = 1.0;
    for (size_t j = 0; j < count; j++) {
      const double distance = w->samples[at[k]].time_s - w->samples[at[j]].time_s;
      weight *= j == k ? 1.0 : distance / w->period_s;
    }
    sum += field(w, at[k], offset) / weight;
    square += 1.0 / (weight * weight);
  }
  return sum / sqrt(square);
}

enum { DIFFERENCE_MAX = 11 }; /* samples of a difference */

/* The differences of one signal over the trial runs. @return how many */
static size_t take_differences(const sn__ident_work *w, size_t offset, size_t points,
                               double *differences) {
  size_t n = 0;
  for (size_t run = 0; run < SN__TRIAL_RUNS; run++) {
    size_t at[DIFFERENCE_MAX];
    size_t found = 0;
    size_t i;
    for (const size_t end = sn__ident_run(w, run, &i); i < end; i++) {
      if (isnan(field(w, i, offset))) {
        continue;
      }
      if (found == points) {
        memmove(at, at + 1, (points - 1) * sizeof *at);
        found--;
      }
      at[found++] = i;
      if (found == points && w->segment[at[0]] == w->segment[i]) {
        differences[n++] = fabs(divided_difference(w, at, points, offset));
      }
    }
  }
  return n;
}

/* The noise of a signal. The largest twentieth of the differences is left out, since true jumps
   (of a torque at a reversal, say) are in it; 1.318 puts the rest right for normal noise. A higher
   difference leaves less of the motion and all of the noise, so the smaller result is right. */
double sn__ident_noise(const sn__ident_work *w, size_t offset, double *scratch) {
  double least = INFINITY;
  for (size_t points = 7; points <= DIFFERENCE_MAX; points += 4) {
    const size_t n = take_differences(w, offset, points, scratch);
    qsort(scratch, n, sizeof *scratch, compare_doubles);
    double sum = 0.0;
    const size_t kept = n - n / 20;
    for (size_t i = 0; i < kept; i++) {
      sum += scratch[i] * scratch[i];
    }
    if (kept > 0) {
      least = fmin(least, sqrt(1.318 * sum / (double)kept));
    }
  }
  return isfinite(least) ? least : 0.0;
}
