/* Levenberg's and Marquardt's descent (1963) on the simulated positions, with Charbonnier's robust
   cost: a log that leaves the track for a while does not decide the rest. */
#include "ident/output_error/oe_fit.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "ident/output_error/oe_internal.h"
#include "sinew/dense.h"
#include "sinew/random.h"

/* Few iterations tell which starts are worth more. */
enum {
  ITERATIONS = 40,
  FIRST_ITERATIONS = 5,
  LAST_ITERATIONS = 3,
  DAMPINGS = 6,
  STARTS = 4,
  KEPT = 2
};
/* Short simulations from measured states have no local minima: a pendulum that swings once more, or
   sticks a moment earlier, is not a different motion for long. */
static const sn__servo_plan SHORT = {.step_s = 0.006, .mixes_goals = true, .restart_s = 0.3};
static const sn__servo_plan COARSE = {.step_s = 0.006, .mixes_goals = true};
static const sn__servo_plan NEAR = {.step_s = 0.0026};
static const sn__servo_plan FINE = {.step_s = 0.0013}; /* errors of steps would be deviations */
#define DONE_COARSE 1e-3                               /* relative decrease */
#define DONE_NEAR 1e-5
#define DONE_FINE 1e-6 /* parameters that the logs hardly show move long after the cost */
#define SPREAD 1.2     /* of logarithms between starts */

static double cost_of(double error) {
  const double x = error / SN__OE_ROBUST_RAD;
  return 2.0 * SN__OE_ROBUST_RAD * SN__OE_ROBUST_RAD * (sqrt(1.0 + x * x) - 1.0);
}

static double total_cost(sn__oe_work *w, const double *value) {
  sn__servo_on_load servo = {.params = *w->params};
  sn__oe_to_servo(value, w->is_free, &servo);
  double sum = 0.0;
  const sn__oe_row *row = w->rows;
  for (size_t k = 0; k < w->log_count; k++) {
    const sn__servo_log *log = &w->logs[k];
    sn__servo_simulate(&servo, log, sn__oe_plan(w, w->tried[k]), w->base);
    double of_log = 0.0;
    for (size_t i = 0; i < log->count; i++, row++) {
      of_log += row->weight * cost_of(w->base[i] - log->samples[i].position);
    }
    sum += of_log / (double)log->count;
  }
  sum /= (double)w->log_count;
  return isfinite(sum) ? sum : INFINITY;
}

static void add_sample(const sn__oe_work *w, size_t i, double error, double weight, double *a,
                       double *b) {
  const size_t n = w->free_count;
  for (size_t r = 0; r < n; r++) {
    const double x = weight * w->slopes[r * w->sample_max + i];
    b[r] += x * error;
    for (size_t c = 0; c <= r; c++) {
      a[r * n + c] += x * w->slopes[c * w->sample_max + i];
    }
  }
}

/* Normal equations of the step at a point. */
static void linearise(sn__oe_work *w, const double *value, double *a, double *b) {
  memset(a, 0, w->free_count * w->free_count * sizeof *a);
  memset(b, 0, w->free_count * sizeof *b);
  const sn__oe_row *row = w->rows;
  for (size_t k = 0; k < w->log_count; k++) {
    const sn__servo_log *log = &w->logs[k];
    sn__oe_slopes(w, value, k);
    for (size_t i = 0; i < log->count; i++, row++) {
      const double error = w->base[i] - log->samples[i].position;
      add_sample(w, i, error, row->weight * sn__oe_weight(error) / (double)log->count, a, b);
    }
  }
}

static bool find_step(size_t n, const double *a, const double *b, double damping, double *step) {
  double l[SN__OE_COUNT * SN__OE_COUNT];
  for (size_t r = 0; r < n; r++) {
    step[r] = -b[r];
    for (size_t c = 0; c <= r; c++) {
      l[r * n + c] = a[r * n + c];
      l[c * n + r] = a[r * n + c];
    }
    l[r * n + r] += damping * a[r * n + r] + 1e-9;
  }
  if (!sn_cholesky_factor(n, l)) {
    return false;
  }
  sn_cholesky_solve(n, l, step);
  return true;
}

