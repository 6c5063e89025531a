/** @file
 *  Internal: how far a motion of joints moves the parts of a pair against each other.
 *
 *  A joint that turns by some angle moves a point by at most its *lever* times the angle. Levers
 *  hold in every pose, so a sum over the joints between two parts bounds how much their distance
 *  can change, whatever way the joints take. */
#ifndef SN_COLLISION_PATH_H
#define SN_COLLISION_PATH_H

#include "collision/collision.h"

/** A joint between a part and the base. */
typedef struct sn__path_joint {
  int body;     /**< that it moves */
  int coord;    /**< its entry in the pose */
  double lever; /**< no point of the part moves by more than this per unit of the entry, m */
} sn__path_joint;

/** The joints on which the distance of a pair depends: those of either part, from the part to where
 *  both ways meet. RT: yes, O(joints).  Threads: owner. */
typedef struct sn__path {
  const sn__path_joint *joints[2];
  size_t counts[2];
} sn__path;
SN_API sn__path sn__collision_path(const sn__collision *collision, size_t pair) SN_RT;

/** All active pairs whose parts may come nearer than the margin to each other, if each joint moves
 *  by at most @p still from the pose. Distances are at most 1e-5 m too small; those of
 *  overlapping parts are only known to be 0 or less, and their points and normals are not set.
 *  @param q      a sorted pose, finite
 *  @param still  for each entry of the pose, >= 0, rad or m
 *  @param list   out: as sn__collision_check()
 *  RT: yes, as sn__collision_check().  Threads: owner. */
SN_API size_t sn__collision_check_reach(sn__collision *collision, const double *q,
                                        const double *still, double margin,
                                        const sn__near **list) SN_RT;

/** How fast a joint changes the distance of a pair, at the pose of the last check.
 *  @param near  of the list of that check
 *  @param side  0 or 1: of the path of the pair
 *  @return m per unit of the entry of the pose; positive: apart
 *  RT: yes.  Threads: owner. */
SN_API double sn__collision_slope(const sn__collision *collision, const sn__near *near, size_t side,
                                  const sn__path_joint *joint) SN_RT;

/** The distance of one pair at any pose, within 1e-9 m unless they overlap. It does not change what
 *  sn__collision_check() remembers.
 *  @param q       only joints between the two are read
 *  @param window  beyond it a lower bound is returned, m
 *  @param least   up to it an upper bound is returned, m; -infinite: never
 *  RT: yes, O(joints between the two).  Threads: owner. */
SN_API double sn__collision_gap_at(sn__collision *collision, size_t pair, const double *q,
                                   double window, double least) SN_RT;

/** How many pairs there are, how many of them, the first ones, are without objects, and how many
 * there will be at most. */
SN_API size_t sn__collision_robot_pair_count(const sn__collision *collision) SN_RT;
SN_API size_t sn__collision_pair_count(const sn__collision *collision) SN_RT;
SN_API size_t sn__collision_pair_capacity(const sn__collision *collision) SN_RT;

/** Mean radius of the parts of the robot, m: the size of its geometry. */
SN_API double sn__collision_part_size(const sn__collision *collision) SN_RT;

#endif
