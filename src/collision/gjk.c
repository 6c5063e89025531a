#include "collision/gjk.h"

#include "mesh/triangle.h"

enum { STEPS_MAX = 64 };

static const double TOUCH_M = 1e-12; /* nearer cores overlap */

/* Up to four points of the difference of the cores, and the point of their hull that is nearest to
   the origin. */
typedef struct simplex {
  size_t count;
  sn_vec3 w[4];    /* of the difference */
  sn_vec3 on_a[4]; /* their parts from the first shape */
  double weight[4];
  sn_vec3 nearest;
} simplex;

/* Keep the points that carry the nearest one. */
static void reduce(simplex *s) {
  size_t kept = 0;
  for (size_t i = 0; i < s->count; i++) {
    if (s->weight[i] > 0.0) {
      s->w[kept] = s->w[i];
      s->on_a[kept] = s->on_a[i];
      s->weight[kept++] = s->weight[i];
    }
  }
  s->count = kept;
}

static void nearest_of_segment(simplex *s) {
  const sn_vec3 d = sn_vec3_sub(s->w[1], s->w[0]);
  const double length2 = sn_vec3_dot(d, d);
  const double t = length2 > 0.0 ? fmax(0.0, fmin(1.0, -sn_vec3_dot(s->w[0], d) / length2)) : 0.0;
  s->weight[0] = 1.0 - t;
  s->weight[1] = t;
  s->nearest = sn_vec3_add_scaled(s->w[0], t, d);
}

static const sn_vec3 origin = {0.0, 0.0, 0.0};

/* Is the origin beyond the face a, b, c, as seen from the fourth corner d? A face of a flat
   tetrahedron counts as one that it is beyond. So does one whose sides rounding may exchange: the
   coordinates of corners that are close together leave few digits for the edges between them. */
static bool is_beyond(sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec3 d) {
  static const double FLAT = 1e-12, ROUNDING = 1e-15;
  const sn_vec3 ab = sn_vec3_sub(b, a), ac = sn_vec3_sub(c, a), ad = sn_vec3_sub(d, a);
  const sn_vec3 normal = sn_vec3_cross(ab, ac);
  const double of_origin = -sn_vec3_dot(normal, a), of_corner = sn_vec3_dot(normal, ad);
  const double normal2 = sn_vec3_dot(normal, normal), ad2 = sn_vec3_dot(ad, ad);
  const double a2 = sn_vec3_dot(a, a);
  const double edges2 = sn_vec3_dot(ab, ab) + sn_vec3_dot(ac, ac);
  const double rounding2 = ROUNDING * ROUNDING * (a2 + sn_vec3_dot(d, d));
  const double flat2 = FLAT * FLAT * normal2 * ad2 + rounding2 * (normal2 + edges2 * ad2);
  return of_origin * of_corner <= 0.0 || of_corner * of_corner <= flat2 ||
         of_origin * of_origin <= rounding2 * edges2 * a2;
}

/* @return true: the origin is inside */
static bool nearest_of_tetrahedron(simplex *s) {
  static const size_t faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  double least = INFINITY;
  for (size_t f = 0; f < 4; f++) {
    const size_t *i = faces[f];
    if (!is_beyond(s->w[i[0]], s->w[i[1]], s->w[i[2]], s->w[i[3]])) {
      continue;
    }
    double weights[3];
    const sn_vec3 point = sn__triangle_closest(s->w[i[0]], s->w[i[1]], s->w[i[2]], origin, weights);
    const double distance2 = sn_vec3_dot(point, point);
    if (distance2 < least) {
      least = distance2;
      s->nearest = point;
      s->weight[i[3]] = 0.0;
      for (size_t k = 0; k < 3; k++) {
        s->weight[i[k]] = weights[k];
      }
    }
  }
  return isinf(least);
}

/* @return true: the origin is inside */
static bool find_nearest(simplex *s) {
  if (s->count == 1) {
    s->weight[0] = 1.0;
    s->nearest = s->w[0];
  } else if (s->count == 2) {
    nearest_of_segment(s);
  } else if (s->count == 3) {
    s->nearest = sn__triangle_closest(s->w[0], s->w[1], s->w[2], origin, s->weight);
  } else if (nearest_of_tetrahedron(s)) {
    return true;
  }
  reduce(s);
  return false;
}

static bool has_point(const simplex *s, sn_vec3 w) {
  for (size_t i = 0; i < s->count; i++) {
    if (s->w[i].x == w.x && s->w[i].y == w.y && s->w[i].z == w.z) {
      return true;
    }
  }
  return false;
}

/* How the cores are to each other. */
typedef enum verdict { APART, BEYOND_WINDOW, OVERLAPPING } verdict;

/* @param distance  out: of the cores, at most so much too small; or any lower bound above the
 * window */
