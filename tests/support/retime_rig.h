/** @file
 *  Random joint paths with a timed motion, its limits, and optima of its duration. */
#ifndef SN_RETIME_RIG_H
#define SN_RETIME_RIG_H

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
void retime_rig_close(retime_rig *rig);

/** Every limit holds, to 1e-9 of it, and velocities belong to positions. */
void retime_rig_check(const retime_rig *rig);

/** The fastest motion along the line between two waypoints. */
double retime_rig_line_optimum(const retime_rig *rig);

#endif
