#include "sinew/servo_model.h"

#include <math.h>
#include <stddef.h>

#include "base/fail.h"
#include "servo/servo_friction.h"
#include "sinew/fault.h"

void sn_servo_params_init(sn_servo_params *params) {
  *params = (sn_servo_params){.kp = 1.0, .kgear = 1.0, .qs = 0.1, .delta = 1.0};
}

sn_status sn_servo_params_check(const sn_servo_params *params, sn_error *err) {
  const struct {
    const char *name;
    double value;
    const char *expected;
    bool is_good;
  } checks[] = {
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
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    if (!isfinite(checks[i].value) || !checks[i].is_good) {
      return sn__fail(err, SN_EINVAL, "%s is %g, must be finite and %s", checks[i].name,
                      checks[i].value, checks[i].expected);
    }
  }
  return SN_OK;
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

double sn__servo_volts(const sn_servo_params *params, const sn_servo_motion *motion,
                       double dead_zone) {
  return sn__servo_friction(params, motion->qd, dead_zone) + params->alpha[3] * motion->tau +
         params->inertia * motion->qdd;
}

double sn_servo_goal_of(const sn_servo_params *params, double voltage,
                        const sn_servo_motion *motion, double dead_zone) {
  const double lead = sn__servo_volts(params, motion, dead_zone) / (params->kp * voltage);
  return params->kgear * (motion->q + lead);
}

double sn_servo_torque_of(const sn_servo_params *params, double voltage, double goal,
                          const sn_servo_motion *motion, double dead_zone) {
  if (params->alpha[3] == 0.0) {
    return 0.0;
  }
  const double drive = params->kp * voltage * (goal / params->kgear - motion->q);
  return (drive - sn__servo_friction(params, motion->qd, dead_zone) -
          params->inertia * motion->qdd) /
         params->alpha[3];
}

double sn_servo_position_of(const sn_servo_params *params, double voltage, double goal,
                            const sn_servo_motion *motion, double dead_zone) {
  return goal / params->kgear - sn__servo_volts(params, motion, dead_zone) / (params->kp * voltage);
}

double sn_servo_accel(const sn_servo_params *params, double voltage, double goal, double q,
                      double qd, const sn_servo_load *load, double dead_zone) {
  SN_ASSERT(params->alpha[3] > 0.0);
  const double drive = params->kp * voltage * (goal / params->kgear - q);
  const double inertia = params->alpha[3] * load->inertia_kgm2 + params->inertia;
  const double push = drive + params->alpha[3] * load->tau; /* volts, without friction */
  if (fabs(qd) > dead_zone) {
    return (push - sn__servo_friction(params, qd, dead_zone)) / inertia;
  }
  const double hold = fmax(0.0, params->alpha[1] + params->alpha[2]);
  return fabs(push) <= hold ? 0.0 : (push - copysign(hold, push)) / inertia;
}
