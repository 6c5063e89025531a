/** @file
 *  Inversion of the servo model: for each servo of a robot, the goal that makes the joint follow
 *  according to its model.
 *
 *  Servos are numbers 0 .. servo_count-1, in the order of the robot model. A model may be replaced
 *  at any time: the goal then changes smoothly from that of the old model to that of the new. */
#ifndef SN_SERVO_SERVO_INV_H
#define SN_SERVO_SERVO_INV_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/servo_model.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_servo_inv sn_servo_inv;

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn_servo_inv_config {
  size_t servo_count;            /**< no default, at least 1 */
  const sn_servo_params *models; /**< [servo_count], copied */
  double sign_dead_zone;         /**< rad/s; 0 means SN_SERVO_DEAD_ZONE */
  double change_time_s;          /**< in which a new model takes over; 0: at once */
} sn_servo_inv_config;

/** Desired motion of the joints; arrays of servo_count numbers. */
typedef struct sn_servo_reference {
  const double *q;   /**< rad */
  const double *qd;  /**< rad/s */
  const double *qdd; /**< rad/s²; NULL means all 0 */
  const double *tau; /**< N·m; NULL means all 0 */
  double voltage;    /**< of the battery, V; > 0 */
  double lead_s;     /**< lead of the goals over the reference: the delay of the bus */
  double dt_s;       /**< since the step before; >= 0 */
} sn_servo_reference;

/** Create an inversion.
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EINVAL (no servos, an invalid model, a number out of range) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
sn_status sn__servo_inv_create(sn_arena *arena, const sn_servo_inv_config *config,
                               sn_servo_inv **out, sn_error *err);

/** The goals of this cycle. A goal that would not be finite keeps its last value.
 *  @param goals  servo_count numbers out
 *  RT: yes, O(servo_count).  Threads: owner. */
void sn__servo_inv_step(sn_servo_inv *inv, const sn_servo_reference *reference,
                        double *goals) SN_RT;

/** Replace the model of a servo, which must be less than servo_count.
 *  @return SN_OK, or SN_EINVAL if the parameters are invalid: the old ones stay in use
 *  RT: yes.  Threads: owner. */
sn_status sn__servo_inv_replace(sn_servo_inv *inv, size_t index,
                                const sn_servo_params *params) SN_RT;

/** @return the model of a servo that is in use. RT: yes. */
const sn_servo_params *sn__servo_inv_model(const sn_servo_inv *inv, size_t index) SN_RT;

SN_END_DECLS

#endif
