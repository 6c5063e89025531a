#include "servo_rig.h"

#include <math.h>

void sn_servo_rig_init(sn_servo_rig *rig, sn_random *r) {
  *rig = (sn_servo_rig){
      .params = {.kp = sn_random_between(r, 60.0, 140.0),
                 .kgear = 1.0,
                 .alpha = {sn_random_between(r, 20.0, 60.0), sn_random_between(r, 4.0, 14.0),
                           sn_random_between(r, 2.0, 8.0), sn_random_between(r, 120.0, 260.0)},
                 .qs = sn_random_between(r, 0.08, 0.25),
                 .delta = (double)(1 + sn_random_below(r, 2))},
      .gravity_Nm = sn_random_between(r, 0.05, 0.2),
      .inertia_kgm2 = sn_random_between(r, 0.001, 0.004),
      .period_s = 0.01};
  for (size_t k = 0; k < 5; k++) {
    rig->amplitude[k] = sn_random_between(r, 0.15, 0.4);
    rig->omega[k] = 6.283185307179586 * sn_random_between(r, 0.2, 1.6);
    rig->phase[k] = sn_random_between(r, 0.0, 6.28);
  }
}

void sn_servo_rig_make_noisy(sn_servo_rig *rig) {
  rig->encoder_step = 0.03 * 3.141592653589793 / 180.0;
  rig->velocity_noise = 0.02;
  rig->effort_noise = 1e-3;
}

sn_servo_motion sn_servo_rig_motion(const sn_servo_rig *rig, double t) {
  sn_servo_motion m = {0};
  for (size_t k = 0; k < 5; k++) {
    const double w = rig->omega[k];
    const double angle = w * t + rig->phase[k];
    m.q += rig->amplitude[k] * sin(angle);
    m.qd += rig->amplitude[k] * w * cos(angle);
    m.qdd -= rig->amplitude[k] * w * w * sin(angle);
  }
  m.tau = rig->gravity_Nm * sin(m.q) + rig->inertia_kgm2 * m.qdd;
  return m;
}

double sn_servo_rig_voltage(double t) {
  return 12.0 - 0.5 * t / 120.0 + 0.05 * sin(0.3 * t);
}

static double quantise(double x, double step) {
  return step == 0.0 ? x : step * round(x / step);
}

void sn_servo_rig_log(const sn_servo_rig *rig, sn_random *random, sn_ident_sample *samples,
                      size_t count) {
  for (size_t i = 0; i < count; i++) {
    const double t = (double)i * rig->period_s;
    const sn_servo_motion m = sn_servo_rig_motion(rig, t);
    /* The goal is executed `delay` samples later, with the battery voltage of that time. */
    const double then = t + (double)rig->delay * rig->period_s;
    const sn_servo_motion executed = sn_servo_rig_motion(rig, then);
    samples[i] = (sn_ident_sample){
        .time_s = t,
        .goal = sn_servo_goal_of(&rig->params, sn_servo_rig_voltage(then), &executed, 0.0),
        .position =
            quantise(m.q + rig->position_noise * sn_random_normal(random), rig->encoder_step),
        .velocity = m.qd + rig->velocity_noise * sn_random_normal(random),
        .effort = m.tau + rig->effort_noise * sn_random_normal(random),
        .voltage = sn_servo_rig_voltage(t)};
  }
}
