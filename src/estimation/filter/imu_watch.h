/** @file
 *  Internal: is the inertial measurement unit (IMU) to be trusted? Finds samples that are not
 * finite or out of range, silence, and values that stay the same to the last bit although the base
 * moves.
 *
 *  RT: yes, all of it.  Threads: one owner. */
#ifndef SN_ESTIMATION_FILTER_IMU_WATCH_H
#define SN_ESTIMATION_FILTER_IMU_WATCH_H

#include <stdbool.h>

#include "sinew/api.h"
#include "sinew/quat.h"
#include "sinew/spatial.h"

/** In the axes of the base. */
typedef struct sn__imu_sample {
  sn_vec3 gyro;  /**< rad/s */
  sn_vec3 accel; /**< specific force, m/s²: at rest g, upwards */
  bool has_orientation;
  sn_quat orientation;        /**< of the base in a world with z up and any heading */
  double orientation_std_rad; /**< of its tilt, > 0 */
} sn__imu_sample;

typedef enum sn__imu_fault {
  SN__IMU_GOOD,
  SN__IMU_SILENT,
  SN__IMU_FROZEN,
  SN__IMU_SATURATED,
  SN__IMU_NOT_FINITE
} sn__imu_fault;

typedef struct sn__imu_limits {
  double timeout_s;   /**< without a sample, from which on it counts as silent */
  double gyro_range;  /**< rad/s */
  double accel_range; /**< m/s² */
} sn__imu_limits;

/** All zero at the start. */
typedef struct sn__imu_watch {
  bool has_sample;
  sn__imu_sample sample; /**< the newest good one */
  double age_s;          /**< of it */
  double same_s;         /**< for which it has not changed a bit */
  sn_spatial twist;      /**< of the base according to the feet, smoothed */
  sn_spatial same_twist; /**< likewise, when the sample last changed */
  double good_s;         /**< since the last fault */
  sn__imu_fault fault;
} sn__imu_watch;

/** One cycle.
 *  @param sample      NULL: none arrived
 *  @param feet_twist  of the base according to the feet; NULL: unknown
 *  @return whether watch->sample may be used */
bool sn__imu_watch_step(sn__imu_watch *watch, const sn__imu_sample *sample,
                        const sn_spatial *feet_twist, double dt_s,
                        const sn__imu_limits *limits) SN_RT;

/** `silent`, …; static */
const char *sn__imu_fault_text(sn__imu_fault fault) SN_RT;

#endif
