#include "sinew/servo_model.h"

#include <math.h>
#include <stddef.h>

#include "base/fail.h"
#include "servo/servo_friction.h"
#include "sinew/fault.h"

void sn_servo_params_init(sn_servo_params *params) {
  *params = (sn_servo_params){.kp = 1.0, .kgear = 1.0, .qs = 0.1, .delta = 1.0};
}

typedef struct check {
  const char *name;
  double value;
  const char *expected;
  bool is_good;
} check;

static sn_status check_all(const check *checks, size_t count, sn_error *err) {
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(checks[i].value) || !checks[i].is_good) {
      return sn__fail(err, SN_EINVAL, "%s is %g, must be finite and %s", checks[i].name,
                      checks[i].value, checks[i].expected);
    }
  }
  return SN_OK;
}

static sn_status check_extension(const sn_servo_params *params, sn_error *err) {
  const sn_servo_extension *e = &params->ext;
  const check checks[] = {
      {"back_emf", e->back_emf, "between 0 and alpha[0]",
       e->back_emf >= 0.0 && e->back_emf <= params->alpha[0]},
      {"load_friction[0]", e->load[0], "0 or more", e->load[0] >= 0.0},
      {"load_friction[1]", e->load[1], "0 or more", e->load[1] >= 0.0},
      {"back_load_friction[0]", e->back_load[0], "0 or more", e->back_load[0] >= 0.0},
      {"back_load_friction[1]", e->back_load[1], "0 or more", e->back_load[1] >= 0.0},
      {"offset", e->offset, "a number", true},
      {"drive_max", e->drive_max, "0 or more", e->drive_max >= 0.0},
      {"delay", e->delay_s, "0 or more", e->delay_s >= 0.0},
      {"backlash", e->backlash, "0 or more", e->backlash >= 0.0},
  };
  return check_all(checks, sizeof checks / sizeof *checks, err);
}

sn_status sn_servo_params_check(const sn_servo_params *params, sn_error *err) {
  const check checks[] = {
      {"kp", params->kp, "greater than 0", params->kp > 0.0},
      {"kgear", params->kgear, "other than 0", params->kgear != 0.0},
      {"alpha[0]", params->alpha[0], "0 or more", params->alpha[0] >= 0.0},
      {"alpha[1]", params->alpha[1], "a number", true},
      {"alpha[2]", params->alpha[2], "a number", true},
      {"alpha[3]", params->alpha[3], "0 or more", params->alpha[3] >= 0.0},
      {"qs", params->qs, "greater than 0", params->qs > 0.0},
      {"delta", params->delta, "greater than 0", params->delta > 0.0},
      {"inertia", params->inertia, "0 or more", params->inertia >= 0.0},
  };
  const sn_status status = check_all(checks, sizeof checks / sizeof *checks, err);
  return status == SN_OK ? check_extension(params, err) : status;
}

double sn__servo_sign(double qd, double dead_zone) {
  return fabs(qd) <= dead_zone ? 0.0 : copysign(1.0, qd);
}

double sn__servo_stribeck(const sn_servo_params *params, double qd) {
  const double x = fabs(qd / params->qs);
  /* The two common exponents need no pow(). */
  const double power = params->delta == 1.0   ? x
                       : params->delta == 2.0 ? x * x
                                              : pow(x, params->delta);
  return exp(-power);
}

double sn__servo_friction(const sn_servo_params *params, double qd, double dead_zone) {
  const double dry = params->alpha[1] + params->alpha[2] * sn__servo_stribeck(params, qd);
  return params->alpha[0] * qd + sn__servo_sign(qd, dead_zone) * dry;
}

double sn__servo_drive(const sn_servo_params *params, double voltage, double goal, double q) {
  const sn_servo_extension *e = &params->ext;
  const double error = goal / params->kgear + e->offset - q;
  const double volts = params->kp * voltage * sn__servo_beyond_play(params, error);
  const double most = e->drive_max * voltage;
  return most > 0.0 ? fmax(-most, fmin(volts, most)) : volts;
}

double sn__servo_volts(const sn_servo_params *params, const sn_servo_motion *motion,
                       double dead_zone) {
  const double volts = sn__servo_friction(params, motion->qd, dead_zone) +
                       params->alpha[3] * motion->tau + params->inertia * motion->qdd;
  const double sign = sn__servo_sign(motion->qd, dead_zone);
  return sign == 0.0 || !sn__servo_has_load(params)
             ? volts
             : volts + sign * sn__servo_load_friction(params, motion->tau, sign);
}

/* The error of the regulator that makes these volts: the play lies on the side on which they push.
 */
static double error_for(const sn_servo_params *params, double voltage, double volts) {
  const double beyond = volts / (params->kp * voltage);
  return beyond == 0.0 ? 0.0 : beyond + copysign(0.5 * params->ext.backlash, beyond);
}

double sn_servo_goal_of(const sn_servo_params *params, double voltage,
                        const sn_servo_motion *motion, double dead_zone) {
  const double lead = error_for(params, voltage, sn__servo_volts(params, motion, dead_zone));
  return params->kgear * (motion->q - params->ext.offset + lead);
}

double sn_servo_torque_of(const sn_servo_params *params, double voltage, double goal,
                          const sn_servo_motion *motion, double dead_zone) {
  const double slope = params->alpha[3];
  if (slope == 0.0) {
    return 0.0;
  }
  const double volts = sn__servo_drive(params, voltage, goal, motion->q) -
                       sn__servo_friction(params, motion->qd, dead_zone) -
                       params->inertia * motion->qdd;
  const double sign = sn__servo_sign(motion->qd, dead_zone);
  return sign == 0.0 || !sn__servo_has_load(params)
             ? volts / slope
             : sn__servo_solve_torque(params, slope, volts, sign);
}

double sn_servo_position_of(const sn_servo_params *params, double voltage, double goal,
                            const sn_servo_motion *motion, double dead_zone) {
  return goal / params->kgear + params->ext.offset -
         error_for(params, voltage, sn__servo_volts(params, motion, dead_zone));
}

/* The acceleration while the joint moves in a direction, or begins to, against @p friction volts
   that do not depend on the load. */
static double accel_against(const sn_servo_params *params, const sn_servo_load *load, double drive,
                            double friction, double direction) {
  const double inertia = params->alpha[3] * load->inertia_kgm2 + params->inertia;
  if (!sn__servo_has_load(params)) {
    return (drive + params->alpha[3] * load->tau - friction) / inertia;
  }
  const double rotor = params->inertia / load->inertia_kgm2;
  const double tau = sn__servo_solve_torque(params, params->alpha[3] + rotor,
                                            drive - friction - rotor * load->tau, direction);
  return (tau + load->tau) / load->inertia_kgm2;
}

double sn_servo_accel(const sn_servo_params *params, double voltage, double goal, double q,
                      double qd, const sn_servo_load *load, double dead_zone) {
  SN_ASSERT(params->alpha[3] > 0.0);
  const double drive = sn__servo_drive(params, voltage, goal, q);
  if (fabs(qd) > dead_zone) {
    return accel_against(params, load, drive, sn__servo_friction(params, qd, dead_zone),
                         copysign(1.0, qd));
  }
  const double push = drive + params->alpha[3] * load->tau; /* volts, without friction */
  const double direction = copysign(1.0, push);
  const double dry = fmax(0.0, params->alpha[1] + params->alpha[2]);
  const double hold = dry + sn__servo_load_friction(params, -load->tau, direction);
  return fabs(push) <= hold ? 0.0 : accel_against(params, load, drive, direction * dry, direction);
}
