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
enum { ITERATIONS = 40, FIRST_ITERATIONS = 5, DAMPINGS = 6, STARTS = 8, KEPT = 2 };
#define COARSE_STEP_S 0.004
#define DONE_COARSE 1e-3 /* relative decrease */
#define DONE_FINE 1e-5   /* parameters that the logs hardly show move long after the cost */
#define SPREAD 1.2       /* of logarithms between starts */

static double cost_of(double error) {
  const double x = error / SN__OE_ROBUST_RAD;
  return 2.0 * SN__OE_ROBUST_RAD * SN__OE_ROBUST_RAD * (sqrt(1.0 + x * x) - 1.0);
}

static double total_cost(sn__oe_work *w, const double *value) {
  sn__servo_on_load servo = {.params = *w->params};
  sn__oe_to_servo(value, w->is_free, &servo);
  double sum = 0.0;
  for (size_t k = 0; k < w->log_count; k++) {
    const sn__servo_log *log = &w->logs[k];
    sn__servo_simulate(&servo, log, w->step_s, w->base);
    double of_log = 0.0;
    for (size_t i = 0; i < log->count; i++) {
      of_log += cost_of(w->base[i] - log->samples[i].position);
    }
    sum += of_log / (double)log->count;
  }
  sum /= (double)w->log_count;
  return isfinite(sum) ? sum : INFINITY;
}

/* Step of the differences: friction makes a motion rough in small steps. */
static double difference_of(sn__oe_param which) {
  return sn__oe_is_positive(which) ? 0.02 : 0.002;
}

void sn__oe_slopes(sn__oe_work *w, const double *value, const sn__servo_log *log) {
  sn__servo_on_load servo = {.params = *w->params};
  sn__oe_to_servo(value, w->is_free, &servo);
  sn__servo_simulate(&servo, log, w->step_s, w->base);
  for (size_t c = 0; c < w->free_count; c++) {
    const sn__oe_param which = w->free[c];
    double moved[SN__OE_COUNT];
    memcpy(moved, value, sizeof moved);
    const double step = difference_of(which);
    moved[which] = sn__oe_moved(which, value[which], w->size[which], step);
    sn__oe_to_servo(moved, w->is_free, &servo);
    double *slope = w->slopes + c * w->sample_max;
    sn__servo_simulate(&servo, log, w->step_s, slope);
    for (size_t i = 0; i < log->count; i++) {
      slope[i] = (slope[i] - w->base[i]) / step;
    }
  }
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
  for (size_t k = 0; k < w->log_count; k++) {
    const sn__servo_log *log = &w->logs[k];
    sn__oe_slopes(w, value, log);
    for (size_t i = 0; i < log->count; i++) {
      const double error = w->base[i] - log->samples[i].position;
      add_sample(w, i, error, sn__oe_weight(error) / (double)log->count, a, b);
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
    const double next = total_cost(w, moved);
    if (next < *cost) {
      memcpy(value, moved, sizeof moved);
      const bool goes_on = next < (1.0 - done) * *cost;
      *cost = next;
      *damping = fmax(*damping / 5.0, 1e-6);
      return goes_on;
    }
  }
  return false;
}

static double minimise(sn__oe_work *w, int iterations, double done, double *value) {
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

static void search(sn__oe_work *w, const double *start, size_t start_count, candidate *out) {
  candidate best[KEPT];
  for (size_t k = 0; k < KEPT; k++) {
    best[k].cost = INFINITY;
  }
  sn_random random;
  sn_random_init(&random, 22);
  w->step_s = COARSE_STEP_S;
  for (size_t k = 0; k < start_count; k++) {
    candidate c;
    memcpy(c.value, start, sizeof c.value);
    if (k > 0) {
      scatter(w, &random, c.value);
    }
    c.cost = minimise(w, FIRST_ITERATIONS, DONE_COARSE, c.value);
    keep(best, &c);
  }
  out->cost = INFINITY;
  for (size_t k = 0; k < KEPT && isfinite(best[k].cost); k++) {
    best[k].cost = minimise(w, ITERATIONS, DONE_COARSE, best[k].value);
    *out = best[k].cost < out->cost ? best[k] : *out;
  }
  w->step_s = SN__SERVO_STEP_S;
  out->cost = isfinite(out->cost) ? minimise(w, ITERATIONS, DONE_FINE, out->value) : INFINITY;
}

static sn_status prepare(sn_arena *arena, sn__oe_work *w, sn_error *err) {
  for (int k = 0; k < SN__OE_COUNT; k++) {
    if (w->is_free[k]) {
      w->free[w->free_count++] = (sn__oe_param)k;
    }
  }
  for (size_t k = 0; k < w->log_count; k++) {
    w->sample_max = w->logs[k].count > w->sample_max ? w->logs[k].count : w->sample_max;
  }
  w->base = SN_NEW(arena, double, w->sample_max);
  w->slopes = SN_NEW(arena, double, w->sample_max * w->free_count);
  return w->base == NULL || w->slopes == NULL ? sn__fail(err, SN_ENOMEM, "no memory for the logs")
                                              : SN_OK;
}

sn_status sn__oe_fit(sn_arena *arena, const sn__oe_config *config, const sn_servo_params *params,
                     const sn__servo_log *logs, size_t count, sn__oe_result *out, sn_error *err) {
  sn__oe_work w = {.params = params, .logs = logs, .log_count = count};
  sn__oe_choose(config, w.is_free);
  double start[SN__OE_COUNT];
  sn_status status = sn__oe_start(config, params, logs, count, start, err);
  if (status == SN_OK) {
    status = prepare(arena, &w, err);
  }
  if (status != SN_OK) {
    return status;
  }
  w.size = start;
  candidate best;
  search(&w, start, config->start_count == 0 ? STARTS : config->start_count, &best);
  if (!isfinite(best.cost)) {
    return sn__fail(err, SN_EINVAL, "no parameters reproduce the logs");
  }
  sn__oe_result result = {.servo.params = *params, .cost = best.cost};
  sn__oe_to_servo(best.value, w.is_free, &result.servo);
  memcpy(result.value, best.value, sizeof result.value);
  memcpy(result.is_free, w.is_free, sizeof result.is_free);
  sn__oe_std(&w, best.value, result.std);
  *out = result;
  return SN_OK;
}
