/* Logs of a servo with a pendulum, from JSON, CSV or recordings. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "common/file_bytes.h"
#include "common/numbers.h"
#include "common/print.h"
#include "ident_tools/bam_log.h"
#include "ident_tools/pendulum.h"

/* Of the load in a log and that of the command line. */
#define LOAD_TOLERANCE 0.02
/* Beyond the limits of the joint, rad: gears and stops yield by less. */
#define LIMIT_TOLERANCE_RAD 0.35

static int complain(const char *message) {
  char clean[600];
  text_clean(message, clean, sizeof clean);
  fprintf(stderr, "sinew ident: error: %s\n", clean);
  return EXIT_NO;
}

bool pendulum_parse(const char *text, sn__pendulum *out) {
  static const char prefix[] = "pendulum:";
  if (strncmp(text, prefix, sizeof prefix - 1) != 0) {
    return false;
  }
  sn__pendulum p = {0};
  const struct {
    const char *key;
    double *value;
  } keys[] = {{"mass=", &p.mass_kg}, {"length=", &p.length_m}, {"arm=", &p.arm_kg}};
  const char *at = text + sizeof prefix - 1;
  for (bool more = true; more; at++) {
    size_t k = 0;
    while (k < 3 && strncmp(at, keys[k].key, strlen(keys[k].key)) != 0) {
      k++;
    }
    at = k == 3 ? NULL : number_at(at + strlen(keys[k].key), keys[k].value);
    if (at == NULL || (*at != ',' && *at != '\0')) {
      return false;
    }
    more = *at == ',';
  }
  *out = p;
  return p.mass_kg > 0.0 && p.length_m > 0.0 && p.arm_kg >= 0.0 &&
         isfinite(p.mass_kg + p.length_m + p.arm_kg);
}

static bool is_near(double a, double b) {
  return fabs(a - b) <= LOAD_TOLERANCE * fmax(a, b);
}

/* The load of the command line fills in what a log does not state; it must not contradict it. */
static int set_load(const ident_request *request, sn__servo_log *log) {
  if (!request->has_load) {
    return EXIT_GOOD;
  }
  const sn__pendulum *given = &request->load;
  sn__pendulum *own = &log->load;
  if ((own->mass_kg > 0.0 && !is_near(own->mass_kg, given->mass_kg)) ||
      (own->length_m > 0.0 && !is_near(own->length_m, given->length_m))) {
    char text[500];
    snprintf(text, sizeof text,
             "%s was recorded with %g kg at %g m, --load says %g kg at %g m: correct it, or leave "
             "--load out",
             log->path, own->mass_kg, own->length_m, given->mass_kg, given->length_m);
    return complain(text);
  }
  *own = *given;
  return EXIT_GOOD;
}

/* CSV and recordings have no gain of their own: kp is all of it. */
static int take_track(pendulum_work *w, const ident_track *track, const char *name,
                      const char *path, sn__servo_log *out) {
  sn__log_sample *samples = SN_NEW(&w->arena, sn__log_sample, track->count + 1);
  if (samples == NULL) {
    return out_of_memory();
  }
  double sum = 0.0;
  double measured = 0.0;
  for (size_t i = 0; i < track->count; i++) {
    const sn_ident_sample *s = &track->samples[i];
    samples[i] = (sn__log_sample){.time_s = s->time_s,
                                  .position = s->position,
                                  .goal = s->goal,
                                  .voltage = s->voltage,
                                  .velocity = s->velocity,
                                  .duty = (double)NAN,
                                  .is_limp = isnan(s->goal)};
    sum += isnan(s->voltage) ? 0.0 : s->voltage;
    measured += isnan(s->voltage) ? 0.0 : 1.0;
  }
  *out = (sn__servo_log){.path = path,
                         .motor = name,
                         .gain = 1.0,
                         .voltage = measured > 0.0 ? sum / measured : 0.0,
                         .samples = samples,
                         .count = track->count};
  return EXIT_GOOD;
}

static int read_table(pendulum_work *w, const sn_servo_list *list, const char *path,
                      sn__servo_log *out) {
  ident_data data;
  int code = ident_read(path, list, &w->request->topics, false, &data);
  size_t moved = 0;
  size_t at = 0;
  for (size_t i = 0; code == EXIT_GOOD && i < list->count; i++) {
    moved += data.tracks[i].count > 0;
    at = data.tracks[i].count > 0 ? i : at;
  }
  if (code == EXIT_GOOD && moved > 1) {
    char text[500];
    snprintf(text, sizeof text, "%s holds %zu servos: a pendulum hangs on one, keep one model only",
             path, moved);
    code = complain(text);
  }
  if (code == EXIT_GOOD) {
    ident_data_warn(path, &data);
    code = take_track(w, &data.tracks[at], list->entries[at].name, path, out);
  }
  ident_data_free(&data);
  return code;
}

static int read_json(pendulum_work *w, const file_bytes *file, const char *path,
                     sn__servo_log *out) {
  sn_error err;
  const sn_status status = bam_log_parse(&w->arena, file->text, file->size, path, out, &err);
  return status == SN_OK       ? EXIT_GOOD
         : status == SN_ENOMEM ? out_of_memory()
                               : complain(err.message);
}

