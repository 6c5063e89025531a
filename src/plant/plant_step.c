/* One cycle: orders become springs with friction, the physics moves them, the battery discharges.
 */
#include <math.h>

#include "plant/plant.h"
#include "plant/plant_state.h"
#include "plant/rigid/axle_load.h"
#include "servo/servo_friction.h"

static const double CYCLE_MAX_S = 0.1;
enum { STEPS_MAX = 1000 };        /* in one cycle */
enum { LATE_CYCLES = 20 };        /* of a servo with SN_PLANT_DELAYED */
static const double JAMMED = 1e9; /* dry friction of a gear that nothing moves, N·m or N */

/* A step within a cycle. */
typedef struct moment {
  double begin_s, end_s; /* since the beginning of the cycle */
  double cycle_s;
} moment;

/* The law of a servo, divided by its volts per torque. */
static void set_axle(sn_plant *p, size_t i, double goal, bool is_limp) {
  const sn_servo_params *s = &p->servos[i].params;
  sn__axle *axle = &p->axles[i];
  const double dry = s->alpha[1] + s->alpha[2] * sn__servo_stribeck(s, p->qd[i]);
  const double volts = s->alpha[0] - (is_limp ? s->ext.back_emf : 0.0);
  const bool has_gear = axle->gear != NULL;
  axle->dry = fmax(0.0, dry / s->alpha[3]) + (has_gear ? 0.0 : p->joint_friction[i]);
  if ((p->faults[i] & SN_PLANT_STUCK) != 0) {
    axle->dry = JAMMED;
  }
  axle->damping = volts / s->alpha[3] + (has_gear ? 0.0 : p->joint_damping[i]);
  axle->stiffness = is_limp ? 0.0 : s->kp * p->voltage / s->alpha[3];
  axle->torque_max = p->servos[i].torque_max;
  if (s->ext.drive_max > 0.0) {
    axle->torque_max = fmin(axle->torque_max, s->ext.drive_max * p->voltage / s->alpha[3]);
  }
  axle->target = goal / s->kgear + s->ext.offset;
  if (s->ext.backlash > 0.0) { /* the spring begins behind the play */
    const double beyond = sn__servo_beyond_play(s, axle->target - p->q[i]);
    axle->stiffness = beyond == 0.0 ? 0.0 : axle->stiffness;
    axle->target = p->q[i] + beyond;
  }
  axle->push = p->push[i];
  axle->speed = p->qd[i];
}

/* What a servo obeys in a step of a cycle: the orders of its delay ago, in the same cycle or an
   earlier one. */
static void obey(sn_plant *p, size_t i, const moment *now) {
  const double delay_s = p->servos[i].params.ext.delay_s;
  const double late =
      fmin(fmax(ceil((delay_s - now->begin_s) / now->cycle_s - 1e-9), 0.0), SN_PLANT_DELAY_MAX);
  const double more = (p->faults[i] & SN_PLANT_DELAYED) != 0 ? LATE_CYCLES : 0.0;
  const size_t cycles = (size_t)fmin(late + more, SN_PLANT_DELAY_MAX);
  const sn__plant_orders *orders = sn__plant_bus_orders(p, cycles);
  const sn__plant_orders *before = sn__plant_bus_orders(p, cycles + 1);
  const double share = fmin(1.0, (now->end_s - delay_s) / now->cycle_s + late);
  const bool jumps = !p->settings.smooth_goals || before->limp[i];
  const double goal =
      jumps ? orders->goal[i] : before->goal[i] + share * (orders->goal[i] - before->goal[i]);
  const bool is_hot = (p->faults[i] & SN_PLANT_HOT) != 0;
  set_axle(p, i, goal, orders->limp[i] || is_hot || sn__plant_is_deserted(p));
}

static double drive_of(const sn_plant *p, size_t i) {
  const sn__axle *axle = &p->axles[i];
  return sn__clamp(axle->stiffness * (axle->target - p->q[i]), -axle->torque_max, axle->torque_max);
}

/* As find_torques(), of a gear whose friction grows with the load. */
static void find_gear_torques(sn_plant *p, size_t i) {
  const sn__axle *axle = &p->axles[i];
  const double v = p->qd[i], spent = axle->damping * v + axle->inertia * p->qdd[i];
  const double seen = p->load[i] + axle->joint_damping * v;
  double drive = drive_of(p, i);
  if (fabs(v) >= axle->speed_max && drive * v > 0.0) { /* limited by its speed */
    const double sign = copysign(1.0, v);
    const double needed = spent + sn__axle_gear_need(axle, seen + sign * axle->joint_dry, sign);
    drive = sn__clamp(needed, fmin(drive, 0.0), fmax(drive, 0.0));
  }
  p->drive[i] = drive;
  p->tau[i] = sn__clamp(seen, sn__axle_gear_torque(axle, drive - spent, 1.0),
                        sn__axle_gear_torque(axle, drive - spent, -1.0));
}

/* Torque of the motor at the end of the step, and torque at the joint. Dry friction of a joint at
   rest follows from the balance of forces. */
static void find_torques(sn_plant *p, size_t i) {
  const sn__axle *axle = &p->axles[i];
  if (axle->gear != NULL) {
    find_gear_torques(p, i);
    return;
  }
  const double v = p->qd[i], rotor = axle->inertia * p->qdd[i];
  double drive = drive_of(p, i);
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
  sn__plant_bus_step(p, dt_s);
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
        obey(p, i, &(moment){k * h_s, (k + 1) * h_s, time_s});
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
