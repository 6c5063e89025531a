#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "common/print.h"
#include "ident_tools/pendulum.h"

#define MISSES_NOISE 3.0 /* errors that are this many times the noise are not noise */
#define LAG_SAID_S 0.005 /* a lag below is that of any reading */
#define UNIT_TOLERANCE 0.1

static json_t *number_json(double x) {
  return isfinite(x) ? json_real(x) : json_null(); /* JSON has no infinity */
}

static const char *model_name(const ident_request *request) {
  return request->model == NULL ? "full" : request->model;
}

static json_t *alpha_json(const pendulum_work *w, bool want_std) {
  const sn__oe_result *r = &w->result;
  json_t *list = json_array();
  for (size_t i = 0; i < 4; i++) {
    double x = r->servo.params.alpha[i];
    if (want_std) { /* that of alpha[0] is of a sum, whose parts hardly agree */
      x = i == 0 ? hypot(r->std[SN__OE_ALPHA0], r->std[SN__OE_BACK_EMF]) : r->std[i];
    }
    json_array_append_new(list, number_json(x));
  }
  return list;
}

static json_t *parameters_json(const sn__oe_result *r, const double *values) {
  json_t *object = json_object();
  for (int k = 0; k < SN__OE_COUNT; k++) {
    if (r->is_free[k]) {
      json_object_set_new(object, sn__oe_name(r, (sn__oe_param)k), number_json(values[k]));
    }
  }
  return object;
}

static size_t count_samples(const pendulum_work *w) {
  size_t count = 0;
  for (size_t i = 0; i < w->fitted_count; i++) {
    count += w->fitted[i].log.count;
  }
  return count;
}

static json_t *servo_json(const pendulum_work *w) {
  const sn_servo_params *p = &w->result.servo.params;
  const sn_servo_extension *e = &p->ext;
  json_t *item = json_pack(
      "{s:s, s:b, s:s, s:f, s:o, s:o, s:f, s:f, s:f, s:o, s:I, s:b}", "name", w->entry->name, "ok",
      w->reason == NULL, "model", model_name(w->request), "kp", p->kp, "alpha",
      alpha_json(w, false), "alpha_std", alpha_json(w, true), "qs", p->qs, "delta", p->delta,
      "inertia", p->inertia, "error_rad", number_json(w->error[IDENT_RAD]), "samples",
      (json_int_t)count_samples(w), "excited", isfinite(w->result.std[SN__OE_ALPHA3]));
  json_t *more =
      json_pack("{s:f, s:[f,f], s:b, s:f, s:f, s:f, s:f, s:f}", "back_emf", e->back_emf,
                "load_friction", e->load[0], e->load[1], "directional", e->is_directional,
                "drive_max", e->drive_max, "delay_s", e->delay_s, "backlash_rad", e->backlash,
                "offset", e->offset, "zero_rad", w->result.servo.zero_rad);
  if (item == NULL || more == NULL) {
    json_decref(item);
    json_decref(more);
    return NULL;
  }
  json_object_update(item, more);
  json_decref(more);
  json_object_set_new(item, "parameters", parameters_json(&w->result, w->result.value));
  json_object_set_new(item, "std", parameters_json(&w->result, w->result.std));
  json_object_set_new(item, "error_V", number_json(w->error[IDENT_VOLT]));
  json_object_set_new(item, "error_noise", number_json(w->error[IDENT_NOISE]));
  json_object_set_new(item, "velocity_lag_s", number_json(w->velocity.lag_s));
  json_object_set_new(item, "velocity_unit_rad_s", number_json(w->velocity.unit_rad_s));
  if (w->reason != NULL) {
    json_object_set_new(item, "reason", json_string(w->reason));
  }
  return item;
}

static json_t *score_json(const pendulum_work *w, const pendulum_log *log) {
  return json_pack("{s:s, s:s, s:o, s:o}", "log", log->log.path, "name", w->entry->name, "mae_rad",
                   number_json(log->score.mae_rad), "rms_rad", number_json(log->score.rms_rad));
}

