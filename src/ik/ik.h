/** @file
 *  Internal: the instance behind sinew/ik.h, and the parts that work on it. */
#ifndef SN_IK_IK_H
#define SN_IK_IK_H

#include "sinew/ik.h"

/** Cheaper than fmin() and fmax(), which handle NaN; @p x must not be NaN. */
static inline double sn__ik_clamp(double x, double lower, double upper) {
  return x < lower ? lower : x > upper ? upper : x;
}

/** A joint of the group as the interface sees it. */
typedef struct sn__ik_joint {
  double lower, upper; /**< of this joint alone, as the model or an override says */
  bool turns;          /**< rotates, and whole turns may be added: no joint mimics it */
  bool rotates;
  int master;         /**< group index of the joint that it follows, or -1 */
  int master_outside; /**< pose index of a master that is not in the group, or -1 */
  double multiplier, offset;
} sn__ik_joint;

/** Why a query failed: a literal with placeholders and their values, formatted on demand. */
typedef struct sn__ik_reason {
  const char *text; /**< literal; {n} {m} numbers of things, {x} {y} {z} values, {s} name */
  size_t n, m;
  double x, y, z;
  char name[64]; /**< cut if longer */
} sn__ik_reason;

struct sn_ik {
  const sn_model *model;
  const char *group_name;
  const char *base_frame;
  const char **tip_frames;
  const sn_names *joint_names;
  const sn_names *link_names;
  int base_link;

  sn_ik_setup setup; /**< what the solver was created for; owned here */
  const sn_ik_solver *solver;
  void *state;

  sn__ik_joint *joints;  /**< [joint_count] */
  bool has_followers;    /**< some joint has a master, inside or outside */
  int *group_index;      /**< [pose size of the model] place in the group, or -1 */
  double *lower, *upper; /**< [joint_count] limits in force, those of followers folded in */
  double *step;          /**< [joint_count] search discretization */
  int *redundant;        /**< [joint_count] group indices */
  size_t redundant_count;

  double default_timeout_s;
  double position_tolerance_m, rotation_tolerance_rad;
  sn_clock own_clock;
  const sn_clock *clock;
  sn_random random_start; /**< copied at the beginning of each query */

  /* Scratch of the query in progress. */
  sn_pose *targets;                  /**< [tip_count] */
  double *seed;                      /**< [joint_count] the user's, mimic joints corrected */
  double *start;                     /**< [joint_count] the seed given to the solver */
  double *query_lower, *query_upper; /**< [joint_count] */
  double *candidate;                 /**< [joint_count] */
  double *chain_q;                   /**< [joint_count] of one tip's chain */
  double *approximate;               /**< [joint_count] as the solver writes it */
  double *closest;                   /**< [joint_count] best approximate one so far */
  bool *locked;                      /**< [joint_count] */
  int *active;                       /**< [joint_count] redundant joints that are varied */
  long *tick;                        /**< [joint_count] odometer over the grid */
  sn_ik_result result;
  sn__ik_reason reason;
};

/** What a query asks for. */
typedef struct sn__ik_goal {
  double *solutions; /**< [capacity][joint_count] */
  size_t capacity;
  bool first; /**< the first accepted solution ends the search */
  bool restarts;
  bool all;
  int64_t deadline_ns;
} sn__ik_goal;

/** A query in progress. */
typedef struct sn__ik_run {
  sn_ik *ik;
  const sn_ik_options *options; /**< never NULL */
  sn__ik_goal goal;
  sn_random random;
  bool has_locked;      /**< some entry of ik->locked is true */
  size_t active_count;  /**< of ik->active */
  bool stopped;         /**< the first solution was taken */
  size_t found_count;   /**< candidates accepted, duplicates too */
  bool is_ranked;       /**< not by the plain Euclidean distance */
  double nearest;       /**< rank of the best solution kept (sn__ik_rank()); else infinite */
  double farthest;      /**< rank of the worst one kept, if several may be */
  double closest_error; /**< of ik->closest; infinite if none */
} sn__ik_run;

/** Resolve the names of a configuration: fills base, tips, chains, joints and their names.
 *  ik->model is set. */
sn_status sn__ik_find_group(sn_arena *arena, sn_ik *ik, const sn_ik_config *config, sn_error *err);

/** Report that the arena is full. @return SN_ENOMEM */
sn_status sn__ik_no_room(const sn_arena *arena, sn_error *err);

/** Check all arguments of a query and prepare the scratch for it.
 *  @param seed_count  as the user states it
 *  @return SN_IK_OK, or the code, with the reason noted */
sn_ik_code sn__ik_prepare(sn_ik *ik, const sn_pose *poses, size_t pose_count, const double *seed,
                          size_t seed_count, const sn_ik_options *options);

/** Search as the discretization method says. Completes ik->result except for its code.
 *  @return SN_IK_OK, SN_IK_NO_SOLUTION, SN_IK_REFUSED or SN_IK_TIMED_OUT */
sn_ik_code sn__ik_run_search(sn__ik_run *run);

/** The `offer` of a query: confirm a candidate and keep it if it is good. @p context is the run. */
bool sn__ik_offer(void *context, const double *q);

/** What solutions are sorted by, the least first: cost, or distance to the seed (Euclidean:
 *  squared). Never NaN. */
double sn__ik_rank(const sn__ik_run *run, const double *q);

/** Set the entries of q that follow others inside the group. */
void sn__ik_follow(const sn_ik *ik, double *q);

/** How far the tips are from the targets at @p q, worst tip, over the axes that are not free. */
void sn__ik_errors(const sn_ik *ik, unsigned free_axes, const double *q, double *position_m,
                   double *rotation_rad);

/** Fold the limits of followers into those of their masters: ik->joints -> ik->lower, ik->upper.
 *  @return index of a joint whose range is empty, or -1 */
int sn__ik_fold_limits(sn_ik *ik);

/** Note a reason and return its code. */
sn_ik_code sn__ik_refuse(sn_ik *ik, sn_ik_code code, sn__ik_reason reason);

/** Check that @p count is joint_count and all @p values are finite; @p length and @p nan are the
 * messages otherwise. */
sn_ik_code sn__ik_check_vector(sn_ik *ik, const double *values, size_t count, const char *length,
                               const char *nan);

/** A joint's limits as a range that can be sampled; a joint that turns without limits has one turn
 *  around @p centre.
 *  @return false if the joint slides without limits */
bool sn__ik_range(const sn_ik *ik, int joint, const double *lower_limits,
                  const double *upper_limits, double centre, double *lower, double *upper);

#endif
