/* A plan as a step sequence. */
#include "gait/planner_internal.h"
#include "steps/step_solve.h"

/* The motion of a foot relative to the base, in its axes. */
static sn_spatial relative(const sn__plan_motion *foot, const sn__plan_motion *base) {
  const sn_vec3 arm = sn_vec3_sub(foot->pose.pos, base->pose.pos);
  const sn_vec3 carried = sn_vec3_add(base->twist.lin, sn_vec3_cross(base->twist.ang, arm));
  const sn_vec3 lin = sn_vec3_sub(foot->twist.lin, carried);
  const sn_vec3 ang = sn_vec3_sub(foot->twist.ang, base->twist.ang);
  return (sn_spatial){sn_mat3_apply_transposed(base->pose.rot, ang),
                      sn_mat3_apply_transposed(base->pose.rot, lin)};
}

/* A leg that does not control the orientation of its end has the one that its joints give it. */
static void write_point(sn__planner *p, size_t point) {
  const double time_s = p->times[point];
  const sn__plan_motion base = sn__planner_base(p, time_s);
  p->sequence.times[point] = time_s;
  p->sequence.base[point] = (sn__step_point){base.pose, base.twist, false};
  for (size_t i = 0; i < p->leg_count; i++) {
    const sn__plan_motion foot = sn__planner_foot(p, i, time_s);
    sn__step_point *out = &p->sequence.limbs[i].points[point];
    *out = (sn__step_point){sn_pose_between(base.pose, foot.pose), relative(&foot, &base),
                            foot.contact};
    if (p->legs[i].is_turning) {
      out->pose.rot = sn__step_leg_end(&p->legs[i].leg, &p->q[point * p->joint_count]).rot;
      out->twist.ang = sn_vec3_make(0, 0, 0);
    }
  }
}

void sn__planner_write(sn__planner *p) {
  p->sequence.point_count = p->point_count;
  p->sequence.limb_count = p->leg_count;
  p->sequence.is_in_odom = false;
  p->sequence.position_tolerance_m = p->request->position_tolerance_m;
  p->sequence.orientation_tolerance_rad = p->request->orientation_tolerance_rad;
  for (size_t i = 0; i < p->leg_count; i++) {
    p->sequence.limbs[i].chain = p->legs[i].leg.chain;
  }
  for (size_t k = 0; k < p->point_count; k++) {
    write_point(p, k);
  }
}
