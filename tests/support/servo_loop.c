#include "servo_loop.h"

#include <math.h>
#include <string.h>

#include "sinew/components.h"
#include "sn_test.h"

enum { MS = 1000000 };

static void connect_all(servo_loop *l) {
  static const char *const pairs[][2] = {
      {"timer.sync", "aggregator.sync"},
      {"aggregator.joints_sorted", "dynamics.joints_sorted"},
      {"aggregator.joints_accel", "dynamics.joints_accel"},
      {"aggregator.joints_accel", "inv.joints_accel"},
      {"dynamics.joints_effort", "inv.joints_sorted"},
      {"dynamics.joints_effort", "ident.joints_sorted"},
      {"inv.out_goals", "plant.goals"},
      {"inv.out_goals", "ident.goals"},
      {"plant.joints_measured", "ident.joints_measured"},
      {"plant.battery_state", "inv.battery_state"},
      {"plant.battery_state", "ident.battery_state"},
      {"ident.servo_model", "inv.servo_model"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    rig_connect(&l->m.r, pairs[i][0], pairs[i][1]);
  }
}

void servo_loop_open(servo_loop *l, const sn_component_type *plant) {
  *l = (servo_loop){.n = 0};
  model_rig_open(&l->m, "quadruped");
  l->n = sn_model_pose_size(l->m.model);
  rig_add(&l->m.r, &sn_timer_component, "timer");
  l->aggregator = model_rig_add(&l->m, &sn_aggregator_component, "aggregator");
  l->dynamics = model_rig_add(&l->m, &sn_dynamics_inv_component, "dynamics");
  l->inv = model_rig_add(&l->m, &sn_servo_inv_7param_component, "inv");
  l->plant = model_rig_add(&l->m, plant, "plant");
  l->ident = model_rig_add(&l->m, &sn_servo_ident_component, "ident");
  connect_all(l);
  rig_set(&l->m.r, l->dynamics, "base_is_still", "true");
  /* All joints swing at once, and the legs cross each other: only the servos matter here. */
  rig_set(&l->m.r, l->aggregator, "collision_guard", "false");
  l->reference = model_rig_source(&l->m, "aggregator.in_joints");
  l->push = model_rig_source(&l->m, "plant.push");
  l->sorted = model_rig_tap(&l->m, "aggregator.joints_sorted");
  l->measured = model_rig_tap(&l->m, "plant.joints_measured");
  l->error = model_rig_tap(&l->m, "ident.torque_error_sorted");
  assert_int_equal(sn__plant_default_servos(&l->m.arena, l->m.model, l->servos, &l->m.r.err),
                   SN_OK);
}

void servo_loop_close(servo_loop *l) {
  sn_tap_close(l->sorted);
  sn_tap_close(l->measured);
  sn_tap_close(l->error);
  sn_source_close(l->reference);
  sn_source_close(l->push);
  model_rig_close(&l->m);
}

void servo_loop_believe(servo_loop *l, double factor, bool by_inv) {
  static char text[1 << 15];
  int at = snprintf(text, sizeof text, "[");
  for (size_t i = 0; i < l->n; i++) {
    const sn_servo_params *p = &l->servos[i].params;
    const sn_joint *joint = sn_model_joint(l->m.model, i);
    /* The servo overcomes the friction of the joint, which inverse dynamics does not include. */
    const double viscous = p->alpha[0] + p->alpha[3] * joint->damping;
    const double coulomb = p->alpha[1] + p->alpha[3] * joint->friction;
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "{name: %s, kp: %.17g, kgear: %.17g, qs: %.17g, delta: %.17g, inertia: %.17g, "
                   "alpha: [%.17g, %.17g, %.17g, %.17g]}, ",
                   joint->name, p->kp, p->kgear, p->qs, p->delta, factor == 0.0 ? 0.0 : p->inertia,
                   factor * viscous, factor * coulomb, factor * p->alpha[2], factor * p->alpha[3]);
  }
  snprintf(text + at, sizeof text - (size_t)at, "]");
  rig_set(&l->m.r, l->ident, "servo_models", text);
  if (by_inv) {
    rig_set(&l->m.r, l->inv, "servo_models", text);
  }
}

/* Three different sines for each joint, around the middle of its range. */
static void write_reference(servo_loop *l) {
  sn_joint_state *msg = sn_source_msg(l->reference);
  const double t = l->seconds_of_motion;
  const double ramp = fmin(1.0, t / 2.0); /* gently at first */
  sn_msg_names_share(&msg->name, sn_model_joint_names(l->m.model));
  msg->header.stamp_ns = sn_clock_now_ns(&l->m.r.clock);
  msg->position.count = msg->velocity.count = l->n;
  for (size_t i = 0; i < l->n; i++) {
    const sn_joint *joint = sn_model_joint(l->m.model, i);
    const double lower = fmax(joint->lower, -0.6);
    const double upper = fmin(joint->upper, 0.6);
    const double half = 0.5 * (upper - lower) * l->amplitude;
    const double speed = fmin(joint->velocity_max, 2.0);
    double q = 0.5 * (lower + upper);
    double qd = 0.0;
    for (int k = 0; k < 3; k++) {
      const double w = (0.9 + 1.1 * k) * (1.0 + 0.07 * (double)(i % 7));
      const double a = fmin(half / 3.0, speed / (3.0 * w)) * ramp;
      q += a * sin(w * t + 0.3 * (double)i);
      qd += a * w * cos(w * t + 0.3 * (double)i);
    }
    msg->position.data[i] = q;
    msg->velocity.data[i] = qd;
  }
  assert_int_equal(sn_source_write(l->reference), SN_OK);
}

static void add_up(servo_loop *l) {
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *sorted = sn_tap_read(l->sorted, NULL);
  const sn_joint_state *measured = sn_tap_read(l->measured, &flow);
  const sn_joint_state *error = sn_tap_read(l->error, NULL);
  if (flow != SN_NEW_DATA || sorted == NULL || measured->name.count != l->n) {
    return;
  }
  for (size_t i = 0; i < l->n; i++) {
    const double e = measured->position.data[i] - sorted->position.data[i];
    l->square_sum += e * e;
    if (error != NULL) {
      l->worst[i] = fmax(l->worst[i], fabs(error->effort.data[i]));
      l->mean[i] += error->effort.data[i];
    }
  }
  l->samples++;
}

void servo_loop_run(servo_loop *l, double seconds) {
  const size_t cycles = (size_t)lround(1000.0 * seconds);
  for (size_t k = 0; k < cycles; k++) {
    write_reference(l);
    rig_run(&l->m.r, MS);
    add_up(l);
    l->time_s += 0.001;
    l->seconds_of_motion += 0.001;
  }
}

double servo_loop_tracking(servo_loop *l) {
  const double rms = sqrt(l->square_sum / (double)(l->samples * l->n));
  l->square_sum = 0.0;
  l->samples = 0;
  memset(l->worst, 0, sizeof l->worst);
  memset(l->mean, 0, sizeof l->mean);
  return rms;
}

void servo_loop_push(servo_loop *l, size_t joint, double torque_Nm) {
  sn_joint_state *msg = sn_source_msg(l->push);
  const char *name = sn_model_joint(l->m.model, joint)->name;
  sn_msg_names_clear(&msg->name);
  assert_int_equal(sn_msg_names_add(&msg->name, name, strlen(name)), SN_OK);
  msg->effort.count = 1;
  msg->effort.data[0] = torque_Nm;
  assert_int_equal(sn_source_write(l->push), SN_OK);
}
