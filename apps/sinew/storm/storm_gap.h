/** @file
 *  Are two convex shapes apart? Written for the checks of storms, and for nothing else: shapes from
 *  the robot's file, planes between them. It shares no code with src/collision but the hulls of
 *  meshes. */
#ifndef SINEW_STORM_GAP_H
#define SINEW_STORM_GAP_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/model.h"

/** A shape of a link. */
typedef struct storm_shape {
  const sn_shape *stated;
  const sn_vec3 *vertices; /**< of the hull of a mesh; NULL: another shape */
  size_t vertex_count;
  double hull_radius; /**< m, around the hull */
  double bound;       /**< m, of a sphere around its origin */
  int link;
  sn_pose pose; /**< in the root link, of the present pose of the joints */
} storm_shape;

/** Set `bound`. */
void storm_shape_bound(storm_shape *shape);

/** Does a plane separate them?
 *  @param normal  in: where to look first, any length; out: the plane's, if there is one */
bool storm_gap_exists(const storm_shape *a, const storm_shape *b, sn_vec3 *normal);

#endif
