/** @file
 *  Internal: one way to eliminate five of six joints.
 *
 *  Let L be the axis of joint 6 in the zero pose, D the motion to the target and T_i the turn of
 *  joint i. Joint 6 does not move its own axis, so T4 T5 L = T3^-1 T2^-1 T1^-1 D L. In the numbers
 *  of line_space.h these are 14 equations, linear in the products of cosines and sines of joints 4
 *  and 5. Six combinations do not contain joints 4 and 5 at all; which ones depends on the arm
 * only. They are linear in the products of joint 1, 2 and 3. One of these three, the hidden one, is
 * kept as a parameter; with half-angle tangents x, y of the others there are six equations in x^i
 * y^j, i, j <= 2, and six more times x: 12 for 12 monomials (Raghavan and Roth 1993). Their
 * determinant is a trigonometric polynomial of degree 8 in the hidden angle. It is interpolated,
 * and its zeros are the solutions; the null vector there gives the other two angles. */
#ifndef SN_IK_CLOSED_SEARCH_ELIMINATION_H
#define SN_IK_CLOSED_SEARCH_ELIMINATION_H

#include <stdbool.h>

#include "ik/closed/branches.h"
#include "ik/closed/geometry/arm.h"
#include "ik/closed/search/line_space.h"

/** Degree of the trigonometric polynomial, and the number of samples that determine it. */
#define SN__GENERAL_DEGREE 8
#define SN__GENERAL_SAMPLES (2 * SN__GENERAL_DEGREE + 1)

/** What is hidden, and from which end. The closed loop of the arm and its target can be opened
 *  anywhere: T5 T6 D^-1 T1 T2 T3 T4 = 1 is an arm of the axes 5, 6, then D^-1 times 1, 2, 3, 4. */
typedef struct sn__elimination_way {
  int shift;     /**< so many joints of the end come first */
  bool reversed; /**< seen from the tip: 6, 5, 4 take the part of 1, 2, 3 */
  int hidden;    /**< 0, 1, 2, counted so */
} sn__elimination_way;

/** A way prepared for an arm. */
typedef struct sn__elimination {
  sn__elimination_way way;
  sn__arm arm; /**< seen from the tip if reversed; lengths as they are */
  sn_pose tip_inverse;
  sn_vec3 origin;                            /**< lines are relative to it... */
  double unit;                               /**< ...and positions are multiplied by this */
  sn_vec3 r[6];                              /**< points of the axes, so */
  sn_vec3 side;                              /**< across axis 6 */
  double rows[SN__LINE_SIZE][SN__LINE_SIZE]; /**< orthogonal; the last six rows eliminate joints 4
                                                  and 5 */
  double upper[8][8];          /**< the first eight rows times the products of joints 4 and 5:
                                    triangular */
  double still[SN__LINE_SIZE]; /**< what does not depend on joints 4 and 5, times the rows */
  sn__turn sample[SN__GENERAL_SAMPLES];
} sn__elimination;

/** Takes a few microseconds. @return false if it does not work: joints 4, 5 and 6 are special */
bool sn__elimination_prepare(sn__elimination *g, const sn__arm *arm, sn__elimination_way way);

/** Add start values for all solutions, to be polished; a few may be none.
 *  @return false if there are more zeros than the polynomial can have, or they cannot be told */
bool sn__elimination_solve(const sn__elimination *g, sn_pose target, sn__branches *out);

#endif
