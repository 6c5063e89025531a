/** @file
 *  Internal: points of shapes that may touch the ground. */
#ifndef SN_LEGS_SHAPE_POINTS_H
#define SN_LEGS_SHAPE_POINTS_H

#include "sinew/model.h"

enum { SN__SHAPE_POINTS_MAX = 16 };

/** A ball; a point if its radius is 0. */
typedef struct sn__shape_point {
  sn_vec3 at;    /**< in the link, m */
  double radius; /**< m */
} sn__shape_point;

/** The corners of a box, points on the rims of a cylinder, a sphere, the two spheres of a capsule;
 *  none of a mesh.
 *  @param out  of SN__SHAPE_POINTS_MAX
 *  @return their count.  RT: yes */
size_t sn__shape_points(const sn_shape *shape, sn__shape_point *out) SN_RT;

/** Where a link presses on level ground: the middle of its lowest points, which is the edge of a
 *  sole that is not level.
 *  @param pose_world_link  z of the world is up
 *  @param out              set if it has such points
 *  @return whether it has.  RT: yes */
bool sn__link_touch(const sn_link *link, sn_pose pose_world_link, sn_vec3 *out) SN_RT;

#endif
