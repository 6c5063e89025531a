/** @file
 *  Messages of the estimator of the base. */
#ifndef SINEW_MSG_ESTIMATION_H
#define SINEW_MSG_ESTIMATION_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"
#include "sinew/vec3.h"

SN_BEGIN_DECLS

/** Health of the estimate of the base. */
typedef struct sn_estimator_status {
  sn_header header;
  sn_msg_text mode;   /**< `starting`, `full` (IMU and feet), `feet`, `imu` or `blind` (neither) */
  sn_msg_text imu;    /**< `good`, `silent`, `frozen`, `saturated` or `not finite` */
  bool at_rest;       /**< the base rests */
  sn_vec3 gyro_bias;  /**< rad/s, in the axes of the base */
  sn_vec3 accel_bias; /**< m/s², likewise */
  uint64_t restarts;  /**< of the filter, after a failure of the IMU */
  sn_msg_names foot;  /**< chains */
  sn_seq_bool standing; /**< of each foot: it is used as one that does not move */
  sn_msg_names state;   /**< of each foot: `good`, `slips`, `stuck on` or `stuck off` */
} sn_estimator_status;

/** A fall of the robot: written when one begins and when it has ended. */
typedef struct sn_fall_state {
  sn_header header;
  bool fallen;
  sn_msg_text reason; /**< empty: it stands */
  double tilt;        /**< of the base, rad */
  uint64_t count;     /**< of falls since the start */
} sn_fall_state;

/** The types; constant. */
SN_API extern const sn_msg_type sn_estimator_status_type;
SN_API extern const sn_msg_type sn_fall_state_type;

SN_END_DECLS

#endif
