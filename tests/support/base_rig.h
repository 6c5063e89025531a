/** @file
 *  The components state_estimator and odometry with the quadruped, whose sensors the test plays. */
#ifndef SN_TEST_BASE_RIG_H
#define SN_TEST_BASE_RIG_H

#include "model_rig.h"
#include "sinew/kin.h"

enum { BASE_RIG_JOINTS = 32 };

typedef struct base_rig {
  model_rig m;
  sn_component *component;
  sn_source *joints, *imu, *contacts, *supports, *in_base, *limbs;
  sn_tap *base, *status, *fall;
  sn_kin_data *kin;
  double q[BASE_RIG_JOINTS], qd[BASE_RIG_JOINTS];
  sn_vec3 gyro, accel;
  double noise; /**< changes its sign in each cycle, so that the IMU does not look frozen */
  const char *contacted; /**< '1' or '0' for each leg */
} base_rig;

/** The robot stands: no joint is bent, all feet touch, the IMU is at rest. */
void base_rig_open_estimator(base_rig *b);
void base_rig_open_odometry(base_rig *b);
void base_rig_close(base_rig *b);

/** One message of the IMU. */
void base_rig_write_imu(base_rig *b);

/** @param pattern  '1' or '0' for each leg */
void base_rig_write_supports(sn_source *source, const char *pattern);

/** Joints, IMU and contacts of a cycle. */
void base_rig_feed(base_rig *b);

/** Cycles with all messages. */
void base_rig_run(base_rig *b, int cycles);

/** The estimated base. */
sn_pose base_rig_pose(base_rig *b);

#endif
