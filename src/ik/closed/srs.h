/** @file
 *  Internal: arms of seven joints with a spherical shoulder, a hinge at the elbow and a spherical
 *  wrist. The elbow may swing about the line from shoulder to wrist; the angle of
 * that swing is the redundancy. It is counted from the elbow of the preferred pose, carried to the
 * target by the shortest rotation, so that nearby targets get nearby solutions.
 *
 *  For which angles the joints stay inside their limits is known in closed form: on the way round,
 *  a joint passes a limit where a subproblem 4 says so. After Shimizu et al., "Analytical inverse
 *  kinematic computation for 7-DOF redundant manipulators with joint limits" (2008), without its
 *  assumption of right angles. */
#ifndef SN_IK_CLOSED_SRS_H
#define SN_IK_CLOSED_SRS_H

#include <stdbool.h>

#include "ik/closed/branches.h"
#include "ik/closed/geometry/arm.h"
#include "ik/closed/geometry/subproblems.h"

typedef struct sn__srs {
  sn__arm arm;
  sn_pose tip_inverse;
  double length;
  sn_vec3 shoulder, wrist;          /**< centres */
  sn__spherical_joint spherical[2]; /**< at the shoulder, at the wrist */
} sn__srs;

/** One of the two ways to bend the elbow, for one target. */
typedef struct sn__srs_elbow {
  sn__turn hinge;
  sn_vec3 swing;      /**< unit vector from shoulder to wrist */
  sn_mat3 reference;  /**< of the upper arm at a swing of 0 */
  sn_mat3 rot_last;   /**< displacement of the last body */
  sn_vec3 last, side; /**< axis of the last joint and the wrist's side vector, at the target */
} sn__srs_elbow;

/** @return false if the arm does not have this form */
bool sn__srs_init(sn__srs *srs, const sn__arm *arm, sn__tolerance tol);

/** Both ways to bend the elbow. @return their number, 0 .. 2 */
int sn__srs_reach(const sn__srs *srs, sn_pose target, double slack, const sn__turn prefer[7],
                  sn__srs_elbow elbow[2]);

/** Append the branches at one swing of the elbow that the window of @p out admits. */
void sn__srs_solve(const sn__srs *srs, const sn__srs_elbow *elbow, sn__turn swing, double slack,
                   const sn__turn prefer[7], sn__branches *out);

#define SN__SRS_BOUNDS_MAX 32

/** The swings at which joint 1-3 or 5-7 is at a limit, in any branch, and those at which a
 * spherical joint with non-perpendicular axes reaches the end of its range; unordered.
 *  @return their number */
int sn__srs_bounds(const sn__srs *srs, const sn__srs_elbow *elbow, const double lower[7],
                   const double upper[7], sn__turn bound[SN__SRS_BOUNDS_MAX]);

#endif
