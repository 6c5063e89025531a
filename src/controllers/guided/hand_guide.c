#include "controllers/guided/hand_guide.h"

#include <math.h>

/* Share of the greatest speed that is used: the rest is for what is seen late. */
static const double SPEED_SHARE = 0.6;
/* Of the two filters of how the joint gives way, s: some steps of the encoder. */
static const double WAY_FILTER_S = 0.006;
/* The command slows down by so many times the acceleration. */
static const double BRAKE = 8.0;

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

double sn__hand_guide_gives_way(sn__hand_guide *guide, double lag, double dt_s) {
  const double share = -expm1(-dt_s / WAY_FILTER_S);
  if (!guide->has_lag) {
    guide->lag[0] = guide->lag[1] = lag;
    guide->has_lag = true;
  }
  guide->lag[0] += (lag - guide->lag[0]) * share;
  const double step = (guide->lag[0] - guide->lag[1]) * share;
  guide->lag[1] += step;
  return step / dt_s;
}

/* What is left of the greatest speed in both directions. */
static double left_of(double wanted, const sn__hand_guide_config *config, double gives_way) {
  const double most = SPEED_SHARE * config->speed_max;
  return clamp(fmax(-most - gives_way, fmin(wanted, most - gives_way)), config->speed_max);
}

static void move(sn__hand_guide *guide, const sn__hand_guide_config *config, double gives_way,
                 double dt_s) {
  const double push = fmax(0.0, fabs(guide->torque_Nm) - config->keep_Nm);
  const double wanted =
      left_of(copysign(push, guide->torque_Nm) / config->damping, config, gives_way);
  const bool is_faster = fabs(wanted) > fabs(guide->speed) && wanted * guide->speed >= 0.0;
  const double change = (is_faster ? 1.0 : BRAKE) * config->acceleration * dt_s;
  guide->speed += clamp(wanted - guide->speed, change);
  guide->slow_s = fabs(guide->speed) < config->rest_speed ? guide->slow_s + dt_s : 0.0;
  if (guide->slow_s >= config->rest_time_s) {
    guide->is_moving = guide->is_settled = false;
    guide->speed = guide->slow_s = 0.0;
  }
}

double sn__hand_guide_step(sn__hand_guide *guide, const sn__hand_guide_config *config,
                           double torque_Nm, double gives_way, double dt_s) {
  guide->torque_Nm += (torque_Nm - guide->torque_Nm) * -expm1(-dt_s / config->filter_s);
  if (guide->is_moving || left_of(0.0, config, gives_way) != 0.0) {
    guide->is_moving = true;
    move(guide, config, gives_way, dt_s);
    return guide->speed;
  }
  if (!guide->is_settled) {
    return settle(guide, config, dt_s);
  }
  wait_for_push(guide, config);
  return 0.0;
}