static json_t *fitted_json(const pendulum_work *w) {
  json_t *list = json_array();
  for (size_t i = 0; i < w->fitted_count; i++) {
    const pendulum_log *log = &w->fitted[i];
    json_t *item = score_json(w, log);
    json_t *rows = json_pack("{s:o, s:o, s:f, s:f, s:I, s:I, s:I, s:I}", "noise_rest_rad",
                             number_json(log->noise.rest_rad), "noise_fast_rad",
                             number_json(log->noise.fast_rad), "gain", log->log.gain, "voltage",
                             log->log.voltage, "limp", (json_int_t)log->rows.limp, "saturated",
                             (json_int_t)log->rows.saturated, "at_rest",
                             (json_int_t)log->rows.at_rest, "driven", (json_int_t)log->rows.driven);
    json_object_update(item, rows);
    json_decref(rows);
    json_array_append_new(list, item);
  }
  return list;
}

static json_t *cross_json(const pendulum_work *w) {
  json_t *object = json_object();
  for (size_t k = 0; k < PENDULUM_CROSSED; k++) {
    if (w->is_crossed[k]) {
      json_object_set_new(object, pendulum_crossed_name((pendulum_crossed)k),
                          number_json(w->cross_rad[k]));
    }
  }
  return object;
}

static int print_json(const pendulum_work *w) {
  json_t *validation = json_array();
  for (size_t i = 0; i < w->validated_count; i++) {
    json_array_append_new(validation, score_json(w, &w->validated[i]));
  }
  return json_line_print(json_pack("{s:[o], s:o, s:o, s:o}", "servos", servo_json(w), "logs",
                                   fitted_json(w), "validation", validation, "cross_rad",
                                   cross_json(w)));
}

static void print_logs(const pendulum_log *logs, size_t count, const char *title) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    const pendulum_log *l = &logs[i];
    char path[256];
    text_clean(l->log.path, path, sizeof path);
    printf(
        "  %s %s: gain %g, %.3g V, %zu rows driven, %zu at rest, %zu limp, %zu saturated, "
        "simulated within %.1f mrad (rms %.1f)\n",
        title, path, l->log.gain, l->log.voltage, l->rows.driven, l->rows.at_rest, l->rows.limp,
        l->rows.saturated, 1e3 * l->score.mae_rad, 1e3 * l->score.rms_rad);
    sum += l->score.mae_rad;
  }
  if (count > 0) {
    printf("  %s mean: %.1f mrad\n", title, 1e3 * sum / (double)count);
  }
}

/* Where the limit of the drive comes from. */
static void print_drive(const pendulum_work *w) {
  const double most = w->result.servo.params.ext.drive_max;
  size_t saturated = 0;
  for (size_t i = 0; i < w->fitted_count; i++) {
    saturated += w->fitted[i].rows.saturated;
  }
  if (w->entry->params.ext.drive_max > 0.0) {
    printf("  drive limit %.4g, as the file of models states\n", most);
  } else if (w->drive_found > 0.0) {
    printf("  drive limit %.4g of kp times gain times error, as the servo reports its duty%s\n",
           most, fabs(most - 1.0) < 0.05 ? "" : "; divide kp by it to have volts of the motor");
  } else if (most > 0.0 && saturated > 0) {
    puts("  drive limit 1, that of the supply: the logs agree with it better than with none");
  } else if (most > 0.0) {
    puts(
        "  drive limit not reached: taken as 1, that of the supply; state drive_max in the file of "
        "models if kp is only a scale");
  } else {
    puts(
        "  drive limit unknown: kp of the file of models is only a scale; state drive_max there "
        "before simulating larger errors");
  }
}

