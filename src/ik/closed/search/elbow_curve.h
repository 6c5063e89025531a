/** @file
 *  Internal: arms whose axes 2 and 3 are parallel and whose axes 4 and 5, or 5 and 6, meet: most
 *  arms with an offset in the wrist.
 *
 *  With n the direction of axes 2 and 3 and t the angle of the searched joint:
 *  - the height of the wrist along n does not depend on joints 2 and 3, which gives
 *    A(t) cos q1 + B(t) sin q1 = d(t): two values of q1, or none;
 *  - the angle between the two axes that meet, and the length of the upper arm, are both linear in
 *    cosine and sine of the sum f of q2 and q3.
 *  By Cramer's rule the last two give cos f and sin f, and cos^2 f + sin^2 f = 1 is one equation in
 *  t. All poses with the right height form closed curves: where A^2 + B^2 - d^2 (a quadratic
 *  polynomial on the circle of t) is positive, the two values of q1 join at its zeros. On a curve
 *  the equation is smooth, its zeros are the solutions, and no zero is anything else. */
#ifndef SN_IK_CLOSED_SEARCH_ELBOW_CURVE_H
#define SN_IK_CLOSED_SEARCH_ELBOW_CURVE_H

#include "ik/closed/branches.h"
#include "ik/closed/search/closed_6r_search.h"

/** What the equations are made of; each is linear in cos t and sin t (see elbow_curve.c). */
#define SN__ELBOW_FORMS 24

/** A part of a curve as a function of x. */
typedef struct sn__elbow_piece {
  enum {
    SN__ELBOW_PLAIN, /**< t = x */
    SN__ELBOW_ARC, /**< t = middle + width cos x: there with one value of q1, back with the other */
    SN__ELBOW_SHARP, /**< t = middle + width sinh x: near a sharp bend */
  } kind;
  double middle, width;
  double side; /**< which value of q1 unless it is an arc: 1 or -1 */
} sn__elbow_piece;

typedef struct sn__elbow_curve {
  const sn__closed_6r_search *search;
  sn_pose move;                    /**< of the target */
  double form[3][SN__ELBOW_FORMS]; /**< constant part, that of cos t, that of sin t */
  double gap[6];                   /**< A^2 + B^2 - d^2, as sn__circle_roots() takes it */
  double cone;                     /**< cosine of the angle between the axes that meet */
  double upper[2]; /**< from axis 2 to axis 3, in their plane, by the arm's length */

  sn__elbow_piece piece; /**< that is searched now */
} sn__elbow_curve;

/** @param move  motion from the arm's zero pose to the target */
void sn__elbow_curve_init(sn__elbow_curve *curve, const sn__closed_6r_search *search, sn_pose move);

/** The equation at @p x of the current piece. @param context  the curve */
double sn__elbow_curve_equation(const void *context, double x);

/** Add the branches at @p x, a zero of the equation: one, or two where both are near. */
void sn__elbow_curve_add(const sn__elbow_curve *curve, double x, sn__branches *out);

/** Add all solutions with the searched joint in @p lower .. @p upper (or anywhere, if that is a
 *  turn or more). They are as exact as the arm has the form; a few may be none, where the equation
 *  touches zero. */
void sn__elbow_curve_solve(sn__elbow_curve *curve, double lower, double upper, sn__branches *out);

#endif
