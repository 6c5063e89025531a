/* Servos of the options as settings: their models for the plant and for the inversion, which then
   agree, and what they can do as limits of the gate. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "common/print.h"
#include "plant/plant.h"
#include "play/play_setup.h"
#include "servo/servo_store.h"

typedef struct servo {
  const char *name;
  sn_servo_params params;
  double torque_max, speed_max; /* of the motor */
} servo;

/* A servo that follows its goal: 2000 N·m/rad, no friction but damping, and no limit. */
static const sn_servo_params ideal = {
    .kp = 1000.0, .kgear = 1.0, .alpha = {54.0, 0.0, 0.0, 6.0}, .qs = 0.1, .delta = 1.0};
static const double NO_LIMIT = 1e6;
static const double SPEED_MAX = 100.0; /* rad/s */

static void put_servo(sn__buffer *out, const servo *s) {
  sn__json_open(out, NULL, '{');
  sn__json_text(out, "name", s->name);
  sn__json_real(out, "kp", s->params.kp);
  sn__json_real(out, "kgear", s->params.kgear);
  sn__json_open(out, "alpha", '[');
  for (size_t i = 0; i < 4; i++) {
    sn__json_real(out, NULL, s->params.alpha[i]);
  }
  sn__json_close(out, ']');
  sn__json_real(out, "qs", s->params.qs);
  sn__json_real(out, "delta", s->params.delta);
  sn__json_real(out, "inertia", s->params.inertia);
  sn__json_real(out, "torque_max", fmin(s->torque_max, NO_LIMIT));
}

static void put_inversion(sn__buffer *out, const servo *s) {
  put_servo(out, s);
  sn__json_close(out, '}');
}

static void put_plant(sn__buffer *out, const servo *s) {
  put_servo(out, s);
  sn__json_real(out, "speed_max", fmin(s->speed_max, NO_LIMIT));
  sn__json_close(out, '}');
}

/* What the motor can do without a load: its speed ends where its torque equals the back-EMF. */
static void put_limit(sn__buffer *out, const servo *s) {
  const double *alpha = s->params.alpha;
  const double free_speed = alpha[0] > 0.0 ? s->torque_max * alpha[3] / alpha[0] : NO_LIMIT;
  const double inertia = s->params.inertia;
  sn__json_open(out, NULL, '{');
  sn__json_text(out, "joint", s->name);
  sn__json_real(out, "velocity", fmin(fmin(free_speed, s->speed_max), SPEED_MAX));
  sn__json_real(out, "acceleration",
                inertia > 0.0 ? fmin(s->torque_max * alpha[3] / inertia, NO_LIMIT) : NO_LIMIT);
  sn__json_close(out, '}');
}

static bool add_list(play_setup *setup, const char *component, const char *property,
                     const servo *servos, void (*put)(sn__buffer *, const servo *)) {
  sn__buffer out = {.max = (size_t)16 << 20};
  sn__json_open(&out, NULL, '[');
  for (size_t i = 0; i < sn_model_pose_size(setup->model); i++) {
    put(&out, &servos[i]);
  }
  sn__json_close(&out, ']');
  const bool is_good = !out.failed;
  if (is_good && out.used > 2) {
    play_set(&setup->settings, &setup->arena, component, "%s=%.*s", property, (int)out.used,
             out.data);
  }
  sn__buffer_free(&out);
  return is_good;
}

/* What a robot has without files: geared motors with the limits of their joints, as in the plant.
 */
static int set_defaults(play_setup *setup, servo *servos) {
  const size_t n = sn_model_pose_size(setup->model);
  sn_plant_servo *defaults = SN_NEW(&setup->arena, sn_plant_servo, n);
  sn_error err;
  if (defaults == NULL ||
      sn__plant_default_servos(&setup->arena, setup->model, defaults, &err) != SN_OK) {
    return out_of_memory();
  }
  for (size_t i = 0; i < n; i++) {
    servos[i] = (servo){.name = sn_model_joint(setup->model, i)->name,
                        .params = defaults[i].params,
                        .torque_max = defaults[i].torque_max,
                        .speed_max = defaults[i].speed_max};
  }
  return EXIT_GOOD;
}

/* Servos of joints that the robot lacks are an error: the file is of another robot. The joint's
   speed is that of another servo. */
static int take_file(const play_setup *setup, const sn_servo_list *list, servo *servos) {
  for (size_t i = 0; i < list->count; i++) {
    const sn_servo_entry *entry = &list->entries[i];
    const int joint = sn_model_joint_index(setup->model, entry->name);
    if (joint < 0) {
      fprintf(stderr, "sinew play: %s: servo '%s' is not a joint of the robot\n",
              setup->arguments->servo_models, entry->name);
      return EXIT_NO;
    }
    if (entry->has_alpha) {
      servos[joint].params = entry->params;
      servos[joint].speed_max = NO_LIMIT;
    }
    if (entry->torque_max > 0.0) {
      servos[joint].torque_max = entry->torque_max;
    }
  }
  return EXIT_GOOD;
}

static int read_file(play_setup *setup, servo *servos) {
  sn_report *report = NULL;
  sn_servo_list list;
  if (sn_report_create(&setup->arena, &report, NULL) != SN_OK) {
    return out_of_memory();
  }
  if (sn__servo_store_load(&setup->arena, setup->arguments->servo_models, report, &list) != SN_OK) {
    problems_print(report);
    return EXIT_NO;
  }
  return take_file(setup, &list, servos);
}

static void apply_options(const play_setup *setup, servo *servos) {
  for (size_t i = 0; i < sn_model_pose_size(setup->model); i++) {
    if (setup->arguments->has_ideal_servos) {
      servos[i].params = ideal;
      servos[i].torque_max = servos[i].speed_max = NO_LIMIT;
    }
    if (setup->arguments->torque_max > 0.0) {
      servos[i].torque_max = setup->arguments->torque_max;
    }
  }
}

/* Servos that the deployment or property files describe stay as they are. */
static bool has_own_servos(const play_setup *setup) {
  char text[64] = "";
  sn_error err;
  const sn_status status =
      sn_system_get(setup->plain.system, sn_system_find(setup->plain.system, setup->plant),
                    "servo_models", text, sizeof text, &err);
  return status == SN_ENOSPC || (status == SN_OK && strcmp(text, "[]") != 0);
}

int play_add_servos(play_setup *setup) {
  const play_arguments *a = setup->arguments;
  servo *servos = SN_NEW(&setup->arena, servo, sn_model_pose_size(setup->model));
  if (servos == NULL) {
    return out_of_memory();
  }
  if (a->servo_models == NULL && !a->has_ideal_servos && !(a->torque_max > 0.0) &&
      has_own_servos(setup)) {
    return EXIT_GOOD;
  }
  int code = set_defaults(setup, servos);
  if (code == EXIT_GOOD && a->servo_models != NULL) {
    code = read_file(setup, servos);
  }
  if (code != EXIT_GOOD) {
    return code;
  }
  apply_options(setup, servos);
  return add_list(setup, setup->plant, "servo_models", servos, put_plant) &&
                 add_list(setup, setup->inversion, "servo_models", servos, put_inversion) &&
                 add_list(setup, setup->gate, "joint_limits", servos, put_limit) &&
                 add_list(setup, setup->steps, "servo_models", servos, put_plant) &&
                 add_list(setup, setup->move_base, "servo_models", servos, put_plant)
             ? EXIT_GOOD
             : out_of_memory();
}
