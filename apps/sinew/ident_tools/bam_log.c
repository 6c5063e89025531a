#include "ident_tools/bam_log.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"

#define VOLTAGE_FACTOR 2.0 /* between what is stated and measured */

/* Some editors put this before the text. */
static size_t mark_size(const char *bytes, size_t size) {
  return size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

bool bam_log_is_one(const char *bytes, size_t size) {
  size_t at = mark_size(bytes, size);
  while (at < size && strchr(" \t\r\n", bytes[at]) != NULL && bytes[at] != '\0') {
    at++;
  }
  return at < size && (bytes[at] == '{' || bytes[at] == '[');
}

/* A number of an object; NaN if it is not there, or not a number. */
static double number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static double number_or(const json_t *object, const char *key, double otherwise) {
  const double value = number_of(object, key);
  return isnan(value) ? otherwise : value;
}

/* The register has 16 bits and a sign, the log does not. */
static double duty_of(const json_t *entry) {
  const double load = number_of(entry, "load");
  return load > 32767.0 && load <= 65535.0 ? load - 65536.0 : load;
}

/* Recorders write true and false, or 1 and 0; without it the motor carries current.
   @return false: it is something else */
static bool find_limp(const json_t *entry, bool *out) {
  const json_t *value = json_object_get(entry, "torque_enable");
  *out = json_is_false(value) || (json_is_number(value) && json_number_value(value) == 0.0);
  return value == NULL || json_is_null(value) || json_is_boolean(value) ||
         (json_is_number(value) && (*out || json_number_value(value) == 1.0));
}

/* @param period_s  of a log whose entries have no times; NaN: they have */
static sn_status read_entry(const char *path, const json_t *entry, size_t index, double period_s,
                            sn__log_sample *out, sn_error *err) {
  *out = (sn__log_sample){.time_s = number_or(entry, "timestamp", (double)index * period_s),
                          .position = number_of(entry, "position"),
                          .goal = number_of(entry, "goal_position"),
                          .voltage = number_of(entry, "input_volts"),
                          .velocity = number_of(entry, "speed"),
                          .duty = duty_of(entry)};
  if (isnan(out->time_s) || isnan(out->position)) {
    return sn__fail(err, SN_ESYNTAX, "%s: entry %zu has no number '%s'%s", path, index,
                    isnan(out->time_s) ? "timestamp" : "position",
                    isnan(out->time_s) ? ", nor the log a period 'dt'" : "");
  }
  if (!find_limp(entry, &out->is_limp)) {
    return sn__fail(err, SN_ESYNTAX, "%s: 'torque_enable' of entry %zu is not true, false, 1 or 0",
                    path, index);
  }
  return SN_OK;
}

/* @return NaN: no entry has one */
static double mean_voltage(const sn__log_sample *samples, size_t count) {
  double sum = 0.0;
  double n = 0.0;
  for (size_t i = 0; i < count; i++) {
    if (isfinite(samples[i].voltage) && samples[i].voltage > 0.0) {
      sum += samples[i].voltage;
      n += 1.0;
    }
  }
  return n > 0.0 ? sum / n : (double)NAN;
}

/* The supply, as measured or as stated. Registers have units of their own. */
static sn_status find_voltage(const json_t *root, const char *path, sn__servo_log *log,
                              sn_error *err) {
  const double stated = number_or(root, "vin", 0.0);
  const double measured = mean_voltage(log->samples, log->count);
  log->voltage = isnan(measured) ? stated : measured;
  if (stated > 0.0 &&
      !(log->voltage < VOLTAGE_FACTOR * stated && stated < VOLTAGE_FACTOR * log->voltage)) {
    return sn__fail(err, SN_EINVAL,
                    "%s: 'vin' is %g V, 'input_volts' %.4g on average: convert the wrong one to V",
                    path, stated, measured);
  }
  return SN_OK;
}

static sn_status read_log(sn_arena *arena, const json_t *root, const char *path, sn__servo_log *out,
                          sn_error *err) {
  const json_t *entries = json_object_get(root, "entries");
  if (!json_is_array(entries)) {
    return sn__fail(err, SN_ESYNTAX, "%s: no list 'entries', as logs of Rhoban/bam have one", path);
  }
  const size_t count = json_array_size(entries);
  const double period_s = number_of(root, "dt");
  const char *motor = json_string_value(json_object_get(root, "motor"));
  motor = motor == NULL ? "" : motor;
  sn__log_sample *samples = SN_NEW(arena, sn__log_sample, count + 1);
  const char *kept = sn_arena_text(arena, motor, strlen(motor));
  if (samples == NULL || kept == NULL) {
    return sn__fail(err, SN_ENOMEM, "%s: no memory for %zu entries", path, count);
  }
  for (size_t i = 0; i < count; i++) {
    const sn_status status =
        read_entry(path, json_array_get(entries, i), i, period_s, &samples[i], err);
    if (status != SN_OK) {
      return status;
    }
  }
  sn__servo_log log = {
      .path = path,
      .motor = kept,
      .gain = number_or(root, "kp", 0.0),
      .load = {.mass_kg = number_or(root, "mass", 0.0),
               .length_m = number_or(root, "length", 0.0),
               .arm_kg = number_or(root, "arm_mass", 0.0)},
      .samples = samples,
      .count = count,
  };
  const sn_status status = find_voltage(root, path, &log, err);
  if (status == SN_OK) {
    *out = log;
  }
  return status;
}

sn_status bam_log_parse(sn_arena *arena, const char *bytes, size_t size, const char *path,
                        sn__servo_log *out, sn_error *err) {
  json_error_t problem;
  const size_t mark = mark_size(bytes, size);
  json_t *root = json_loadb(bytes + mark, size - mark, JSON_REJECT_DUPLICATES, &problem);
  if (root == NULL) {
    return sn__fail(err, SN_ESYNTAX, "%s:%d:%d: %s", path, problem.line, problem.column,
                    problem.text);
  }
  const sn_status status = read_log(arena, root, path, out, err);
  json_decref(root);
  return status;
}
