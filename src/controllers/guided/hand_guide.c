#include "controllers/guided/hand_guide.h"

#include <math.h>

/* Share of the greatest speed that is used: the rest is for what is seen late. */
static const double SPEED_SHARE = 0.6;
/* Share that the command may use to follow the joint. */
static const double COMMAND_SHARE = 0.98;
/* Of filters of what is measured, s: some steps of the encoder. */
static const double MEASURED_FILTER_S = 0.006;
/* From the first recoil on, in parts of the greatest speed, a servo is bent less and less farther,
   and at the second one not at all. A command that keeps up with a joint at the greatest speed is
   bent by 1 before the servo brakes at all; between the two it brakes with all its torque. */
static const double BENT = 2.2, BENT_MOST = 4.2;
/* The command then is faster than the joint by this part of the greatest speed. */
static const double UNBEND = 0.3;
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

static double rate_of(sn__rate_filter *filter, double value, double dt_s) {
  const double share = -expm1(-dt_s / MEASURED_FILTER_S);
  if (!filter->is_set) {
    filter->value[0] = filter->value[1] = value;
    filter->is_set = true;
  }
  filter->value[0] += (value - filter->value[0]) * share;
  const double step = (filter->value[0] - filter->value[1]) * share;
  filter->value[1] += step;
  return step / dt_s;
}

/* What is left of the greatest speed in both directions. */
static double left_of(double wanted, const sn__hand_guide_config *config, double gives_way) {
  const double most = SPEED_SHARE * config->speed_max;
  return clamp(fmax(-most - gives_way, fmin(wanted, most - gives_way)),
               COMMAND_SHARE * config->speed_max);
}

/* A servo that is bent far follows the joint, a little faster than that moves.
   @param way  how fast the joint moves */
static double unbend(const sn__hand_guide *guide, const sn__hand_guide_config *config, double way,
                     double wanted) {
  const double bent = fabs(guide->recoil) / config->speed_max;
  const double share = fmax(0.0, fmin((bent - BENT) / (BENT_MOST - BENT), 1.0));
  const double follow = way - copysign(UNBEND * config->speed_max, guide->recoil);
  return clamp((1.0 - share) * wanted + share * follow, COMMAND_SHARE * config->speed_max);
}

/* @return the greatest change of the command in a cycle, rad/s: little where it takes the joint
   along, much where it slows the joint down or lets go of a bent servo */
static double change_of(const sn__hand_guide *guide, const sn__hand_guide_config *config,
                        double wanted, double way, double dt_s) {
  const bool is_faster = fabs(wanted) > fabs(guide->speed) && wanted * guide->speed >= 0.0;
  const bool unbends = fabs(way) < SPEED_SHARE * config->speed_max &&
                       fabs(guide->recoil) > config->speed_max &&
                       (wanted - guide->speed) * guide->recoil < 0.0;
  return (is_faster && !unbends ? 1.0 : BRAKE) * config->acceleration * dt_s;
}

/* @param gives_way  how fast the joint moves ahead of its command */
static void move(sn__hand_guide *guide, const sn__hand_guide_config *config, double gives_way,
                 double way, double dt_s) {
  const double push = fmax(0.0, fabs(guide->torque_Nm) - config->keep_Nm);
  const double yields = copysign(push, guide->torque_Nm) / config->damping;
  const double wanted = unbend(guide, config, way, left_of(yields, config, gives_way));
  const double change = change_of(guide, config, wanted, way, dt_s);
  guide->speed += clamp(wanted - guide->speed, change);
  guide->slow_s = fabs(guide->speed) < config->rest_speed ? guide->slow_s + dt_s : 0.0;
  if (guide->slow_s >= config->rest_time_s) {
    guide->is_moving = guide->is_settled = false;
    guide->speed = guide->slow_s = 0.0;
  }
}

double sn__hand_guide_step(sn__hand_guide *guide, const sn__hand_guide_config *config,
                           const sn__hand_guide_input *input, double dt_s) {
  const double gives_way = rate_of(&guide->lag, input->q - input->command, dt_s);
  const double way = rate_of(&guide->joint, input->q, dt_s);
  guide->torque_Nm += (input->torque_Nm - guide->torque_Nm) * -expm1(-dt_s / config->filter_s);
  guide->recoil += (input->recoil - guide->recoil) * -expm1(-dt_s / MEASURED_FILTER_S);
  if (guide->is_moving || left_of(0.0, config, gives_way) != 0.0) {
    guide->is_moving = true;
    move(guide, config, gives_way, way, dt_s);
    return guide->speed;
  }
  if (!guide->is_settled) {
    return settle(guide, config, dt_s);
  }
  wait_for_push(guide, config);
  return 0.0;
}
