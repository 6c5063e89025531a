/** @file
 *  Internal: the state of the base from an IMU, leg kinematics and contacts.
 *
 *  While the IMU is good, sn__base_filter joins all of it. Otherwise the base follows the feet
 * alone (sn__odometry). Without feet, the IMU alone carries it for a short time; then its velocity
 * is taken to be about zero.
 *
 *  The robot starts at rest on its feet: the world's origin is on the ground below the base, its
 *  heading is 0, tilt and gyro bias come from the mean of the first samples. */
#ifndef SN_ESTIMATION_FILTER_ESTIMATOR_H
#define SN_ESTIMATION_FILTER_ESTIMATOR_H

#include <stdint.h>

#include "estimation/feet.h"
#include "estimation/filter/base_filter.h"
#include "estimation/filter/foot_watch.h"
#include "estimation/filter/imu_watch.h"
#include "estimation/odometry.h"
#include "sinew/arena.h"

/** Settings; may change between steps. */
typedef struct sn__estimator_settings {
  sn__filter_noise noise;
  sn__imu_limits imu;
  double gravity;     /**< m/s² */
  double slip_speed;  /**< of a foot in contact, from which on it is not used, m/s */
  double foot_turn;   /**< of the turning of a flat foot in stance, rad/s/sqrt(Hz); 0: unused */
  double bias_max;    /**< largest plausible bias of the gyro, rad/s */
  double imu_delay_s; /**< from the motion to the sample, beyond its own period */
  bool force_contact_z_to_zero; /**< the ground is level, at height 0 */
} sn__estimator_settings;

/** Defaults for a small walking robot with a cheap IMU. */
sn__estimator_settings sn__estimator_defaults(void);

/** One cycle. */
typedef struct sn__estimator_input {
  const sn__foot *feet;  /**< [foot_count], contacts as measured, or else as commanded */
  const bool *commanded; /**< [foot_count] contacts as commanded; NULL: unknown */
  const sn_vec3 *turn;   /**< [foot_count] turning of each foot in the base, rad/s; NULL: unknown */
  const bool *is_flat;   /**< [foot_count] contact leaves no freedom; NULL: none is flat */
  const sn__imu_sample *imu; /**< NULL: none arrived since the last cycle */
  double dt_s;               /**< since the last cycle, > 0; at most 0.1 s are taken into account */
} sn__estimator_input;

typedef enum sn__estimator_mode {
  SN__ESTIMATOR_STARTING,
  SN__ESTIMATOR_FULL, /**< IMU and feet */
  SN__ESTIMATOR_FEET, /**< the IMU has failed */
  SN__ESTIMATOR_IMU,  /**< no foot stands */
  SN__ESTIMATOR_BLIND /**< neither: the base keeps its pose */
} sn__estimator_mode;

typedef struct sn__estimator_state {
  sn__base_state base;
  sn_vec3 gyro_bias, accel_bias; /**< rad/s, m/s² */
  double gyro_bias_std[3];
  sn__estimator_mode mode;
  sn__imu_fault imu;
  bool is_at_rest;
  size_t standing_count;
  bool in_stance[SN__FILTER_FEET_MAX];
  sn__foot_fault feet[SN__FILTER_FEET_MAX];
  uint64_t restart_count; /**< of the filter, after a failure of the IMU or of numbers */
} sn__estimator_state;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn__estimator sn__estimator;

/** @param foot_count  at most SN__FILTER_FEET_MAX
 *  @param points_max  of one foot
 *  @return NULL if memory runs out. RT: no. */
sn__estimator *sn__estimator_create(sn_arena *arena, size_t foot_count, size_t points_max);

/** Forget everything. RT: yes. */
void sn__estimator_reset(sn__estimator *estimator) SN_RT;

/** Override the base: it moves to this pose, with its footholds. RT: yes.
 *  @param twist  in the axes of the world; NULL: unknown */
void sn__estimator_move(sn__estimator *estimator, sn_pose pose_world_base,
                        const sn_spatial *twist) SN_RT;

/** @return the state, valid until the next call.  RT: yes, O(feet³) without a loop that depends on
 *          the data.  Threads: owner. */
const sn__estimator_state *sn__estimator_step(sn__estimator *estimator,
                                              const sn__estimator_input *input,
                                              const sn__estimator_settings *settings) SN_RT;

/** `feet`, …; static */
const char *sn__estimator_mode_text(sn__estimator_mode mode) SN_RT;

#endif
