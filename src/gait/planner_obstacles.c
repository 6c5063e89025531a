/* What is in the way: boxes on the ground, and the robot's own links.

   Boxes are compared with the outline of the robot, a rectangle around its links in the nominal
   stance, on the straight way of the base. */
#include <math.h>
#include <string.h>

#include "gait/planner_internal.h"

/* The body sways off the straight way; parts reach beyond the origins of their links. */
static const double CLEAR_M = 0.03;
/* Boxes that are lower than this share of the height of a step are ground. */
static const double LOW_SHARE = 0.5;
/* Own links that touch by no more than this do not count: shapes are coarse. */
static const double DEPTH_M = 0.002;
enum { WAY_PARTS = 60, CORNERS = 8 };

void sn__planner_find_outline(sn__planner *p, const double *nominal) {
  p->outline_low = sn_vec3_make(0, 0, 0);
  p->outline_high = sn_vec3_make(0, 0, 0);
  sn_kin_update(p->kin, nominal);
  for (size_t i = 0; i < sn_model_link_count(p->model); i++) {
    const sn_vec3 at = sn_kin_link_pose(p->kin, sn_model_link(p->model, i)).pos;
    p->outline_low.x = fmin(p->outline_low.x, at.x - CLEAR_M);
    p->outline_low.y = fmin(p->outline_low.y, at.y - CLEAR_M);
    p->outline_high.x = fmax(p->outline_high.x, at.x + CLEAR_M);
    p->outline_high.y = fmax(p->outline_high.y, at.y + CLEAR_M);
    p->outline_high.z = fmax(p->outline_high.z, at.z + p->nominal_height_m);
  }
}

/* ---- boxes ---- */

static void corners_of(const sn__plan_obstacle *box, sn_pose frame, sn_vec3 *corners) {
  const sn_pose pose = sn_pose_between(frame, box->pose_world_box);
  for (size_t i = 0; i < CORNERS; i++) {
    const sn_vec3 half = {i & 1 ? box->half.x : -box->half.x, i & 2 ? box->half.y : -box->half.y,
                          i & 4 ? box->half.z : -box->half.z};
    corners[i] = sn_pose_apply(pose, half);
  }
}

/* The gap of the projections on an axis of two sets of points; negative if they overlap. */
static double gap_along(sn_vec3 axis, const sn_vec3 *a, size_t a_count, const sn_vec3 *b,
                        size_t b_count) {
  double a_low = INFINITY, a_high = -INFINITY, b_low = INFINITY, b_high = -INFINITY;
  for (size_t i = 0; i < a_count; i++) {
    const double at = sn_vec3_dot(axis, a[i]);
    a_low = fmin(a_low, at);
    a_high = fmax(a_high, at);
  }
  for (size_t i = 0; i < b_count; i++) {
    const double at = sn_vec3_dot(axis, b[i]);
    b_low = fmin(b_low, at);
    b_high = fmax(b_high, at);
  }
  return fmax(a_low - b_high, b_low - a_high);
}

/* The gap between the outline and a box seen from above, by separating axes.
   @param corners  of the box in the path frame of the robot */
static double gap_of(const sn__planner *p, const sn_vec3 *corners) {
  const sn_vec3 low = p->outline_low, high = p->outline_high;
  const sn_vec3 own[4] = {
      {low.x, low.y, 0}, {low.x, high.y, 0}, {high.x, low.y, 0}, {high.x, high.y, 0}};
  const sn_vec3 x = {1, 0, 0}, y = {0, 1, 0};
  double gap = fmax(gap_along(x, own, 4, corners, CORNERS), gap_along(y, own, 4, corners, CORNERS));
  for (size_t edge = 1; edge < CORNERS; edge *= 2) {
    const sn_vec3 along = sn_vec3_sub(corners[edge], corners[0]);
    const double length = hypot(along.x, along.y);
    if (length > 0.0) {
      const sn_vec3 across = {-along.y / length, along.x / length, 0.0};
      gap = fmax(gap, gap_along(across, own, 4, corners, CORNERS));
    }
  }
  return gap;
}

/* Too low to stop a foot, or above the robot. */
static bool is_passed(const sn__planner *p, const sn_vec3 *corners) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < CORNERS; i++) {
    low = fmin(low, corners[i].z);
    high = fmax(high, corners[i].z);
  }
  return high < LOW_SHARE * p->step_height_m || low > p->outline_high.z;
}

/* The gap between a box and the robot at a share of its way. */
static double gap_at(const sn__planner *p, const sn__plan_obstacle *box, double share) {
  const sn_pose path = {sn_mat3_from_rpy(0.0, 0.0, share * p->to.yaw),
                        sn_vec3_scale(p->base_to, share)};
  sn_vec3 corners[CORNERS];
  corners_of(box, sn_pose_mul(p->request->pose_world_path, path), corners);
  return is_passed(p, corners) ? INFINITY : gap_of(p, corners);
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
