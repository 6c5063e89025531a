/* Standard deviations in two ways, of which the larger counts.

   From the scores of the errors in groups (the "sandwich" of White, and of Liang and Zeger): it
   holds for errors of any size in any row, and of any colour within a group. The errors themselves
   tell how long a group must be: one row if they are white, many if a model misses something. But
   groups are few, and what the parameters took out of the errors, they took out of slow errors,
   which are what the groups see.

   From the correlation of the errors over all rows (generalised least squares has the same matrix):
   thousands of products tell it, so little is missing in it, but errors must be alike everywhere.
 */
#include <math.h>
#include <string.h>

#include "ident/output_error/oe_internal.h"
#include "sinew/dense.h"

#define GROUP_S 0.5 /* at most */
#define GROUPS_MIN 40.0
#define CORRELATED 0.05   /* correlation of errors below which they are strangers */
#define GROUP_LENGTHS 5.0 /* times the lag at which they become so: groups are strangers, too */
#define PIVOT_MIN 1e-7    /* of what a parameter shows beside the others */

typedef struct sums {
  double bread[SN__OE_COUNT * SN__OE_COUNT];
  double meat[SN__OE_COUNT * SN__OE_COUNT];
  double white[SN__OE_COUNT * SN__OE_COUNT];    /* the same, as if each sample were a group */
  double coloured[SN__OE_COUNT * SN__OE_COUNT]; /* by the correlation of all errors */
  double groups;
} sums;

static void close_group(size_t n, double *score, sums *s) {
  for (size_t r = 0; r < n; r++) {
    for (size_t c = 0; c < n; c++) {
      s->meat[r * n + c] += score[r] * score[c];
    }
  }
  memset(score, 0, n * sizeof *score);
  s->groups += 1.0;
}

/* How long a group must be; 0: one row each. */
static double group_time(const sn__oe_colour *colour) {
  const size_t lag = sn__oe_colour_lag(colour, fmax(CORRELATED, 2.0 / sqrt(colour->rows)));
  const double period_s = colour->span_s / colour->rows;
  const double group_s = lag == 1 ? 0.0 : GROUP_LENGTHS * (double)lag * period_s;
  return fmin(group_s, fmin(GROUP_S, colour->span_s / GROUPS_MIN));
}

/* What errors of the colour of all errors do: every row with those before it. */
static void add_coloured(const sn__oe_work *w, size_t k, const sn__oe_filter *filter, sums *s) {
  const size_t n = w->free_count;
  const sn__servo_log *log = &w->logs[k];
  const sn__oe_row *rows = w->rows + sn__oe_row_count(w, k);
  const double weight = 1.0 / ((double)log->count * (double)log->count);
  for (size_t i = 0; i < log->count; i++) {
    for (size_t r = 0; r < n; r++) {
      const double *slope = w->slopes + r * w->sample_max;
      double before = 0.0;
      for (size_t lag = 0; lag < filter->count && lag <= i; lag++) {
        before += filter->at[lag] * sqrt(rows[i - lag].weight) * slope[i - lag];
      }
      for (size_t c = 0; c < n; c++) {
        s->coloured[r * n + c] +=
            weight * before * sqrt(rows[i].weight) * w->slopes[c * w->sample_max + i];
      }
    }
  }
}

static void add_log(const sn__oe_work *w, size_t k, double group_s, sums *s) {
  const size_t n = w->free_count;
  const sn__servo_log *log = &w->logs[k];
  const sn__oe_row *rows = w->rows + sn__oe_row_count(w, k);
  double score[SN__OE_COUNT] = {0};
  double start_s = log->samples[0].time_s;
  for (size_t i = 0; i < log->count; i++) {
    if (i > 0 && log->samples[i].time_s - start_s >= group_s) {
      close_group(n, score, s);
      start_s = log->samples[i].time_s;
    }
    const double error = w->base[i] - log->samples[i].position;
    const double weight = rows[i].weight * sn__oe_weight(error) / (double)log->count;
    for (size_t r = 0; r < n; r++) {
      const double x = weight * w->slopes[r * w->sample_max + i];
      score[r] += x * error;
      for (size_t c = 0; c < n; c++) {
        const double y = weight * w->slopes[c * w->sample_max + i];
        s->bread[r * n + c] += x * w->slopes[c * w->sample_max + i];
        s->white[r * n + c] += x * y * error * error;
      }
    }
  }
  close_group(n, score, s);
}

