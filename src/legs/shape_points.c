#include "legs/shape_points.h"

#include <math.h>

#include "model/inertia_box.h"

enum { CORNERS = 8, RIM_POINTS = 8 };
static const double TAU = 6.283185307179586;
/* A point so much above the lowest one counts 1/e of it: soles give way by about that. */
static const double GIVE_M = 5e-4;

static size_t box_points(const sn_shape *shape, sn__shape_point *out) {
  for (int i = 0; i < CORNERS; i++) {
    out[i].at = sn_pose_apply(shape->pose_link_shape, sn__box_corner(shape->size, i));
  }
  return CORNERS;
}

static size_t cylinder_points(const sn_shape *shape, sn__shape_point *out) {
  for (int i = 0; i < 2 * RIM_POINTS; i++) {
    const int spoke = i / 2;
    const double angle = TAU * spoke / RIM_POINTS;
    const sn_vec3 at = {shape->radius * cos(angle), shape->radius * sin(angle),
                        i % 2 == 0 ? -0.5 * shape->length : 0.5 * shape->length};
    out[i].at = sn_pose_apply(shape->pose_link_shape, at);
  }
  return (size_t)2 * RIM_POINTS;
}

static size_t capsule_points(const sn_shape *shape, sn__shape_point *out) {
  for (int i = 0; i < 2; i++) {
    const sn_vec3 at = {0.0, 0.0, (i - 0.5) * shape->length};
    out[i] = (sn__shape_point){sn_pose_apply(shape->pose_link_shape, at), shape->radius};
  }
  return 2;
}

size_t sn__shape_points(const sn_shape *shape, sn__shape_point *out) {
  for (int i = 0; i < SN__SHAPE_POINTS_MAX; i++) {
    out[i].radius = 0.0;
  }
  switch (shape->kind) {
    case SN_SHAPE_BOX:
      return box_points(shape, out);
    case SN_SHAPE_SPHERE:
      out[0] = (sn__shape_point){shape->pose_link_shape.pos, shape->radius};
      return 1;
    case SN_SHAPE_CYLINDER:
      return cylinder_points(shape, out);
    case SN_SHAPE_CAPSULE:
      return capsule_points(shape, out);
    case SN_SHAPE_MESH:
      break;
  }
  return 0;
}

static sn_vec3 bottom_of(sn__shape_point point, sn_pose pose_world_link) {
  sn_vec3 at = sn_pose_apply(pose_world_link, point.at);
  at.z -= point.radius;
  return at;
}

bool sn__link_touch(const sn_link *link, sn_pose pose_world_link, sn_vec3 *out) {
  sn__shape_point points[SN__SHAPE_POINTS_MAX];
  double lowest = HUGE_VAL, weight = 0.0;
  for (size_t i = 0; i < link->shape_count; i++) {
    const size_t count = sn__shape_points(&link->shapes[i], points);
    for (size_t k = 0; k < count; k++) {
      lowest = fmin(lowest, bottom_of(points[k], pose_world_link).z);
    }
  }
  sn_vec3 sum = {0, 0, 0};
  for (size_t i = 0; isfinite(lowest) && i < link->shape_count; i++) {
    const size_t count = sn__shape_points(&link->shapes[i], points);
    for (size_t k = 0; k < count; k++) {
      const sn_vec3 at = bottom_of(points[k], pose_world_link);
      const double w = exp((lowest - at.z) / GIVE_M);
      sum = sn_vec3_add_scaled(sum, w, at);
      weight += w;
    }
  }
  if (!(weight > 0.0)) {
    return false;
  }
  *out = sn_vec3_scale(sum, 1.0 / weight);
  return true;
}
