#include "ident_tools/pendulum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/print.h"

#define THRESHOLD_RAD 0.1
#define SATURATED_PART_ALL 0.95

bool pendulum_is_json(const char *path) {
  const size_t length = strlen(path);
  return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

bool pendulum_is_wanted(const ident_request *request) {
  bool has_json = false;
  for (size_t i = 0; i < request->logs.count; i++) {
    has_json = has_json || pendulum_is_json(request->logs.items[i]);
  }
  const bool is_extended = request->model != NULL && strcmp(request->model, "basic") != 0;
  return has_json || is_extended || request->has_load || request->save_servo != NULL ||
         request->logs.count > 1 || request->validate.count > 0;
}

static sn__oe_config config_of(const ident_request *request) {
  const char *model = request->model == NULL ? "full" : request->model;
  return (sn__oe_config){.model = strcmp(model, "basic") == 0  ? SN__OE_BASIC
                                  : strcmp(model, "load") == 0 ? SN__OE_LINEAR_LOAD
                                                               : SN__OE_FULL,
                         .is_directional = request->is_directional,
                         .has_backlash = request->has_backlash,
                         .gain_range = PENDULUM_GAIN_RANGE};
}

static double saturated_part(const pendulum_work *w, const sn_servo_params *params) {
  double saturated = 0.0;
  double all = 0.0;
  for (size_t i = 0; i < w->fitted_count; i++) {
    const sn__log_rows rows = sn__servo_log_rows(&w->fitted[i].log, params);
    saturated += (double)rows.saturated;
    all += (double)(rows.saturated + rows.at_rest + rows.driven);
  }
  return all > 0.0 ? saturated / all : 1.0;
}

/* The limit of the drive: stated, seen in the logs, or that of the supply. */
static int set_drive_limit(pendulum_work *w, const sn__servo_log *logs, sn_servo_params *params) {
  w->drive_found = sn__servo_logs_drive_max(logs, w->fitted_count, params);
  const double known = params->ext.drive_max > 0.0 ? params->ext.drive_max : w->drive_found;
  params->ext.drive_max = known > 0.0 ? known : 1.0;
  const double part =
      known > 0.0 ? saturated_part(w, params) : sn__servo_logs_top_part(logs, w->fitted_count);
  if (part > SATURATED_PART_ALL) {
    fprintf(stderr,
            "sinew ident: error: the drive is at its limit in %.0f %% of all rows: saturated "
            "throughout, nothing else shows; record with a lower gain\n",
            100.0 * part);
    return EXIT_NO;
  }
  return EXIT_GOOD;
}

/* If the limit is not known and the logs would exceed that of the supply, kp may be only a scale:
   the logs decide whether there is a limit. */
static sn_status fit(pendulum_work *w, const sn__servo_log *logs, const sn_servo_params *params,
                     sn_error *err) {
  const sn__oe_config config = config_of(w->request);
  const bool is_known = w->entry->params.ext.drive_max > 0.0 || w->drive_found > 0.0;
  sn_status status = sn__oe_fit(&w->arena, &config, params, logs, w->fitted_count, &w->result, err);
  const bool has_fit = status == SN_OK;
  if (!is_known && saturated_part(w, params) > 0.0) {
    sn_servo_params unlimited = *params;
    unlimited.ext.drive_max = 0.0;
    sn__oe_result other;
    const sn_status second =
        sn__oe_fit(&w->arena, &config, &unlimited, logs, w->fitted_count, &other, err);
    if (second == SN_OK && (!has_fit || other.cost < w->result.cost)) {
      w->result = other;
      status = SN_OK;
    }
  }
  return status;
}

static void simulate_all(pendulum_work *w, pendulum_log *logs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    sn__servo_simulate(&w->result.servo, &logs[i].log, SN__SERVO_WHOLE, logs[i].simulated);
    logs[i].score = sn__servo_score_of(&logs[i].log, logs[i].simulated);
    logs[i].rows = sn__servo_log_rows(&logs[i].log, &w->result.servo.params);
    logs[i].noise = sn__servo_log_noise(&logs[i].log, logs[i].simulated);
  }
}

