#include "ident/offline/ident_fit.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "ident/offline/ident_work.h"
#include "ident/online/rls.h"

enum {
  COUNT = SN_IDENT_PARAM_COUNT,
  SAMPLES_MIN = 50,     /* fewer identify nothing */
  DELAY_SEARCHED = 20,  /* samples of delay that are tried */
  DELAY_SAMPLES = 20000 /* on these */
};

/* Below this the regressors are so alike that noise decides. */
#define EXCITATION_MIN 0.01

/* Times the Stribeck velocity: above it that friction is gone. */
#define SLOW 4.0

static sn_status check(const sn_ident_fit_config *config, const sn_servo_params *params,
                       sn_error *err) {
  if (config->has_delay && config->control_delay > SN_IDENT_DELAY_MAX) {
    return sn__fail(err, SN_EINVAL, "the control delay is %zu samples, at most %d are kept",
                    config->control_delay, SN_IDENT_DELAY_MAX);
  }
  const double values[] = {config->voltage, config->threshold_rad, config->min_velocity};
  static const char *const names[] = {"voltage", "threshold", "min_velocity"};
  for (size_t i = 0; i < 3; i++) {
    if (!isfinite(values[i]) || values[i] < 0.0) {
      return sn__fail(err, SN_EINVAL, "%s is %g, must be finite and not negative", names[i],
                      values[i]);
    }
  }
  return sn_servo_params_check(params, err);
}

static void fixed_values(const sn_servo_params *p, double fixed[COUNT]) {
  memset(fixed, 0, COUNT * sizeof *fixed);
  memcpy(fixed, p->alpha, sizeof p->alpha);
  fixed[SN_IDENT_INERTIA] = p->inertia;
}

/* The delay with the least residual, unless none is nearly as good. */
static size_t find_delay(const sn__ident_work *work, const sn__ident_setup *setup,
                         const bool *columns, sn__ident_row *rows) {
  sn__ident_setup trial = *setup;
  trial.end = DELAY_SAMPLES;
  double fixed[COUNT];
  fixed_values(&setup->params, fixed);
  double without = INFINITY;
  double least = INFINITY;
  size_t best = 0;
  for (trial.delay = 0; trial.delay <= DELAY_SEARCHED; trial.delay++) {
    const size_t count = sn__ident_rows(work, &trial, rows);
    sn__ident_solution solution;
    if (count < 10 || !sn__ident_solve(work, rows, count, columns, fixed, &solution)) {
      continue;
    }
    double weight = 0.0;
    for (size_t r = 0; r < count; r++) {
      weight += rows[r].weight;
    }
    const double cost = solution.square_sum / weight;
    without = trial.delay == 0 ? cost : without;
    if (cost < least) {
      least = cost;
      best = trial.delay;
    }
  }
  return least < 0.9 * without ? best : 0;
}

/* Samples, prediction error, and the predictions themselves if there is room for them. */
static void predict(const sn__ident_work *work, const sn__ident_setup *setup,
                    sn_ident_prediction *predictions, sn_ident_result *out) {
  double sum = 0.0;
  size_t n = 0;
  for (size_t i = 0; i < work->count; i++) {
    if (!sn__ident_is_usable(work, setup, i)) {
      continue;
    }
    const double smooth = work->effort_smooth[i];
    const sn_servo_motion motion = {.qd = work->smooth[i],
                                    .qdd = isfinite(work->accel[i]) ? work->accel[i] : 0.0,
                                    .tau = !work->has_effort  ? 0.0
                                           : isfinite(smooth) ? smooth
                                                              : work->effort[i]};
    const double predicted = sn_servo_position_of(&setup->params, work->voltage[i],
                                                  sn__ident_goal(work, setup, i), &motion, 0);
    const double error = work->samples[i].position - predicted;
    sum += error * error;
    if (predictions != NULL) {
      predictions[n] = (sn_ident_prediction){work->samples[i].time_s, work->samples[i].position,
                                             predicted, work->smooth[i]};
    }
    n++;
  }
  out->sample_count = n;
  out->error_rad = n == 0 ? INFINITY : sqrt(sum / (double)n);
  out->predictions = predictions;
  out->prediction_count = predictions == NULL ? 0 : n;
}

