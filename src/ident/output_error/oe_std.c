/* Standard deviations from the errors in groups (the "sandwich" of White and of Newey and West):
   they hold for errors of any size in any row, and of any colour within a group. The errors
   themselves tell how long a group must be: one row if they are white, many if a model misses
   something. */
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
  double white[SN__OE_COUNT * SN__OE_COUNT]; /* the same, as if each sample were a group */
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

/* Sums of products of errors that are up to some rows apart. */
enum { LAGS = 64 };

typedef struct lags {
  double product[LAGS + 1];
  double rows;
  double span_s;
} lags;

static void add_lags(const sn__oe_work *w, const sn__servo_log *log, double *error, lags *l) {
  for (size_t i = 0; i < log->count; i++) {
    error[i] = w->base[i] - log->samples[i].position;
  }
  for (size_t lag = 0; lag <= LAGS && lag < log->count; lag++) {
    for (size_t i = lag; i < log->count; i++) {
      l->product[lag] += error[i] * error[i - lag];
    }
  }
  l->rows += (double)log->count;
  l->span_s += log->samples[log->count - 1].time_s - log->samples[0].time_s;
}

/* How long a group must be; 0: one row each. */
static double group_time(const lags *l) {
  const double chance = fmax(CORRELATED, 2.0 / sqrt(l->rows));
  size_t lag = 1;
  while (lag <= LAGS && l->product[lag] > chance * l->product[0]) {
    lag++;
  }
  const double period_s = l->span_s / l->rows;
  const double group_s = lag == 1 ? 0.0 : GROUP_LENGTHS * (double)lag * period_s;
  return fmin(group_s, fmin(GROUP_S, l->span_s / GROUPS_MIN));
}

static void add_log(const sn__oe_work *w, const sn__servo_log *log, double group_s, sums *s) {
  const size_t n = w->free_count;
  double score[SN__OE_COUNT] = {0};
  double start_s = log->samples[0].time_s;
  for (size_t i = 0; i < log->count; i++) {
    if (i > 0 && log->samples[i].time_s - start_s >= group_s) {
      close_group(n, score, s);
      start_s = log->samples[i].time_s;
    }
    const double error = w->base[i] - log->samples[i].position;
    const double weight = sn__oe_weight(error) / (double)log->count;
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

void sn__oe_std(sn__oe_work *w, const double *value, double std[SN__OE_COUNT]) {
  const size_t n = w->free_count;
  sn__servo_on_load servo = {.params = *w->params};
  sn__oe_to_servo(value, w->is_free, &servo);
  sums s = {.groups = 0.0};
  lags l = {.rows = 0.0};
  for (size_t k = 0; k < w->log_count; k++) {
    sn__servo_simulate(&servo, &w->logs[k], sn__oe_plan(w, w->first[k]), w->base);
    add_lags(w, &w->logs[k], w->slopes, &l);
  }
  const double group_s = group_time(&l);
  for (size_t k = 0; k < w->log_count; k++) {
    sn__oe_slopes(w, value, k);
    add_log(w, &w->logs[k], group_s, &s);
  }
  for (size_t k = 0; k < SN__OE_COUNT; k++) {
    std[k] = w->is_free[k] ? INFINITY : 0.0;
  }
  bool is_seen[SN__OE_COUNT];
  remove_unseen(n, &s, is_seen);
  if (!sn_cholesky_factor(n, s.bread) || s.groups <= (double)n) {
    return;
  }
  /* Few groups tell little: the parameters were taken out of them, and what white noise does is the
     least. */
  const double few = s.groups / (s.groups - (double)n);
  for (size_t r = 0; r < n; r++) {
    const sn__oe_param which = w->free[r];
    if (is_seen[r]) {
      const double grouped = variance_of(s.bread, s.meat, n, r);
      const double white = variance_of(s.bread, s.white, n, r);
      const double variance = few * fmax(grouped, white);
      std[which] = sqrt(variance) * sn__oe_unit_step(which, value[which], w->size[which]);
    }
  }
}
