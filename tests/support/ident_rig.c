#include "ident_rig.h"

#include <string.h>

#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

const char *ident_rig_joint(const ident_rig *w, size_t servo) {
  return sn_model_joint(w->m.model, servo)->name;
}

/* The assumed models of the servos at the start. */
static void set_models(ident_rig *w) {
  char text[8192];
  int at = snprintf(text, sizeof text, "[");
  for (size_t i = 0; i < w->n; i++) {
    const sn_servo_params *p = &w->servos[i].params;
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "{name: %s, kp: %.17g, kgear: %.17g, alpha: [30, 5, 3, 150], qs: %.17g, delta: "
                   "%.17g}, ",
                   ident_rig_joint(w, i), p->kp, p->kgear, p->qs, p->delta);
  }
  snprintf(text + at, sizeof text - (size_t)at, "]");
  rig_set(&w->m.r, w->ident, "servo_models", text);
}

void ident_rig_open(ident_rig *w) {
  *w = (ident_rig){.n = 0};
  model_rig_open(&w->m, "quadruped");
  w->n = sn_model_pose_size(w->m.model);
  assert_true(w->n <= IDENT_RIG_MAX);
  sn_random random;
  sn_random_init(&random, 17);
  for (size_t i = 0; i < w->n; i++) {
    sn_servo_rig_init(&w->servos[i], &random);
    w->servos[i].period_s = 0.001;
    w->servos[i].params.kgear = i % 3 == 0 ? -2.0 : 1.0;
  }
  w->ident = model_rig_add(&w->m, &sn_servo_ident_component, "ident");
  rig_set(&w->m.r, w->ident, "smoothing", "0");
  w->joints = model_rig_source(&w->m, "ident.joints_sorted");
  w->goals = model_rig_source(&w->m, "ident.goals");
  w->battery = model_rig_source(&w->m, "ident.battery_state");
  const sn_connection queue = {.buffer = 64};
  assert_int_equal(
      sn_source_open(w->m.r.system, "ident.joints_measured", &queue, &w->measured, &w->m.r.err),
      SN_OK);
  w->models = model_rig_tap(&w->m, "ident.servo_model");
  w->error = model_rig_tap(&w->m, "ident.torque_error_sorted");
  set_models(w);
}

void ident_rig_close(ident_rig *w) {
  sn_tap_close(w->models);
  sn_tap_close(w->error);
  sn_source_close(w->joints);
  sn_source_close(w->measured);
  sn_source_close(w->goals);
  sn_source_close(w->battery);
  model_rig_close(&w->m);
}

static double goal_at(const ident_rig *w, size_t servo, double time_s) {
  sn_servo_motion m = sn_servo_rig_motion(&w->servos[servo], time_s);
  m.tau -= w->push[servo]; /* supplied by the push */
  return sn_servo_goal_of(&w->servos[servo].params, 11.5, &m, SN_SERVO_DEAD_ZONE);
}

/* The goal at a time, or its mean over the cycle that ends then. */
static double goal_until(const ident_rig *w, size_t servo, double time_s) {
  enum { PIECES = 20 };
  double sum = 0.0;
  for (int k = 0; w->holds_goals && k < PIECES; k++) {
    sum += goal_at(w, servo, time_s - 0.001 * (k + 0.5) / PIECES) / PIECES;
  }
  return w->holds_goals ? sum : goal_at(w, servo, time_s);
}