/* Remove the parameters that the logs do not show, or not apart from those before them: row and
   column are those of a parameter without a part in the others. */
static void remove_unseen(size_t n, sums *s, bool *is_seen) {
  double l[SN__OE_COUNT * SN__OE_COUNT] = {0};
  for (size_t r = 0; r < n; r++) {
    double pivot = s->bread[r * n + r];
    for (size_t c = 0; c < r; c++) {
      double x = s->bread[r * n + c];
      for (size_t k = 0; k < c; k++) {
        x -= l[r * n + k] * l[c * n + k];
      }
      l[r * n + c] = is_seen[c] ? x / l[c * n + c] : 0.0;
      pivot -= l[r * n + c] * l[r * n + c];
    }
    is_seen[r] = pivot > PIVOT_MIN * s->bread[r * n + r] && pivot > 1e-12;
    l[r * n + r] = is_seen[r] ? sqrt(pivot) : 1.0;
  }
  for (size_t r = 0; r < n; r++) {
    for (size_t c = 0; c < n; c++) {
      if (!is_seen[r] || !is_seen[c]) {
        s->bread[r * n + c] = r == c ? 1.0 : 0.0;
        s->meat[r * n + c] = 0.0;
        s->white[r * n + c] = 0.0;
        s->coloured[r * n + c] = 0.0;
      }
    }
  }
}

/* @param l     factor of the bread
   @param meat  of groups or of samples */
static double variance_of(const double *l, const double *meat, size_t n, size_t which) {
  double e[SN__OE_COUNT] = {0};
  e[which] = 1.0;
  sn_cholesky_solve(n, l, e);
  double sum = 0.0;
  for (size_t r = 0; r < n; r++) {
    for (size_t c = 0; c < n; c++) {
      sum += e[r] * meat[r * n + c] * e[c];
    }
  }
  return fmax(0.0, sum);
}

/* The sums over all logs at the minimum. */
static void add_logs(sn__oe_work *w, const double *value, sums *s, sn__oe_filter *filter) {
  sn__servo_on_load servo = {.params = *w->params};
  sn__oe_to_servo(value, w->is_free, &servo);
  sn__oe_colour colour = {.rows = 0.0};
  for (size_t k = 0; k < w->log_count; k++) {
    sn__servo_simulate(&servo, &w->logs[k], sn__oe_plan(w, w->first[k]), w->base);
    sn__oe_colour_add(w, k, w->slopes, &colour);
  }
  *filter = sn__oe_colour_filter(&colour);
  const double group_s = group_time(&colour);
  for (size_t k = 0; k < w->log_count; k++) {
    sn__oe_slopes(w, value, k);
    add_log(w, k, group_s, s);
    add_coloured(w, k, filter, s);
  }
}

/* The parameters, and where each log begins, were taken out of the errors. */
static double taken_out(double independent, double parameters) {
  return independent > parameters ? independent / (independent - parameters) : INFINITY;
}

void sn__oe_std(sn__oe_work *w, const double *value, double std[SN__OE_COUNT]) {
  const size_t n = w->free_count;
  sums s = {.groups = 0.0};
  sn__oe_filter filter;
  add_logs(w, value, &s, &filter);
  for (size_t k = 0; k < SN__OE_COUNT; k++) {
    std[k] = w->is_free[k] ? INFINITY : 0.0;
  }
  bool is_seen[SN__OE_COUNT];
  remove_unseen(n, &s, is_seen);
  if (!sn_cholesky_factor(n, s.bread)) {
    return;
  }
  const double parameters = (double)(n + w->log_count);
  const double few_groups = taken_out(s.groups, parameters);
  const double few_rows = taken_out(filter.independent, parameters);
  for (size_t r = 0; r < n; r++) {
    const sn__oe_param which = w->free[r];
    if (is_seen[r]) {
      const double grouped = few_groups * variance_of(s.bread, s.meat, n, r);
      const double white = few_groups * variance_of(s.bread, s.white, n, r);
      const double coloured = few_rows * variance_of(s.bread, s.coloured, n, r);
      const double variance = fmax(grouped, fmax(white, coloured));
      std[which] = sqrt(variance) * sn__oe_unit_step(which, value[which], w->size[which]);
    }
  }
}
