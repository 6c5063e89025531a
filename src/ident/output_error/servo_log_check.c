/* What can be wrong with a log of a servo. Each fault has its own message. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ident/output_error/servo_log.h"

enum { SAMPLES_MIN = 100 };
#define DURATION_MIN_S 1.0
#define PERIOD_MAX_S 0.1
#define GAP_FACTOR 10.0 /* times the usual period */
#define RANGE_MIN_RAD 0.03
#define GLITCH_RAD 0.3     /* between neighbours */
#define GLITCH_RAD_S 100.0 /* no servo is that fast */
#define VOLTAGE_MAX 60.0   /* of servos */
#define MASS_MAX_KG 100.0
#define LENGTH_MAX_M 5.0
#define RANGE_MAX_RAD 40.0 /* six turns; 90 degrees are more, if they are taken for rad */
#define TURN_RAD 6.28318530717958648

/* Usual period: the mean would hide a gap in a short log, so half the samples are as near. */
static double usual_period(const sn__servo_log *log) {
  double least = INFINITY;
  const size_t half = log->count / 2;
  for (size_t i = 0; i + half < log->count; i++) {
    const double span = log->samples[i + half].time_s - log->samples[i].time_s;
    least = fmin(least, span / (double)half);
  }
  return least;
}

static sn_status check_times(const sn__servo_log *log, sn_error *err) {
  for (size_t i = 1; i < log->count; i++) {
    const double before = log->samples[i - 1].time_s;
    const double now = log->samples[i].time_s;
    if (now == before) {
      return sn__fail(err, SN_EINVAL,
                      "%s: entries %zu and %zu have the same time, %g s: remove one of them",
                      log->path, i - 1, i, now);
    }
    if (!(now > before)) {
      return sn__fail(err, SN_EINVAL,
                      "%s: time goes back at entry %zu: %g s follows %g s: sort or cut the log",
                      log->path, i, now, before);
    }
  }
  const double period = usual_period(log);
  if (!(period <= PERIOD_MAX_S)) {
    return sn__fail(err, SN_EINVAL,
                    "%s: samples are %.3g s apart, at most %.3g s show how a servo moves: are the "
                    "times seconds?",
                    log->path, period, PERIOD_MAX_S);
  }
  for (size_t i = 1; i < log->count; i++) {
    const double step = log->samples[i].time_s - log->samples[i - 1].time_s;
    if (step > GAP_FACTOR * period) {
      return sn__fail(err, SN_EINVAL,
                      "%s: a gap of %.3g s before entry %zu, others are %.3g s apart: cut the log "
                      "there",
                      log->path, step, i, period);
    }
  }
  return SN_OK;
}

static sn_status check_size(const sn__servo_log *log, sn_error *err) {
  const double span_s =
      log->count == 0 ? 0.0 : log->samples[log->count - 1].time_s - log->samples[0].time_s;
  if (log->count < SAMPLES_MIN || !(span_s >= DURATION_MIN_S)) {
    return sn__fail(err, SN_EINVAL,
                    "%s: too short: %zu samples in %.3g s, expected %d in %.3g s or more",
                    log->path, log->count, span_s, SAMPLES_MIN, DURATION_MIN_S);
  }
  return SN_OK;
}

static sn_status check_values(const sn__servo_log *log, sn_error *err) {
  for (size_t i = 0; i < log->count; i++) {
    const sn__log_sample *s = &log->samples[i];
    if (!isfinite(s->position) || !isfinite(s->time_s)) {
      return sn__fail(err, SN_EINVAL, "%s: time or position of entry %zu is not a finite number",
                      log->path, i);
    }
    if (!s->is_limp && !isfinite(s->goal)) {
      return sn__fail(err, SN_EINVAL,
                      "%s: entry %zu has no goal, though the servo is not limp: log the goals that "
                      "were sent",
                      log->path, i);
    }
  }
  return SN_OK;
}

static sn_status check_jumps(const sn__servo_log *log, sn_error *err) {
  for (size_t i = 1; i < log->count; i++) {
    const double jump = log->samples[i].position - log->samples[i - 1].position;
    if (fabs(jump) > SN__SERVO_JUMP_RAD) {
      return sn__fail(err, SN_EINVAL,
                      "%s: the position jumps by %.3g rad at entry %zu: the servo counts from "
                      "another turn; unwrap the positions",
                      log->path, jump, i);
    }
    const double speed = jump / (log->samples[i].time_s - log->samples[i - 1].time_s);
    if (fabs(jump) > GLITCH_RAD && fabs(speed) > GLITCH_RAD_S) {
      return sn__fail(
          err, SN_EINVAL,
          "%s: the position changes by %.3g rad with entry %zu, at %.3g rad/s: no servo "
          "is that fast; remove wrong readings, or convert degrees to rad",
          log->path, jump, i, fabs(speed));
    }
  }
  return SN_OK;
}

