#include "gait/outline.h"

#include <math.h>

/* The body sways off the straight way; parts reach beyond the origins of their links. */
static const double CLEAR_M = 0.03;
/* Boxes that are lower than this share of the height of a step are ground. */
static const double LOW_SHARE = 0.5;
enum { CORNERS = 8 };

sn__outline sn__outline_of(const sn_model *model, sn_kin_data *kin, const double *q,
                           double height_m, double step_height_m) {
  sn__outline outline = {.step_height_m = step_height_m};
  sn_kin_update(kin, q);
  for (size_t i = 0; i < sn_model_link_count(model); i++) {
    const sn_vec3 at = sn_kin_link_pose(kin, sn_model_link(model, i)).pos;
    outline.low.x = fmin(outline.low.x, at.x - CLEAR_M);
    outline.low.y = fmin(outline.low.y, at.y - CLEAR_M);
    outline.high.x = fmax(outline.high.x, at.x + CLEAR_M);
    outline.high.y = fmax(outline.high.y, at.y + CLEAR_M);
    outline.high.z = fmax(outline.high.z, at.z + height_m);
  }
  return outline;
}

static void corners_of(const sn__obstacle *box, sn_pose frame, sn_vec3 *corners) {
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
static double gap_of(const sn__outline *outline, const sn_vec3 *corners) {
  const sn_vec3 low = outline->low, high = outline->high;
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
static bool is_passed(const sn__outline *outline, const sn_vec3 *corners) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < CORNERS; i++) {
    low = fmin(low, corners[i].z);
    high = fmax(high, corners[i].z);
  }
  return high < LOW_SHARE * outline->step_height_m || low > outline->high.z;
}

double sn__outline_gap(const sn__outline *outline, const sn__obstacle *box,
                       sn_pose pose_world_path) {
  sn_vec3 corners[CORNERS];
  corners_of(box, pose_world_path, corners);
  return is_passed(outline, corners) ? INFINITY : gap_of(outline, corners);
}
