#include "plant/rigid/axle_load.h"

#include "servo/servo_friction.h"

double sn__axle_gear_torque(const sn__axle *axle, double left, double direction) {
  const double volts = axle->gear->alpha[3];
  return sn__servo_solve_torque(axle->gear, volts, volts * (left - direction * axle->dry),
                                direction);
}

double sn__axle_gear_need(const sn__axle *axle, double tau, double direction) {
  const double friction = sn__servo_load_friction(axle->gear, tau, direction);
  return tau + direction * (axle->dry + friction / axle->gear->alpha[3]);
}

double sn__axle_gear_slope(const sn__axle *axle, double tau, double direction) {
  return axle->gear->alpha[3] / sn__servo_torque_slope(axle->gear, tau, direction);
}

/* A step in which the joint moves in a direction: mass v = push + h tau behind the gear,
   n = have - rate v in front of it. */
typedef struct motion {
  const sn__axle *axle;
  double sign, h_s;
  double mass, push;
  double have, rate;
  double v, tau; /* the solution */
} motion;

/* Of the two expressions for v the one with the larger divisor loses no digits. */
static void solve(motion *m, double pull, double falling) {
  const sn__axle *axle = m->axle;
  const double rotor = axle->inertia / m->h_s;
  const double volts = axle->gear->alpha[3];
  m->rate = falling + axle->damping + rotor;
  m->have = pull + rotor * axle->speed;
  const double free = m->have - m->sign * axle->dry - m->rate * m->push / m->mass;
  m->tau = sn__servo_solve_torque(axle->gear, volts * (1.0 + m->rate * m->h_s / m->mass),
                                  volts * free, m->sign);
  m->v = m->mass > m->h_s * m->rate
             ? (m->push + m->h_s * m->tau) / m->mass
             : (m->have - sn__axle_gear_need(axle, m->tau, m->sign)) / m->rate;
  m->v = m->v * m->sign > 0.0 ? m->v : 0.0;
}

/* @return whether the speed limit of the drive decides */
static bool solve_limited(motion *m, double q) {
  const sn__axle *axle = m->axle;
  const double k = axle->stiffness, error = axle->target - q;
  solve(m, k * error, k * m->h_s);
  double drive = k * (error - m->h_s * m->v);
  if (fabs(drive) > axle->torque_max) {
    drive = copysign(axle->torque_max, drive);
    solve(m, drive, 0.0);
  }
  if (m->sign * m->v <= axle->speed_max || m->sign * drive <= 0.0) {
    return false;
  }
  solve(m, 0.0, 0.0); /* other forces may exceed the speed limit, the drive may not */
  const bool is_pinned = m->sign * m->v < axle->speed_max;
  m->v = is_pinned ? m->sign * axle->speed_max : m->v;
  return is_pinned;
}

/* Impulse at rest if the joint is about to move in a direction. */
static double impulse_at_rest(const sn__axle *axle, double others, double q, double h_s,
                              double direction) {
  const double limit = axle->torque_max;
  const double drive = sn__clamp(axle->stiffness * (axle->target - q), -limit, limit);
  const double left = drive + axle->inertia * axle->speed / h_s;
  return others + h_s * (sn__axle_gear_torque(axle, left, direction) - direction * axle->joint_dry);
}

double sn__axle_solve_loaded(const sn__axle *axle, double inertia, double impulse, double q,
                             double h_s, double lower, double upper, sn__axle_mode *mode) {
  const double rotor = axle->inertia, others = impulse - rotor * axle->speed;
  const bool goes_up = impulse_at_rest(axle, others, q, h_s, 1.0) > 0.0;
  if (!goes_up && impulse_at_rest(axle, others, q, h_s, -1.0) >= 0.0) {
    *mode = (sn__axle_mode){.is_pinned = true, .offset = 0.0};
    return 0.0;
  }
  const double sign = goes_up ? 1.0 : -1.0, behind = h_s * axle->joint_damping;
  motion m = {.axle = axle,
              .sign = sign,
              .h_s = h_s,
              .mass = fmax(inertia - rotor, 1e-9 * inertia) + behind,
              .push = others - sign * h_s * axle->joint_dry};
  const bool is_pinned = solve_limited(&m, q);
  if (is_pinned || m.v > upper || m.v < lower) {
    *mode = (sn__axle_mode){.is_pinned = true, .offset = sn__clamp(m.v, lower, upper)};
    return mode->offset;
  }
  const double rate = m.rate * sn__axle_gear_slope(axle, m.tau, sign);
  *mode = (sn__axle_mode){
      .slope = h_s * rate + behind - rotor,
      .offset = h_s * (m.tau + rate * m.v - sign * axle->joint_dry) - rotor * axle->speed};
  return m.v;
}

double sn__axle_resistance_loaded(const sn__axle *axle, double q, double v, double h_s,
                                  double direction) {
  const double sign = v > 0.0 || (v == 0.0 && direction > 0.0) ? 1.0 : -1.0;
  const double rotor = axle->inertia * (v - axle->speed) / h_s;
  double drive = sn__clamp(axle->stiffness * (axle->target - q - h_s * v), -axle->torque_max,
                           axle->torque_max);
  if (v > axle->speed_max || (v == axle->speed_max && direction > 0.0)) {
    drive = fmin(drive, 0.0);
  } else if (v < -axle->speed_max || (v == -axle->speed_max && direction < 0.0)) {
    drive = fmax(drive, 0.0);
  }
  const double tau = sn__axle_gear_torque(axle, drive - axle->damping * v - rotor, sign);
  return axle->joint_damping * v + sign * axle->joint_dry - tau - rotor;
}
