/* Quickhull (Barber, Dobkin, Huhdanpaa 1996) that always takes the point farthest outside of all:
   it may stop at any time, and what is missing then is as little as possible. */
#include "mesh/hull.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "mesh/triangle.h"
#include "sinew/fault.h"

/* Shares of the largest extent. */
static const double FLAT = 1e-4;       /* thinner is flat */
static const double PRECISION = 1e-12; /* a point this far above a facet is on it */
static const double ENOUGH = 1e-3;     /* a point this far outside is not worth a vertex */

/* Rounding of coordinates, as a share of the largest one. */
static const double ROUNDING = 1e-15;

/* A point outside of the polytope, and the facet that sees it. */
typedef struct outsider {
  sn_vec3 point;
  double height;   /* above the plane of the facet, m */
  double distance; /* from the facet, m: more than the height beside it */
  uint16_t slot, stamp;
  bool is_refused; /* cannot become a vertex */
} outsider;

typedef struct builder {
  sn__polytope polytope;
  outsider *outside;
  size_t outside_count;
  double epsilon;
} builder;

static double coordinate_max(const sn_vec3 *points, size_t count) {
  double most = 0.0;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, fmax(fabs(points[i].x), fmax(fabs(points[i].y), fabs(points[i].z))));
  }
  return most;
}

static double extent_of(const sn_vec3 *points, size_t count) {
  sn_vec3 low = points[0], high = points[0];
  for (size_t i = 1; i < count; i++) {
    low =
        sn_vec3_make(fmin(low.x, points[i].x), fmin(low.y, points[i].y), fmin(low.z, points[i].z));
    high = sn_vec3_make(fmax(high.x, points[i].x), fmax(high.y, points[i].y),
                        fmax(high.z, points[i].z));
  }
  const sn_vec3 size = sn_vec3_sub(high, low);
  return fmax(size.x, fmax(size.y, size.z));
}

static double distance_from(const sn__polytope *polytope, const sn__facet *facet, sn_vec3 point) {
  double weights[3];
  const sn_vec3 closest = sn__triangle_closest(
      polytope->vertices[facet->corners[0]], polytope->vertices[facet->corners[1]],
      polytope->vertices[facet->corners[2]], point, weights);
  return sn_vec3_norm(sn_vec3_sub(point, closest));
}

/* The facet that the point is highest above, of those of a growth (0: of all). */
static void assign(const sn__polytope *polytope, uint16_t stamp, outsider *one) {
  one->height = 0.0;
  one->stamp = 0;
  for (size_t i = 0; i < polytope->facet_count; i++) {
    const sn__facet *facet = &polytope->facets[i];
    const double height =
        facet->stamp == 0 || facet->stamp < stamp ? 0.0 : sn__facet_height(facet, one->point);
    if (height > one->height) {
      one->height = height;
      one->slot = (uint16_t)i;
      one->stamp = facet->stamp;
    }
  }
  if (one->stamp != 0) {
    one->distance = distance_from(polytope, &polytope->facets[one->slot], one->point);
  }
}

/* After a growth: what a vanished facet saw is seen by a new one, or is inside. */
static void reassign(builder *b) {
  size_t kept = 0;
  for (size_t i = 0; i < b->outside_count; i++) {
    outsider *one = &b->outside[i];
    if (b->polytope.facets[one->slot].stamp != one->stamp) {
      assign(&b->polytope, b->polytope.stamp, one);
    }
    if (one->height > b->epsilon) {
      b->outside[kept++] = *one;
    }
  }
  b->outside_count = kept;
}

/* The facet that misses most, by the distance of a point; then the point that is highest above it,
   which is a vertex of the hull. @return NULL: none is farther away than @p enough */
static outsider *choose(const builder *b, double enough) {
  const outsider *farthest = NULL;
  outsider *best = NULL;
  for (size_t i = 0; i < b->outside_count; i++) {
    const outsider *one = &b->outside[i];
    if (!one->is_refused && one->distance > enough) {
      farthest = farthest == NULL || one->distance > farthest->distance ? one : farthest;
    }
  }
  for (size_t i = 0; farthest != NULL && i < b->outside_count; i++) {
    outsider *one = &b->outside[i];
    if (!one->is_refused && one->slot == farthest->slot) {
      best = best == NULL || one->height > best->height ? one : best;
    }
  }
  return best;
}

static void grow(builder *b, size_t vertex_max, double enough) {
  while (b->polytope.vertex_count < vertex_max) {
    outsider *next = choose(b, enough);
    if (next == NULL) {
      return;
    }
    if (sn__polytope_add(&b->polytope, next->point, b->epsilon)) {
      reassign(b);
    } else {
      next->is_refused = true;
    }
  }
}

/* How far a point is outside, at most: the distance from the nearest triangle. */
static double distance_outside(const builder *b, sn_vec3 point) {
  const sn__polytope *polytope = &b->polytope;
  double least = INFINITY;
  bool is_outside = false;
  for (size_t i = 0; i < polytope->facet_count; i++) {
    const sn__facet *facet = &polytope->facets[i];
    const double height = facet->stamp == 0 ? -INFINITY : sn__facet_height(facet, point);
    is_outside = is_outside || height > b->epsilon;
    if (height > -b->epsilon) {
      least = fmin(least, distance_from(polytope, facet, point));
    }
  }
  return is_outside ? least : 0.0;
}