/* Only a limp servo shows friction without back-EMF, only a slow one Stribeck friction. */
static void print_parts(const pendulum_work *w) {
  const sn__oe_result *r = &w->result;
  if (r->is_free[SN__OE_LOAD] && !r->is_free[SN__OE_BACK_EMF]) {
    puts(
        "  no row is limp: viscous friction and back-EMF are known by their sum only, alpha[0]; "
        "three "
        "quarters are taken for back-EMF; record how the limp servo swings to know it");
  }
  if (!(r->value[SN__OE_ALPHA2] > PENDULUM_INTERVAL * r->std[SN__OE_ALPHA2])) {
    puts(
        "  Stribeck friction does not show, so qs is not known: alpha[2] does not differ from 0; "
        "record slow motions that reverse often if it matters");
  }
}

/* Without load friction the dry friction is that of the loads of the logs, and these depend on the
   gain. */
static void print_gains(const pendulum_work *w) {
  if (w->result.is_widened) {
    printf(
        "  friction grows with the load, which the basic model lacks: it is also fitted to "
        "simulations by the full model at gains %g times lower and higher; --model full follows "
        "the "
        "logs better\n",
        PENDULUM_GAIN_RANGE);
  }
}

static void print_delay(const sn__oe_result *r) {
  if (!r->is_free[SN__OE_DELAY]) {
    printf(
        "  the delay is not known from these logs and taken as %g s, as in the file of models; "
        "record faster motions to know it\n",
        r->servo.params.ext.delay_s);
  } else if (r->value[SN__OE_DELAY] < PENDULUM_INTERVAL * r->std[SN__OE_DELAY]) {
    puts("  the delay does not differ from 0");
  }
}

/* What the logs say about their own measurements. */
static void print_measurements(const pendulum_work *w) {
  sn__log_noise worst = {0};
  for (size_t i = 0; i < w->fitted_count; i++) {
    const sn__log_noise *n = &w->fitted[i].noise;
    worst.rest_rad = fmax(worst.rest_rad, n->rest_rad); /* not NaN */
    worst = n->fast_rad > worst.fast_rad
                ? (sn__log_noise){worst.rest_rad, n->fast_rad, n->fast_rad_s}
                : worst;
  }
  printf("  noise of positions: at most %.2f mrad at rest, %.2f mrad above %.2g rad/s\n",
         1e3 * worst.rest_rad, 1e3 * worst.fast_rad, worst.fast_rad_s);
  const double unit = w->velocity.unit_rad_s;
  if (unit < 0.0) { /* false if NaN */
    puts(
        "  velocities that the servo reports have the other sign than its positions; not used "
        "here");
  } else if (fabs(unit - 1.0) > UNIT_TOLERANCE) {
    printf(
        "  velocities that the servo reports and its positions differ in unit: 1 means %.3g rad/s, "
        "if positions are in rad; not used here\n",
        unit);
  }
  if (w->velocity.lag_s >= LAG_SAID_S) {
    printf(
        "  velocities that the servo reports are %.0f ms behind its positions: they are not used "
        "here; do not use them in a controller either\n",
        1e3 * w->velocity.lag_s);
  }
}

/* The name in the logs, and turns, are facts that somebody may have meant otherwise. */
static void print_facts(const pendulum_work *w) {
  const char *motor = w->fitted[0].log.motor;
  char text[256];
  if (*motor != '\0' && strcmp(motor, w->entry->name) != 0) {
    text_clean(motor, text, sizeof text);
    printf("  the logs call this servo '%s'\n", text);
  }
  size_t turned = 0, first = 0;
  for (size_t i = w->fitted_count; i-- > 0;) {
    const bool is_turned = sn__servo_log_turns(&w->fitted[i].log) != 0;
    turned += is_turned;
    first = is_turned ? i : first;
  }
  if (turned > 0) {
    text_clean(w->fitted[first].log.path, text, sizeof text);
    printf(
        "  goals and positions of %zu logs are whole turns from where the weight hangs (%s: %+d): "
        "the "
        "model is the same there\n",
        turned, text, sn__servo_log_turns(&w->fitted[first].log));
  }
}

