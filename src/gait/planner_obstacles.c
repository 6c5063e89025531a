/* What is in the way: boxes on the ground, and the robot's own links.

   Boxes are compared with the outline of the robot, a rectangle around its links in the nominal
   stance, on the straight way of the base. */
#include <math.h>
#include <string.h>

#include "gait/planner_internal.h"

/* Own links that touch by no more than this do not count: shapes are coarse. */
static const double DEPTH_M = 0.002;
enum { WAY_PARTS = 60 };

/* ---- boxes ---- */

/* The gap between a box and the robot at a share of its way. */
static double gap_at(const sn__planner *p, const sn__obstacle *box, double share) {
  const sn_pose path = {sn_mat3_from_rpy(0.0, 0.0, share * p->to.yaw),
                        sn_vec3_scale(p->base_to, share)};
  return sn__outline_gap(&p->outline, box, sn_pose_mul(p->request->pose_world_path, path));
}

/* A robot that is near a box already may go, but not nearer. */
bool sn__planner_find_obstacle(const sn__planner *p, size_t *box, double *share) {
  static const double NEARER_M = 1e-3;
  for (size_t i = 0; i < p->obstacle_count; i++) {
    const double allowed = fmin(0.0, gap_at(p, &p->obstacles[i], 0.0) - NEARER_M);
    for (int k = 1; k <= WAY_PARTS; k++) {
      *share = (double)k / WAY_PARTS;
      if (gap_at(p, &p->obstacles[i], *share) < allowed) {
        *box = i;
        return true;
      }
    }
  }
  return false;
}

/* ---- own links ---- */

static bool is_touching(const sn__planner *p, const sn__near *near) {
  return near->distance < -DEPTH_M && !p->touches[near->pair] && !p->touches_start[near->pair];
}

/* Pairs that overlap in a pose in which the robot stands do so because their shapes are coarse. */
void sn__planner_note_touching(sn__planner *p, const double *q, bool *touches) {
  const sn__near *list = NULL;
  const size_t count = p->collision == NULL ? 0 : sn__collision_check(p->collision, q, 0.0, &list);
  memset(touches, 0, p->pair_count * sizeof *touches);
  for (size_t i = 0; i < count; i++) {
    touches[list[i].pair] = true;
  }
}

bool sn__planner_find_collision(sn__planner *p, sn__near *near, double *time_s) {
  for (size_t k = 0; p->collision != NULL && k < p->point_count; k++) {
    const sn__near *list = NULL;
    const size_t count = sn__collision_check(p->collision, &p->q[k * p->joint_count], 0.0, &list);
    for (size_t i = 0; i < count; i++) {
      if (is_touching(p, &list[i])) {
        *near = list[i];
        *time_s = p->times[k];
        return true;
      }
    }
  }
  return false;
}
