/** @file
 *  A whole robot in simulated time: reference, gate, inverse dynamics, servo inversion, plant, and
 *  identification watching it. */
#ifndef SN_TEST_SERVO_LOOP_H
#define SN_TEST_SERVO_LOOP_H

#include "model_rig.h"
#include "plant/plant.h"

#define SERVO_LOOP_MAX 64

typedef struct servo_loop {
  model_rig m;
  sn_component *aggregator, *dynamics, *inv, *plant, *ident;
  sn_source *reference, *push;
  sn_tap *sorted, *measured, *error;
  size_t n;
  sn_plant_servo servos[SERVO_LOOP_MAX]; /**< of the plant */
  double amplitude;                      /**< of the motion, of half the range; 0: at rest */
  double time_s;
  double seconds_of_motion;     /**< phase of the motion: advances while amplitude > 0 */
  double square_sum;            /**< of the tracking errors */
  double worst[SERVO_LOOP_MAX]; /**< largest |torque error| */
  double mean[SERVO_LOOP_MAX];  /**< sum of torque errors */
  size_t samples;
} servo_loop;

/** Our quadruped with a plant of this type, everything connected, nothing begun. */
void servo_loop_open(servo_loop *loop, const sn_component_type *plant);
void servo_loop_close(servo_loop *loop);

/** Set the assumed models in ident (and in inv, if @p by_inv): those of the plant with each alpha
 *  scaled by @p factor; 0: kp, kgear, qs and delta only. */
void servo_loop_believe(servo_loop *loop, double factor, bool by_inv);

/** Run and sum errors. */
void servo_loop_run(servo_loop *loop, double seconds);
/** The root of the mean squared tracking error since the last call, rad. */
double servo_loop_tracking(servo_loop *loop);

/** Push a joint with this torque from now on. */
void servo_loop_push(servo_loop *loop, size_t joint, double torque_Nm);

#endif
