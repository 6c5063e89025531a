/** @file
 *  Internal: the closest point of a triangle. RT: yes.  Threads: any. */
#ifndef SN_MESH_TRIANGLE_H
#define SN_MESH_TRIANGLE_H

#include "sinew/api.h"
#include "sinew/vec3.h"

/** The point of the triangle a, b, c that is closest to @p p. A triangle without an area is a
 *  segment or a point.
 *  @param weights  out: of the corners; not negative, their sum is 1 */
sn_vec3 sn__triangle_closest(sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec3 p, double weights[3]) SN_RT;

#endif