/* A joint outside its limits counts from another turn, or another zero. */
static int check_limits(const load_limits *limits, const sn__servo_log *log) {
  double least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < log->count; i++) {
    least = fmin(least, log->samples[i].position);
    most = fmax(most, log->samples[i].position);
  }
  if (!limits->are_set || (least >= limits->lower - LIMIT_TOLERANCE_RAD &&
                           most <= limits->upper + LIMIT_TOLERANCE_RAD)) {
    return EXIT_GOOD;
  }
  char text[500];
  snprintf(
      text, sizeof text,
      "%s: positions reach from %.3g to %.3g rad, the limits of the joint are %.3g and %.3g: the "
      "servo counts from another turn or zero than the joint; make them agree",
      log->path, least, most, limits->lower, limits->upper);
  return complain(text);
}

static int read_log(pendulum_work *w, const sn_servo_list *list, const char *path,
                    pendulum_log *out) {
  file_bytes file;
  if (!file_bytes_open(path, &file)) {
    char text[500];
    snprintf(text, sizeof text, "%s: cannot read the file: %s", path, strerror(errno));
    return complain(text);
  }
  const bool is_json =
      pendulum_is_json(path) || (file.text != NULL && bam_log_is_one(file.text, file.size));
  int code = is_json ? read_json(w, &file, path, &out->log) : EXIT_GOOD;
  if (file.text != NULL) {
    file_bytes_close(&file);
  }
  if (!is_json) {
    code = read_table(w, list, path, &out->log);
  }
  if (code != EXIT_GOOD) {
    return code;
  }
  if (!(out->log.voltage > 0.0)) {
    out->log.voltage = w->request->config.voltage;
  }
  code = set_load(w->request, &out->log);
  sn_error err;
  if (code == EXIT_GOOD && sn__servo_log_check(&out->log, &err) != SN_OK) {
    code = complain(err.message);
  }
  code = code == EXIT_GOOD ? check_limits(&w->request->limits, &out->log) : code;
  out->simulated = SN_NEW(&w->arena, double, out->log.count + 1);
  return code == EXIT_GOOD && out->simulated == NULL ? out_of_memory() : code;
}

static int read_all(pendulum_work *w, const sn_servo_list *list, const text_list *paths,
                    pendulum_log **out, size_t *count) {
  *out = SN_NEW(&w->arena, pendulum_log, paths->count + 1);
  if (*out == NULL) {
    return out_of_memory();
  }
  *count = paths->count;
  int code = EXIT_GOOD;
  for (size_t i = 0; code == EXIT_GOOD && i < paths->count; i++) {
    code = read_log(w, list, paths->items[i], &(*out)[i]);
  }
  return code;
}

/* All logs as one list: the fitted ones first. */
static int check_kind(pendulum_work *w) {
  const size_t count = w->fitted_count + w->validated_count;
  sn__servo_log *all = SN_NEW(&w->arena, sn__servo_log, count);
  if (all == NULL) {
    return out_of_memory();
  }
  for (size_t i = 0; i < count; i++) {
    all[i] = i < w->fitted_count ? w->fitted[i].log : w->validated[i - w->fitted_count].log;
  }
  sn_error err;
  return sn__servo_logs_check_kind(all, count, &err) == SN_OK ? EXIT_GOOD : complain(err.message);
}

/* The model of the servo: the one with its name, or the only one. */
static int find_entry(pendulum_work *w, const sn_servo_list *list) {
  const char *motor = w->fitted[0].log.motor;
  const int named = sn_names_index(list->names, motor);
  if (named >= 0 || list->count == 1) {
    w->entry = &list->entries[named >= 0 ? named : 0];
    return EXIT_GOOD;
  }
  char text[500];
  snprintf(
      text, sizeof text,
      "%s has %zu models, none is named '%.60s' as in %s: name one like this, or keep one only",
      w->request->models, list->count, motor, w->fitted[0].log.path);
  return complain(text);
}

/* The gear is that of the model. */
static int check_goals(const pendulum_work *w, const pendulum_log *logs, size_t count) {
  sn_error err;
  for (size_t i = 0; i < count; i++) {
    if (sn__servo_log_check_goals(&logs[i].log, &w->entry->params, &err) != SN_OK) {
      return complain(err.message);
    }
  }
  return EXIT_GOOD;
}

int pendulum_read(pendulum_work *w, const sn_servo_list *list) {
  if (list->count == 0) {
    return complain("the file of models has no servo");
  }
  int code = read_all(w, list, &w->request->logs, &w->fitted, &w->fitted_count);
  if (code == EXIT_GOOD) {
    code = read_all(w, list, &w->request->validate, &w->validated, &w->validated_count);
  }
  if (code == EXIT_GOOD) {
    code = check_kind(w);
  }
  code = code == EXIT_GOOD ? find_entry(w, list) : code;
  code = code == EXIT_GOOD ? check_goals(w, w->fitted, w->fitted_count) : code;
  return code == EXIT_GOOD ? check_goals(w, w->validated, w->validated_count) : code;
}
