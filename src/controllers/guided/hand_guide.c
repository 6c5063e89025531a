#include "controllers/guided/hand_guide.h"

#include <math.h>

static double clamp(double value, double most) {
  return fmax(-most, fmin(value, most));
}

/* A joint that came to rest is held by friction, up to its limit on one side: then twice as much is
   needed to move it to the other. The command goes to where the servo just carries the weight. It
   is too slow to count as a motion.
   @return rad/s */
static double settle(sn__hand_guide *guide, const sn__hand_guide_config *config, double dt_s) {
  static const double CREEP = 0.02;
  guide->slow_s += dt_s;
  guide->rest_Nm = guide->torque_Nm;
  guide->is_settled = guide->slow_s >= 2.0 * config->rest_time_s;
  return clamp(0.25 * guide->torque_Nm / config->damping, CREEP);
}

static void wait_for_push(sn__hand_guide *guide, const sn__hand_guide_config *config) {
  if (fabs(guide->torque_Nm - guide->rest_Nm) > config->start_Nm) {
    guide->is_moving = true;
    guide->slow_s = 0.0;
  }
}

static void move(sn__hand_guide *guide, const sn__hand_guide_config *config, double dt_s) {
  const double push = fmax(0.0, fabs(guide->torque_Nm) - config->keep_Nm);
  const double wanted =
      clamp(copysign(push, guide->torque_Nm) / config->damping, config->speed_max);
  guide->speed += clamp(wanted - guide->speed, config->acceleration * dt_s);
  guide->slow_s = fabs(guide->speed) < config->rest_speed ? guide->slow_s + dt_s : 0.0;
  if (guide->slow_s >= config->rest_time_s) {
    guide->is_moving = guide->is_settled = false;
    guide->speed = guide->slow_s = 0.0;
  }
}

double sn__hand_guide_step(sn__hand_guide *guide, const sn__hand_guide_config *config,
                           double torque_Nm, double dt_s) {
  guide->torque_Nm += (torque_Nm - guide->torque_Nm) * -expm1(-dt_s / config->filter_s);
  if (guide->is_moving) {
    move(guide, config, dt_s);
    return guide->speed;
  }
  if (!guide->is_settled) {
    return settle(guide, config, dt_s);
  }
  wait_for_push(guide, config);
  return 0.0;
}
