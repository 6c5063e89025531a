/** @file
 *  Internal: weighted points as if they were masses, and the rigid motion nearest to theirs. */
#ifndef SN_DYN_POINT_SET_H
#define SN_DYN_POINT_SET_H

#include <stddef.h>

#include "dyn/contact_forces.h"
#include "sinew/spatial.h"

/** Points, their weights added up to 1, and their middle. */
typedef struct sn__point_set {
  const sn_contact_point *points;
  size_t count;
  double per_weight; /**< times the weight of a point gives its part of 1; 0 if all weigh nothing */
  sn_vec3 centre;
} sn__point_set;

sn__point_set sn__point_set_of(const sn_contact_point *points, size_t count);

/** Tensor of inertia about the middle.
 *  @param tensor  out: 3 x 3, lower triangle
 *  @return its trace, which is twice the mean square distance from the middle */
double sn__point_set_tensor(const sn__point_set *set, double *tensor);

/** Find lin and ang that minimise the weighted squares of lin + ang x place - @p wanted; of several
 * solutions, the one with the least rotation. The points must have weight.
 *  @param wanted  one vector for each point
 *  RT: yes, O(count). */
sn_spatial sn__point_set_fit(const sn__point_set *set, const sn_vec3 *wanted);

#endif
