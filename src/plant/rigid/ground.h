/** @file
 *  Internal: the ground under a simulated robot: a plane, level or sloped, and boxes on it.
 *
 *  Points, poses and normals are in the frame of the world. */
#ifndef SN_PLANT_GROUND_H
#define SN_PLANT_GROUND_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/pose.h"

/** A box that does not move. */
typedef struct sn__ground_box {
  sn_pose pose_world_box; /**< of its centre */
  sn_vec3 half;           /**< half of its edges, m, > 0 */
} sn__ground_box;

/** The ground. `normal` is a unit vector; the plane holds the points x with normal . x = height. */
typedef struct sn__ground {
  sn_vec3 normal;
  double height;   /**< m */
  double friction; /**< coefficient of Coulomb friction, >= 0 */
  size_t box_count;
  const sn__ground_box *boxes;
} sn__ground;

/** Level ground at height 0. RT: yes. */
static inline sn__ground sn__ground_level(double friction) {
  return (sn__ground){.normal = {0.0, 0.0, 1.0}, .friction = friction};
}

/** Distance of a point to the ground, m; negative inside.
 *  @param normal  out: the direction in which the distance grows
 *  RT: yes, O(boxes). */
double sn__ground_gap(const sn__ground *ground, sn_vec3 point, sn_vec3 *normal) SN_RT;

#endif
