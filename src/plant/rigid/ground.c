#include "plant/rigid/ground.h"

#include <math.h>

static double component(sn_vec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Distance to a box, in its own frame. Inside, that to the nearest face. */
static double box_gap(sn_vec3 half, sn_vec3 p, sn_vec3 *normal) {
  const sn_vec3 out = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z};
  int nearest = out.y > out.x ? 1 : 0;
  nearest = out.z > component(out, nearest) ? 2 : nearest;
  const double inside = component(out, nearest);
  if (inside <= 0.0) {
    *normal =
        (sn_vec3){nearest == 0 ? copysign(1.0, p.x) : 0.0, nearest == 1 ? copysign(1.0, p.y) : 0.0,
                  nearest == 2 ? copysign(1.0, p.z) : 0.0};
    return inside;
  }
  const sn_vec3 way = {copysign(fmax(out.x, 0.0), p.x), copysign(fmax(out.y, 0.0), p.y),
                       copysign(fmax(out.z, 0.0), p.z)};
  const double distance = sn_vec3_norm(way);
  *normal = sn_vec3_scale(way, 1.0 / distance);
  return distance;
}

double sn__ground_gap(const sn__ground *ground, sn_vec3 point, sn_vec3 *normal) {
  double gap = sn_vec3_dot(ground->normal, point) - ground->height;
  *normal = ground->normal;
  for (size_t i = 0; i < ground->box_count; i++) {
    const sn__ground_box *box = &ground->boxes[i];
    const sn_pose *pose = &box->pose_world_box;
    const sn_vec3 local = sn_mat3_apply_transposed(pose->rot, sn_vec3_sub(point, pose->pos));
    sn_vec3 face;
    const double other = box_gap(box->half, local, &face);
    if (other < gap) {
      gap = other;
      *normal = sn_mat3_apply(pose->rot, face);
    }
  }
  return gap;
}
