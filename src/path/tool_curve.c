#include "path/tool_curve.h"

#include <math.h>

#include "math/rotation.h"
#include "sinew/quat.h"

static sn_vec3 turn_between(sn_pose from, sn_pose to) {
  return sn_mat3_log(sn_mat3_mul(to.rot, sn_mat3_transpose(from.rot)));
}

static double length_of(double way_m, sn_vec3 turn) {
  return fmax(way_m, SN__TOOL_RADIAN_M * sn_vec3_norm(turn));
}

sn__tool_segment sn__tool_line(sn_pose from, sn_pose to) {
  const sn_vec3 way = sn_vec3_sub(to.pos, from.pos);
  const sn_vec3 turn = turn_between(from, to);
  return (sn__tool_segment){.shape = SN__TOOL_LINE,
                            .start = from,
                            .way = way,
                            .turn = turn,
                            .length = length_of(sn_vec3_norm(way), turn)};
}

bool sn__tool_arc(sn_pose from, sn_vec3 via, sn_pose to, sn__tool_segment *out) {
  const sn_vec3 ab = sn_vec3_sub(via, from.pos);
  const sn_vec3 ac = sn_vec3_sub(to.pos, from.pos);
  const sn_vec3 normal = sn_vec3_cross(ab, ac);
  const double bb = sn_vec3_dot(ab, ab);
  const double cc = sn_vec3_dot(ac, ac);
  const double nn = sn_vec3_dot(normal, normal);
  const double far = fmax(bb, cc);
  if (!(nn > 1e-10 * far * far)) { /* points closer than 1e-5 of the arc are a line, too */
    return false;
  }
  const sn_vec3 to_centre = sn_vec3_scale(sn_vec3_add(sn_vec3_scale(sn_vec3_cross(normal, ab), cc),
                                                      sn_vec3_scale(sn_vec3_cross(ac, normal), bb)),
                                          0.5 / nn);
  const sn_vec3 axis = sn_vec3_scale(normal, 1.0 / sqrt(nn));
  const sn_vec3 a = sn_vec3_neg(to_centre);
  const sn_vec3 c = sn_vec3_add(ac, a);
  const double turn = atan2(sn_vec3_dot(axis, sn_vec3_cross(a, c)), sn_vec3_dot(a, c));
  const double angle = turn > 0.0 ? turn : turn + 6.283185307179586;
  const sn_vec3 rotation = turn_between(from, to);
  *out = (sn__tool_segment){.shape = SN__TOOL_ARC,
                            .start = from,
                            .centre = sn_vec3_add(from.pos, to_centre),
                            .axis = axis,
                            .angle = angle,
                            .turn = rotation,
                            .length = length_of(angle * sn_vec3_norm(a), rotation)};
  return true;
}

static sn_pose spline_at(const sn__tool_segment *segment, double u) {
  double at[6];
  sn__joint_path_follow(segment->spline, u, at);
  const sn_vec3 turn = sn_vec3_scale(sn_vec3_make(at[3], at[4], at[5]), 1.0 / SN__TOOL_RADIAN_M);
  return (sn_pose){.rot = sn_mat3_mul(sn__mat3_exp(turn), segment->start.rot),
                   .pos = sn_vec3_make(at[0], at[1], at[2])};
}

static sn_pose segment_at(const sn__tool_segment *segment, double u) {
  const double part = u / segment->length;
  const sn_pose start = segment->start;
  if (segment->shape == SN__TOOL_CURVE) {
    return spline_at(segment, u);
  }
  sn_pose pose = {.rot = sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(segment->turn, part)), start.rot),
                  .pos = sn_vec3_add_scaled(start.pos, part, segment->way)};
  if (segment->shape == SN__TOOL_ARC) {
    const sn_mat3 turned = sn_mat3_from_axis_angle(segment->axis, part * segment->angle);
    pose.pos = sn_vec3_add(segment->centre,
                           sn_mat3_apply(turned, sn_vec3_sub(start.pos, segment->centre)));
  }
  return pose;
}

/* The way on the second segment within a corner, 0 .. R while w is 0 .. 1: it begins and ends
   without curvature, and ends with the full rate. That on the first one is its mirror image. */
static double way_in_corner(double radius, double w) {
  return radius * w * w * w * (2.0 - w);
}

/* The corner after a segment, `beyond` it or, if that is negative, before: the rest of the way on
   the first segment and the first way on the second, added. */
static sn_pose corner_at(const sn__tool_segment *segment, double beyond) {
  const double radius = segment->blend_m;
  const double w = 0.5 * (beyond / radius + 1.0);
  const sn_pose corner = segment[1].start;
  const sn_pose a = segment_at(segment, segment->length - way_in_corner(radius, 1.0 - w));
  const sn_pose b = segment_at(segment + 1, way_in_corner(radius, w));
  const sn_mat3 turn = sn_mat3_mul(b.rot, sn_mat3_transpose(corner.rot));
  return (sn_pose){.rot = sn_mat3_mul(turn, a.rot),
                   .pos = sn_vec3_add(a.pos, sn_vec3_sub(b.pos, corner.pos))};
}

size_t sn__tool_curve_segment(const sn__tool_curve *curve, double u, double *along) {
  size_t i = 0;
  while (i + 1 < curve->count && u > curve->segments[i].length) {
    u -= curve->segments[i].length;
    i++;
  }
  *along = fmin(fmax(u, 0.0), curve->segments[i].length);
  return i;
}

sn_pose sn__tool_curve_at(const sn__tool_curve *curve, double u) {
  double along = 0.0;
  const size_t i = sn__tool_curve_segment(curve, u, &along);
  const sn__tool_segment *segment = &curve->segments[i];
  const double left = segment->length - along;
  if (i > 0 && along < segment[-1].blend_m) {
    return corner_at(segment - 1, along);
  }
  if (i + 1 < curve->count && left < segment->blend_m) {
    return corner_at(segment, -left);
  }
  return segment_at(segment, along);
}
