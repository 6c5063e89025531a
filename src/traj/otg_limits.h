/** @file
 *  Internal: limits of a joint for jerk-limited motion, from the robot's description where it
 *  states them. */
#ifndef SN_TRAJ_OTG_LIMITS_H
#define SN_TRAJ_OTG_LIMITS_H

#include "sinew/model.h"
#include "sinew/otg.h"

/** Defaults where the description states nothing. */
typedef struct sn__otg_defaults {
  double velocity;            /**< rad/s or m/s */
  double acceleration_time_s; /**< from rest to full speed */
  double jerk_time_s;         /**< from zero to full acceleration */
} sn__otg_defaults;

/** RT: yes. */
SN_API sn_otg_limits sn__otg_limits_of(const sn_joint *joint,
                                       const sn__otg_defaults *defaults) SN_RT;

#endif
