/** @file
 *  The fastest motion along a path under limits of velocity and acceleration, without one of jerk:
 *  a lower bound for motions that have one.
 *
 *  Found in another way than the library's: over a fine grid of the way, backwards the greatest
 *  rate from which the end can still be reached, then forwards with the greatest acceleration that
 *  stays below it (H. Pham and Q.-C. Pham, "A new approach to time-optimal path parameterization
 *  based on reachability analysis", 2018). */
#ifndef SN_PATH_OPTIMUM_H
#define SN_PATH_OPTIMUM_H

#include "sinew/sinew.h"

/** Duration of it, s, along the spline through waypoints.
 *  @param q     [count][joint_count]
 *  @param grid  points of the way in each segment */
double path_optimum(const double *q, size_t count, const sn_otg_limits *limits, size_t joint_count,
                    size_t grid);

#endif
