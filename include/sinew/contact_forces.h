/** @file
 *  Which forces the ground exerts where a robot touches it.
 *
 *  A contact is a set of points, each of which takes a force: one point holds a place, two an axis,
 *  three or more all. The ground pushes and never pulls, and friction bounds the force along it: a
 *  force lies in the cone |tangent| <= friction * normal, the round one, not a pyramid. */
#ifndef SINEW_CONTACT_FORCES_H
#define SINEW_CONTACT_FORCES_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/spatial.h"
#include "sinew/vec3.h"

SN_BEGIN_DECLS

/** One point that touches the ground. */
typedef struct sn_contact_point {
  sn_vec3 place; /**< m */
  double weight; /**< >= 0: its share of the load, against those of others; 0: takes no force */
} sn_contact_point;

/** What is asked. Everything is in one frame. */
typedef struct sn_contact_task {
  const sn_contact_point *points;
  size_t point_count;
  sn_vec3 normal;    /**< unit vector out of the ground */
  double friction;   /**< >= 0; above 1e6 is taken as 1e6 */
  sn_spatial wrench; /**< that the forces should add up to, about the origin of the frame */
} sn_contact_task;

/** What came of it. */
typedef struct sn_contact_outcome {
  bool balanced;      /**< the forces add up to the wrench, to 1e-6 of it at worst */
  sn_spatial missing; /**< the wrench less what the forces add up to, about the origin */
  int rounds;         /**< how often the forces were computed, at most SN_CONTACT_ROUNDS_MAX */
} sn_contact_outcome;

#define SN_CONTACT_ROUNDS_MAX 200

/** Distribute a wrench over the points: of all forces in their cones that add up to it those with
 *  the least sum of |force|^2 / weight. There is one such answer, it changes continuously with
 *  the task, and a weight that goes to 0 takes its force along.
 *
 *  If no forces in the cones add up to the wrench, those that come nearest: the sum of
 *  |missing force|^2 + |missing torque|^2 / (10 R)^2 is least, the torque about the middle of the
 *  points and R their mean distance from it, so that it is rather the torque that is missing.
 *
 *  @param forces  out: point_count forces on the robot, N
 *  @param outcome may be NULL
 *  RT: yes, O(point_count) a round; one or two rounds unless a cone bounds a force.
 *  Threads: any. */
SN_API void sn_contact_forces(const sn_contact_task *task, sn_vec3 *forces,
                              sn_contact_outcome *outcome) SN_RT;

SN_END_DECLS

#endif
