#include <math.h>

#include "msg/types/servo_ident_msg.h"
#include "servo_loop.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

/* The whole robot in simulated time: identified models make it follow and reveal pushes. */

static servo_loop loop; /* large */

static void call(const char *operation, const void *request, void *response) {
  char path[64];
  sn_caller caller = {0};
  snprintf(path, sizeof path, "ident.%s", operation);
  assert_int_equal(sn_caller_open(loop.m.r.system, path, &caller, &loop.m.r.err), SN_OK);
  if (sn_call(&caller, request, response, &loop.m.r.err) != SN_OK) {
    fail_msg("%s", loop.m.r.err.message);
  }
  sn_caller_close(&caller);
}

static void start_all(void) {
  sn_call_names *request = sn_msg_create(&loop.m.r.arena, &sn_call_names_type, NULL);
  sn_call_outcome *outcome = sn_msg_create(&loop.m.r.arena, &sn_call_outcome_type, NULL);
  sn_msg_names_share(&request->names, sn_model_joint_names(loop.m.model));
  call("startIdentification", request, outcome);
  assert_true(outcome->success);
}

/* @return how many were accepted */
static size_t end_all(void) {
  const sn_msg_capacity room = {.text_size = 256};
  sn_ident_ended *ended = sn_msg_create(&loop.m.r.arena, &sn_ident_ended_type, &room);
  call("endIdentification", NULL, ended);
  return ended->names.count;
}

/* One identification of all servos while they move. */
static void identify_once(double motion_s) {
  start_all();
  servo_loop_run(&loop, motion_s);
  const size_t accepted = end_all();
  if (accepted != loop.n) {
    char text[300];
    rig_drain_log(&loop.m.r, SN_LOG_WARNING, text, sizeof text);
    fail_msg("%zu of %zu servos were accepted: %s", accepted, loop.n, text);
  }
}

static double tracking_now(void) {
  (void)servo_loop_tracking(&loop);
  servo_loop_run(&loop, 5.0);
  return servo_loop_tracking(&loop);
}

/* Tracking errors before and after one and two identifications. The first is rough: while the robot
   does not follow, its torque differs from the commanded one. */
static void identify(double motion_s, double error[3]) {
  loop.amplitude = 0.9; /* away from the stops */
  /* At 1 kHz the default memory is a fifth of a second. */
  rig_set(&loop.m.r, loop.ident, "relaxation_factor", "0.9998");
  rig_begin(&loop.m.r);
  servo_loop_run(&loop, 3.0);
  error[0] = tracking_now();
  for (size_t i = 1; i < 3; i++) {
    identify_once(motion_s);
    servo_loop_run(&loop, 1.0); /* the new models take over */
    error[i] = tracking_now();
  }
  print_message("tracking error %.5f rad with the default model, then %.5f, then %.5f rad\n",
                error[0], error[1], error[2]);
}

SN_TEST(identified_models_make_the_robot_follow) {
  servo_loop_open(&loop, &sn_plant_component);
  servo_loop_believe(&loop, 0.0, false);
  double error[3];
  identify(15.0, error);
  assert_true(error[0] > 0.01);
  assert_true(error[1] < error[0] / 5.0);
  assert_true(error[2] < error[0] / 20.0);
  servo_loop_close(&loop);
}

/* Servos of the plant that rub more the more they carry: by a fifth of their volts per torque. */
static void add_load_friction(void) {
  static char text[1 << 14];
  int at = snprintf(text, sizeof text, "[");
  for (size_t i = 0; i < loop.n; i++) {
    const sn_servo_params *p = &loop.servos[i].params;
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "{name: %s, kp: %.17g, qs: %.17g, delta: %.17g, inertia: %.17g, "
                   "alpha: [%.17g, %.17g, %.17g, %.17g], load_friction: [%.17g, 0]}, ",
                   sn_model_joint(loop.m.model, i)->name, p->kp, p->qs, p->delta, p->inertia,
                   p->alpha[0], p->alpha[1], p->alpha[2], p->alpha[3], 0.2 * p->alpha[3]);
  }
  snprintf(text + at, sizeof text - (size_t)at, "]");
  rig_set(&loop.m.r, loop.plant, "servo_models", text);
}

/* The legs of a robot that hangs carry next to nothing, and what they carry comes from each other:
   that does not tell friction of load, so none is taken over. Everything else is identified. */
SN_TEST(friction_of_load_that_a_motion_does_not_tell_stays) {
  servo_loop_open(&loop, &sn_plant_component);
  servo_loop_believe(&loop, 0.0, false);
  add_load_friction();
  rig_set(&loop.m.r, loop.ident, "identify_load_friction", "true");
  double error[3];
  identify(15.0, error);
  assert_true(error[2] < error[0] / 20.0);
  const char *models = rig_get(&loop.m.r, loop.ident, "servo_models");
  for (const char *at = models; (at = strstr(at, "\"name\":\"leg")) != NULL; at++) {
    static const char none[] = "\"load_friction\":[]";
    const char *friction = strstr(at, "\"load_friction\"");
    assert_memory_equal(friction, none, sizeof none - 1);
  }
  servo_loop_close(&loop);
}