/* A wrong mass in part of the logs makes a model between two servos. */
static void print_masses(pendulum_work *w) {
  for (size_t i = 0; w->is_full && w->reason == NULL && i < w->fitted_count; i++) {
    double mae_rad = 0.0;
    const double mass = pendulum_other_mass(w, &w->fitted[i], &mae_rad);
    if (isfinite(mass)) {
      char path[256];
      text_clean(w->fitted[i].log.path, path, sizeof path);
      printf(
          "  %s would be simulated within %.1f mrad with a mass of %.2g kg, not %.2g: are all "
          "masses "
          "right?\n",
          path, 1e3 * mae_rad, mass, w->fitted[i].log.load.mass_kg);
    }
  }
}

static void print_cross(const pendulum_work *w) {
  const pendulum_crossed simplest = pendulum_cross_simplest(w);
  if (simplest == PENDULUM_CROSSED) {
    if (w->request->is_directional || w->request->has_backlash) {
      puts("  whether the options pay is not known: that needs two logs or more");
    }
    return;
  }
  printf("  logs of one part, simulated by models of the others:");
  const char *separator = "";
  for (size_t k = 0; k < PENDULUM_CROSSED; k++) {
    if (w->is_crossed[k]) {
      printf("%s %s %.1f", separator, pendulum_crossed_name((pendulum_crossed)k),
             1e3 * w->cross_rad[k]);
      separator = ",";
    }
  }
  printf(" mrad: %s is enough\n", pendulum_crossed_name(simplest));
}

static void print_parameters(const sn__oe_result *r) {
  puts(
      "  values, and +- how far the truth is away at most in 95 % of all cases if the servo is as "
      "the model says:");
  for (int k = 0; k < SN__OE_COUNT; k++) {
    if (r->is_free[k]) {
      char doubt[32] = "not known";
      if (isfinite(r->std[k])) {
        snprintf(doubt, sizeof doubt, "+- %.2g", PENDULUM_INTERVAL * r->std[k]);
      }
      printf("  %-21s %10.4g %-11s %s\n", sn__oe_name(r, (sn__oe_param)k), r->value[k], doubt,
             sn__oe_unit((sn__oe_param)k));
    }
  }
}

/* Without a limit of the drive kp may be only a scale, and with it the volts. */
static void print_error(const pendulum_work *w) {
  printf("  error of the simulation: %.1f mrad", 1e3 * w->error[IDENT_RAD]);
  if (w->result.servo.params.ext.drive_max > 0.0) {
    printf(", %.2g V of the motor", w->error[IDENT_VOLT]);
  }
  printf(", %.2g times the noise\n", w->error[IDENT_NOISE]);
  if (w->error[IDENT_NOISE] > MISSES_NOISE) {
    printf(
        "  the servo differs from the model by more than noise, so values are less certain than "
        "+- says: %s\n",
        w->validated_count > 0 ? "judge by the logs that validate"
                               : "judge by --validate with logs of other motions and gains");
  }
}

int pendulum_print(pendulum_work *w) {
  if (w->request->json) {
    return print_json(w);
  }
  const sn__oe_result *r = &w->result;
  char name[80];
  text_clean(w->entry->name, name, sizeof name);
  printf("%s (%s): %s\n", name, model_name(w->request), w->reason == NULL ? "good" : w->reason);
  print_parameters(r);
  print_facts(w);
  print_drive(w);
  print_parts(w);
  print_gains(w);
  if (w->is_full) {
    print_delay(r);
  }
  print_measurements(w);
  print_error(w);
  print_masses(w);
  print_cross(w);
  print_logs(w->fitted, w->fitted_count, "fitted");
  print_logs(w->validated, w->validated_count, "validated");
  return EXIT_GOOD;
}
