/** @file
 *  Internal: trajectories whose points have no times. They are passed as fast as the limits of the
 *  joints allow (sinew/retime.h), beginning where the joints are. */
#ifndef SN_PATH_UNTIMED_H
#define SN_PATH_UNTIMED_H

#include <stdatomic.h>
#include <stddef.h>

#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/status.h"
#include "traj/otg_limits.h"
#include "traj/trajectory.h"

/** Points without times. */
typedef struct sn__untimed {
  const sn_model *model;
  const int *joints; /**< [joint_count] indices in the sorted pose */
  size_t joint_count;
  const double *q; /**< [point_count][joint_count] rad or m */
  size_t point_count;
  const _Atomic(double) *pose_now; /**< [pose size] where the joints are */
  sn__otg_defaults defaults;       /**< where the robot states no limits */
} sn__untimed;

/** Are all times zero? RT: yes. */
bool sn__untimed_is(const double *time_s, size_t count) SN_RT;

/** @return SN_OK; SN_EINVAL: a path through these points is not possible, with the reason;
 *          SN_ENOMEM.  RT: no, allocates.  Threads: any but the cycle's. */
sn_status sn__untimed_trajectory(sn_arena *arena, const sn__untimed *points, sn_trajectory **out,
                                 sn_error *err);

#endif