/* The mean error of logs in each unit. */
static void mean_error(const pendulum_work *w, const pendulum_log *logs, size_t count,
                       double error[3]) {
  memset(error, 0, 3 * sizeof *error);
  for (size_t i = 0; i < count; i++) {
    const pendulum_log *log = &logs[i];
    const double mae = log->score.mae_rad / (double)count;
    const double noise = fmax(log->noise.rest_rad, log->noise.fast_rad); /* not NaN */
    error[IDENT_RAD] += mae;
    error[IDENT_VOLT] += mae * w->result.servo.params.kp * log->log.gain * log->log.voltage;
    error[IDENT_NOISE] += mae / noise;
  }
}

/* Other logs judge, too: what they show counts more than how well the own ones are fitted. */
static void judge(pendulum_work *w) {
  const ident_threshold *wanted = &w->request->threshold;
  const double most = wanted->value > 0.0 ? wanted->value : THRESHOLD_RAD;
  double other[3];
  mean_error(w, w->fitted, w->fitted_count, w->error);
  mean_error(w, w->validated, w->validated_count, other);
  const sn__oe_result *r = &w->result;
  if (!(w->error[wanted->unit] <= most)) {
    pendulum_blame(w);
  } else if (!(r->std[SN__OE_ALPHA3] <= 0.2 * r->value[SN__OE_ALPHA3])) {
    w->reason = "the logs do not show how voltage becomes torque: move more, with more load";
  } else if (!(other[wanted->unit] <= most)) {
    (void)snprintf(w->reason_text, sizeof w->reason_text,
                   "the simulation of the logs that validate is further away than the threshold, "
                   "%.0f mrad on average: identify from more motions and gains",
                   1e3 * other[IDENT_RAD]);
    w->reason = w->reason_text;
  } else {
    pendulum_find_stranger(w);
  }
}

static int identify(pendulum_work *w) {
  sn__servo_log *logs = SN_NEW(&w->arena, sn__servo_log, w->fitted_count);
  if (logs == NULL) {
    return out_of_memory();
  }
  for (size_t i = 0; i < w->fitted_count; i++) {
    logs[i] = w->fitted[i].log;
  }
  sn_servo_params params = w->entry->params;
  if (set_drive_limit(w, logs, &params) != EXIT_GOOD) {
    return EXIT_NO;
  }
  sn_error err;
  const sn_status status = fit(w, logs, &params, &err);
  if (status != SN_OK) {
    fprintf(stderr, "sinew ident: error: %s\n", err.message);
    return status == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
  }
  simulate_all(w, w->fitted, w->fitted_count);
  simulate_all(w, w->validated, w->validated_count);
  w->velocity = sn__servo_logs_velocity(logs, w->fitted_count);
  judge(w);
  return EXIT_GOOD;
}

static int save(const pendulum_work *w, const sn_servo_list *list) {
  sn_error err;
  w->entry->params = w->result.servo.params;
  w->entry->has_alpha = true;
  if (sn__servo_store_save(w->request->models, list, &err) != SN_OK) {
    fprintf(stderr, "sinew ident: %s\n", err.message);
    return EXIT_FAULT;
  }
  return EXIT_GOOD;
}

static int finish(pendulum_work *w, const sn_servo_list *list) {
  pendulum_cross(w);
  int code = pendulum_print(w);
  if (code == EXIT_GOOD && w->request->report != NULL) {
    code = pendulum_report(w);
  }
  if (code == EXIT_GOOD && w->request->save_servo != NULL && w->reason == NULL) {
    code = servo_file_write(w);
  }
  if (code == EXIT_GOOD && w->request->save && w->reason == NULL) {
    code = save(w, list);
  }
  return code != EXIT_GOOD ? code : w->reason == NULL ? EXIT_GOOD : EXIT_NO;
}

int pendulum_run(const ident_request *request, sn_servo_list *list) {
  pendulum_work w = {.request = request, .is_full = config_of(request).model == SN__OE_FULL};
  sn_arena_init_growing(&w.arena, "logs", 1 << 20);
  int code = pendulum_read(&w, list);
  if (code == EXIT_GOOD) {
    code = identify(&w);
  }
  if (code == EXIT_GOOD) {
    code = finish(&w, list);
  }
  sn_arena_release(&w.arena);
  return code;
}
