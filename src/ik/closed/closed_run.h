/** @file
 *  Internal: turns the branches of a closed form into offers: inside limits, confirmed by forward
 * kinematics, nearest first. */
#ifndef SN_IK_CLOSED_CLOSED_RUN_H
#define SN_IK_CLOSED_CLOSED_RUN_H

#include <stdbool.h>

#include "ik/closed/branches.h"
#include "ik/closed/geometry/frames.h"
#include "sinew/ik_solver.h"

/** rad by which a closed form may exceed limits, for rounding. */
#define SN__LIMIT_SLACK 1e-6

/** How far a branch may miss and still be polished. */
typedef struct sn__effort {
  double slack;       /**< of the closed form: least-squares branches up to this residual */
  double limit_slack; /**< rad by which a branch may exceed limits before it is polished */
  int iterations_max; /**< of the polish */
} sn__effort;

/** Accepts every branch: for a caller that wants the nearest pose without a solution. */
extern const sn__effort sn__effort_any;

/** The windows of joints for limits that seldom change. */
typedef struct sn__windows {
  bool is_valid;
  double lower[SN__ARM_JOINTS_MAX];
  double upper[SN__ARM_JOINTS_MAX];
  sn__window joint[SN__ARM_JOINTS_MAX];
} sn__windows;

/** One query in progress. Arrays have `frames->count` entries: the joints of the chain, and one for
 * a free axis if there is one. */
typedef struct sn__closed_run {
  const sn_ik_query *query;
  const sn__frames *frames;
  const int *joints; /**< places of the chain's joints in the group's vector */
  int joint_count;   /**< of the chain: what is offered */
  size_t group_count;
  double *q; /**< the group's vector, seed values where the chain has no joint */
  sn_pose target;
  sn__goal goal;
  double lower[SN__ARM_JOINTS_MAX];
  double upper[SN__ARM_JOINTS_MAX];
  double prefer[SN__ARM_JOINTS_MAX]; /**< nominal or seed */
  sn__effort effort;
  double reach;             /**< branches farther from what is preferred are skipped */
  double window_slack;      /**< rad */
  const sn__window *window; /**< the limits, widened by window_slack */
  int offered_count;
  bool is_cumulative; /**< branches that were offered before are not offered again */
  bool is_doubtful;   /**< polishing failed, went far, or led to the same solution twice */
  int kept_count;
  double kept[SN__BRANCHES_MAX][SN__ARM_JOINTS_MAX]; /**< what was offered */
  bool is_stopped;                                   /**< the caller has enough */
  bool is_late;                                      /**< the deadline has passed */
  double best_error;                                 /**< of what was noted as approximate */
  double weak_error; /**< of `weak`: inside the query's tolerance, but not a proper solution */
  double weak[SN__ARM_JOINTS_MAX];
} sn__closed_run;

/** Read a query.
 *  @param q        room for the group's vector
 *  @param windows  updated to the limits of the query; zeroed before the first use */
void sn__closed_run_init(sn__closed_run *run, const sn_ik_query *query, const sn__frames *frames,
                         const int *joints, int joint_count, size_t group_count, double *q,
                         sn__windows *windows);

/** Skip branches farther than @p reach from what is preferred.
 *  @param slack    rad by which branches that are offered may exceed limits before they are
 * polished
 *  @param windows  scratch, used until the run ends or is focused again */
void sn__closed_run_focus(sn__closed_run *run, double reach, double slack, sn__windows *windows);

/** The windows to filter branches by, or NULL while branches beyond the limits are accepted. */
static inline const sn__window *sn__closed_run_window(const sn__closed_run *run) {
  return run->effort.limit_slack <= run->window_slack ? run->window : NULL;
}

/** The turns of what is preferred. */
void sn__closed_run_preferred(const sn__closed_run *run, sn__turn *turn);

/** The value of an angle inside the limits of a joint, nearest to the preferred one; other full
 * turns are the same pose and are not offered.
 *  @return false if there is none within @p slack of the limits */
bool sn__fit_angle(double angle_rad, double lower, double upper, double prefer, double slack,
                   double *q);

/** Polish branches that miss the target, without regard to limits: which of them hold is known only
 *  afterwards. */
void sn__closed_run_settle(const sn__closed_run *run, sn__branches *branches);

/** Offer the valid @p branches, nearest first, no pose twice. */
void sn__closed_run_take(sn__closed_run *run, const sn__branches *branches);

/** The target moved randomly by up to @p size rad and @p size times @p length_m. */
sn_pose sn__closed_run_shaken_target(const sn__closed_run *run, double size, double length_m);

/** If no proper solution was found, offer the best one within the query's tolerance. */
void sn__closed_run_finish(sn__closed_run *run);

/** Look at the clock. @return true if the search is over, by the caller or by time */
bool sn__closed_run_is_over(sn__closed_run *run);

#endif