/* The way of the estimate through the log, by recursive least squares. */
static void follow(sn_arena *arena, const sn__ident_row *rows, size_t count, const bool *columns,
                   sn_ident_result *out) {
  enum { STEPS = 160 };
  sn_rls_config config = {.forgetting = 1.0};
  size_t column[COUNT] = {0};
  for (size_t c = 0; c <= SN_IDENT_INERTIA; c++) {
    if (columns[c]) {
      config.start_spread[config.count] = 1e4;
      column[config.count++] = c;
    }
  }
  sn_rls rls;
  sn_ident_step *steps = SN_NEW(arena, sn_ident_step, STEPS + 1);
  if (steps == NULL || sn__rls_init(&rls, &config, NULL) != SN_OK) {
    return;
  }
  const size_t stride = count / STEPS + 1;
  for (size_t r = 0; r < count; r++) {
    const double root = sqrt(rows[r].weight);
    double x[SN_RLS_MAX];
    for (size_t k = 0; k < config.count; k++) {
      x[k] = root * rows[r].x[column[k]];
    }
    sn__rls_step(&rls, x, root * rows[r].y);
    if (r % stride == stride - 1 && r > 2 * config.count) {
      sn_ident_step *step = &steps[out->step_count++];
      double std[SN_RLS_MAX];
      sn__rls_std(&rls, std);
      step->time_s = rows[r].time_s;
      for (size_t k = 0; k < config.count; k++) {
        step->value[column[k]] = sn__rls_estimate(&rls)[k];
        step->std[column[k]] = std[k];
      }
    }
  }
  out->steps = steps;
}

/* Is each parameter known well enough to be of use? Both dry frictions are measured by their sum,
   since one of them may be zero. */
static void judge_excitation(const bool *columns, const sn__ident_solution *solution,
                             sn_ident_result *out) {
  const double *x = solution->x;
  const double dry = fabs(x[SN_IDENT_ALPHA1]) + fabs(x[SN_IDENT_ALPHA2]);
  const double allowed[COUNT] = {0.2 * fabs(x[SN_IDENT_ALPHA0]),
                                 0.2 * dry,
                                 0.3 * dry,
                                 0.2 * fabs(x[SN_IDENT_ALPHA3]),
                                 INFINITY,
                                 out->params.qs,
                                 out->params.delta};
  out->excited = true;
  for (size_t c = 0; c < COUNT; c++) {
    const bool is_asked = columns[c] || c <= SN_IDENT_ALPHA3;
    const bool is_known = solution->is_solved[c] || c >= SN_IDENT_QS;
    out->is_excited[c] = !is_asked || (is_known && solution->std[c] <= allowed[c]);
    out->excited = out->excited && out->is_excited[c];
  }
  out->excitation = solution->excitation;
  out->excited = out->excited && solution->excitation >= EXCITATION_MIN;
}

/* Dry friction that is negative, beyond what noise explains, at rest or at speed. */
static bool has_negative_friction(const sn_ident_result *out) {
  const double *alpha = out->params.alpha;
  const double at_speed = alpha[1] + 2.0 * out->std[SN_IDENT_ALPHA1];
  const double at_rest =
      alpha[1] + alpha[2] + 2.0 * hypot(out->std[SN_IDENT_ALPHA1], out->std[SN_IDENT_ALPHA2]);
  return at_speed < 0.0 || at_rest < 0.0;
}

static const char *find_fault(const sn_ident_fit_config *config, const sn__ident_work *work,
                              const sn_ident_result *out) {
  const double threshold = config->threshold_rad == 0.0 ? 0.01 : config->threshold_rad;
  if (out->sample_count < SAMPLES_MIN) {
    return "too few samples with motion";
  }
  if (!work->has_effort) {
    return "the log has no effort, so alpha[3] cannot be identified";
  }
  if (!out->excited) {
    return "the motion does not tell all parameters apart";
  }
  if (!(out->error_rad <= threshold)) {
    return "the prediction error is above the threshold";
  }
  if (sn_servo_params_check(&out->params, NULL) != SN_OK || out->params.alpha[3] <= 0.0) {
    return "the result is not a valid servo: a parameter has the wrong sign";
  }
  if (has_negative_friction(out)) {
    return "dry friction comes out negative: the model does not fit this servo (try --load)";
  }
  return NULL;
}

