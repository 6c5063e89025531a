/** @file
 *  A quadruped that walks a known path on planted feet: the truth that estimators of the base are
 *  compared with. Everything is a function of time, so any cycle can be asked for. */
#ifndef SN_TEST_WALKER_H
#define SN_TEST_WALKER_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/pose.h"
#include "sinew/random.h"
#include "sinew/spatial.h"

enum { WALKER_FEET = 4, WALKER_POINTS = 2 };

/** The walk. Zero-initialise, then set what differs. */
typedef struct walker_config {
  double rest_s;    /**< it stands still until then */
  double speed;     /**< m/s, forward */
  double sideways;  /**< m/s */
  double turn_rate; /**< rad/s */
  double wobble; /**< rad and 0.1 m: amplitude of roll, pitch and height at the pace of the gait */
  double period_s;  /**< of the gait; 0 means 0.6 */
  double duty;      /**< share of stance; 0 means 0.6 */
  bool is_walk;     /**< the legs one after another, duty 0.8; else a trot */
  double slope_rad; /**< the ground rises along x */

  sn_vec3 gyro_bias, accel_bias; /**< rad/s, m/s² */
  double gyro_noise;             /**< rad/s/sqrt(Hz) */
  double accel_noise;            /**< m/s²/sqrt(Hz) */
  double foot_noise;             /**< of the feet in the base, m */
  double imu_delay_s;
  double feet_turn; /**< rad/s: feet in stance turn about the base, as hooves do under load */

  int slip_foot; /**< -1: none */
  double slip_s; /**< when it begins to slip; for 0.15 s */
  sn_vec3 slip;  /**< how far, m */
} walker_config;

/** The truth at one time. */
typedef struct walker_truth {
  sn_pose pose_world_base;
  sn_spatial twist;    /**< in the world */
  sn_vec3 rate, force; /**< in the base: rad/s, and specific force m/s² */
  bool touches[WALKER_FEET];
  sn_vec3 feet[WALKER_FEET][WALKER_POINTS];       /**< in the base */
  sn_vec3 velocities[WALKER_FEET][WALKER_POINTS]; /**< in the base */
} walker_truth;

walker_truth walker_at(const walker_config *config, double t_s);

/** A sample of an IMU at this time: bias, noise of a period, delay. */
void walker_imu(const walker_config *config, double t_s, double dt_s, sn_random *random,
                sn_vec3 *gyro, sn_vec3 *accel);

/** Add noise to the feet. */
void walker_add_noise(const walker_config *config, double dt_s, sn_random *random,
                      walker_truth *truth);

#endif
