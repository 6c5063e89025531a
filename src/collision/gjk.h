/** @file
 *  Internal: the distance of two convex shapes, and how deep they are in contact.
 *
 *  The cores by the algorithm of Gilbert, Johnson and Keerthi (1988), the depth of overlapping
 *  cores by an expanding polytope (van den Bergen 2001). Both have a bounded count of steps. The
 *  distance of shapes that are apart is never too large.
 *
 *  RT: yes, all of it.  Threads: any. */
#ifndef SN_COLLISION_GJK_H
#define SN_COLLISION_GJK_H

#include <stdbool.h>

#include "collision/convex.h"

/** Where two shapes are nearest to each other, in the frame of the first one. */
typedef struct sn__gap {
  double distance; /**< m; negative: how deep they overlap */
  bool is_bound;   /**< only a bound, see sn__gap_range; the points are not set */
  sn_vec3 point_a; /**< on the surface of the first */
  sn_vec3 point_b; /**< on the surface of the second */
  sn_vec3 normal;  /**< unit vector from the first to the second */
} sn__gap;

/** What is to be known of a distance, m. */
typedef struct sn__gap_range {
  double least;     /**< at most this: an upper bound suffices; -infinite: never */
  double window;    /**< above it a lower bound suffices; infinite: never */
  double tolerance; /**< how much too small the distance may be */
} sn__gap_range;

/** Find the distance of two shapes. Not both may be planes.
 *  @param pose_a_b   the second in the frame of the first
 *  @param direction  in and out: about from the second to the first, from an earlier call for the
 *                    same pair; zero: unknown. It saves steps. */
void sn__gjk(const sn__convex *a, const sn__convex *b, const sn_pose *pose_a_b,
             const sn__gap_range *range, sn_vec3 *direction, sn__gap *out) SN_RT;

/** How far overlapping cores have to be moved to be apart.
 *  @param normal  out: the direction in which the second has to move
 *  @return m; 0 if a core has no volume */
double sn__core_depth(const sn__convex *a, const sn__convex *b, const sn_pose *pose_a_b,
                      sn_vec3 *normal) SN_RT;

/** The point of the difference of the cores, a - b, that is farthest in direction @p d.
 *  @param on_a  out: its part from a */
static inline sn_vec3 sn__difference_support(const sn__convex *a, const sn__convex *b,
                                             const sn_pose *pose_a_b, sn_vec3 d, sn_vec3 *on_a) {
  const sn_vec3 back = sn_vec3_neg(sn_mat3_apply_transposed(pose_a_b->rot, d));
  *on_a = sn__convex_support(a, d);
  return sn_vec3_sub(*on_a, sn_pose_apply(*pose_a_b, sn__convex_support(b, back)));
}

#endif
