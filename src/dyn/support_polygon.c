/* The hull grows from its longest diagonal by the farthest point outside each edge (Quickhull, Eddy
   1977). Nothing is sorted, so points that nearly coincide or nearly line up cannot come in a wrong
   order, and a point closer to an edge than the tolerance is not a corner. */
#include "dyn/support_polygon.h"

#include <math.h>
#include <string.h>

/* Of the extent, or in metres. */
static const double TOLERANCE = 1e-9;

static double distance(sn_vec3 a, sn_vec3 b) {
  return sn_vec3_norm(sn_vec3_sub(a, b));
}

static sn_vec3 farthest_from(sn_plane ground, const sn_vec3 *points, size_t count, sn_vec3 from) {
  sn_vec3 best = from;
  double best_m2 = 0.0;
  for (size_t i = 0; i < count; i++) {
    const sn_vec3 p = sn_plane_project(ground, points[i]);
    const sn_vec3 way = sn_vec3_sub(p, from);
    const double m2 = sn_vec3_dot(way, way);
    if (m2 > best_m2) {
      best_m2 = m2;
      best = p;
    }
  }
  return best;
}

/* An edge as seen by a point: how far along it, and how far to its left. */
typedef struct edge {
  sn_vec3 from;
  sn_vec3 along, left; /* unit vectors */
  double length_m;
} edge;

static edge edge_between(sn_plane ground, sn_vec3 from, sn_vec3 to) {
  const sn_vec3 way = sn_vec3_sub(to, from);
  const double length_m = sn_vec3_norm(way);
  const sn_vec3 along = sn_vec3_scale(way, length_m > 0.0 ? 1.0 / length_m : 0.0);
  return (edge){from, along, sn_vec3_cross(ground.normal, along), length_m};
}

/* The point farthest to the right of an edge; of several, the one farthest along it, since those
   between lie on an edge of the hull. */
static bool find_outside(sn_plane ground, const edge *e, const sn_vec3 *points, size_t count,
                         double tolerance_m, sn_vec3 *found) {
  double best_m = tolerance_m;
  double best_along_m = -INFINITY;
  size_t best = 0;
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    const sn_vec3 r = sn_vec3_sub(points[i], e->from); /* both directions lie in the ground */
    const double right_m = -sn_vec3_dot(e->left, r);
    const double along_m = sn_vec3_dot(e->along, r);
    const bool farther = right_m > best_m + (any ? tolerance_m : 0.0);
    const bool same = any && fabs(right_m - best_m) <= tolerance_m && along_m > best_along_m;
    if (farther || same) {
      best_m = right_m;
      best_along_m = along_m;
      best = i;
      any = true;
    }
  }
  if (any) {
    *found = sn_plane_project(ground, points[best]);
  }
  return any;
}

size_t sn__support_polygon(sn_plane ground, const sn_vec3 *points, size_t count, sn_vec3 *corners) {
  if (count == 0) {
    return 0;
  }
  /* The farthest from any point is a corner, and so is the farthest from that. */
  const sn_vec3 first = sn_plane_project(ground, points[0]);
  corners[0] = farthest_from(ground, points, count, first);
  const sn_vec3 opposite = farthest_from(ground, points, count, corners[0]);
  const double extent_m = distance(corners[0], opposite);
  const double tolerance_m = TOLERANCE * fmax(extent_m, 1.0);
  if (!(extent_m > tolerance_m)) {
    return 1;
  }
  corners[1] = opposite;
  size_t corner_count = 2;
  for (size_t i = 0; i < corner_count;) {
    const edge e = edge_between(ground, corners[i], corners[(i + 1) % corner_count]);
    sn_vec3 outside;
    if (corner_count == count || !find_outside(ground, &e, points, count, tolerance_m, &outside)) {
      i++;
      continue;
    }
    memmove(&corners[i + 2], &corners[i + 1], (corner_count - i - 1) * sizeof *corners);
    corners[i + 1] = outside;
    corner_count++;
  }
  return corner_count;
}

double sn__support_margin(sn_plane ground, const sn_vec3 *corners, size_t count, sn_vec3 point) {
  if (count == 0) {
    return 0.0;
  }
  const sn_vec3 p = sn_plane_project(ground, point);
  double nearest_m = INFINITY;
  bool inside = count > 2;
  for (size_t i = 0; i < count; i++) {
    const edge e = edge_between(ground, corners[i], corners[(i + 1) % count]);
    const sn_vec3 r = sn_vec3_sub(p, e.from);
    const double along_m = fmin(fmax(sn_vec3_dot(e.along, r), 0.0), e.length_m);
    nearest_m = fmin(nearest_m, distance(r, sn_vec3_scale(e.along, along_m)));
    inside = inside && sn_vec3_dot(e.left, r) >= 0.0;
  }
  return inside || nearest_m == 0.0 ? nearest_m : -nearest_m;
}

bool sn__support_zmp(sn_plane ground, sn_spatial wrench, sn_vec3 *zmp) {
  const double push_N = sn_vec3_dot(ground.normal, wrench.lin);
  /* The negated form also rejects NaN. */
  if (!(push_N > 1e-9 * (sn_vec3_norm(wrench.lin) + sn_vec3_norm(wrench.ang)))) {
    return false;
  }
  /* n x (torque - z x force) = 0 and n . z = height, solved for z. */
  const sn_vec3 turned = sn_vec3_cross(ground.normal, wrench.ang);
  *zmp = sn_vec3_scale(sn_vec3_add_scaled(turned, ground.height_m, wrench.lin), 1.0 / push_N);
  return true;
}
