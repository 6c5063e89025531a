#include "ik/numeric/seed_mirror.h"

#include <math.h>

/* Where a joint is with all joints at zero, in the frame of the root. */
typedef struct place {
  sn_vec3 origin, axis;
  bool slides;
} place;

static place place_of(const sn_kin_data *zero, const sn_model *model, int joint) {
  const sn_joint *j = sn_model_joint(model, (size_t)joint);
  const sn_pose pose = sn_kin_link_pose(zero, sn_model_link(model, (size_t)j->child_link));
  return (place){pose.pos, sn_mat3_apply(pose.rot, j->axis), j->type == SN_JOINT_PRISMATIC};
}

/* The diagonal of each map. */
static sn_vec3 map(int way, sn_vec3 v) {
  static const sn_vec3 signs[] = {{1, -1, 1}, {1, 1, 1}, {-1, 1, 1}, {-1, -1, 1}};
  return (sn_vec3){signs[way].x * v.x, signs[way].y * v.y, signs[way].z * v.z};
}

static bool is_mirror(int way) {
  return way == 0 || way == 2;
}

static sn_vec3 tip_of(const sn_kin_data *zero, const sn_model *model, const sn_chain *chain) {
  return sn_kin_link_pose(zero, sn_model_link(model, (size_t)chain->last_link)).pos;
}

bool sn__start_mirror(const sn_kin_data *zero, const sn_model *model, const sn_chain *from,
                      const sn_chain *to, int way, const double *q, double *out) {
  if (from->joint_count != to->joint_count) {
    return false;
  }
  const sn_vec3 tip_from = tip_of(zero, model, from), tip_to = tip_of(zero, model, to);
  const double tolerance_m = 1e-3;
  for (size_t i = 0; i < to->joint_count; i++) {
    const place a = place_of(zero, model, from->joints[i]);
    const place b = place_of(zero, model, to->joints[i]);
    const sn_vec3 expected = map(way, sn_vec3_sub(tip_from, a.origin));
    const sn_vec3 found = sn_vec3_sub(tip_to, b.origin);
    const double same = sn_vec3_dot(map(way, a.axis), b.axis);
    if (a.slides != b.slides || sn_vec3_norm(sn_vec3_sub(expected, found)) > tolerance_m ||
        fabs(fabs(same) - 1.0) > 1e-4) {
      return false;
    }
    /* A mirrored turn goes the other way about the mirrored axis. */
    const double sign = (same > 0.0) == (is_mirror(way) && !a.slides) ? -1.0 : 1.0;
    out[i] = sign * q[from->joints[i]] + 0.0; /* no -0 */
  }
  return true;
}