static void write_command(ident_rig *w) {
  sn_joint_state *joints = sn_source_msg(w->joints);
  sn_servo_goal *goals = sn_source_msg(w->goals);
  sn_battery_state *battery = sn_source_msg(w->battery);
  sn_msg_names_share(&joints->name, sn_model_joint_names(w->m.model));
  sn_msg_names_share(&goals->name, sn_model_joint_names(w->m.model));
  joints->header.stamp_ns = sn_clock_now_ns(&w->m.r.clock);
  joints->position.count = joints->velocity.count = joints->effort.count = w->n;
  goals->goal.count = w->n;
  battery->voltage = 11.5F;
  for (size_t i = 0; i < w->n; i++) {
    const double then = 0.001 * (double)(w->cycle + w->delay);
    const sn_servo_motion m = sn_servo_rig_motion(&w->servos[i], then);
    joints->position.data[i] = m.q;
    joints->velocity.data[i] = m.qd;
    joints->effort.data[i] =
        w->holds_goals ? sn_servo_rig_motion(&w->servos[i], then - 0.0005).tau : m.tau;
    goals->goal.data[i] = goal_until(w, i, then);
  }
  assert_int_equal(sn_source_write(w->joints), SN_OK);
  assert_int_equal(sn_source_write(w->goals), SN_OK);
  assert_int_equal(sn_source_write(w->battery), SN_OK);
}

static void write_measured(ident_rig *w, size_t first, size_t count) {
  sn_joint_state *msg = sn_source_msg(w->measured);
  const bool is_whole = count == w->n;
  msg->header.stamp_ns = sn_clock_now_ns(&w->m.r.clock) + 1;
  msg->position.count = count;
  msg->velocity.count = w->without_velocity ? 0 : count;
  if (is_whole) {
    sn_msg_names_share(&msg->name, sn_model_joint_names(w->m.model));
  } else {
    sn_msg_names_clear(&msg->name);
  }
  for (size_t k = 0; k < count; k++) {
    const size_t i = is_whole ? k : first + count - 1 - k;
    const char *name = ident_rig_joint(w, i);
    if (!is_whole) {
      assert_int_equal(sn_msg_names_add(&msg->name, name, strlen(name)), SN_OK);
    }
    const sn_servo_motion m = sn_servo_rig_motion(&w->servos[i], 0.001 * (double)w->cycle);
    msg->position.data[k] = m.q;
    msg->velocity.data[k] = m.qd;
  }
  assert_int_equal(sn_source_write(w->measured), SN_OK);
}

void ident_rig_feed(void *context) {
  ident_rig *w = context;
  write_command(w);
  const size_t piece = w->in_pieces ? 3 : w->n;
  for (size_t end = w->n; end > 0; end -= end < piece ? end : piece) {
    const size_t count = end < piece ? end : piece;
    write_measured(w, end - count, count);
  }
  w->cycle++;
}

void ident_rig_run(ident_rig *w, size_t cycles) {
  for (size_t i = 0; i < cycles; i++) {
    ident_rig_feed(w);
    model_rig_cycle(&w->m);
  }
}

sn_status ident_rig_call(ident_rig *w, const char *operation, const void *request,
                         const void **response) {
  char path[64];
  sn_caller caller = {0};
  snprintf(path, sizeof path, "ident.%s", operation);
  assert_int_equal(sn_caller_open(w->m.r.system, path, &caller, &w->m.r.err), SN_OK);
  const sn_msg_capacity capacity = {.item_count = 64, .text_size = 256};
  void *answer = sn_msg_create(&w->m.r.arena, caller.operation->response, &capacity);
  assert_non_null(answer);
  const sn_status status = sn_call(&caller, request, answer, &w->m.r.err);
  sn_caller_close(&caller);
  if (response != NULL) {
    *response = answer;
  }
  return status;
}

bool ident_rig_start(ident_rig *w, const size_t *servos, size_t count) {
  sn_call_names *request = sn_msg_create(&w->m.r.arena, &sn_call_names_type, NULL);
  for (size_t i = 0; i < count; i++) {
    const char *name = ident_rig_joint(w, servos[i]);
    assert_int_equal(sn_msg_names_add(&request->names, name, strlen(name)), SN_OK);
  }
  const void *answer = NULL;
  assert_int_equal(ident_rig_call(w, "startIdentification", request, &answer), SN_OK);
  return ((const sn_call_outcome *)answer)->success;
}