/* Plant, inversion and identification all use a gear that reverses and speeds up. */
SN_TEST(gear_is_used_everywhere) {
  servo_loop_open(&loop, &sn_plant_component);
  const double gears[] = {-1.0, -1.5, 2.5};
  char text[300];
  int at = snprintf(text, sizeof text, "[");
  for (size_t i = 0; i < 3; i++) {
    loop.servos[5 * i].params.kgear = gears[i];
    at += snprintf(text + at, sizeof text - (size_t)at, "{name: %s, kgear: %g}, ",
                   sn_model_joint(loop.m.model, 5 * i)->name, gears[i]);
  }
  snprintf(text + at, sizeof text - (size_t)at, "]");
  rig_set(&loop.m.r, loop.plant, "servo_models", text);
  servo_loop_believe(&loop, 0.0, true);
  double error[3];
  identify(15.0, error);
  assert_true(error[0] < 0.1); /* joints reach their goals from the start ... */
  assert_true(error[2] < error[0] / 20.0);
  servo_loop_close(&loop);
}

/* As on a real robot: steps and noise of encoders, goals that take two cycles, a battery that sags,
   servos that miss a message. */
SN_TEST(noise_and_delay_are_the_normal_case) {
  servo_loop_open(&loop, &sn_plant_component);
  servo_loop_believe(&loop, 0.0, false);
  rig_set(&loop.m.r, loop.plant, "encoder_step", "0.0005236"); /* 0.03 degrees */
  rig_set(&loop.m.r, loop.plant, "velocity_noise", "0.02");
  rig_set(&loop.m.r, loop.plant, "bus_delay", "2");
  rig_set(&loop.m.r, loop.plant, "dropout_rate", "0.05");
  rig_set(&loop.m.r, loop.plant, "battery_resistance", "0.05");
  rig_set(&loop.m.r, loop.ident, "control_delay", "2");
  rig_set(&loop.m.r, loop.ident, "smoothing", "8");
  rig_set(&loop.m.r, loop.inv, "lead", "0.002");
  rig_set(&loop.m.r, loop.ident, "min_velocity", "0.04");
  double error[3];
  identify(15.0, error);
  assert_true(error[2] < error[0] / 8.0);
  servo_loop_close(&loop);
}

/* Mean torque errors over a twentieth of a second: in one sample at a reversal the direction of
 * friction is ambiguous. */
SN_TEST(push_on_one_joint_is_seen_there_and_not_elsewhere) {
  servo_loop_open(&loop, &sn_plant_component);
  servo_loop_believe(&loop, 0.0, false);
  double error[3];
  identify(15.0, error);
  const size_t pushed = 7;
  for (int sign = -1; sign <= 1; sign += 2) {
    servo_loop_push(&loop, pushed, 0.3 * sign);
    servo_loop_run(&loop, 0.3); /* it gives way at first */
    double farthest = 0.0, worst_other = 0.0;
    for (int k = 0; k < 60; k++) {
      (void)servo_loop_tracking(&loop);
      servo_loop_run(&loop, 0.05);
      for (size_t i = 0; i < loop.n; i++) {
        const double mean = loop.mean[i] / (double)loop.samples;
        if (i == pushed) { /* the servo delivers less than commanded; the push supplies the rest */
          farthest = fmax(farthest, fabs(-mean * sign - 0.3));
        } else {
          worst_other = fmax(worst_other, fabs(mean));
        }
      }
    }
    print_message("a push of %g N·m is seen within %.4f, elsewhere up to %.4f\n", 0.3 * sign,
                  farthest, worst_other);
    assert_true(farthest <= 0.03);
    assert_true(worst_other < 0.05);
  }
  servo_loop_close(&loop);
}

/* Independent physics. */
SN_TEST(robot_in_mujoco_follows_too) {
  servo_loop_open(&loop, &sn_plant_mujoco_component);
  sn_error err;
  for (size_t i = 0; i < sn_system_component_count(loop.m.r.system); i++) {
    sn_component *c = sn_system_component_at(loop.m.r.system, i);
    const sn_status status = sn_system_configure(loop.m.r.system, c, &err);
    if (status == SN_EUNSUPPORTED) {
      print_message("skipped: %s\n", err.message);
      servo_loop_close(&loop);
      skip();
    }
  }
  servo_loop_believe(&loop, 0.0, false);
  double error[3];
  identify(15.0, error);
  assert_true(error[0] > 0.01);
  assert_true(error[1] < error[0] / 5.0);
  assert_true(error[2] < error[0] / 5.0);
  servo_loop_close(&loop);
}
