/** @file
 *  One limb's end follows a pose: the pure part of the controller `FollowPose`. The pose is
 * filtered and solved; what is out of reach is approached as the solver's settings say. Joints
 * never exceed their speed: a limb that cannot follow lags. */
#ifndef SN_CONTROLLERS_CARTESIAN_LIMB_FOLLOWER_H
#define SN_CONTROLLERS_CARTESIAN_LIMB_FOLLOWER_H

#include <stdbool.h>

#include "ik/limb/limb_ik.h"
#include "sinew/api.h"
#include "sinew/model.h"
#include "traj/body_filter.h"

typedef struct sn__limb_follower {
  const sn_model *model;
  sn__limb_ik *limb; /**< NULL: none */
  sn__body_filter *filter;
  double period_s;
  sn__body_state end; /**< commanded, in the base */
} sn__limb_follower;

/** Follow with this limb from now on: it begins where it is, at rest.
 *  @param end  of the limb in the base.  RT: yes. */
void sn__limb_follower_begin(sn__limb_follower *follower, sn__limb_ik *limb, sn_pose end) SN_RT;

/** One cycle.
 *  @param goal   of the limb's end in the base; NULL: on to the last one
 *  @param twist  of the goal; NULL: it rests
 *  @param first  the limb's first link in the base
 *  @param q, qd  [pose size] in: the commanded pose; out: the joints of the limb
 *  @return whether the filtered pose is reached; else limb->trouble says why not
 *  RT: yes. */
bool sn__limb_follower_step(sn__limb_follower *follower, const sn_pose *goal,
                            const sn_spatial *twist, sn_pose first, double *q, double *qd) SN_RT;

/** Move joints of a limb towards @p wanted [limb->count], all by the same share, so that none
 *  exceeds its speed. qd is what they move by.  RT: yes. */
void sn__limb_move(const sn_model *model, const sn__limb_ik *limb, const double *wanted,
                   double period_s, double *q, double *qd) SN_RT;

#endif
