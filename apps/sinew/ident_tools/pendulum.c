#include "ident_tools/pendulum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/print.h"

#define THRESHOLD_RAD 0.1
#define SATURATED_PART_ALL 0.95
#define STRANGER_RAD 0.05
#define STRANGER_FACTOR 5.0 /* times the error of the others */
enum { STRANGER_LOGS_MIN = 3 };

static bool is_named_json(const char *path) {
  const size_t length = strlen(path);
  return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

bool pendulum_is_wanted(const ident_request *request) {
  bool has_json = false;
  for (size_t i = 0; i < request->logs.count; i++) {
    has_json = has_json || is_named_json(request->logs.items[i]);
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
    logs[i].noise = sn__servo_log_noise(&logs[i].log);
  }
}

/* The error of a log in each unit. */
static void add_error(const pendulum_work *w, const pendulum_log *log, double error[3]) {
  const double mae = log->score.mae_rad;
  const double noise = fmax(log->noise.rest_rad, log->noise.fast_rad); /* not NaN */
  const double volts = w->result.servo.params.kp * log->log.gain * log->log.voltage;
  error[IDENT_RAD] += mae / (double)w->fitted_count;
  error[IDENT_VOLT] += mae * volts / (double)w->fitted_count;
  error[IDENT_NOISE] += mae / noise / (double)w->fitted_count;
}

/* The median of the errors of the other logs. */
static double others_error(const pendulum_work *w, size_t which) {
  const size_t middle = (w->fitted_count - 1) / 2;
  for (size_t i = 0; i < w->fitted_count; i++) {
    const double error = w->fitted[i].score.mae_rad;
    size_t below = 0, same = 0;
    for (size_t k = 0; k < w->fitted_count; k++) {
      below += k != which && w->fitted[k].score.mae_rad < error;
      same += k != which && w->fitted[k].score.mae_rad == error;
    }
    if (i != which && below <= middle && middle < below + same) {
      return error;
    }
  }
  return INFINITY;
}

/* A log that is far off while the others agree was recorded with something else, if the model has
   all that servos usually do. */
static void find_stranger(pendulum_work *w) {
  if (config_of(w->request).model != SN__OE_FULL) {
    return;
  }
  for (size_t i = 0; w->fitted_count >= STRANGER_LOGS_MIN && i < w->fitted_count; i++) {
    const double error = w->fitted[i].score.mae_rad;
    const double others = others_error(w, i);
    if (error > STRANGER_RAD && error > STRANGER_FACTOR * others) {
      (void)snprintf(w->reason_text, sizeof w->reason_text,
                     "%s is %.0f mrad from its simulation, the others about %.0f: is its mass, "
                     "length, gain and supply right?",
                     w->fitted[i].log.path, 1e3 * error, 1e3 * others);
      w->reason = w->reason_text;
    }
  }
}

static void judge(pendulum_work *w) {
  const ident_threshold *wanted = &w->request->threshold;
  const double most = wanted->value > 0.0 ? wanted->value : THRESHOLD_RAD;
  for (size_t i = 0; i < w->fitted_count; i++) {
    add_error(w, &w->fitted[i], w->error);
  }
  const sn__oe_result *r = &w->result;
  if (!(w->error[wanted->unit] <= most)) {
    w->reason = "the simulation is further from the logs than the threshold";
  } else if (!(r->std[SN__OE_ALPHA3] <= 0.2 * r->value[SN__OE_ALPHA3])) {
    w->reason = "the logs do not show how voltage becomes torque: move more, with more load";
  } else {
    find_stranger(w);
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
  w->velocity_lag_s = sn__servo_logs_velocity_lag(logs, w->fitted_count);
  judge(w);
  return EXIT_GOOD;
}

sn_servo_params pendulum_params(const pendulum_work *w) {
  sn_servo_params params = w->result.servo.params;
  size_t limp = 0;
  for (size_t i = 0; i < w->fitted_count; i++) {
    limp += w->fitted[i].rows.limp;
  }
  params.ext.back_emf = limp == 0 ? 0.0 : params.ext.back_emf;
  return params;
}

static int save(const pendulum_work *w, const sn_servo_list *list) {
  sn_error err;
  w->entry->params = pendulum_params(w);
  w->entry->has_alpha = true;
  if (sn__servo_store_save(w->request->models, list, &err) != SN_OK) {
    fprintf(stderr, "sinew ident: %s\n", err.message);
    return EXIT_FAULT;
  }
  return EXIT_GOOD;
}

static int finish(pendulum_work *w, const sn_servo_list *list) {
  int code = pendulum_print(w);
  if (code == EXIT_GOOD && w->request->report != NULL) {
    pendulum_cross(w);
    code = pendulum_report(w);
  }
  if (code == EXIT_GOOD && w->request->save && w->reason == NULL) {
    code = save(w, list);
  }
  if (code == EXIT_GOOD && w->request->save_servo != NULL && w->reason == NULL) {
    code = servo_file_write(w);
  }
  return code != EXIT_GOOD ? code : w->reason == NULL ? EXIT_GOOD : EXIT_NO;
}

int pendulum_run(const ident_request *request, sn_servo_list *list) {
  pendulum_work w = {.request = request};
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
