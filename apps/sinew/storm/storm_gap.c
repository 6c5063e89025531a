/* The point of the difference of two shapes that is nearest to the origin, by supports and the best
   of all simplices of at most four of them: slow, short, and unlike the library's. */
#include "storm/storm_gap.h"

#include <math.h>

enum { ROUNDS_MAX = 200 };

/* ---- one shape ---- */

static sn_vec3 of_length(sn_vec3 v, double length) {
  const double norm = sn_vec3_norm(v);
  return norm > 0.0 ? sn_vec3_scale(v, length / norm) : v;
}

static sn_vec3 farthest(const storm_shape *s, sn_vec3 d) {
  sn_vec3 best = s->vertices[0];
  for (size_t i = 1; i < s->vertex_count; i++) {
    best = sn_vec3_dot(s->vertices[i], d) > sn_vec3_dot(best, d) ? s->vertices[i] : best;
  }
  return sn_vec3_add(best, of_length(d, s->hull_radius));
}

/* The point of the shape farthest in a direction, both in its own frame. */
static sn_vec3 support_in(const storm_shape *s, sn_vec3 d) {
  const sn_shape *stated = s->stated;
  const double end = copysign(0.5 * stated->length, d.z);
  switch (stated->kind) {
    case SN_SHAPE_BOX:
      return sn_vec3_make(copysign(0.5 * stated->size.x, d.x), copysign(0.5 * stated->size.y, d.y),
                          copysign(0.5 * stated->size.z, d.z));
    case SN_SHAPE_CYLINDER:
      return sn_vec3_add(of_length(sn_vec3_make(d.x, d.y, 0.0), stated->radius),
                         sn_vec3_make(0.0, 0.0, end));
    case SN_SHAPE_CAPSULE:
      return sn_vec3_add(of_length(d, stated->radius), sn_vec3_make(0.0, 0.0, end));
    case SN_SHAPE_MESH:
      return farthest(s, d);
    case SN_SHAPE_SPHERE:
    default:
      return of_length(d, stated->radius);
  }
}

static sn_vec3 support(const storm_shape *s, sn_vec3 d) {
  return sn_pose_apply(s->pose, support_in(s, sn_mat3_apply_transposed(s->pose.rot, d)));
}

void storm_shape_bound(storm_shape *s) {
  const sn_shape *stated = s->stated;
  const double half = 0.5 * stated->length;
  s->bound = stated->kind == SN_SHAPE_BOX        ? 0.5 * sn_vec3_norm(stated->size)
             : stated->kind == SN_SHAPE_CYLINDER ? hypot(stated->radius, half)
                                                 : stated->radius + half;
  if (stated->kind == SN_SHAPE_MESH) {
    s->bound = 0.0;
    for (size_t i = 0; i < s->vertex_count; i++) {
      s->bound = fmax(s->bound, sn_vec3_norm(s->vertices[i]) + s->hull_radius);
    }
  }
}

/* ---- a simplex ---- */

/* The point of the plane, line or point through some corners that is nearest to the origin.
   @return false: it lies outside of them, or they are degenerate */
static bool project(const sn_vec3 *corner, size_t count, sn_vec3 *out) {
  double m[3][4]; /* edges: their products with each other and with the way to the origin */
  const size_t n = count - 1;
  for (size_t i = 0; i < n; i++) {
    const sn_vec3 edge = sn_vec3_sub(corner[i + 1], corner[0]);
    for (size_t k = 0; k < n; k++) {
      m[i][k] = sn_vec3_dot(edge, sn_vec3_sub(corner[k + 1], corner[0]));
    }
    m[i][n] = -sn_vec3_dot(edge, corner[0]);
  }
  double rest = 1.0;
  *out = corner[0];
  for (size_t i = 0; i < n; i++) { /* Gauss and Jordan: the matrix is positive */
    if (!(m[i][i] > 1e-18)) {
      return false;
    }
    for (size_t row = 0; row < n; row++) {
      const double factor = row == i ? 0.0 : m[row][i] / m[i][i];
      for (size_t k = i; k <= n; k++) {
        m[row][k] -= factor * m[i][k];
      }
    }
  }
  for (size_t i = 0; i < n; i++) {
    const double share = m[i][n] / m[i][i];
    if (share < 0.0) {
      return false;
    }
    rest -= share;
    *out = sn_vec3_add_scaled(*out, share, sn_vec3_sub(corner[i + 1], corner[0]));
  }
  return rest >= 0.0;
}

/* The nearest point of all of the simplex. Corners that it does not need are dropped. */
static sn_vec3 nearest(sn_vec3 corner[4], size_t *count) {
  sn_vec3 best = corner[*count - 1];
  unsigned best_set = 1u << (*count - 1);
  for (unsigned set = 1; set < 1u << *count; set++) {
    sn_vec3 some[4], point;
    size_t used = 0;
    for (size_t i = 0; i < *count; i++) {
      if ((set >> i & 1u) != 0) {
        some[used++] = corner[i];
      }
    }
    if (project(some, used, &point) && sn_vec3_dot(point, point) < sn_vec3_dot(best, best)) {
      best = point;
      best_set = set;
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    if ((best_set >> i & 1u) != 0) {
      corner[kept++] = corner[i];
    }
  }
  *count = kept;
  return best;
}

/* ---- two shapes ---- */

static sn_vec3 difference(const storm_shape *a, const storm_shape *b, sn_vec3 d) {
  return sn_vec3_sub(support(b, d), support(a, sn_vec3_neg(d)));
}

bool storm_gap_exists(const storm_shape *a, const storm_shape *b, sn_vec3 *normal) {
  const sn_vec3 way = sn_vec3_sub(b->pose.pos, a->pose.pos);
  const double bounds = a->bound + b->bound;
  if (sn_vec3_dot(way, way) > bounds * bounds) {
    return true;
  }
  sn_vec3 v = sn_vec3_norm(*normal) > 0.0 ? *normal : way;
  sn_vec3 corner[4];
  size_t count = 0;
  for (int round = 0; round < ROUNDS_MAX; round++) {
    const sn_vec3 s = difference(a, b, sn_vec3_neg(v));
    if (sn_vec3_dot(v, s) > 0.0) { /* all of the difference lies beyond this plane */
      *normal = v;
      return true;
    }
    corner[count++] = s;
    v = nearest(corner, &count);
    if (count == 4 || sn_vec3_norm(v) < 1e-9) {
      return false;
    }
  }
  return false;
}
