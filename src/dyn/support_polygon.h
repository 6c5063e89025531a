/** @file
 *  The support polygon of a standing robot, the distance of a point from its edge, and the
 * zero-moment point.
 *
 *  All points are in one frame, m.  RT: yes, all of it, no allocation.  Threads: any. */
#ifndef SN_DYN_SUPPORT_POLYGON_H
#define SN_DYN_SUPPORT_POLYGON_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/spatial.h"
#include "sinew/vec3.h"

SN_BEGIN_DECLS

/** The ground: all points p with normal . p = height_m. */
typedef struct sn_plane {
  sn_vec3 normal; /**< unit vector, out of the ground */
  double height_m;
} sn_plane;

/** The point of the plane below or above @p p. */
static inline sn_vec3 sn_plane_project(sn_plane plane, sn_vec3 p) {
  return sn_vec3_add_scaled(p, plane.height_m - sn_vec3_dot(plane.normal, p), plane.normal);
}

/** The smallest convex polygon around points projected on the ground. Points that coincide, and
 *  points that lie on an edge, are not corners, to within a nanometre, or 1e-9 of the extent if
 * that is more.
 *  @param corners  out: room for @p count, counter-clockwise seen from above; must not overlap
 *                  @p points
 *  @return how many corners: 2 if all points are on a line, 1 if they coincide, 0 if there are none
 *  RT: yes, O(count * corners). */
size_t sn__support_polygon(sn_plane ground, const sn_vec3 *points, size_t count,
                           sn_vec3 *corners) SN_RT;

/** How far a point, projected on the ground, is from the edge of a polygon as above: m, negative
 *  outside. A line and a single corner have no inside. Without corners: 0.
 *  RT: yes, O(count). */
double sn__support_margin(sn_plane ground, const sn_vec3 *corners, size_t count,
                          sn_vec3 point) SN_RT;

/** The point of the ground where one force and a torque about the normal are equivalent to @p
 * wrench (Vukobratovic and Borovac, "Zero-moment point, thirty-five years of its life", 2004). At
 * rest that is the centre of mass, projected along gravity.
 *  @param wrench  of the ground on the robot, about the origin of the frame
 *  @param zmp     out, untouched if there is none
 *  @return false if there is none: the ground does not push
 *  RT: yes. */
bool sn__support_zmp(sn_plane ground, sn_spatial wrench, sn_vec3 *zmp) SN_RT;

SN_END_DECLS

#endif