static sn_status check_range(const sn__servo_log *log, sn_error *err) {
  double least = INFINITY;
  double most = -INFINITY;
  for (size_t i = 0; i < log->count; i++) {
    least = fmin(least, log->samples[i].position);
    most = fmax(most, log->samples[i].position);
  }
  if (most - least < RANGE_MIN_RAD) {
    return sn__fail(
        err, SN_EINVAL,
        "%s: the servo does not move: %.3g rad between its ends, expected %.3g or more: is "
        "its torque on, and do the goals move?",
        log->path, most - least, RANGE_MIN_RAD);
  }
  if (most - least > RANGE_MAX_RAD) {
    return sn__fail(err, SN_EINVAL,
                    "%s: positions span %.3g rad, expected %.3g at most: are they degrees or "
                    "counts? Convert positions and goals to rad",
                    log->path, most - least, RANGE_MAX_RAD);
  }
  return SN_OK;
}

static sn_status check_facts(const sn__servo_log *log, sn_error *err) {
  const sn__pendulum *load = &log->load;
  if (!(log->gain > 0.0) || !isfinite(log->gain)) {
    return sn__fail(err, SN_EINVAL,
                    "%s: the gain of the servo is not stated (or not above 0): add 'kp' to the log",
                    log->path);
  }
  if (!(log->voltage > 0.0) || !isfinite(log->voltage)) {
    return sn__fail(err, SN_EINVAL, "%s: no supply voltage: pass --voltage V", log->path);
  }
  if (log->voltage > VOLTAGE_MAX) {
    return sn__fail(err, SN_EINVAL, "%s: the supply is %.4g V, expected %g V at most: is it in V?",
                    log->path, log->voltage, VOLTAGE_MAX);
  }
  if (!(load->mass_kg > 0.0 && load->length_m > 0.0 && load->arm_kg >= 0.0) ||
      !isfinite(load->mass_kg + load->length_m + load->arm_kg)) {
    return sn__fail(err, SN_EINVAL,
                    "%s: the load is %g kg at %g m with an arm of %g kg: pass --load "
                    "pendulum:mass=KG,length=M with numbers above 0",
                    log->path, load->mass_kg, load->length_m, load->arm_kg);
  }
  if (load->mass_kg > MASS_MAX_KG || load->arm_kg > MASS_MAX_KG || load->length_m > LENGTH_MAX_M) {
    return sn__fail(
        err, SN_EINVAL,
        "%s: the load is %g kg at %g m with an arm of %g kg, expected %g kg and %g m at "
        "most: are they in kg and m?",
        log->path, load->mass_kg, load->length_m, load->arm_kg, MASS_MAX_KG, LENGTH_MAX_M);
  }
  return SN_OK;
}

sn_status sn__servo_log_check(const sn__servo_log *log, sn_error *err) {
  sn_status status = check_size(log, err);
  status = status == SN_OK ? check_values(log, err) : status;
  status = status == SN_OK ? check_times(log, err) : status;
  status = status == SN_OK ? check_range(log, err) : status;
  status = status == SN_OK ? check_jumps(log, err) : status;
  return status == SN_OK ? check_facts(log, err) : status;
}

bool sn__servo_is_turn_away(double mean, double nearest, double kgear) {
  return fabs(mean) > SN__SERVO_JUMP_RAD || nearest * fabs(kgear) > 0.5 * TURN_RAD;
}

sn_status sn__servo_log_check_goals(const sn__servo_log *log, const sn_servo_params *params,
                                    sn_error *err) {
  double sum = 0.0;
  double count = 0.0;
  double nearest = INFINITY;
  for (size_t i = 0; i < log->count; i++) {
    const sn__log_sample *s = &log->samples[i];
    if (!s->is_limp) {
      const double away = s->goal / params->kgear + params->ext.offset - s->position;
      sum += away;
      nearest = fmin(nearest, fabs(away));
      count += 1.0;
    }
  }
  if (count > 0.0 && sn__servo_is_turn_away(sum / count, nearest, params->kgear)) {
    return sn__fail(
        err, SN_EINVAL,
        "%s: goals and positions are %.3g rad apart on average: one of them is a turn away "
        "or counts from another zero; set the same zero for both",
        log->path, sum / count);
  }
  return SN_OK;
}

int sn__servo_log_turns(const sn__servo_log *log) {
  double sum = 0.0;
  for (size_t i = 0; i < log->count; i++) {
    sum += log->samples[i].position - log->load.hangs_rad;
  }
  const double turns = round(sum / (TURN_RAD * (double)log->count));
  return fabs(turns) < (double)INT_MAX ? (int)turns : 0;
}

sn_status sn__servo_logs_check_kind(const sn__servo_log *logs, size_t count, sn_error *err) {
  for (size_t i = 1; i < count; i++) {
    if (strcmp(logs[i].motor, logs[0].motor) != 0) {
      return sn__fail(err, SN_EINVAL,
                      "%s is a log of '%.40s', %s of '%.40s': identify one kind of servo at a time",
                      logs[i].path, logs[i].motor, logs[0].path, logs[0].motor);
    }
  }
  return SN_OK;
}
