/** @file
 *  Internal: the way of a foot through the air.
 *
 *  It leaves the ground and meets it vertically: while it is low it does not move sideways.
 * Position, velocity and acceleration are continuous, and 0 at both ends but for the position. */
#ifndef SN_GAIT_SWING_H
#define SN_GAIT_SWING_H

#include "sinew/api.h"
#include "sinew/vec3.h"

typedef struct sn__swing {
  sn_vec3 from, to;  /**< on the ground, m; their heights may differ */
  double height_m;   /**< above the line between them, in the middle */
  double duration_s; /**< > 0 */
} sn__swing;

typedef struct sn__swing_point {
  sn_vec3 pos, vel, acc;
  double share, share_rate; /**< of the way between both ends, 0 .. 1, for rotations; 1/s */
} sn__swing_point;

/** @param time_s  since it left the ground; clamped to the duration. RT: yes */
sn__swing_point sn__swing_at(const sn__swing *swing, double time_s) SN_RT;

#endif
