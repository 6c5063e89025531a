/** @file
 *  Internal: one joint that yields to the hand.
 *
 *  The gears of position servos do not turn by themselves, and a joint at rest shows nothing of a
 * push until it slips. So the joint has two states. At rest it is commanded a constant position;
 * the external torque that was estimated when it came to rest (friction that holds it, errors of
 * the model) is remembered, and the joint begins to move when the estimate differs from that by
 * `start`. In motion its commanded velocity is proportional to the external torque beyond `keep`;
 * the inversion of the servo model compensates the friction of that motion. It comes to rest when
 * it is slow for a while.
 *
 *  A servo is a spring: while a push grows, the joint gives way besides its command. The joint is
 *  as fast as both together, so the command takes only what is left of the greatest speed, and
 *  turns against the push if nothing is left. That bends the spring. A servo that is bent so far
 *  that it would throw the joint back too fast is not bent farther: its command follows the joint
 *  until less is left. */
#ifndef SN_CONTROLLERS_GUIDED_HAND_GUIDE_H
#define SN_CONTROLLERS_GUIDED_HAND_GUIDE_H

#include <stdbool.h>

#include "sinew/api.h"

/** Common to the joints of a controller. */
typedef struct sn__hand_guide_config {
  double start_Nm;     /**< change of the estimate at which a joint begins to move */
  double keep_Nm;      /**< external torque that does not move it; less than `start_Nm` */
  double damping;      /**< N·m·s/rad: external torque beyond that over speed */
  double speed_max;    /**< rad/s, of the joint itself */
  double acceleration; /**< rad/s², of the command */
  double rest_speed;   /**< rad/s: slower is slow */
  double rest_time_s;  /**< it is at rest after that long, and settles for twice as long */
  double filter_s;     /**< time constant of the estimate */
} sn__hand_guide_config;

/** The rate of a value that is measured in steps and with noise: two filters, one after the
 *  other. */
typedef struct sn__rate_filter {
  double value[2];
  bool is_set;
} sn__rate_filter;

/** Zero-initialise: it settles at first. */
typedef struct sn__hand_guide {
  double torque_Nm;           /**< filtered estimate of the external torque */
  double recoil;              /**< likewise */
  sn__rate_filter lag, joint; /**< how far the joint is ahead of its command, and where it is */
  double rest_Nm;             /**< what the torque was when the joint came to rest */
  double speed;               /**< of the motion, rad/s; 0 at rest */
  double slow_s;              /**< for how long it has been slow, or has been settling */
  bool is_moving;
  bool is_settled;
} sn__hand_guide;

/** What is known of the joint in a cycle. */
typedef struct sn__hand_guide_input {
  double q;         /**< measured, rad */
  double command;   /**< where it is commanded, rad */
  double torque_Nm; /**< estimated external torque on the joint; positive pushes it up */
  double recoil;    /**< how fast its servo would move it if the hand let go, rad/s */
} sn__hand_guide_input;

/** One cycle.
 *  @return how fast the commanded position changes, rad/s, less than `speed_max`: the speed of the
 *          motion, or a little while the joint settles.  RT: yes. */
double sn__hand_guide_step(sn__hand_guide *guide, const sn__hand_guide_config *config,
                           const sn__hand_guide_input *input, double dt_s) SN_RT;

#endif
