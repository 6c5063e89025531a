/* From the lines of a log to signals without holes: runs without gaps, voltage, effort, and the
   derivative of the position. */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "ident/offline/ident_work.h"

#define POINTS (2 * SN__DIFF_HALF + 1)

/* An interval of more than this many periods is a gap. */
#define GAP_PERIODS 3.5

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* The median of the first intervals. */
static double find_period(const sn_ident_sample *s, size_t count) {
  enum { MOST = 2001 };
  double intervals[MOST];
  size_t n = 0;
  for (size_t i = 1; i < count && n < MOST; i++) {
    intervals[n++] = s[i].time_s - s[i - 1].time_s;
  }
  if (n == 0) {
    return 1.0;
  }
  qsort(intervals, n, sizeof *intervals, compare_doubles);
  return intervals[n / 2];
}

static sn_status find_segments(sn__ident_work *w, sn_error *err) {
  uint32_t segment = 0;
  uint32_t even_since = 0;
  for (size_t i = 0; i < w->count; i++) {
    if (i > 0) {
      const double interval = w->samples[i].time_s - w->samples[i - 1].time_s;
      if (!(interval > 0.0)) {
        return sn__fail(err, SN_EINVAL, "time does not grow: %.9g s follows %.9g s",
                        w->samples[i].time_s, w->samples[i - 1].time_s);
      }
      segment += interval > GAP_PERIODS * w->period_s;
      even_since = fabs(interval / w->period_s - 1.0) < 0.1 ? even_since : (uint32_t)i;
    }
    w->segment[i] = segment;
    w->even_since[i] = even_since;
  }
  return SN_OK;
}

/* The last voltage known, at the start the first one, without any the one of the configuration. */
static sn_status fill_voltage(sn__ident_work *w, double fallback, sn_error *err) {
  double last = fallback;
  for (size_t i = 0; i < w->count; i++) {
    if (!isnan(w->samples[i].voltage)) {
      last = w->samples[i].voltage;
      break;
    }
  }
  for (size_t i = 0; i < w->count; i++) {
    last = isnan(w->samples[i].voltage) ? last : w->samples[i].voltage;
    if (!(last > 0.0) || !isfinite(last)) {
      return sn__fail(err, SN_EINVAL,
                      last == 0.0 ? "the voltage of the battery is not known"
                                  : "the voltage is %g V, must be above 0",
                      last);
    }
    w->voltage[i] = last;
  }
  return SN_OK;
}

/* Lagrange through up to four neighbours in the same segment. */
static double interpolate_effort(const sn__ident_work *w, size_t i) {
  enum { REACH = 4 };
  size_t at[4];
  size_t n = 0;
  for (size_t k = 1, left = 0; k <= REACH && k <= i && left < 2; k++) {
    if (w->segment[i - k] == w->segment[i] && !isnan(w->samples[i - k].effort)) {
      at[n++] = i - k;
      left++;
    }
  }
  const size_t left = n;
  for (size_t k = 1; k <= REACH && i + k < w->count && n < left + 2; k++) {
    if (w->segment[i + k] == w->segment[i] && !isnan(w->samples[i + k].effort)) {
      at[n++] = i + k;
    }
  }
  if (left == 0 || n == left) {
    return NAN; /* no extrapolation */
  }
  double sum = 0.0;
  const double t = w->samples[i].time_s;
  for (size_t a = 0; a < n; a++) {
    double factor = 1.0;
    for (size_t b = 0; b < n; b++) {
      if (b != a) {
        factor *=
            (t - w->samples[at[b]].time_s) / (w->samples[at[a]].time_s - w->samples[at[b]].time_s);
      }
    }
    sum += factor * w->samples[at[a]].effort;
  }
  return sum;
}

static void fill_effort(sn__ident_work *w) {
  for (size_t i = 0; i < w->count; i++) {
    w->effort[i] = isnan(w->samples[i].effort) ? interpolate_effort(w, i) : w->samples[i].effort;
    w->has_effort = w->has_effort || !isnan(w->samples[i].effort);
    w->has_velocity = w->has_velocity || !isnan(w->samples[i].velocity);
  }
}

void sn__derivative_weights(size_t count, const double *x, double *weights) {
  double value[POINTS] = {1.0}; /* weights of the interpolation itself */
  double c1 = 1.0;
  for (size_t i = 0; i < count; i++) {
    weights[i] = 0.0;
  }
  for (size_t i = 1; i < count; i++) {
    double c2 = 1.0;
    for (size_t j = 0; j < i; j++) {
      const double c3 = x[i] - x[j];
      c2 *= c3;
      if (j == i - 1) {
        weights[i] = c1 * (value[i - 1] - x[i - 1] * weights[i - 1]) / c2;
        value[i] = -c1 * x[i - 1] * value[i - 1] / c2;
      }
      weights[j] = (x[i] * weights[j] - value[j]) / c3;
      value[j] = x[i] * value[j] / c3;
    }
    c1 = c2;
  }
}