/* All that is known after the signals are prepared. */
static sn_status solve(sn_arena *arena, const sn_ident_fit_config *config,
                       const sn__ident_work *work, sn_ident_result *out, sn_error *err) {
  sn__ident_row *rows = SN_NEW(arena, sn__ident_row, work->count + 1);
  if (rows == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu samples", work->count);
  }
  const double min_velocity = config->min_velocity == 0.0 ? 0.002 : config->min_velocity;
  sn__ident_setup setup = {.params = out->params,
                           .delay = config->has_delay ? config->control_delay : 0,
                           .min_velocity = fmax(min_velocity, 5.0 * work->smooth_std),
                           .slow_velocity = SLOW * out->params.qs,
                           .identify_inertia = config->identify_inertia,
                           .end = work->count};
  bool columns[COUNT] = {true, true, true, work->has_effort, config->identify_inertia};
  if (!config->has_delay) {
    setup.delay = find_delay(work, &setup, columns, rows);
  }
  if (config->fit_stribeck) {
    sn__ident_fit_stribeck(work, &setup, columns, rows);
    setup.slow_velocity = SLOW * setup.params.qs;
  }
  size_t count = sn__ident_rows(work, &setup, rows);
  double fixed[COUNT];
  fixed_values(&setup.params, fixed);
  sn__ident_solution solution;
  const bool is_solved = sn__ident_solve(work, rows, count, columns, fixed, &solution);
  memcpy(setup.params.alpha, solution.x, sizeof setup.params.alpha);
  setup.params.inertia = solution.x[SN_IDENT_INERTIA];
  if (is_solved && config->fit_stribeck) {
    setup.with_shape = true;
    columns[SN_IDENT_QS] = true;
    columns[SN_IDENT_DELTA] = true;
    count = sn__ident_rows(work, &setup, rows);
  }
  if (is_solved) {
    sn__ident_std(work, rows, count, columns, &solution);
    memcpy(out->std, solution.std, sizeof out->std);
  }
  out->params = setup.params;
  out->delay = setup.delay;
  sn_ident_prediction *predictions =
      config->want_plots ? SN_NEW(arena, sn_ident_prediction, work->count) : NULL;
  predict(work, &setup, predictions, out);
  judge_excitation(columns, &solution, out);
  if (config->want_plots && is_solved) {
    follow(arena, rows, count, columns, out);
  }
  return SN_OK;
}

sn_status sn__ident_fit(sn_arena *arena, const sn_ident_fit_config *config,
                        const sn_servo_params *params, const sn_ident_sample *samples, size_t count,
                        sn_ident_result *out, sn_error *err) {
  sn_status status = check(config, params, err);
  if (status != SN_OK) {
    return status;
  }
  sn_ident_result result = {.params = *params, .error_rad = INFINITY};
  sn__ident_work work;
  status = sn__ident_prepare(arena, config, samples, count, &work, err);
  if (status == SN_OK) {
    status = sn__ident_smooth(arena, &work, err);
  }
  if (status == SN_OK) {
    status = solve(arena, config, &work, &result, err);
  }
  if (status != SN_OK) {
    return status;
  }
  result.period_s = work.period_s;
  result.position_noise = work.noise_q;
  result.velocity_noise = work.noise_v;
  result.effort_noise = work.noise_tau;
  result.velocity_ignored = work.velocity_ignored;
  result.smoothing = work.smoother.half;
  result.reason = find_fault(config, &work, &result);
  result.ok = result.reason == NULL;
  if (!result.ok) {
    const char *doubt = sn__ident_doubt(params, samples, count);
    result.reason = doubt == NULL ? result.reason : doubt;
  }
  *out = result;
  return SN_OK;
}
