/* A file of the library of servos from an identification: model, source and validity. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "common/print.h"
#include "common/whole_file.h"
#include "ident_tools/pendulum.h"
#include "servo/servo_text.h"

/* What the logs cover. */
typedef struct range {
  double gain; /* the largest */
  double torque, speed, volts_min, volts_max;
} range;

static range find_range(const pendulum_work *w) {
  range r = {.volts_min = INFINITY};
  for (size_t k = 0; k < w->fitted_count; k++) {
    const sn__servo_log *log = &w->fitted[k].log;
    r.gain = fmax(r.gain, log->gain);
    r.volts_min = fmin(r.volts_min, log->voltage);
    r.volts_max = fmax(r.volts_max, log->voltage);
    for (size_t i = 6; i < log->count; i++) {
      const sn__log_sample *s = &log->samples[i], *before = &log->samples[i - 6];
      const double torque = sn__pendulum_torque_at(&log->load, s->position);
      r.torque = fmax(r.torque, fabs(torque));
      r.speed = fmax(r.speed, fabs(s->position - before->position) / (s->time_s - before->time_s));
    }
  }
  return r;
}

static const char END[] = ".yaml";

static bool has_end(const char *text) {
  const size_t length = strlen(text), end = strlen(END);
  return length >= end && strcmp(text + length - end, END) == 0;
}

/* `path/name.yaml`: the name, which deployments write, has letters, digits, _ and -. */
static bool name_of(const char *given, char *name, size_t size) {
  const char *slash = strrchr(given, '/');
  (void)snprintf(name, size, "%s", slash == NULL ? given : slash + 1);
  if (has_end(name)) {
    name[strlen(name) - strlen(END)] = '\0';
  }
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  return *name != '\0' && strspn(name, letters) == strlen(name);
}

bool servo_file_is_name(const char *given) {
  char name[64];
  return name_of(given, name, sizeof name) && strlen(name) + 1 < sizeof name;
}

static double mean_error(const pendulum_log *logs, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += logs[i].score.mae_rad;
  }
  return sum / (double)count;
}

static void put_about(FILE *out, const pendulum_work *w, const char *name, const range *r) {
  const sn__pendulum *load = &w->fitted[0].log.load;
  fprintf(
      out,
      "servo:\n"
      "  title: %s # maker and full name\n"
      "  family: unknown # dynamixel, feetech_sts, feetech_scs or herkulex\n"
      "  model_numbers: [] # as `sinew bus scan` prints them\n"
      "  gain: %g # of the firmware, for which kp holds; kp is proportional to it\n"
      "  source: Identified with `sinew ident --model %s` from %zu logs, %g kg at %g m, %.3g to "
      "%.3g V.\n"
      "  validity: One servo. Torques up to %.2g N·m, speeds up to %.2g rad/s. Simulated logs "
      "are within %.2g mrad on average",
      name, r->gain, w->request->model == NULL ? "full" : w->request->model, w->fitted_count,
      load->mass_kg, load->length_m, r->volts_min, r->volts_max, r->torque, r->speed,
      1e3 * mean_error(w->fitted, w->fitted_count));
  if (w->validated_count > 0) {
    fprintf(out, ", %zu others within %.2g mrad", w->validated_count,
            1e3 * mean_error(w->validated, w->validated_count));
  }
  const sn__oe_result *result = &w->result;
  const bool is_assumed = result->is_free[SN__OE_LOAD] && !result->is_free[SN__OE_BACK_EMF];
  fputs(is_assumed ? ". The logs do not show it limp: back_emf is assumed.\n" : ".\n", out);
}

int servo_file_write(const pendulum_work *w) {
  const char *given = w->request->save_servo;
  char name[64], path[4096];
  (void)name_of(given, name, sizeof name); /* was checked */
  const bool fits =
      snprintf(path, sizeof path, "%s%s", given, has_end(given) ? "" : END) < (int)sizeof path;
  const range r = find_range(w);
  sn_servo_entry entry = {.name = name, .params = w->result.servo.params, .has_alpha = true};
  entry.params.kp *= r.gain;
  const sn_servo_list list = {.entries = &entry, .count = 1};
  whole_file file;
  bool good = fits && whole_file_open(&file, path);
  if (good) {
    sn__servo_text_write(file.out, &list);
    put_about(file.out, w, name, &r);
    good = whole_file_close(&file);
  }
  if (!good) {
    fprintf(stderr, "sinew ident: cannot write the servo %s: %s\n", path, strerror(errno));
    return EXIT_FAULT;
  }
  return EXIT_GOOD;
}