/* The derivative of the positions at sample i, with the true times where they are uneven. */
static double slope_at(const sn__ident_work *w, size_t i, const double *even) {
  const sn_ident_sample *s = w->samples + i - SN__DIFF_HALF;
  const double step = (s[POINTS - 1].time_s - s[0].time_s) / (POINTS - 1);
  double x[POINTS];
  double uneven[POINTS];
  bool is_even = true;
  for (size_t k = 0; k < POINTS; k++) {
    x[k] = (s[k].time_s - s[SN__DIFF_HALF].time_s) / step;
    is_even = is_even && fabs(x[k] - ((double)k - SN__DIFF_HALF)) < 0.01;
  }
  if (!is_even) { /* else what differs is the rounding of the log's times */
    sn__derivative_weights(POINTS, x, uneven);
    even = uneven;
  }
  double sum = 0.0;
  for (size_t k = 0; k < POINTS; k++) {
    sum += even[k] * (s[k].position - s[SN__DIFF_HALF].position);
  }
  return sum / step;
}

static void differentiate(sn__ident_work *w) {
  double x[POINTS];
  double even[POINTS];
  for (size_t k = 0; k < POINTS; k++) {
    x[k] = (double)k - SN__DIFF_HALF;
  }
  sn__derivative_weights(POINTS, x, even);
  for (size_t i = 0; i < w->count; i++) {
    w->slope[i] = sn__window_is_whole(w, i, SN__DIFF_HALF) ? slope_at(w, i, even) : NAN;
  }
}

/* How many lines are missing in front of sample i: 0 also if the gap is not a whole number of
   periods, or too long. */
static size_t missing_before(const sn_ident_sample *s, size_t i, double period_s) {
  const double periods = i == 0 ? 1.0 : (s[i].time_s - s[i - 1].time_s) / period_s;
  const double whole = round(periods);
  const bool is_hole = whole >= 2.0 && periods < GAP_PERIODS && fabs(periods - whole) < 0.1;
  return is_hole ? (size_t)whole - 1 : 0;
}

/* A line that is missing: only where the joint was is filled in, from six neighbours. */
static sn_ident_sample fill_line(const sn_ident_sample *s, size_t count, size_t i, double time_s) {
  enum { SIDE = 3 };
  const size_t first = i < SIDE ? 0 : i - SIDE;
  const size_t last = i + SIDE < count ? i + SIDE : count; /* behind the last */
  double position = 0.0;
  for (size_t a = first; a < last; a++) {
    double factor = 1.0;
    for (size_t b = first; b < last; b++) {
      factor *= b == a ? 1.0 : (time_s - s[b].time_s) / (s[a].time_s - s[b].time_s);
    }
    position += factor * s[a].position;
  }
  return (sn_ident_sample){time_s, NAN, position, NAN, NAN, NAN};
}

/* The samples with lines put in where some are missing. The log itself if none is. */
static const sn_ident_sample *fill_lines(sn_arena *arena, const sn_ident_sample *samples,
                                         double period_s, size_t *count) {
  size_t missing = 0;
  for (size_t i = 0; i < *count; i++) {
    missing += missing_before(samples, i, period_s);
  }
  sn_ident_sample *filled = missing == 0 ? NULL : SN_NEW(arena, sn_ident_sample, *count + missing);
  if (filled == NULL) {
    return samples; /* without memory they stay missing */
  }
  size_t n = 0;
  for (size_t i = 0; i < *count; i++) {
    const size_t holes = missing_before(samples, i, period_s);
    for (size_t k = 1; k <= holes; k++) {
      const double part = (double)k / (double)(holes + 1);
      const double t = samples[i - 1].time_s + part * (samples[i].time_s - samples[i - 1].time_s);
      filled[n++] = fill_line(samples, *count, i, t);
    }
    filled[n++] = samples[i];
  }
  *count = n;
  return filled;
}

sn_status sn__ident_prepare(sn_arena *arena, const sn_ident_fit_config *config,
                            const sn_ident_sample *samples, size_t count, sn__ident_work *work,
                            sn_error *err) {
  const double period_s = find_period(samples, count);
  samples = fill_lines(arena, samples, period_s, &count);
  *work = (sn__ident_work){.samples = samples,
                           .count = count,
                           .period_s = period_s,
                           .segment = SN_NEW(arena, uint32_t, count),
                           .even_since = SN_NEW(arena, uint32_t, count),
                           .voltage = SN_NEW(arena, double, count),
                           .effort = SN_NEW(arena, double, count),
                           .slope = SN_NEW(arena, double, count)};
  if (work->segment == NULL || work->even_since == NULL || work->voltage == NULL ||
      work->effort == NULL || work->slope == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu samples", count);
  }
  sn_status status = find_segments(work, err);
  if (status == SN_OK) {
    status = fill_voltage(work, config->voltage, err);
  }
  if (status == SN_OK) {
    fill_effort(work);
    differentiate(work);
  }
  return status;
}