/* One step down. @return false: none was found */
static bool descend(sn__oe_work *w, double done, double *value, double *cost, double *damping) {
  double a[SN__OE_COUNT * SN__OE_COUNT];
  double b[SN__OE_COUNT];
  linearise(w, value, a, b);
  for (int k = 0; k < DAMPINGS; k++, *damping *= 5.0) {
    double step[SN__OE_COUNT];
    if (!find_step(w->free_count, a, b, *damping, step)) {
      continue;
    }
    double moved[SN__OE_COUNT];
    memcpy(moved, value, sizeof moved);
    for (size_t c = 0; c < w->free_count; c++) {
      moved[w->free[c]] = sn__oe_moved(w->free[c], value[w->free[c]], w->size[w->free[c]], step[c]);
    }
    for (size_t i = 0; i < w->log_count; i++) {
      w->tried[i] = sn__oe_first_after(w, i, step);
    }
    const double next = total_cost(w, moved);
    if (next < *cost) {
      memcpy(value, moved, sizeof moved);
      memcpy(w->first, w->tried, w->log_count * sizeof *w->first);
      const bool goes_on = next < (1.0 - done) * *cost;
      *cost = next;
      *damping = fmax(*damping / 5.0, 1e-6);
      return goes_on;
    }
  }
  return false;
}

/* @param from_log  the beginnings are those of the logs; otherwise they stay as they were found */
static double minimise(sn__oe_work *w, bool from_log, int iterations, double done, double *value) {
  if (from_log) {
    memset(w->first, 0, w->log_count * sizeof *w->first);
  }
  memcpy(w->tried, w->first, w->log_count * sizeof *w->tried);
  double cost = total_cost(w, value);
  double damping = 1e-2;
  for (int k = 0; k < iterations && descend(w, done, value, &cost, &damping); k++) {
  }
  return cost;
}

/* Torque and speed constants are known well from the start; frictions hardly. */
static void scatter(const sn__oe_work *w, sn_random *random, double *value) {
  for (size_t c = 0; c < w->free_count; c++) {
    const sn__oe_param which = w->free[c];
    const bool is_known = which == SN__OE_ALPHA3 || which == SN__OE_BACK_EMF;
    const double by = sn_random_between(random, -SPREAD, SPREAD) * (is_known ? 0.2 : 1.0);
    value[which] *= sn__oe_is_positive(which) ? exp(by) : 1.0;
  }
}

typedef struct candidate {
  double value[SN__OE_COUNT];
  double cost;
} candidate;

/* Keep the best ones, sorted. */
static void keep(candidate best[KEPT], const candidate *c) {
  candidate now = *c;
  for (size_t k = 0; k < KEPT; k++) {
    if (now.cost < best[k].cost) {
      const candidate worse = best[k];
      best[k] = now;
      now = worse;
    }
  }
}

/* Descend on whole logs, and keep the better one. */
static void try_whole(sn__oe_work *w, candidate *c, candidate *best) {
  w->plan = COARSE;
  c->cost = minimise(w, true, ITERATIONS, DONE_COARSE, c->value);
  *best = c->cost < best->cost ? *c : *best;
}

/* A few iterations from every start, by one way of simulating. @param best  KEPT, sorted */
static void sift(sn__oe_work *w, sn__servo_plan plan, const double *start, size_t start_count,
                 candidate best[KEPT]) {
  for (size_t k = 0; k < KEPT; k++) {
    best[k].cost = INFINITY;
  }
  sn_random random;
  sn_random_init(&random, 22);
  w->plan = plan;
  for (size_t k = 0; k < start_count; k++) {
    candidate c;
    memcpy(c.value, start, sizeof c.value);
    if (k > 0) {
      scatter(w, &random, c.value);
    }
    c.cost = minimise(w, true, FIRST_ITERATIONS, DONE_COARSE, c.value);
    keep(best, &c);
  }
}

/* Little shows at which speed Stribeck friction ends, and nothing if that is very slow, so a
   descent may be caught there: begin again at other speeds, with about the same friction between
   them. */
static void try_other_speeds(sn__oe_work *w, candidate *best) {
  static const double factors[] = {0.5, 3.0};
  const candidate found = *best;
  for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
    candidate c = found;
    c.value[SN__OE_QS] = factors[k] * w->size[SN__OE_QS];
    c.value[SN__OE_ALPHA1] = 0.75 * found.value[SN__OE_ALPHA1];
    c.value[SN__OE_ALPHA2] = 0.5 * found.value[SN__OE_ALPHA1];
    try_whole(w, &c, best);
  }
}

