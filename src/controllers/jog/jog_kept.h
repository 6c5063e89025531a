/** @file
 *  Internal: what a motion of joints must not change.
 *
 *  A tool that only turns keeps its place, and one that only shifts keeps its orientation. Where a
 *  joint cannot move as was wanted, the others make up for it, within what each of them can do in
 *  this cycle: the tool turns less, but its place has priority. */
#ifndef SN_CONTROLLERS_JOG_JOG_KEPT_H
#define SN_CONTROLLERS_JOG_JOG_KEPT_H

#include <stddef.h>

#include "sinew/api.h"

enum { SN__JOG_KEPT_ROWS = 3 };

/** Where joints keep something they move on a curve. It gets tighter the less the joints move what
 *  is kept in some direction, and has a corner where they do not move it at all. Zero-initialise.
 */
typedef struct sn__jog_curve {
  double least;  /**< the least singular value of the rows, weighted; 0: not known yet */
  double growth; /**< out: its relative change, 1/s */
} sn__jog_curve;

typedef struct sn__jog_kept {
  const double *jac;              /**< [SN__JOG_KEPT_ROWS][joints] of what is kept; NULL: nothing */
  double rate[SN__JOG_KEPT_ROWS]; /**< with which it should change: what is put right */
  double was[SN__JOG_KEPT_ROWS];  /**< with which it changed in the last cycle */
  sn__jog_curve *curve;           /**< in and out, from cycle to cycle; NULL if nothing is kept */
} sn__jog_kept;

/** The velocity of a joint in the next cycle. */
typedef struct sn__jog_choice {
  double low, high; /**< what is possible; low <= high */
  double qd;        /**< in and out */
  double weight;    /**< how readily it changes; >= 0 */
  /* Scratch of joint_common.c: */
  double base;                          /**< velocity that goes on along the curve */
  double along;                         /**< acceleration that changes the motion */
  double bend;                          /**< acceleration that follows the curve */
  double corner;                        /**< the part of it that grows towards a corner */
  double way;                           /**< velocity that is missing */
  double q_ahead, qd_ahead, bend_ahead; /**< on the way to a stop */
} sn__jog_choice;

/** Follow the curve: change the velocities of the last cycle as little as it takes, each by its
 *  weight, until what is kept changes as it did there. Ranges are not heeded.
 *  @param choices  [count] bend, corner: out, changes of velocities.  RT: yes, O(count). */
void sn__jog_follow_curve(const sn__jog_kept *kept, sn__jog_choice *choices, size_t count,
                          double dt_s) SN_RT;

/** Change velocities as little as it takes within the ranges of the joints until what is kept
 * changes with its rate, or as closely as is possible. The ranges are the weights, so that all
 * joints reach the ends of theirs together.
 *  @param choices  [count] with qd within low .. high.  RT: yes, O(count^2). */
void sn__jog_keep(const sn__jog_kept *kept, sn__jog_choice *choices, size_t count) SN_RT;

#endif
