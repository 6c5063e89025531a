/** @file
 *  Internal: a line with a point on it, as a vector that every rigid motion changes linearly.
 *
 *  With p the point and l the direction of the line, the numbers p, p . p, 1, l, p . l, p x l and
 *  (p . p) l - 2 (p . l) p are those that Raghavan and Roth use ("Inverse kinematics of the general
 *  6R manipulator and related linkages", 1993). A turn by t about a fixed axis changes them by a
 *  matrix that is linear in cos t and sin t, so a product of turns is linear in the cosine and sine
 *  of each of its angles. */
#ifndef SN_IK_CLOSED_SEARCH_LINE_SPACE_H
#define SN_IK_CLOSED_SEARCH_LINE_SPACE_H

#include "ik/closed/geometry/turn.h"
#include "sinew/vec3.h"

typedef struct sn__line {
  sn_vec3 p;      /**< a point */
  double pp, one; /**< p . p and 1, or what a linear combination leaves of them */
  sn_vec3 l;      /**< direction */
  double pl;      /**< p . l */
  sn_vec3 m;      /**< p x l */
  sn_vec3 inv;    /**< (p . p) l - 2 (p . l) p */
} sn__line;

/** The numbers of a line but `one`. */
#define SN__LINE_SIZE 14

sn__line sn__line_make(sn_vec3 point, sn_vec3 direction);

/** Turned about the axis through @p r with the unit vector @p h: part[0] cos t + part[1] sin t +
 *  part[2]. */
void sn__line_turn(const sn__line *line, sn_vec3 h, sn_vec3 r, sn__line part[3]);

/** The same for a given angle. */
sn__line sn__line_turned(const sn__line *line, sn_vec3 h, sn_vec3 r, sn__turn t);

void sn__line_put(const sn__line *line, double out[SN__LINE_SIZE]);

#endif