/* @param is_weighted  in the end rows count by the noise at their speed */
static void search(sn__oe_work *w, const double *start, size_t start_count, bool is_weighted,
                   candidate *out) {
  candidate best[KEPT];
  out->cost = INFINITY;
  sift(w, SHORT, start, start_count, best);
  for (size_t k = 0; k < KEPT && isfinite(best[k].cost); k++) {
    w->plan = SHORT;
    (void)minimise(w, true, ITERATIONS, DONE_COARSE, best[k].value);
    try_whole(w, &best[k], out);
  }
  sift(w, COARSE, start, start_count,
       best); /* a model that is far from the servo has other minima */
  try_whole(w, &best[0], out);
  try_other_speeds(w, out);
  w->plan = COARSE;
  w->is_near = true;
  if (isfinite(out->cost)) {
    if (is_weighted) {
      sn__oe_weigh_by_speed(w, out->value);
    }
    (void)minimise(w, true, ITERATIONS, DONE_NEAR, out->value);
    w->plan = NEAR;
    (void)minimise(w, false, ITERATIONS, DONE_FINE, out->value);
    w->plan = FINE;
    out->cost = minimise(w, false, LAST_ITERATIONS, DONE_FINE, out->value);
  }
}

sn_status sn__oe_prepare(sn_arena *arena, sn__oe_work *w, sn_error *err) {
  for (int k = 0; k < SN__OE_COUNT; k++) {
    if (w->is_free[k]) {
      w->free[w->free_count++] = (sn__oe_param)k;
    }
  }
  for (size_t k = 0; k < w->log_count; k++) {
    w->sample_max = w->logs[k].count > w->sample_max ? w->logs[k].count : w->sample_max;
  }
  w->rows = SN_NEW(arena, sn__oe_row, sn__oe_row_count(w, w->log_count));
  w->base = SN_NEW(arena, double, w->sample_max);
  w->slopes = SN_NEW(arena, double, w->sample_max *(w->free_count + SN__OE_FIRST_COUNT + 1));
  w->first = SN_NEW(arena, sn__oe_first, 2 * w->log_count);
  w->effects = SN_NEW(arena, sn__oe_first_effect, w->log_count);
  w->tried = w->first == NULL ? NULL : w->first + w->log_count;
  if (w->rows == NULL || w->base == NULL || w->slopes == NULL || w->first == NULL ||
      w->effects == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the logs");
  }
  sn__oe_weigh_equally(w);
  return SN_OK;
}

sn_status sn__oe_fit_logs(sn_arena *arena, const sn__oe_config *config,
                          const sn_servo_params *params, const sn__servo_log *logs, size_t count,
                          sn__oe_result *out, sn_error *err) {
  sn__oe_work w = {.params = params, .logs = logs, .log_count = count};
  sn__oe_choose(config, logs, count, w.is_free);
  double start[SN__OE_COUNT];
  sn_status status = sn__oe_start(config, params, logs, count, start, err);
  if (status == SN_OK) {
    status = sn__oe_prepare(arena, &w, err);
  }
  if (status != SN_OK) {
    return status;
  }
  w.size = start;
  candidate best;
  const size_t start_count = config->start_count == 0 ? STARTS : config->start_count;
  /* What a smaller model misses is not noise. */
  search(&w, start, start_count, config->model == SN__OE_FULL, &best);
  if (!isfinite(best.cost)) {
    return sn__fail(err, SN_EINVAL, "no parameters reproduce the logs");
  }
  sn__oe_result result = {.servo.params = *params};
  sn__oe_to_servo(best.value, w.is_free, &result.servo);
  memcpy(result.value, best.value, sizeof result.value);
  memcpy(result.is_free, w.is_free, sizeof result.is_free);
  sn__oe_std(&w, best.value, result.std);
  sn__oe_weigh_equally(&w); /* costs of different models are compared */
  memcpy(w.tried, w.first, count * sizeof *w.first);
  result.cost = total_cost(&w, best.value);
  *out = result;
  return SN_OK;
}
