/** @file
 *  Internal: the feet of a robot as odometry and the estimator see them.
 *
 *  A foot is a set of points that do not move in the world while it stands: those of its contact.
 * One point gives a position only; two give an axis, three (a flat foot) a full pose. */
#ifndef SN_ESTIMATION_FEET_H
#define SN_ESTIMATION_FEET_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/pose.h"

/** One foot in one cycle. */
typedef struct sn__foot {
  bool is_touching;
  size_t point_count;        /**< 1 .. */
  const sn_vec3 *points;     /**< in the base, m */
  const sn_vec3 *velocities; /**< relative to the base, in its axes, m/s; NULL: unknown */
} sn__foot;

/** The point of a foot that stays where it is while the foot stands and perhaps tilts: the mean of
 *  its points, or the highest one if they lie one above the other, since the others are then below
 *  the sole.
 *  @param up        direction in the base, unit length
 *  @param velocity  out: of the point; zero if velocities are unknown; may be NULL
 *  RT: yes. */
sn_vec3 sn__foot_middle(const sn__foot *foot, sn_vec3 up, sn_vec3 *velocity) SN_RT;

/** @return the point that is highest along @p up: that of the sole, if others lie below the ground.
 *  RT: yes. */
sn_vec3 sn__foot_sole(const sn__foot *foot, sn_vec3 up) SN_RT;

/** @return whether all numbers are finite and within what a robot can be. RT: yes. */
bool sn__foot_is_valid(const sn__foot *foot) SN_RT;

/** @return how many touch. RT: yes. */
size_t sn__feet_touching(const sn__foot *feet, size_t count) SN_RT;

/** Upward direction in the base if the feet that touch stand on level ground.
 *  @param up  out; untouched if they do not determine it: fewer than three feet, or feet on a line
 *  @return whether they do.  RT: yes. */
bool sn__feet_up(const sn__foot *feet, size_t count, sn_vec3 *up) SN_RT;

/** The base of a robot that stands on its feet: above the origin, heading 0, soles at height 0 in
 *  the mean. If no foot touches, the lowest one is at height 0, or the base if it is lower.
 *  @param up  direction in the base, unit length
 *  RT: yes. */
sn_pose sn__feet_stand(const sn__foot *feet, size_t count, sn_vec3 up) SN_RT;

/** Rotation with the base's heading 0 and this upward direction (in the base, unit length). RT:
 * yes.
 */
sn_mat3 sn__rotation_with_up(sn_vec3 up) SN_RT;

#endif
