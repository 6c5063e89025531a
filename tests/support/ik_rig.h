/** @file
 *  A chain, a solver and a query in one place, for tests of solvers without the interface on top.
 */
#ifndef SN_IK_RIG_H
#define SN_IK_RIG_H

#include "sinew/arena.h"
#include "sinew/ik_solver.h"
#include "sinew/random.h"

#define SN_RIG_JOINTS_MAX 32
#define SN_RIG_OFFERS_MAX 512

/** Zero-initialise, then set what differs. */
typedef struct sn_rig_config {
  size_t joint_count;
  double prismatic_share; /**< probability that a joint slides */
  double mimic_share;     /**< probability that a joint follows an earlier one */
  double endless_share;   /**< probability that a joint has no limits */
} sn_rig_config;

/** The clock is simulated and frozen unless a test moves it. */
typedef struct sn_rig {
  sn_arena arena;
  sn_chain *chain;
  sn_ik_tip tip;
  sn_ik_setup setup;
  const sn_ik_solver *solver;
  void *state;
  sn_clock clock;
  sn_random random;
  sn_ik_query query;
  sn_pose target;

  double lower[SN_RIG_JOINTS_MAX], upper[SN_RIG_JOINTS_MAX], seed[SN_RIG_JOINTS_MAX];
  int joints[SN_RIG_JOINTS_MAX];

  size_t offer_count;
  size_t offers_wanted; /**< offers to take before stopping the search; 0 means 1 */
  int64_t offer_ns;     /**< the clock moves by this at every offer */
  double offers[SN_RIG_OFFERS_MAX][SN_RIG_JOINTS_MAX];
} sn_rig;

/** A random chain with random limits, and a solver for it. */
void sn_rig_open(sn_rig *rig, const sn_ik_solver *solver, const sn_rig_config *config,
                 uint64_t seed);

/** A chain of the caller; limits must be in rig->lower and rig->upper already. */
void sn_rig_open_chain(sn_rig *rig, const sn_ik_solver *solver, sn_chain *chain);

void sn_rig_close(sn_rig *rig);

/** Joints within limits, mimic joints following. */
void sn_rig_draw(sn_rig *rig, double *q);

/** A target that @p q reaches; resets the query to its defaults, the seed mid-range. */
void sn_rig_aim(sn_rig *rig, const double *q);

sn_ik_code sn_rig_solve(sn_rig *rig);

/** Error of @p q against the target in m and rad, over the axes that are not free. */
void sn_rig_error(const sn_rig *rig, const double *q, double *position_m, double *rotation_rad);

/** Every offer reaches the target, is inside the limits of the query, keeps locked joints,
 * satisfies the mimic joints, and has joints without limits within half a turn of the seed. */
void sn_rig_check_offers(const sn_rig *rig);

#endif