static double radius_of(const builder *b, const sn_vec3 *points, size_t count) {
  double radius = 0.0;
  for (size_t i = 0; i < count; i++) {
    radius = fmax(radius, distance_outside(b, points[i]));
  }
  /* Beside a thin polytope a point may be farther away than its height above any plane: by the
     thickness' share of the extent. */
  return radius + 2.0 * b->epsilon / FLAT;
}

static sn_status keep_vertices(sn_arena *arena, const sn__polytope *polytope, sn__hull *out,
                               sn_error *err) {
  bool is_used[SN__POLYTOPE_VERTICES_MAX] = {false};
  for (size_t i = 0; i < polytope->facet_count; i++) {
    for (size_t k = 0; polytope->facets[i].stamp != 0 && k < 3; k++) {
      is_used[polytope->facets[i].corners[k]] = true;
    }
  }
  sn_vec3 *vertices = SN_NEW(arena, sn_vec3, polytope->vertex_count);
  if (vertices == NULL) {
    return sn__fail(err, SN_ENOMEM, "hull: no room in arena '%s'", sn_arena_name(arena));
  }
  size_t count = 0;
  for (size_t i = 0; i < polytope->vertex_count; i++) {
    if (is_used[i]) {
      vertices[count++] = polytope->vertices[i];
    }
  }
  out->vertices = vertices;
  out->vertex_count = count;
  return SN_OK;
}

/* Copies of a flat or straight cloud, moved along @p axis both ways. @return NULL: no memory */
static sn_vec3 *thicken(const sn_vec3 *points, size_t count, sn_vec3 axis, double thickness) {
  sn_vec3 *both = malloc(2 * count * sizeof *both);
  for (size_t i = 0; both != NULL && i < count; i++) {
    both[2 * i] = sn_vec3_add_scaled(points[i], thickness, axis);
    both[2 * i + 1] = sn_vec3_add_scaled(points[i], -thickness, axis);
  }
  return both;
}

/* Some unit vector across another one. */
static sn_vec3 across(sn_vec3 axis) {
  const sn_vec3 other = fabs(axis.x) < 0.6 ? sn_vec3_make(1, 0, 0) : sn_vec3_make(0, 1, 0);
  const sn_vec3 cross = sn_vec3_cross(axis, other);
  return sn_vec3_scale(cross, 1.0 / sn_vec3_norm(cross));
}

static sn_status build(builder *b, sn_arena *arena, const sn_vec3 *points, size_t count,
                       size_t vertex_max, double extent, sn__hull *out, sn_error *err) {
  b->outside = malloc(count * sizeof *b->outside);
  if (b->outside == NULL) {
    return sn__fail(err, SN_ENOMEM, "hull: out of memory");
  }
  b->outside_count = 0;
  b->epsilon = PRECISION * extent + ROUNDING * coordinate_max(points, count);
  for (size_t i = 0; i < count; i++) {
    outsider one = {.point = points[i]};
    assign(&b->polytope, 0, &one);
    if (one.height > b->epsilon) {
      b->outside[b->outside_count++] = one;
    }
  }
  grow(b, vertex_max, ENOUGH * extent);
  free(b->outside);
  out->radius = radius_of(b, points, count);
  return keep_vertices(arena, &b->polytope, out, err);
}

/* @param left  how often the cloud may still be thickened */
static sn_status create(builder *b, sn_arena *arena, const sn_vec3 *points, size_t count,
                        size_t vertex_max, int left, sn__hull *out, sn_error *err) {
  const double extent = extent_of(points, count);
  const sn__span span = sn__polytope_start(&b->polytope, points, count, FLAT * extent);
  if (span.dimension == 3) {
    return build(b, arena, points, count, vertex_max, extent, out, err);
  }
  if (span.dimension == 0 || left == 0) {
    return sn__fail(err, SN_EINVAL, "all %zu points are in one place", count);
  }
  const sn_vec3 axis = span.dimension == 2 ? span.axis : across(span.axis);
  sn_vec3 *thick = thicken(points, count, axis, SN__HULL_THICKNESS * extent);
  if (thick == NULL) {
    return sn__fail(err, SN_ENOMEM, "hull: out of memory");
  }
  const sn_status status = create(b, arena, thick, 2 * count, vertex_max, left - 1, out, err);
  free(thick);
  return status;
}

sn_status sn__hull_create(sn_arena *arena, const sn_vec3 *points, size_t count, size_t vertex_max,
                          sn__hull *out, sn_error *err) {
  SN_ASSERT(vertex_max >= 8);
  SN_ASSERT(vertex_max <= SN__POLYTOPE_VERTICES_MAX);
  if (count == 0) {
    return sn__fail(err, SN_EINVAL, "no points");
  }
  builder *b = malloc(sizeof *b);
  if (b == NULL) {
    return sn__fail(err, SN_ENOMEM, "hull: out of memory");
  }
  sn__hull hull = {0};
  const sn_status status = create(b, arena, points, count, vertex_max, 2, &hull, err);
  free(b);
  if (status == SN_OK) {
    *out = hull;
  }
  return status;
}
