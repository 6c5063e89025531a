/** @file
 *  Internal: the rows of a problem as Newton's method reads them: single precision, four nodes side
 *  by side in vector registers.
 *
 *  Each node has its own unit of x, about the greatest value that x can have there, so that all
 *  numbers are moderate. Single precision is enough for the direction of a step; where the motion
 *  ends up is checked in double precision afterwards (rate_check.c). */
#ifndef SN_PATH_RATE_LANES_H
#define SN_PATH_RATE_LANES_H

#include <stdbool.h>
#include <stddef.h>

#include "math/quad.h"
#include "sinew/api.h"
#include "sinew/arena.h"

enum { SN__LANES = 4 };

/** What Newton's method keeps for a row, which is limited from above and from below. */
typedef struct sn__rate_dual {
  sn__quad up, down;    /**< multipliers */
  sn__quad over, under; /**< one over the distance from each limit */
} sn__rate_dual;

/** |a x + b x' + off| <= 1 */
typedef struct sn__rate_second {
  sn__quad a, b, off;
  sn__rate_dual dual;
} sn__rate_second;

/** |j3 x + j2 x' + j1 x''| <= x^-1/2 */
typedef struct sn__rate_third {
  sn__quad j3, j2, j1;
  sn__rate_dual dual;
} sn__rate_third;

/** x, x', and x'' before and after the node. */
typedef struct sn__rate_state {
  sn__quad x, y, z[2];
} sn__rate_state;

/** First and second derivatives by these. */
typedef struct sn__rate_sums {
  sn__quad x, y, z[2];
  sn__quad xx, xy, yy, xz[2], yz[2], zz[2];
} sn__rate_sums;

/** Four nodes. */
typedef struct sn__rate_block {
  sn__rate_state at, step;
  sn__rate_sums sums;
  sn__quad weight;      /**< of x^-1/2 in the duration */
  sn__quad x_max;       /**< by velocity */
  sn__quad x_up;        /**< its multiplier */
  sn__quad has_side[2]; /**< 1, or 0: the path begins or ends here */
  sn__quad rho, fall;   /**< x^-1/2 and its derivative */
  /* By how much the limits are wider while the motion is still outside of them. */
  sn__quad relaxed, relaxed_side[2];
  sn__rate_second *second;  /**< [second_count] */
  sn__rate_third *third[2]; /**< [third_count] with x'' before and after the node */
} sn__rate_block;

typedef struct sn__rate_lanes {
  size_t block_max, block_count;
  size_t second_count, third_count;
  sn__rate_block *blocks;
} sn__rate_lanes;

/** The rows of one node. */
typedef struct sn__rate_lane {
  double unit; /**< of x */
  double weight, x_max;
  const double *a, *b, *off;     /**< [second_count] */
  const double *j1, *j2, *j3[2]; /**< [third_count]; NULL: no interval there */
} sn__rate_lane;

/** Memory for so many nodes. @return whether there was.  RT: no, allocates. */
bool sn__rate_lanes_create(sn_arena *arena, size_t node_max, size_t second_count,
                           size_t third_count, sn__rate_lanes *out);

/** Rows of zeros for so many nodes. RT: yes, O(nodes * rows). */
void sn__rate_lanes_clear(sn__rate_lanes *lanes, size_t node_count) SN_RT;

/** The rows of node k. RT: yes, O(rows). */
void sn__rate_lanes_set(sn__rate_lanes *lanes, size_t k, const sn__rate_lane *lane) SN_RT;

/** Make the limits of node k stricter by factors of at least 1. RT: yes, O(rows). */
void sn__rate_lanes_scale(sn__rate_lanes *lanes, size_t k, double second, double third) SN_RT;

/** One iteration's settings. */
typedef struct sn__rate_aim {
  double mu;      /**< product of each distance and its multiplier */
  double relaxed; /**< how much of the widening is left, 0 .. 1 */
} sn__rate_aim;

/** Derivatives of the rows and of the duration at `at`, into `sums`. RT: yes, O(rows). */
void sn__rate_block_derive(sn__rate_block *block, const sn__rate_lanes *lanes,
                           const sn__rate_aim *aim) SN_RT;

/** Change the multipliers for `step`.
 *  @return the greatest share of a distance from a limit that the step takes.  RT: yes, O(rows). */
double sn__rate_block_advance(sn__rate_block *block, const sn__rate_lanes *lanes,
                              const sn__rate_aim *aim) SN_RT;

/** Widen the limits so that `at` is inside of them.
 *  @param relaxed  how much of the present widening stays at least
 *  @param room     factor of the greatest row that the limits include.  RT: yes, O(rows). */
void sn__rate_block_widen(sn__rate_block *block, const sn__rate_lanes *lanes, double relaxed,
                          double room) SN_RT;

/** The first multipliers, after the limits were widened. RT: yes, O(rows). */
void sn__rate_block_begin(sn__rate_block *block, const sn__rate_lanes *lanes, double mu) SN_RT;

#endif
