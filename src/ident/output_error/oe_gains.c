/* What a fit of the logs as they are would get wrong.

   A delay that they hardly show takes what the model misses, and a controller would lead by it.

   A basic model shall hold at other gains. Dry friction has to stand in for what grows with the
   load, and by how much depends on the gain: fitted to one gain it is wrong at the others. The full
   model holds there, so its simulations replace logs that were not recorded. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "ident/output_error/oe_internal.h"

#define DELAY_KNOWN_S 0.005 /* standard deviation */
#define PAYS 0.7            /* of the cost: the full model shows what the basic one misses */
enum { GAINS = 2 };

/* A log as the servo would have recorded it at another gain. */
static sn_status imagine(sn_arena *arena, const sn__servo_on_load *servo, const sn__servo_log *log,
                         double factor, sn__servo_log *out, sn_error *err) {
  sn__log_sample *samples = SN_NEW(arena, sn__log_sample, log->count);
  double *position = SN_NEW(arena, double, log->count);
  if (samples == NULL || position == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the logs");
  }
  memcpy(samples, log->samples, log->count * sizeof *samples);
  *out = *log;
  out->gain *= factor;
  out->samples = samples;
  sn__servo_simulate(servo, out, SN__SERVO_WHOLE, position);
  for (size_t i = 0; i < log->count; i++) {
    samples[i].position = position[i];
  }
  return SN_OK;
}

/* The logs, and each of them at other gains. @param out  count (GAINS + 1) */
static sn_status imagine_all(sn_arena *arena, const sn__servo_on_load *servo, double range,
                             const sn__servo_log *logs, size_t count, sn__servo_log *out,
                             sn_error *err) {
  const double factors[GAINS] = {1.0 / range, range};
  memcpy(out, logs, count * sizeof *logs);
  sn_status status = SN_OK;
  for (size_t k = 0; k < GAINS; k++) {
    for (size_t i = 0; status == SN_OK && i < count; i++) {
      status = imagine(arena, servo, &logs[i], factors[k], &out[(k + 1) * count + i], err);
    }
  }
  return status;
}

/* Deviations are those that the recorded logs tell. */
static sn_status set_std(sn_arena *arena, const sn__oe_config *config,
                         const sn_servo_params *params, const sn__servo_log *logs, size_t count,
                         sn__oe_result *result, sn_error *err) {
  double size[SN__OE_COUNT];
  sn_status status = sn__oe_start(config, params, logs, count, size, err);
  sn__oe_work w = {.params = params,
                   .logs = logs,
                   .log_count = count,
                   .size = size,
                   .plan = SN__SERVO_WHOLE,
                   .is_near = true};
  memcpy(w.is_free, result->is_free, sizeof w.is_free);
  if (status == SN_OK) {
    status = sn__oe_prepare(arena, &w, err);
  }
  if (status == SN_OK) {
    sn__oe_std(&w, result->value, result->std);
  }
  return status;
}

/* With a delay only where the logs show it. */
static sn_status fit_known(sn_arena *arena, const sn__oe_config *config,
                           const sn_servo_params *params, const sn__servo_log *logs, size_t count,
                           sn__oe_result *out, sn_error *err) {
  const sn_status status = sn__oe_fit_logs(arena, config, params, logs, count, out, err);
  if (status != SN_OK || !out->is_free[SN__OE_DELAY] || out->std[SN__OE_DELAY] < DELAY_KNOWN_S) {
    return status;
  }
  sn__oe_config without = *config;
  without.keeps_delay = true;
  return sn__oe_fit_logs(arena, &without, params, logs, count, out, err);
}

static sn_status widen(sn_arena *arena, const sn__oe_config *config, const sn_servo_params *params,
                       const sn__servo_log *logs, size_t count, sn__oe_result *out, sn_error *err) {
  sn__oe_config full = *config;
  full.model = SN__OE_FULL;
  sn__oe_result seen;
  sn_status status = fit_known(arena, &full, params, logs, count, &seen, err);
  if (status != SN_OK || !(seen.cost < PAYS * out->cost)) {
    return status;
  }
  sn__servo_log *all = SN_NEW(arena, sn__servo_log, count * (GAINS + 1));
  if (all == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the logs");
  }
  sn__oe_config quick = *config;
  quick.start_count = 1;
  status = imagine_all(arena, &seen.servo, config->gain_range, logs, count, all, err);
  sn__oe_result result;
  if (status == SN_OK) {
    status = sn__oe_fit_logs(arena, &quick, params, all, count * (GAINS + 1), &result, err);
  }
  if (status == SN_OK) {
    status = set_std(arena, config, params, logs, count, &result, err);
  }
  if (status == SN_OK) {
    result.is_widened = true;
    *out = result;
  }
  return status;
}

sn_status sn__oe_fit(sn_arena *arena, const sn__oe_config *config, const sn_servo_params *params,
                     const sn__servo_log *logs, size_t count, sn__oe_result *out, sn_error *err) {
  sn__oe_result result;
  sn_status status = fit_known(arena, config, params, logs, count, &result, err);
  if (status == SN_OK && config->model == SN__OE_BASIC && config->gain_range > 1.0) {
    status = widen(arena, config, params, logs, count, &result, err);
  }
  if (status == SN_OK) {
    *out = result;
  }
  return status;
}
