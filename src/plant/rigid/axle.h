/** @file
 *  Internal: one joint on its servo for the length of one step of integration.
 *
 *  The forces on a joint, apart from those of other joints, never grow with velocity: a drive that
 *  is a limited spring, damping, dry friction, stops. So the velocity at the end of the step, with
 *  the other joints held, is the only crossing of a rising and a falling line and is found exactly:
 *  the step is fully implicit. */
#ifndef SN_PLANT_AXLE_H
#define SN_PLANT_AXLE_H

#include <math.h>
#include <stdbool.h>

/** Units: rad and N·m, or m and N. */
typedef struct sn__axle {
  bool moves;          /**< false: not an independent joint, the rest is not read */
  double inertia;      /**< of the rotor, at the joint; > 0 */
  double damping;      /**< of servo and joint */
  double lower, upper; /**< stops; infinite if none */
  double torque_max;   /**< of the drive */
  double speed_max;    /**< limit of the drive */
  double stiffness;    /**< of the drive; 0: limp */
  double target;       /**< rest position of the spring */
  double dry;          /**< limit of dry friction at the present velocity */
  double push;         /**< from outside */
  /* A gear whose friction grows with its load (axle_load.h). Rotor, damping and dry friction are
     then in front of it, these behind it. */
  const struct sn_servo_params *gear; /**< NULL: friction does not depend on the load */
  double joint_damping, joint_dry;
  double speed; /**< at the beginning of the step */
} sn__axle;

/** The velocity as a function of the impulse r of everything else: a fixed value, or
 *  (inertia + slope) v = r + offset. */
typedef struct sn__axle_mode {
  bool is_pinned;
  double slope;
  double offset; /**< or the fixed value */
} sn__axle_mode;

static inline double sn__clamp(double x, double lower, double upper) {
  return x < lower ? lower : x > upper ? upper : x;
}

/** Velocity at the end of a step of an axle without gear.
 *  @param inertia  of everything that moves with the joint
 *  @param impulse  momentum at the beginning and impulse of all but the axle's own forces
 *  @param q        position at the beginning
 *  @param h_s      length of the step
 *  @param lower,upper  bounds of the velocity, around 0
 *  @param mode     out */
static inline double sn__axle_solve(const sn__axle *axle, double inertia, double impulse, double q,
                                    double h_s, double lower, double upper, sn__axle_mode *mode) {
  const double k = axle->stiffness, limit = axle->torque_max, speed = axle->speed_max;
  const double hold = h_s * axle->dry, error = axle->target - q;
  const double at_rest = impulse + h_s * sn__clamp(k * error, -limit, limit);
  if (fabs(at_rest) <= hold) {
    *mode = (sn__axle_mode){.is_pinned = true, .offset = 0.0};
    return 0.0;
  }
  const double sign = copysign(1.0, at_rest);
  const double rest = impulse - sign * hold;
  double slope = h_s * (axle->damping + h_s * k), pull = h_s * k * error;
  double v = (rest + pull) / (inertia + slope);
  double drive = k * (error - h_s * v);
  if (fabs(drive) > limit) {
    drive = copysign(limit, drive);
    slope = h_s * axle->damping;
    pull = h_s * drive;
    v = (rest + pull) / (inertia + slope);
  }
  bool is_pinned = false;
  if (sign * v > speed &&
      sign * drive > 0.0) { /* other forces may exceed the speed limit, the drive may not */
    slope = h_s * axle->damping;
    pull = 0.0;
    v = rest / (inertia + slope);
    is_pinned = sign * v < speed;
    v = is_pinned ? sign * speed : v;
  }
  if (v > upper || v < lower) {
    v = v > upper ? upper : lower;
    is_pinned = true;
  }
  *mode = is_pinned ? (sn__axle_mode){.is_pinned = true, .offset = v}
                    : (sn__axle_mode){.slope = slope, .offset = pull - sign * hold};
  return v;
}

/** The force against the motion of an axle without gear at a velocity, as the one-sided limit
 * against @p direction. Never falls with v.
 *  @param direction  of change: 1 or -1 */
static inline double sn__axle_resistance(const sn__axle *axle, double q, double v, double h_s,
                                         double direction) {
  const double pull = axle->stiffness * (axle->target - q - h_s * v);
  const double dry = v > 0.0 || (v == 0.0 && direction > 0.0) ? axle->dry : -axle->dry;
  double drive = sn__clamp(pull, -axle->torque_max, axle->torque_max);
  if (v > axle->speed_max || (v == axle->speed_max && direction > 0.0)) {
    drive = fmin(drive, 0.0);
  } else if (v < -axle->speed_max || (v == -axle->speed_max && direction < 0.0)) {
    drive = fmax(drive, 0.0);
  }
  return axle->damping * v + dry - drive;
}

#endif
