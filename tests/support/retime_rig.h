/** @file
 *  Random joint paths with a timed motion, its limits, and optima of its duration. */
#ifndef SN_RETIME_RIG_H
#define SN_RETIME_RIG_H

#include <stdbool.h>

#include "sinew/sinew.h"

enum { RETIME_JOINTS = 7, RETIME_WAYPOINTS = 24 };

typedef struct retime_rig {
  sn_arena arena;
  size_t joint_count, count;
  sn_otg_limits limits[RETIME_JOINTS];
  double q[RETIME_WAYPOINTS * RETIME_JOINTS];
  sn_retimer *retimer;
  double duration_s;
} retime_rig;

/** A random path with random limits, timed: rough, smooth, or with waypoints close to each other.
 */
void retime_rig_open(retime_rig *rig, sn_random *random);
/** The same with so many waypoints. */
void retime_rig_open_with(retime_rig *rig, sn_random *random, size_t count);
/** A path of 4 or more waypoints, with jerks that reach the acceleration in 50 us. */
void retime_rig_open_quick(retime_rig *rig, sn_random *random);
/** A curve on which only joint 0 meets its limits, with all three of them: it moves one way along
 *  the curve, the others to and fro beside it, with limits that are a thousand times as high. */
void retime_rig_open_leading(retime_rig *rig, sn_random *random);
void retime_rig_close(retime_rig *rig);

/** Every limit holds, to 1e-9 of it, and velocities belong to positions. */
void retime_rig_check(const retime_rig *rig);

/** The fastest motion along the line between two waypoints. */
double retime_rig_line_optimum(const retime_rig *rig);
/** The fastest motion of joint 0 alone from the first to the last waypoint: none is faster, and on
 * a curve on which it leads the others can follow it. */
double retime_rig_leading_optimum(const retime_rig *rig);
/** Does joint 0 move one way only? */
bool retime_rig_leads(const retime_rig *rig);

#endif
