/** @file
 *  Internal: closed forms for arms of six revolute joints.
 *
 *  An arm has one if three neighbouring axes meet in a point or are parallel; the rest of the
 * closed chain (three joints and the target) is solved by subproblems 5 or 6, of which common arms
 * need only the quadratic cases. Elias and Wen 2022; for arms seen from the tip also Ostermeier et
 * al., "Automatic geometric decomposition for analytical inverse kinematics" (2024). */
#ifndef SN_IK_CLOSED_CLOSED_6R_H
#define SN_IK_CLOSED_CLOSED_6R_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/closed/branches.h"
#include "ik/closed/geometry/arm.h"
#include "ik/closed/geometry/subproblems.h"

/** Position of the three axes, counted from the base or, if `reversed`, from the tip. */
typedef enum sn__closed_6r_kind {
  SN__6R_NONE,
  SN__6R_WRIST,        /**< 4-5-6 meet */
  SN__6R_MIDDLE,       /**< 3-4-5 meet */
  SN__6R_PARALLEL_234, /**< parallel */
  SN__6R_PARALLEL_123  /**< parallel, and 5-6 or 4-5 meet */
} sn__closed_6r_kind;

typedef enum sn__relation { SN__GENERAL, SN__PARALLEL, SN__INTERSECTING } sn__relation;

/** What was recognised. */
typedef struct sn__closed_6r_form {
  sn__closed_6r_kind kind;
  bool reversed;
  bool quartic;         /**< needs the roots of a quartic */
  sn__relation pair[2]; /**< WRIST: axes 1-2, 2-3; MIDDLE: the latter is 1-2; 234: the latter is
                         5-6; 123: 4-5, 5-6; all counted as `kind` is */
} sn__closed_6r_form;

/** Everything that does not depend on the target. */
typedef struct sn__closed_6r {
  sn__closed_6r_form form;
  sn__arm arm; /**< exactly of that form, seen from the tip if reversed */
  sn_pose tip_inverse;
  double length;
  sn_vec3 centre; /**< where three axes meet */
  sn__spherical_joint spherical;
  sn_mat3 plane;     /**< z along the parallel axes */
  double sense[3];   /**< of the parallel axes against that z, 1 or -1 */
  double link[2][2]; /**< the two links between them, in that plane */
  sn__cone cone;
} sn__closed_6r;

/** Find the cheapest form that @p arm has within @p tol. @return kind NONE if there is none */
sn__closed_6r_form sn__closed_6r_recognise(const sn__arm *arm, sn__tolerance tol);

/** Write a description, such as "spherical wrist, parallel axes 2-3". @return as snprintf() */
int sn__closed_6r_describe(sn__closed_6r_form form, char *text, size_t size);

/** Prepare an arm that has the form exactly or nearly; a near form is made exact. */
void sn__closed_6r_init(sn__closed_6r *closed, const sn__arm *arm, sn__closed_6r_form form);

/** All branches for the tip at @p target that the window of @p out admits.
 *  @param any_turn  values for joints that do not matter
 *  @param out       started by the caller; previous contents are lost */
void sn__closed_6r_solve(const sn__closed_6r *closed, sn_pose target, double slack,
                         const sn__turn any_turn[6], sn__branches *out);

/* One per file: called on the arm as the kind counts it, with the displacement of its last body. */
void sn__closed_6r_solve_wrist(const sn__closed_6r *closed, sn_pose move, double slack,
                               const sn__turn any_turn[6], sn__branches *out);
void sn__closed_6r_solve_middle(const sn__closed_6r *closed, sn_pose move, double slack,
                                const sn__turn any_turn[6], sn__branches *out);
void sn__closed_6r_solve_parallel_234(const sn__closed_6r *closed, sn_pose move, double slack,
                                      const sn__turn any_turn[6], sn__branches *out);
void sn__closed_6r_solve_parallel_123(const sn__closed_6r *closed, sn_pose move, double slack,
                                      const sn__turn any_turn[6], sn__branches *out);
void sn__closed_6r_init_parallel(sn__closed_6r *closed, int first);

#endif
