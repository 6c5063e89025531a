/** @file
 *  Internal: a convex polytope of triangles that grows point by point. It makes convex hulls
 *  (hull.c) and finds the depth of a contact.
 *
 *  Fixed size; no facet changes its slot while it exists. RT: yes, all of it.  Threads: one owner.
 */
#ifndef SN_MESH_POLYTOPE_H
#define SN_MESH_POLYTOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/vec3.h"

enum {
  SN__POLYTOPE_VERTICES_MAX = 128,
  /** A polytope of n vertices has 2 n - 4 facets; a new one may need slots before others are free.
   */
  SN__POLYTOPE_FACETS_MAX = 4 * SN__POLYTOPE_VERTICES_MAX
};

/** A triangle; counter-clockwise as seen from outside. */
typedef struct sn__facet {
  sn_vec3 normal; /**< outwards, unit length */
  double offset;  /**< of its plane: normal · x = offset */
  uint8_t corners[3];
  uint16_t stamp; /**< of the growth that made it, from 1; 0: the slot is free */
} sn__facet;

typedef struct sn__polytope {
  size_t vertex_count;
  size_t facet_count; /**< slots in use, free ones among them */
  uint16_t stamp;     /**< of the last growth */
  sn_vec3 vertices[SN__POLYTOPE_VERTICES_MAX];
  sn__facet facets[SN__POLYTOPE_FACETS_MAX];
} sn__polytope;

/** What a set of points spans. */
typedef struct sn__span {
  int dimension; /**< 0: one point, 1: a line, 2: a plane, 3: space */
  sn_vec3 axis;  /**< unit vector: along a line, normal to a plane */
} sn__span;

/** Begin with a large tetrahedron of the points.
 *  @param epsilon  points closer than this to a point, line or plane count as on it, m
 *  @return what they span; the polytope is valid only if that is space */
sn__span sn__polytope_start(sn__polytope *polytope, const sn_vec3 *points, size_t count,
                            double epsilon) SN_RT;

/** Grow by a point outside of it.
 *  @param epsilon  how far above a facet the point must be to see it, m
 *  @return false, and nothing has changed: the point is not outside, the hull is full, or the
 *          result would not be convex within the precision of numbers */
bool sn__polytope_add(sn__polytope *polytope, sn_vec3 point, double epsilon) SN_RT;

/** How far a point is above the plane of a facet, m. */
static inline double sn__facet_height(const sn__facet *facet, sn_vec3 point) {
  return sn_vec3_dot(facet->normal, point) - facet->offset;
}

#endif
