#include "servo/servo_step.h"

#include <math.h>

#include "servo/servo_friction.h"
#include "sinew/fault.h"

/* Times the Stribeck velocity: above it that friction is gone. */
#define FAR 5.0

/* A step of one joint. Velocities in it are v + part h a, with the acceleration a. */
typedef struct stride {
  const sn_servo_params *p;
  const sn__servo_input *in;
  double h_s;
  double part; /* 0.5: the middle of the step, 1: its end */
  double qd;   /* at the beginning */
} stride;

/* Velocity at the end of a step in which friction is that of a direction. It may come out with the
   other sign: then the joint stops within the step.
   @param volts  of the drive at the beginning
   @param rate   by which they fall with the velocity, and those that friction takes rise */
static double velocity_with(const stride *s, double volts, double rate, double direction,
                            double dry) {
  const sn_servo_params *p = s->p;
  const double inverse = 1.0 / s->in->load.inertia_kgm2;
  const double reach_s = s->part * s->h_s;
  const double push = inverse * s->in->load.tau;
  const double slope = p->alpha[3] + (rate * reach_s + p->inertia) * inverse;
  const double left =
      volts - rate * (s->qd + reach_s * push) - p->inertia * push - direction * fmax(0.0, dry);
  const double tau = sn__servo_solve_torque(p, slope, left, direction);
  return s->qd + s->h_s * (push + inverse * tau);
}

static double dry_at(const sn_servo_params *p, double qd) {
  return p->alpha[1] + p->alpha[2] * sn__servo_stribeck(p, qd);
}

/* Near rest Stribeck friction changes within the step: that of the mean velocity counts. */
static double velocity_after(const stride *s, double volts, double rate, double direction) {
  const double first = velocity_with(s, volts, rate, direction, dry_at(s->p, s->qd));
  const double mean = 0.5 * (s->qd + first);
  return fabs(mean) > FAR * s->p->qs ? first
                                     : velocity_with(s, volts, rate, direction, dry_at(s->p, mean));
}

/* Would friction keep a joint at rest that is there? If not, the direction in which it goes. */
static bool is_held(const stride *s, double drive, double *direction) {
  const sn_servo_params *p = s->p;
  const double tau = -s->in->load.tau;
  const double left = drive - p->alpha[3] * tau;
  *direction = copysign(1.0, left);
  return fabs(left) <=
         fmax(0.0, p->alpha[1] + p->alpha[2]) + sn__servo_load_friction(p, tau, *direction);
}

static double at_middle(const stride *s, double after) {
  return s->qd + s->part * (after - s->qd);
}

/* With a drive: a spring up to its limit, a constant voltage at it.
   @param reached  out: volts in the middle of the step, without a limit */
static double velocity_driven(const stride *s, double wanted, double gain, double direction,
                              double *reached) {
  const sn_servo_params *p = s->p;
  const double most = p->ext.drive_max > 0.0 ? p->ext.drive_max * s->in->voltage : INFINITY;
  const double reach_s = s->part * s->h_s;
  const double after = velocity_after(s, wanted, p->alpha[0] + gain * reach_s, direction);
  *reached = wanted - gain * reach_s * at_middle(s, after);
  return fabs(*reached) <= most
             ? after
             : velocity_after(s, copysign(most, *reached), p->alpha[0], direction);
}

/* The spring begins behind the play. What counts is on which side the middle of the step is: so a
   play that vanishes is none. */
static double velocity_with_play(const stride *s, double error, double gain, double direction) {
  const double half = 0.5 * s->p->ext.backlash;
  double reached;
  if (fabs(error) > half) {
    const double side = copysign(1.0, error);
    const double after =
        velocity_driven(s, gain * (error - side * half), gain, direction, &reached);
    if (reached * side >= 0.0) {
      return after;
    }
  }
  const double coasting = velocity_after(s, 0.0, s->p->alpha[0], direction);
  const double left = error - s->part * s->h_s * at_middle(s, coasting);
  return fabs(left) <= half
             ? coasting
             : velocity_driven(s, gain * (error - copysign(half, left)), gain, direction, &reached);
}

static stride stride_of(const sn_servo_params *params, const sn__servo_input *in, double h_s,
                        double qd) {
  const double inertia = params->alpha[3] * in->load.inertia_kgm2 + params->inertia;
  const double gain = in->is_limp ? 0.0 : params->kp * in->voltage;
  const bool is_stiff = h_s * (params->alpha[0] + gain * h_s) > inertia;
  return (stride){params, in, h_s, is_stiff ? 1.0 : 0.5, qd};
}

static double velocity_in(const stride *s, double q, double direction) {
  const sn_servo_params *p = s->p;
  if (s->in->is_limp) {
    return velocity_after(s, 0.0, p->alpha[0] - p->ext.back_emf, direction);
  }
  const double gain = p->kp * s->in->voltage;
  const double error = s->in->goal / p->kgear + p->ext.offset - q;
  double reached;
  return p->ext.backlash > 0.0 ? velocity_with_play(s, error, gain, direction)
                               : velocity_driven(s, gain * error, gain, direction, &reached);
}

static void move(const stride *s, double after, double *q, double *qd) {
  *q += s->h_s * (*qd + s->part * (after - *qd));
  *qd = after;
}

/* A step that begins at rest. */
static void leave_rest(const stride *s, double *q, double *qd) {
  const double drive =
      s->in->is_limp ? 0.0 : sn__servo_drive(s->p, s->in->voltage, s->in->goal, *q);
  double direction;
  if (!is_held(s, drive, &direction)) {
    const double after = velocity_in(s, *q, direction);
    move(s, after * direction > 0.0 ? after : 0.0, q, qd);
  }
}

void sn__servo_step(const sn_servo_params *params, const sn__servo_input *in, double h_s, double *q,
                    double *qd) {
  SN_ASSERT(params->alpha[3] > 0.0);
  double left_s = h_s;
  if (*qd != 0.0) {
    const stride s = stride_of(params, in, h_s, *qd);
    const double direction = copysign(1.0, *qd);
    const double after = velocity_in(&s, *q, direction);
    if (after * direction > 0.0) {
      move(&s, after, q, qd);
      return;
    }
    /* It stops within the step, and what is left of the step begins at rest: friction that turned
       round at either end would be early or late by half a step at each reversal. */
    const double part = *qd / (*qd - after);
    *q += 0.5 * part * h_s * *qd;
    *qd = 0.0;
    left_s -= part * h_s;
  }
  if (left_s > 0.0) {
    const stride s = stride_of(params, in, left_s, 0.0);
    leave_rest(&s, q, qd);
  }
}
