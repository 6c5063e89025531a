#include "controllers/cartesian/limb_follower.h"

#include <math.h>

void sn__limb_follower_begin(sn__limb_follower *follower, sn__limb_ik *limb, sn_pose end) {
  follower->limb = limb;
  follower->end = (sn__body_state){.pose = end};
  (void)sn__body_filter_reset(follower->filter, &follower->end, follower->period_s);
}

void sn__limb_move(const sn_model *model, const sn__limb_ik *limb, const double *wanted,
                   double period_s, double *q, double *qd) {
  double share = 1.0;
  for (size_t i = 0; i < limb->count; i++) {
    const size_t j = (size_t)limb->joints[i];
    const double way = fabs(wanted[i] - q[j]);
    const double most = sn_model_joint(model, j)->velocity_max * period_s;
    share = way > most ? fmin(share, most / way) : share;
  }
  for (size_t i = 0; i < limb->count; i++) {
    const size_t j = (size_t)limb->joints[i];
    const double way = share * (wanted[i] - q[j]);
    q[j] += way;
    qd[j] = way / period_s;
  }
}

bool sn__limb_follower_step(sn__limb_follower *follower, const sn_pose *goal,
                            const sn_spatial *twist, sn_pose first, double *q, double *qd) {
  sn__limb_ik *limb = follower->limb;
  (void)sn__body_filter_update(follower->filter, goal, twist, &follower->end);
  const sn_pose target = sn_pose_between(first, follower->end.pose);
  const bool is_reached = sn__limb_ik_solve(limb, q, &target, NULL);
  sn__limb_move(follower->model, limb, limb->pose, follower->period_s, q, qd);
  return is_reached;
}
