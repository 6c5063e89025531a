/** @file
 *  Internal: the canonical subproblems of inverse kinematics.
 *
 *  Subproblems 1 to 3 are due to Paden and Kahan, 4 to 6 to Elias and Wen, "IK-Geo: Unified robot
 *  inverse kinematics using subproblem decomposition" (2022); R(k, t) below is the rotation by t
 *  about the unit vector k. Each is solved in the least-squares sense where it has no exact
 *  solution, so the answers stay continuous across the border of the workspace, where rounding
 *  decides on which side a target lies.
 *
 *  A count of SN__ANY says that the angle does not matter: nothing was written, the caller keeps
 *  what it prefers. @p slack bounds the residual up to which a least-squares answer is given;
 * beyond it the count is 0. */
#ifndef SN_IK_CLOSED_GEOMETRY_SUBPROBLEMS_H
#define SN_IK_CLOSED_GEOMETRY_SUBPROBLEMS_H

#include <stdbool.h>

#include "ik/closed/geometry/turn.h"
#include "sinew/vec3.h"

#define SN__ANY (-1)

/** Below this amplitude an angle counts as undetermined: a wrong one does less harm than the
 * tolerance of the confirmation, while a right one still has six digits. */
#define SN__AMPLITUDE_MIN 1e-10

/** a cos t + b sin t = d. */
int sn__sp_linear(double a, double b, double d, double slack, sn__turn t[2]);

/** 1: t that minimises |R(k, t) p1 - p2|. @return 1 or SN__ANY */
int sn__sp1(sn_vec3 p1, sn_vec3 p2, sn_vec3 k, sn__turn *t);

/** 2: R(k1, t1) p1 = R(k2, t2) p2. Pairs; lengths may differ, directions count.
 *  @return 0, 1, 2; SN__ANY if k1, k2 are parallel or a vector lies on its axis */
int sn__sp2(sn_vec3 p1, sn_vec3 p2, sn_vec3 k1, sn_vec3 k2, double slack, sn__turn t1[2],
            sn__turn t2[2]);

/** 3: |R(k, t) p1 - p2| = d. The slack is of the squares. */
int sn__sp3(sn_vec3 p1, sn_vec3 p2, sn_vec3 k, double d, double slack, sn__turn t[2]);

/** 4: h . R(k, t) p = d. */
int sn__sp4(sn_vec3 h, sn_vec3 p, sn_vec3 k, double d, double slack, sn__turn t[2]);

/** Two linear equations in two points of the unit circle, a x + b y = d: what 5 and 6 come down to.
 *  Rows of comparable size near 1; the slack is of these rows. */
typedef struct sn__circles {
  double a[2][2], b[2][2], d[2];
} sn__circles;

/** @param x, y  room for 4 pairs; where one may be anything it is @p any_x, @p any_y
 *  @param any   bits 1 and 2 are set if x, y may be anything
 *  @return number of pairs */
int sn__sp_circles(const sn__circles *in, double slack, sn__turn any_x, sn__turn any_y,
                   unsigned *any, sn__turn x[4], sn__turn y[4]);

/** 5: p0 + R(k1, t1) p1 = R(k2, t2) (p2 + R(k3, t3) p3), which is the position of a general arm of
 *  three joints. */
typedef struct sn__sp5_in {
  sn_vec3 p0, p1, p2, p3, k1, k2, k3;
  double length; /**< size of the arm, by which the equations are made comparable */
} sn__sp5_in;

/** @param t    room for 4 solutions (t1, t2, t3); comes with what to take for t1, t2, t3 in t[0]
 *              where they do not matter
 *  @param any  bits 1, 2, 4 are set if t1, t2, t3 do not matter, in some solution
 *  @return number of solutions */
int sn__sp5(const sn__sp5_in *in, double slack, unsigned *any, sn__turn t[4][3]);

/** 6: h1 . R(k1, t1) p1 + h2 . R(k2, t2) p2 = d1 and h3 . R(k1, t1) p3 + h4 . R(k2, t2) p4 = d2. */
typedef struct sn__sp6_in {
  sn_vec3 h[4], p[4], k1, k2;
  double d[2];
} sn__sp6_in;

int sn__sp6(const sn__sp6_in *in, double slack, unsigned *any, sn__turn t1[4], sn__turn t2[4]);

/** 4 for unit vectors, where d = h . v is given by a vector that the result is to match: exact also
 *  where v meets h, the singular pose of a wrist, where d alone has lost half of the digits. What
 *  depends on h, k, p only. */
typedef struct sn__cone {
  sn_vec3 h;
  sn__turn nearest; /**< brings p nearest to h */
  double near2;     /**< squared distance of p from h there */
  double far2;      /**< of p from -h when opposite */
  double amplitude; /**< 4 sin(h, k) sin(k, p); 0 if the angle does not matter */
} sn__cone;

void sn__cone_init(sn__cone *cone, sn_vec3 h, sn_vec3 k, sn_vec3 p);

/** h . R(k, t) p = h . v. @return 0, 1, 2 or SN__ANY */
int sn__cone_solve(const sn__cone *cone, sn_vec3 v, double slack, sn__turn t[2]);

/** Three joints whose axes meet in a point (a wrist, a shoulder) as one spherical joint. */
typedef struct sn__spherical_joint {
  sn_vec3 h[3];
  sn_vec3 side;  /**< unit vector across h[2] */
  sn_vec3 third; /**< h[2] x side */
  sn__cone cone;
} sn__spherical_joint;

void sn__spherical_joint_init(sn__spherical_joint *spherical, const sn_vec3 h[3]);

/** Angles of R(h0, t0) R(h1, t1) R(h2, t2) = R.
 *  @param along  R h[2]
 *  @param side   R spherical->side
 *  @param any    bit 0 is set if t0 did not matter: the joint is singular, and t0 is @p
 * any_first
 *  @return number of solutions, 0 .. 2 */
int sn__spherical_joint_solve(const sn__spherical_joint *spherical, sn_vec3 along, sn_vec3 side,
                              double slack, sn__turn any_first, unsigned *any, sn__turn t[2][3]);

#endif