static verdict run(const sn__convex *a, const sn__convex *b, const sn_pose *pose_a_b, double window,
                   double tolerance, simplex *s, double *distance) {
  double lower = -INFINITY;
  for (size_t step = 0; step < STEPS_MAX; step++) {
    const double norm = sn_vec3_norm(s->nearest);
    if (!(norm > TOUCH_M)) {
      return OVERLAPPING;
    }
    sn_vec3 on_a;
    const sn_vec3 w = sn__difference_support(a, b, pose_a_b, sn_vec3_neg(s->nearest), &on_a);
    lower = fmax(lower, sn_vec3_dot(s->nearest, w) / norm);
    if (lower > window) {
      *distance = lower;
      return BEYOND_WINDOW;
    }
    if (norm - lower <= tolerance || has_point(s, w)) {
      break;
    }
    const simplex before = *s;
    s->w[s->count] = w;
    s->on_a[s->count++] = on_a;
    if (find_nearest(s)) {
      return OVERLAPPING;
    }
    if (!(sn_vec3_norm(s->nearest) < norm)) {
      *s = before; /* rounding: it does not get any better */
      break;
    }
  }
  *distance = fmax(lower, 0.0);
  return APART;
}

static void place(const sn__convex *a, const sn__convex *b, const simplex *s, sn__gap *out) {
  sn_vec3 on_a = {0.0, 0.0, 0.0};
  for (size_t i = 0; i < s->count; i++) {
    on_a = sn_vec3_add_scaled(on_a, s->weight[i], s->on_a[i]);
  }
  out->normal = sn_vec3_scale(s->nearest, -1.0 / sn_vec3_norm(s->nearest));
  out->point_a = sn_vec3_add_scaled(on_a, a->radius, out->normal);
  out->point_b = sn_vec3_add_scaled(sn_vec3_sub(on_a, s->nearest), -b->radius, out->normal);
}

static void place_overlapping(const sn__convex *a, const sn__convex *b, const sn_pose *pose_a_b,
                              sn__gap *out) {
  const double depth = sn__core_depth(a, b, pose_a_b, &out->normal);
  sn_vec3 on_a;
  out->distance = -depth - a->radius - b->radius;
  (void)sn__difference_support(a, b, pose_a_b, out->normal, &on_a);
  out->point_a = sn_vec3_add_scaled(on_a, a->radius, out->normal);
  out->point_b = sn_vec3_add_scaled(out->point_a, out->distance, out->normal);
}

/* A plane: how far the other shape reaches into it. */
static void from_plane(const sn__convex *shape, const sn_pose *pose_plane_shape, sn__gap *out) {
  const sn_vec3 down =
      sn_vec3_neg(sn_mat3_apply_transposed(pose_plane_shape->rot, sn_vec3_make(0.0, 0.0, 1.0)));
  sn_vec3 lowest = sn_pose_apply(*pose_plane_shape, sn__convex_support(shape, down));
  lowest.z -= shape->radius;
  *out = (sn__gap){.distance = lowest.z,
                   .point_a = {lowest.x, lowest.y, 0.0},
                   .point_b = lowest,
                   .normal = {0.0, 0.0, 1.0}};
}

static void to_plane(const sn__convex *shape, const sn_pose *pose_shape_plane, sn__gap *out) {
  const sn_pose pose_plane_shape = sn_pose_inverse(*pose_shape_plane);
  sn__gap gap;
  from_plane(shape, &pose_plane_shape, &gap);
  *out = (sn__gap){.distance = gap.distance,
                   .point_a = sn_pose_apply(*pose_shape_plane, gap.point_b),
                   .point_b = sn_pose_apply(*pose_shape_plane, gap.point_a),
                   .normal = sn_vec3_neg(pose_shape_plane->rot.z)};
}

void sn__gjk(const sn__convex *a, const sn__convex *b, const sn_pose *pose_a_b,
             const sn__gap_range *range, sn_vec3 *direction, sn__gap *out) {
  if (a->kind == SN__CONVEX_PLANE) {
    from_plane(b, pose_a_b, out);
    return;
  }
  if (b->kind == SN__CONVEX_PLANE) {
    to_plane(a, pose_a_b, out);
    return;
  }
  const double radii = a->radius + b->radius;
  simplex s = {.count = 1};
  const bool is_known = sn_vec3_dot(*direction, *direction) > 0.0;
  const sn_vec3 first = is_known ? sn_vec3_neg(*direction) : pose_a_b->pos;
  s.w[0] = sn__difference_support(a, b, pose_a_b, first, &s.on_a[0]);
  (void)find_nearest(&s);
  const verdict result =
      run(a, b, pose_a_b, range->window + radii, range->tolerance, &s, &out->distance);
  out->is_bound = result == BEYOND_WINDOW;
  if (result == OVERLAPPING) {
    *direction = sn_vec3_make(0.0, 0.0, 0.0);
    out->distance = -radii;
    out->is_bound = out->distance <= range->least;
    if (!out->is_bound) {
      place_overlapping(a, b, pose_a_b, out);
    }
    return;
  }
  *direction = s.nearest;
  out->distance -= radii;
  if (result == APART) {
    place(a, b, &s, out);
  }
}
