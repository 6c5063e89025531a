#include "collision/convex.h"

/* ---- capsules around shapes ---- */

/* Along the longest edge; the corners are on its rims. */
static sn__capsule around_box(sn_vec3 half) {
  sn_vec3 end = sn_vec3_make(0.0, 0.0, half.z);
  double radius = hypot(half.x, half.y);
  if (half.x >= half.y && half.x >= half.z) {
    end = sn_vec3_make(half.x, 0.0, 0.0);
    radius = hypot(half.y, half.z);
  } else if (half.y >= half.z) {
    end = sn_vec3_make(0.0, half.y, 0.0);
    radius = hypot(half.x, half.z);
  }
  return (sn__capsule){{sn_vec3_neg(end), end}, radius};
}

/* The vertex farthest from a point. */
static sn_vec3 farthest(const sn__convex *hull, sn_vec3 from) {
  sn_vec3 best = hull->vertices[0];
  double most = -1.0;
  for (size_t i = 0; i < hull->vertex_count; i++) {
    const double distance = sn_vec3_norm(sn_vec3_sub(hull->vertices[i], from));
    if (distance > most) {
      most = distance;
      best = hull->vertices[i];
    }
  }
  return best;
}

static sn_vec3 middle_of(const sn__convex *hull) {
  sn_vec3 low = hull->vertices[0], high = low;
  for (size_t i = 1; i < hull->vertex_count; i++) {
    const sn_vec3 v = hull->vertices[i];
    low = sn_vec3_make(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
    high = sn_vec3_make(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
  }
  return sn_vec3_scale(sn_vec3_add(low, high), 0.5);
}

/* The capsule about a line through @p middle: as thick as needed, then as short as possible. */
static sn__capsule about_line(const sn__convex *hull, sn_vec3 middle, sn_vec3 axis) {
  double radius = 0.0, low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < hull->vertex_count; i++) {
    const sn_vec3 v = sn_vec3_sub(hull->vertices[i], middle);
    radius = fmax(radius, sn_vec3_norm(sn_vec3_cross(v, axis)));
  }
  radius *= 1.0 + 1e-12;
  for (size_t i = 0; i < hull->vertex_count; i++) {
    const sn_vec3 v = sn_vec3_sub(hull->vertices[i], middle);
    const double along = sn_vec3_dot(v, axis), off = sn_vec3_norm(sn_vec3_cross(v, axis));
    const double rim = sqrt(fmax(0.0, radius * radius - off * off));
    low = fmin(low, along + rim);
    high = fmax(high, along - rim);
  }
  if (low > high) {
    low = high = 0.5 * (low + high);
  }
  return (sn__capsule){
      {sn_vec3_add_scaled(middle, low, axis), sn_vec3_add_scaled(middle, high, axis)}, radius};
}

static double volume_of(const sn__capsule *c) {
  return c->radius * c->radius *
         (sn_vec3_norm(sn_vec3_sub(c->ends[1], c->ends[0])) + 4.0 / 3.0 * c->radius);
}

/* Of four directions the one whose capsule is smallest: that of the diameter, nearly, and the axes.
 */
static sn__capsule around_hull(const sn__convex *hull) {
  const sn_vec3 middle = middle_of(hull);
  const sn_vec3 one = farthest(hull, middle);
  const sn_vec3 longest = sn_vec3_sub(farthest(hull, one), one);
  const double length = sn_vec3_norm(longest);
  const sn_vec3 axes[4] = {
      length > 0.0 ? sn_vec3_scale(longest, 1.0 / length) : sn_vec3_make(1, 0, 0),
      {1, 0, 0},
      {0, 1, 0},
      {0, 0, 1}};
  sn__capsule best = about_line(hull, middle, axes[0]);
  for (size_t i = 1; i < 4; i++) {
    const sn__capsule next = about_line(hull, middle, axes[i]);
    best = volume_of(&next) < volume_of(&best) ? next : best;
  }
  return best;
}

sn__capsule sn__convex_capsule(const sn__convex *shape) {
  const sn_vec3 end = sn_vec3_make(0.0, 0.0, shape->half.z);
  sn__capsule capsule = {{sn_vec3_neg(end), end}, 0.0};
  if (shape->kind == SN__CONVEX_BOX) {
    capsule = around_box(shape->half);
  } else if (shape->kind == SN__CONVEX_HULL) {
    capsule = around_hull(shape);
  } else if (shape->kind == SN__CONVEX_CYLINDER) {
    capsule.radius = shape->half.x;
  }
  capsule.radius += shape->radius;
  return capsule;
}

/* ---- distance of capsules ---- */

static double clamp01(double x) {
  return fmax(0.0, fmin(1.0, x));
}

/* Closest points of two segments: Ericson, Real-Time Collision Detection (2005), 5.1.9. */
double sn__capsule_distance(const sn__capsule *a, const sn__capsule *b) {
  const sn_vec3 u = sn_vec3_sub(a->ends[1], a->ends[0]);
  const sn_vec3 v = sn_vec3_sub(b->ends[1], b->ends[0]);
  const sn_vec3 r = sn_vec3_sub(a->ends[0], b->ends[0]);
  const double uu = sn_vec3_dot(u, u), vv = sn_vec3_dot(v, v), uv = sn_vec3_dot(u, v);
  const double ur = sn_vec3_dot(u, r), vr = sn_vec3_dot(v, r);
  const double det = uu * vv - uv * uv;
  double s = det > 0.0 ? clamp01((uv * vr - ur * vv) / det) : 0.0;
  double t = vv > 0.0 ? (uv * s + vr) / vv : 0.0;
  if (!(t >= 0.0 && t <= 1.0)) {
    t = clamp01(t);
    s = uu > 0.0 ? clamp01((uv * t - ur) / uu) : 0.0;
  } else if (vv <= 0.0) {
    s = uu > 0.0 ? clamp01(-ur / uu) : 0.0;
  }
  const sn_vec3 gap = sn_vec3_add_scaled(sn_vec3_add_scaled(r, s, u), -t, v);
  return sn_vec3_norm(gap) - a->radius - b->radius;
}
