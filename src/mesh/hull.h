/** @file
 *  Internal: the convex hull of a cloud of points, with a bounded count of vertices.
 *
 *  The hull is the vertices, thickened by a radius: every point of the cloud is within the radius
 *  of the convex hull of the vertices. If the vertices suffice, the radius is tiny. So
 * a hull never is smaller than the cloud, and `radius` is how much too large it may be.
 *
 *  A flat cloud becomes a thin slab, a straight one a thin rod. */
#ifndef SN_MESH_HULL_H
#define SN_MESH_HULL_H

#include <stddef.h>

#include "mesh/polytope.h"
#include "sinew/arena.h"
#include "sinew/status.h"

typedef struct sn__hull {
  size_t vertex_count;
  const sn_vec3 *vertices; /**< of the cloud, apart from slabs and rods */
  double radius;           /**< m */
} sn__hull;

/** Thickness of slabs and rods, as a share of the largest extent. */
#define SN__HULL_THICKNESS 1e-4

/** Create a hull.
 *  @param points      finite
 *  @param vertex_max  8 .. SN__POLYTOPE_VERTICES_MAX; of all points of the hull those are taken
 *                     that bring most
 *  @param out         set on success; its vertices are in the arena
 *  @return SN_OK; SN_EINVAL: no points, or all in one place; SN_ENOMEM
 *  RT: no, allocates; O(points * vertex_max).  Threads: one owner of the arena. */
SN_API sn_status sn__hull_create(sn_arena *arena, const sn_vec3 *points, size_t count,
                                 size_t vertex_max, sn__hull *out, sn_error *err);

/** The hull of the mesh in a file, with its corners scaled.
 *  @param scale  of each axis; negative: mirrored
 *  @return as sn__mesh_load() and sn__hull_create(); SN_EINVAL: a scale is 0 or too large */
SN_API sn_status sn__hull_load(sn_arena *arena, const char *path, sn_vec3 scale, size_t vertex_max,
                               sn__hull *out, sn_error *err);

#endif
