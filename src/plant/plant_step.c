/* One cycle: orders become springs with friction, the physics moves them, the battery discharges.
 */
#include <math.h>

#include "plant/plant.h"
#include "plant/plant_state.h"
#include "servo/servo_friction.h"

static const double CYCLE_MAX_S = 0.1;
enum { STEPS_MAX = 1000 }; /* in one cycle */

/* The law of a servo, divided by its volts per torque. */
static void set_axle(sn_plant *p, size_t i, const sn__plant_orders *orders, bool is_deserted,
                     double goal) {
  const sn_servo_params *s = &p->servos[i].params;
  sn__axle *axle = &p->axles[i];
  const double dry = s->alpha[1] + s->alpha[2] * sn__servo_stribeck(s, p->qd[i]);
  axle->dry = fmax(0.0, dry / s->alpha[3]) + p->joint_friction[i];
  axle->stiffness = orders->limp[i] || is_deserted ? 0.0 : s->kp * p->voltage / s->alpha[3];
  axle->target = goal / s->kgear;
  axle->push = p->push[i];
}

/* The goal at a share of the cycle. */
static double goal_at(const sn_plant *p, size_t i, const sn__plant_orders *orders,
                      const sn__plant_orders *before, double share) {
  const bool jumps = !p->settings.smooth_goals || before->limp[i];
  return jumps ? orders->goal[i] : before->goal[i] + share * (orders->goal[i] - before->goal[i]);
}

/* Torque of the motor at the end of the step, and torque at the joint. Dry friction of a joint at
   rest follows from the balance of forces. */
static void find_torques(sn_plant *p, size_t i) {
  const sn__axle *axle = &p->axles[i];
  const double v = p->qd[i], rotor = axle->inertia * p->qdd[i];
  double drive =
      sn__clamp(axle->stiffness * (axle->target - p->q[i]), -axle->torque_max, axle->torque_max);
  if (fabs(v) >= axle->speed_max && drive * v > 0.0) { /* limited by its speed */
    const double needed = p->load[i] + axle->damping * v + rotor + copysign(axle->dry, v);
    drive = sn__clamp(needed, fmin(drive, 0.0), fmax(drive, 0.0));
  }
  const double left = drive - axle->damping * v - rotor - p->load[i];
  const double dry = sn__clamp(left, -axle->dry, axle->dry);
  const double own = axle->dry > 0.0 ? 1.0 - p->joint_friction[i] / axle->dry : 0.0;
  p->drive[i] = drive;
  p->tau[i] = drive - (axle->damping - p->joint_damping[i]) * v - rotor - own * dry;
}

/* The motors act as a resistance, so the voltage cannot fall below 0. */
static void discharge(sn_plant *p) {
  double current = 0.0;
  for (size_t i = 0; i < p->joint_count; i++) {
    current += p->settings.current_per_torque * fabs(p->drive[i]);
  }
  const double full = p->settings.battery_voltage;
  p->voltage = full / (1.0 + p->settings.battery_resistance * current / p->voltage);
  p->current_A = current;
}

/* Mimic joints follow their masters. */
static void follow_masters(sn_plant *p) {
  const sn_tree *tree = sn_model_tree(p->model);
  for (size_t i = 0; tree->has_mimic && i < p->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(p->model, i);
    if (joint->mimic >= 0 && joint->body >= 0) {
      const int master = tree->coord[joint->body];
      const double scale = tree->q_scale[joint->body];
      p->q[i] = scale * p->q[master] + tree->q_offset[joint->body];
      p->qd[i] = scale * p->qd[master];
    }
  }
}

void sn__plant_step(sn_plant *p, double dt_s) {
  if (!(dt_s > 0.0)) {
    return;
  }
  const sn__plant_orders *before, *orders = sn__plant_bus_step(p, dt_s, &before);
  const double time_s = fmin(dt_s, CYCLE_MAX_S);
  const int steps = (int)fmin(ceil(time_s / p->step_max_s - 1e-9), STEPS_MAX);
  const double h_s = time_s / steps;
  sn__joint_motion motion = {p->q, p->qd, p->qdd, p->load};
  const sn__influences acting = {p->axles, p->settings.gravity, p->body_pushes, p->body_push_count};
  sn__plant_imu_begin(p);
  for (int k = 0; k < steps; k++) {
    discharge(p); /* first, so that the reported voltage is that of this step */
    for (size_t i = 0; i < p->joint_count; i++) {
      if (p->axles[i].moves) {
        const double share = (double)(k + 1) / (double)steps;
        set_axle(p, i, orders, sn__plant_is_deserted(p), goal_at(p, i, orders, before, share));
      }
    }
    p->physics->step(p->physics, &acting, h_s, &motion, p->floats ? &p->base : NULL);
    for (size_t i = 0; i < p->joint_count; i++) {
      if (p->axles[i].moves) {
        find_torques(p, i);
      }
    }
  }
  follow_masters(p);
  sn__plant_imu_end(p, time_s);
  if (p->floats) {
    sn_kin_update(p->kin, p->q);
  }
}
