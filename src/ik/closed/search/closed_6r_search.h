/** @file
 *  Internal: arms of six joints without a closed form. Solutions are zeros along one joint.
 *
 *  Three ways, the first that applies: axes 2 and 3 are parallel and 4-5 or 5-6 meet, as in wrists
 *  with an offset (elbow_curve.h); any arm by elimination (general_6r.h); for arms that neither
 *  covers, two axes 4-5 or 5-6 that meet: with one joint given, the others follow in closed form
 *  except for one equation (Elias and Wen 2022). The first two find all zeros; the third may miss
 *  two that are closer together than a step, and only brackets them: polishing refines them. */
#ifndef SN_IK_CLOSED_SEARCH_CLOSED_6R_SEARCH_H
#define SN_IK_CLOSED_SEARCH_CLOSED_6R_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/closed/branches.h"
#include "ik/closed/closed_run.h"
#include "ik/closed/geometry/arm.h"
#include "ik/closed/search/general_6r.h"

typedef struct sn__closed_6r_search {
  bool is_near; /**< the axes only nearly meet */
  bool reversed;
  int joint;      /**< that is searched along, counted as `reversed` says: 5 or 3 */
  int first;      /**< of the two axes that meet: 3 or 4 */
  bool has_curve; /**< axes 2 and 3 are parallel */
  bool quartic;   /**< a step takes the roots of a quartic */
  sn__arm arm;    /**< seen from the tip if reversed */
  sn_pose tip_inverse;
  sn_vec3 centre; /**< where the two axes meet */
  sn_vec3 side;   /**< a unit vector across the second of them... */
  sn_vec3 third;  /**< ...and one across both */
  sn_mat3 plane;  /**< across the axes 2 and 3: z is the direction of axis 2 */
  double sense;   /**< of axis 3 along it, 1 or -1 */
  double length;
  bool has_general;
  sn__general_6r general; /**< if so, nothing of the above counts */
} sn__closed_6r_search;

/** How to search, in the order of preference: as axes within @p tol have in common. */
typedef enum sn__search_way {
  SN__SEARCH_CURVE,   /**< elbow_curve.h */
  SN__SEARCH_GENERAL, /**< general_6r.h */
  SN__SEARCH_STEPS
} sn__search_way;

/** @return false if the arm cannot be searched in this way; `is_near` is the caller's to set */
bool sn__closed_6r_search_init(sn__closed_6r_search *search, const sn__arm *arm, sn__tolerance tol,
                               sn__search_way way);

/** Write a description, as snprintf(). */
int sn__closed_6r_search_describe(const sn__closed_6r_search *search, char *text, size_t size);

/** Complete a branch whose first three joints are known, with the searched one at @p t.
 *  @param move  motion from the arm's zero pose to the target
 *  @param turn  in: joints 1 to 3; out: all six
 *  @return what is missing: zero for a solution */
double sn__closed_6r_search_complete(const sn__closed_6r_search *search, const sn_pose *move,
                                     sn__turn t, sn__turn turn[6]);

/** Start values for all branches that a search for the target of @p run finds, with the searched
 *  joint inside its limits or a little outside; some may be false. */
void sn__closed_6r_search_solve(const sn__closed_6r_search *search, sn__closed_run *run,
                                sn__branches *out);

#endif
