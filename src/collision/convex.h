/** @file
 *  Internal: convex shapes as cores that are thickened by a radius, in their own frames.
 *
 *  RT: yes, all of it.  Threads: any. */
#ifndef SN_COLLISION_CONVEX_H
#define SN_COLLISION_CONVEX_H

#include <math.h>
#include <stddef.h>

#include "sinew/pose.h"

typedef enum sn__convex_kind {
  SN__CONVEX_POINT,    /**< a sphere */
  SN__CONVEX_SEGMENT,  /**< along z: a capsule */
  SN__CONVEX_BOX,      /**< about the origin */
  SN__CONVEX_CYLINDER, /**< about z */
  SN__CONVEX_HULL,     /**< of points */
  SN__CONVEX_PLANE     /**< everything with z below 0 */
} sn__convex_kind;

typedef struct sn__convex {
  sn__convex_kind kind;
  sn_vec3 half;  /**< box: half of its edges; cylinder: x is its radius; z: half of a length, m */
  double radius; /**< around the core, m */
  size_t vertex_count;
  const sn_vec3 *vertices; /**< of a hull */
} sn__convex;

/** A capsule around a shape. */
typedef struct sn__capsule {
  sn_vec3 ends[2];
  double radius;
} sn__capsule;

/** The smallest capsule that this file knows, around the shape. Not for planes. */
sn__capsule sn__convex_capsule(const sn__convex *shape) SN_RT;

/** Distance of two capsules, m; negative if they overlap. */
double sn__capsule_distance(const sn__capsule *a, const sn__capsule *b) SN_RT;

static inline sn_vec3 sn__hull_support(const sn__convex *shape, sn_vec3 d) {
  size_t best = 0;
  double most = -INFINITY;
  for (size_t i = 0; i < shape->vertex_count; i++) {
    const double reach = sn_vec3_dot(shape->vertices[i], d);
    if (reach > most) {
      most = reach;
      best = i;
    }
  }
  return shape->vertices[best];
}

/** The point of the core that is farthest in direction @p d, which need not have unit length. Not
 *  for planes. */
static inline sn_vec3 sn__convex_support(const sn__convex *shape, sn_vec3 d) {
  const sn_vec3 half = shape->half;
  switch (shape->kind) {
    case SN__CONVEX_SEGMENT:
      return sn_vec3_make(0.0, 0.0, copysign(half.z, d.z));
    case SN__CONVEX_BOX:
      return sn_vec3_make(copysign(half.x, d.x), copysign(half.y, d.y), copysign(half.z, d.z));
    case SN__CONVEX_CYLINDER: {
      const double norm = sqrt(d.x * d.x + d.y * d.y);
      const double scale = norm > 0.0 ? half.x / norm : 0.0;
      return sn_vec3_make(scale * d.x, scale * d.y, copysign(half.z, d.z));
    }
    case SN__CONVEX_HULL:
      return sn__hull_support(shape, d);
    case SN__CONVEX_POINT:
    case SN__CONVEX_PLANE:
    default:
      return sn_vec3_make(0.0, 0.0, 0.0);
  }
}

#endif
