/** @file
 *  Internal: arms of six joints without a closed form of which two neighbouring axes meet, as in
 *  wrists with an offset. With one joint given, the others follow in closed form except for one
 * equation, whose zeros are searched along that joint (Elias and Wen 2022). Zeros are only
 * bracketed here; polishing refines them. */
#ifndef SN_IK_CLOSED_CLOSED_6R_SEARCH_H
#define SN_IK_CLOSED_CLOSED_6R_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/closed/branches.h"
#include "ik/closed/closed_run.h"
#include "ik/closed/geometry/arm.h"

typedef struct sn__closed_6r_search {
  bool is_near; /**< the axes only nearly meet */
  bool reversed;
  int joint;    /**< that is searched along, counted as `reversed` says: 5 or 3 */
  int first;    /**< of the two axes that meet: 3 or 4 */
  bool quartic; /**< a step takes the roots of a quartic */
  sn__arm arm;  /**< seen from the tip if reversed */
  sn_pose tip_inverse;
  sn_vec3 centre; /**< where the two axes meet */
  sn_vec3 side;   /**< a unit vector across the second of them... */
  sn_vec3 third;  /**< ...and one across both */
  double length;
} sn__closed_6r_search;

/** @return false if no two axes 4-5, 5-6 meet, from either end; `is_near` is the caller's to set */
bool sn__closed_6r_search_init(sn__closed_6r_search *search, const sn__arm *arm, sn__tolerance tol);

/** Write a description, as snprintf(). */
int sn__closed_6r_search_describe(const sn__closed_6r_search *search, char *text, size_t size);

/** Start values for all branches that a search for the target of @p run finds; some may be false.
 */
void sn__closed_6r_search_solve(const sn__closed_6r_search *search, sn__closed_run *run,
                                sn__branches *out);

#endif
