/* Depth of overlapping cores: a polytope inside of their difference grows at the facet that is
   nearest to the origin, until that facet is on the surface. */
#include "collision/gjk.h"
#include "mesh/polytope.h"

enum { STEPS_MAX = 32 };

static const double TOLERANCE = 1e-3; /* of the depth */
static const double PRECISION_M = 1e-12;

/* The facet with the least offset. */
static const sn__facet *nearest_facet(const sn__polytope *polytope) {
  const sn__facet *best = NULL;
  for (size_t i = 0; i < polytope->facet_count; i++) {
    const sn__facet *facet = &polytope->facets[i];
    if (facet->stamp != 0 && (best == NULL || facet->offset < best->offset)) {
      best = facet;
    }
  }
  return best;
}

/* A tetrahedron of the difference, from its extreme points in a few directions. It need not contain
   the origin: a facet beyond which the origin is has a negative offset and grows first. */
static bool start(const sn__convex *a, const sn__convex *b, const sn_pose *pose_a_b,
                  sn__polytope *polytope) {
  static const sn_vec3 directions[14] = {
      {1, 0, 0},  {-1, 0, 0}, {0, 1, 0},   {0, -1, 0}, {0, 0, 1},   {0, 0, -1},  {1, 1, 1},
      {1, 1, -1}, {1, -1, 1}, {1, -1, -1}, {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}};
  sn_vec3 points[14], on_a;
  for (size_t i = 0; i < 14; i++) {
    points[i] = sn__difference_support(a, b, pose_a_b, directions[i], &on_a);
  }
  return sn__polytope_start(polytope, points, 14, 1e-9).dimension == 3;
}

double sn__core_depth(const sn__convex *a, const sn__convex *b, const sn_pose *pose_a_b,
                      sn_vec3 *normal) {
  sn__polytope polytope;
  double depth = INFINITY;
  *normal = sn_vec3_make(0.0, 0.0, 1.0);
  if (!start(a, b, pose_a_b, &polytope)) {
    return 0.0;
  }
  for (size_t step = 0; step < STEPS_MAX; step++) {
    const sn__facet *facet = nearest_facet(&polytope);
    if (facet == NULL) {
      break;
    }
    const double offset = facet->offset;
    sn_vec3 on_a;
    const sn_vec3 w = sn__difference_support(a, b, pose_a_b, facet->normal, &on_a);
    const double reach = sn_vec3_dot(facet->normal, w);
    if (reach < depth) { /* in any direction the reach is an upper bound */
      depth = reach;
      *normal = facet->normal;
    }
    if (reach - offset <= TOLERANCE * fabs(reach) + PRECISION_M ||
        !sn__polytope_add(&polytope, w, PRECISION_M)) {
      break;
    }
  }
  return isfinite(depth) ? fmax(depth, 0.0) : 0.0;
}
