/** @file
 *  Query a solver of inverse kinematics and check all its solutions by forward kinematics. */
#ifndef SN_QUERIES_H
#define SN_QUERIES_H

#include "sinew/ik_solver.h"
#include "sn_arms.h"

#define SN_TEST_OFFERS_MAX 1024

/** Tolerance of a query, used at limits or the border of the workspace; all other solutions are
 *  exact to 1e-9. */
#define SN_TEST_TOLERANCE 1e-5

/** A query to one arm, and its result. */
typedef struct sn_test_query {
  const sn_test_arm *arm;
  sn_pose target;
  sn_random random;
  sn_clock clock;
  sn_ik_query query;
  bool keep_going; /**< do not stop at the first offer */

  sn_ik_code code;
  size_t offer_count;
  double offers[SN_TEST_OFFERS_MAX][SN_TEST_ARM_JOINTS_MAX];
} sn_test_query;

/** An instance for an arm, in an arena that is sealed while it works; the previous one is released.
 */
void *sn_test_solver_for(const sn_ik_solver *solver, const sn_test_arm *arm);

/** Prepare a query with the middle of the limits as seed and a time limit of one second. */
void sn_test_query_init(sn_test_query *query, const sn_test_arm *arm, sn_pose target);

/** Ask for all solutions, or for the first. Fails the test if an offer is outside the limits or its
 *  forward kinematics misses the target by more than @p tol.
 *  @return true if there was an offer */
bool sn_test_query_ask(sn_test_query *query, const sn_ik_solver *solver, void *state, bool all,
                       double tol);

/** Is @p q among the offers, up to whole turns? */
bool sn_test_query_offers(const sn_test_query *query, const double *q, double tol);

#endif
