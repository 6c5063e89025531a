/** @file
 *  Internal: arms of six joints without any special geometry, by elimination; up to 16 solutions.
 */
#ifndef SN_IK_CLOSED_SEARCH_GENERAL_6R_H
#define SN_IK_CLOSED_SEARCH_GENERAL_6R_H

#include "ik/closed/search/elimination.h"

#define SN__WAYS_MAX 2

/** The ways that work for an arm, the best first. */
typedef struct sn__general_choice {
  int count;
  sn__elimination_way way[SN__WAYS_MAX];
} sn__general_choice;

typedef struct sn__general_6r {
  int count;
  sn__arm arm;
  sn__elimination by[SN__WAYS_MAX]; /**< those with a shift are prepared for each target */
} sn__general_6r;

/** Try all ways on random poses; takes a millisecond. The choice is also good for the same arm with
 *  one more joint that is locked elsewhere.
 *  @return false if the elimination does not work for this arm: some geometries that have closed
 *  forms or move with a fixed tip */
bool sn__general_6r_choose(const sn__arm *arm, sn__general_choice *choice);

/** Takes a few microseconds. @return false if it does not work */
bool sn__general_6r_init(sn__general_6r *general, const sn__arm *arm,
                         const sn__general_choice *choice);

/** The hidden joint, counted from the base. */
int sn__general_6r_joint(const sn__general_6r *general);

/** Start values for all solutions, to be polished; a few may be none. Where the polynomial of the
 *  first way is too flat to tell its zeros, the second way is taken as well. */
void sn__general_6r_solve(const sn__general_6r *general, sn_pose target, sn__branches *out);

#endif
