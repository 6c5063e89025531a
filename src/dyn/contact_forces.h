/** @file
 *  Distribution of ground forces over contact points.
 *
 *  A contact is a set of points, each with a force: one point fixes a position, two fix an axis,
 * three or more fix everything. The ground only pushes, and friction bounds the tangential force:
 * each force lies in the circular cone |tangent| <= friction * normal, not in a pyramid. */
#ifndef SN_DYN_CONTACT_FORCES_H
#define SN_DYN_CONTACT_FORCES_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/spatial.h"
#include "sinew/vec3.h"

SN_BEGIN_DECLS

/** One point that touches the ground. */
typedef struct sn_contact_point {
  sn_vec3 place; /**< m */
  double weight; /**< >= 0: its share of the load relative to the others; 0: no force */
} sn_contact_point;

/** The task. Everything is in one frame. */
typedef struct sn_contact_task {
  const sn_contact_point *points;
  size_t point_count;
  sn_vec3 normal;    /**< unit vector out of the ground */
  double friction;   /**< >= 0; above 1e6 is taken as 1e6 */
  sn_spatial wrench; /**< that the forces should add up to, about the origin of the frame */
} sn_contact_task;

/** The outcome. */
typedef struct sn_contact_outcome {
  bool balanced;      /**< the forces add up to the wrench, to 1e-6 of it at worst */
  sn_spatial missing; /**< the wrench minus the sum of the forces, about the origin */
  int rounds;         /**< how often the forces were computed, at most SN_CONTACT_ROUNDS_MAX */
} sn_contact_outcome;

#define SN_CONTACT_ROUNDS_MAX 200

/** Distribute a wrench over the points: of all forces in their cones that add up to it those with
 *  the least sum of |force|^2 / weight. The solution is unique, changes continuously with the task,
 * and the force of a point vanishes with its weight.
 *
 *  If no forces in the cones add up to the wrench, those that come nearest: the sum of
 *  |missing force|^2 + |missing torque|^2 / (10 R)^2 is least, the torque about the middle of the
 *  points and R their mean distance from it, so that the torque is given up first.
 *
 *  @param forces  out: point_count forces on the robot, N
 *  @param outcome may be NULL
 *  RT: yes, O(point_count) a round; one or two rounds unless a cone bounds a force.
 *  Threads: any. */
void sn__contact_forces(const sn_contact_task *task, sn_vec3 *forces,
                        sn_contact_outcome *outcome) SN_RT;

SN_END_DECLS

#endif
