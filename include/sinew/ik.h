/** @file
 *  Inverse and forward kinematics of one or several chains, with exchangeable solvers; after
 * MoveIt's `KinematicsBase`.
 *
 *  A group is the set of joints to solve for: the movable joints on the paths from one base link
 * down to one or more tip links, tip by tip, base to tip, each joint once. Every vector of joints
 * (seed, solution, limits) has one entry per joint of the group, in that order. Poses are of tips
 * in the frame of the base.
 *
 *  The interface confirms every solution independently of the solver. It lies inside the limits,
 * its forward kinematics is within the tolerance of the target, mimic joints follow their masters,
 * and the callback has accepted it. Joints that can turn more than once are returned in the turn
 * nearest to the seed that the limits allow.
 *
 *  Distance to the seed is the Euclidean norm over the group's joints, unless a query chooses
 *  another measure.
 *
 *  All queries: RT: yes up to their deadline, no allocation, if the callback is.
 *  Threads: one owner per instance; instances are independent, so a batch runs over as many threads
 *  as it has instances. The same query gives the same answer, whatever was asked before, unless its
 *  time runs out. */
#ifndef SINEW_IK_H
#define SINEW_IK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/clock.h"
#include "sinew/ik_solver.h"
#include "sinew/model.h"
#include "sinew/names.h"
#include "sinew/pose.h"
#include "sinew/quat.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** How redundant joints (sn_ik_set_redundant_joints()) are treated in a query. Joints that are not
 *  declared redundant are always left to the solver. */
typedef enum sn_ik_discretization {
  SN_IK_NO_DISCRETIZATION = 1, /**< all stay at their seed value */
  SN_IK_ALL_DISCRETIZED,       /**< all are tried in uniform steps, from the seed outwards */
  SN_IK_SOME_DISCRETIZED,      /**< those whose step is not 0 are; the others stay */
  SN_IK_ALL_RANDOM_SAMPLED,    /**< all are drawn at random */
  SN_IK_SOME_RANDOM_SAMPLED    /**< those whose step is not 0 are; the others stay */
} sn_ik_discretization;

/** Check a solution before it is returned, such as for collisions (sinew/ik_avoid.h). Must not use
 *  the calling instance.
 *  @param poses     the targets of the query, one per tip
 *  @param solution  one entry per joint of the group
 *  @return true to accept it, false to continue searching */
typedef bool sn_ik_callback(void *context, const sn_pose *poses, const double *solution);

/** What a solution costs, at the time of the query: the least is best. Not a number counts as
 *  infinite. Must not use the calling instance.
 *  @param poses     the targets of the query, one per tip
 *  @param solution  one entry per joint of the group */
typedef double sn_ik_cost(void *context, const sn_pose *poses, const double *solution);

/** What makes a solution the nearest to the seed. d is the difference in one joint, times its
 *  weight. */
typedef enum sn_ik_measure {
  SN_IK_EUCLIDEAN,     /**< least root of the sum of d^2 */
  SN_IK_LEAST_SUM,     /**< least sum of |d| */
  SN_IK_LEAST_LARGEST, /**< least largest |d|: the shortest motion at equal speeds */
} sn_ik_measure;

/** Options of one query. Zero-initialise, then set the fields that differ from their default. The
 *  counts state the length of their vector and must be right. */
typedef struct sn_ik_options {
  bool lock_redundant_joints;       /**< redundant joints stay at the seed; contradicts every
                                         discretization_method but SN_IK_NO_DISCRETIZATION */
  bool return_approximate_solution; /**< without a solution, return the best pose found; the code
                                       still reports the failure */
  sn_ik_discretization discretization_method; /**< 0 means SN_IK_NO_DISCRETIZATION */

  const double *consistency_limits; /**< how far each joint may be from the seed, >= 0, infinite for
                                         any; NULL means no such limits */
  size_t consistency_count;
  sn_ik_callback *callback; /**< NULL means: accept every true solution */
  void *callback_context;
  const int *callback_code; /**< where the callback leaves a number of its own before it refuses;
                               the result has that of the last refusal; NULL means 0 */

  unsigned free_axes;    /**< sum of SN_IK_FREE_...: axes of the target in which the tip may be
                              anywhere. For position only: SN_IK_FREE_ROTATION */
  const double *nominal; /**< pose to prefer where there is a choice; NULL means the seed */
  size_t nominal_count;
  const double *context_state; /**< sorted pose of the whole robot, for joints outside the group
                                    that joints of the group follow; NULL means that such
                                    followers stay at their seed value. Solvers get it, too */
  size_t context_count;

  bool clamp_seed; /**< entries of the seed outside the limits are moved onto them; otherwise the
                        query fails with SN_IK_SEED_OUTSIDE_LIMITS */

  sn_ik_measure measure; /**< of the distance to the seed */
  const double *weights; /**< per joint, for the measure: finite, >= 0; NULL means 1 for all */
  size_t weight_count;
  /** The solution of the least cost is returned, that with the least first, instead of the nearest
   *  or first one. sn_ik_search() tries all that the solver offers within the timeout; a numeric
   *  solver uses all of it. NULL means none. Each solution found is evaluated at least once. */
  sn_ik_cost *cost;
  void *cost_context;
} sn_ik_options;

/** Details about a query. */
typedef struct sn_ik_result {
  sn_ik_code kinematic_error; /**< the code that the query returned */
  double solution_percentage; /**< solutions found over searched_count, 0 .. 1; each solution
                                   counts once, even if there was no room for it */
  size_t solution_count;      /**< solutions returned */
  size_t searched_count; /**< different candidates found, plus searches without one; a search is one
                            run of the solver with its restarts */
  size_t outside_limits_count; /**< candidates outside a limit of the query */
  size_t untrue_count;         /**< candidates whose forward kinematics misses the target */
  size_t refused_count;        /**< candidates that the callback rejected */
  int refusal_code;            /**< callback_code of the last of them */
  double cost;                 /**< of the first pose returned; 0 without a cost function */
  bool approximate;            /**< the returned pose is the best one found, not a solution */
  double position_error_m;     /**< of the first pose returned, worst tip, axes not free */
  double rotation_error_rad;   /**< likewise; at most 1.42 times the angle */
} sn_ik_result;

/** Zero-initialise, then set the fields that differ from their default. All is copied, except model
 *  and clock, which must outlive the instance. */
typedef struct sn_ik_config {
  const sn_ik_registry *registry; /**< where solvers are looked up; NULL means the built-in ones */
  const char *solver;             /**< NULL means "auto" */
  const char *group;              /**< a chain of the model, which is then the default of base and
                                       tip (to its virtual link if it has one), or a group of the
                                       model, which must then contain all joints on the path; NULL
                                       means no name */
  const char *base_frame;         /**< a link */
  const char *const *tip_frames;  /**< links below it */
  size_t tip_count;
  double search_discretization;  /**< rad or m, > 0; 0 means 0.1 */
  double default_timeout_s;      /**< > 0; 0 means 1.0 */
  double position_tolerance_m;   /**< > 0; 0 means 1e-6 */
  double rotation_tolerance_rad; /**< > 0; 0 means 1e-6 */
  uint64_t random_seed;          /**< every query starts its random sequence from it */
  const sn_clock *clock;         /**< NULL means real time */
} sn_ik_config;

/** Opaque. Lives in the arena it was created from; there is no destroy call. */
typedef struct sn_ik sn_ik;

/** The name of a code without its prefix, such as "NO_SOLUTION"; "UNKNOWN" if there is none.
 *  @return static text, never NULL
 *  RT: yes.  Threads: any. */
SN_API const char *sn_ik_code_name(sn_ik_code code) SN_RT;

/** `initialize`: an instance for a group, with all memory that it needs.
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK; SN_ENOENT (no such group, link or solver); SN_EINVAL (no joint between base and
 *          tip, tip not below base, a tip twice, a joint not driven or not of the group, a number
 *          out of range); SN_EUNSUPPORTED (not a group for this solver); SN_ENOMEM
 *
 *  RT: no, allocates.  Threads: one owner of the arena. */
SN_API sn_status sn_ik_create(sn_arena *arena, const sn_model *model, const sn_ik_config *config,
                              sn_ik **out, sn_error *err);

/** `supportsGroup`: would sn_ik_create() succeed, given memory?
 *  @param reason  receives why not, as text of at most @p size bytes; empty if it would
 *  RT: no, allocates on the heap while it runs. */
SN_API bool sn_ik_supports_group(const sn_model *model, const sn_ik_config *config, char *reason,
                                 size_t size);

/** `getPositionIK` for one pose: the solution nearest to the seed, from the seed alone, without
 *  random restarts. Six turning joints: the nearest of those that sn_ik_get_all() lists, if the
 *  arm has one of the forms of `analytic` exactly. Seven, none of them locked and without a nominal
 *  pose: if `analytic` supports the arm, none that sn_ik_get_all() lists for this seed is nearer;
 *  rarely one is that it does not list: docs/benchmarks.md has the share. Otherwise, and where a
 *  callback refuses the nearest, a nearer one may exist. Ends with the default timeout at the
 *  latest.
 *  @param pose      of the tip in the base's frame; a rotation off by less than 1e-3 is
 * orthonormalised
 *  @param seed      where to begin; inside the limits, unless clamp_seed is set
 *  @param count     entries of seed and of solution: the joints of the group
 *  @param options   NULL means all defaults
 *  @param solution  written on success, or with an approximate solution
 *  @return SN_IK_OK, or the reason; sn_ik_explain() has more */
SN_API sn_ik_code sn_ik_get_position(sn_ik *ik, const sn_pose *pose, const double *seed,
                                     size_t count, const sn_ik_options *options,
                                     double *solution) SN_RT;

/** `getPositionIK` for all solutions: as many as fit of those that the solver finds, the nearest to
 *  the seed first, each once (solutions closer than 1e-3 in every joint count as one). A solver
 *  without closed form needs the whole default timeout.
 *
 *  Six turning joints have up to 16. Solutions of seven joints form curves: the list has the
 * nearest to the seed, and what steps of the search discretization along the curves meet. With one
 * joint declared redundant, which then stays at its seed value, it has all branches for that value
 * (not for the elbow between a spherical shoulder and a spherical wrist, which does not stop the
 * arm).
 *  @param poses      one per tip
 *  @param solutions  room for @p capacity rows of @p count numbers
 *  @param result     solution_count says how many rows were written; may be NULL */
SN_API sn_ik_code sn_ik_get_all(sn_ik *ik, const sn_pose *poses, size_t pose_count,
                                const double *seed, size_t count, const sn_ik_options *options,
                                double *solutions, size_t capacity, sn_ik_result *result) SN_RT;

/** `searchPositionIK`: search through redundancy and random restarts until the timeout for any
 *  solution, for one tip or several at once.
 *  @param poses      one per tip
 *  @param timeout_s  >= 0; 0 returns at once, with SN_IK_TIMED_OUT
 *  @param result     may be NULL
 *  @return SN_IK_OK, SN_IK_TIMED_OUT, SN_IK_NO_SOLUTION (there is none), SN_IK_REFUSED (the
 *          callback accepted none), or what is wrong */
SN_API sn_ik_code sn_ik_search(sn_ik *ik, const sn_pose *poses, size_t pose_count,
                               const double *seed, size_t count, double timeout_s,
                               const sn_ik_options *options, double *solution,
                               sn_ik_result *result) SN_RT;

/** `getPositionFK`: where links are, in the base's frame.
 *  @param link_names  the base, or links that only joints of the group move against it
 *  @param q           one entry per joint of the group; entries of mimic joints are ignored if the
 *                     joint that they follow is in the group. Limits do not matter
 *  @param poses       link_count poses out, untouched on failure
 *  @return SN_IK_OK, SN_IK_SOLVER_NOT_ACTIVE or SN_IK_INVALID_ARGUMENT
 *  RT: yes, O(link_count · depth of the tree). */
SN_API sn_ik_code sn_ik_fk(sn_ik *ik, const char *const *link_names, size_t link_count,
                           const double *q, size_t count, sn_pose *poses) SN_RT;

/** Why the last query, or sn_ik_fk(), did not give SN_IK_OK, in words and with names, such as
 *  "seed of joint 'elbow' is 3.2, outside -1.57 .. 1.57". Empty after success.
 *  @param ik  may be NULL, which is reported
 *  @return the length written, cut to @p size with a NUL
 *  RT: no, formats numbers. */
SN_API size_t sn_ik_explain(const sn_ik *ik, char *text, size_t size);

/** A pose from position and quaternion as messages and files give them. A quaternion with a length
 * within 1e-3 of 1 is normalised.
 *  @return SN_IK_OK, or SN_IK_INVALID_ARGUMENT with @p out untouched: not finite, or not of unit
 *          length
 *  RT: yes.  Threads: any. */
SN_API sn_ik_code sn_ik_pose_from_quat(sn_vec3 pos, sn_quat rot, sn_pose *out) SN_RT;

/** `getGroupName`; empty if none was given. RT: yes, and so all below unless they say otherwise. */
SN_API const char *sn_ik_group_name(const sn_ik *ik) SN_RT;
/** `getBaseFrame` */
SN_API const char *sn_ik_base_frame(const sn_ik *ik) SN_RT;
/** `getTipFrames` */
SN_API size_t sn_ik_tip_count(const sn_ik *ik) SN_RT;
/** `getTipFrame`; @p index less than the count. */
SN_API const char *sn_ik_tip_frame(const sn_ik *ik, size_t index) SN_RT;
/** `getJointNames`, in the order of every vector. */
SN_API const sn_names *sn_ik_joint_names(const sn_ik *ik) SN_RT;
/** How many: the length of every vector. */
SN_API size_t sn_ik_joint_count(const sn_ik *ik) SN_RT;
/** `getLinkNames`: the links below the base on the paths to the tips, in that order. */
SN_API const sn_names *sn_ik_link_names(const sn_ik *ik) SN_RT;
/** The name of the solver, and a description of what it recognised. */
SN_API const char *sn_ik_solver_name(const sn_ik *ik) SN_RT;
SN_API const char *sn_ik_solver_description(const sn_ik *ik) SN_RT;

/** `setRedundantJoints` by index in the group; a count of 0 means none.
 *  @return SN_OK, or SN_EINVAL with nothing changed: an unknown joint, one that appears twice, or a
 * mimic joint */
SN_API sn_status sn_ik_set_redundant_joints(sn_ik *ik, const int *joints, size_t joint_count,
                                            sn_error *err);
/** `setRedundantJoints` by name. @return as above, or SN_ENOENT */
SN_API sn_status sn_ik_set_redundant_joint_names(sn_ik *ik, const char *const *names,
                                                 size_t joint_count, sn_error *err);
/** `getRedundantJoints` @param joints  receives indices, valid until they are set again
 *  @return how many */
SN_API size_t sn_ik_redundant_joints(const sn_ik *ik, const int **joints) SN_RT;

/** `setSearchDiscretization`: one step for all joints, rad or m, > 0. @return SN_OK or SN_EINVAL */
SN_API sn_status sn_ik_set_search_discretization(sn_ik *ik, double step, sn_error *err);
/** `setSearchDiscretization` per joint of the group, >= 0; 0 means that SN_IK_SOME_... keeps the
 * joint at its seed. @return SN_OK or SN_EINVAL with nothing changed */
SN_API sn_status sn_ik_set_search_discretizations(sn_ik *ik, const double *steps, size_t count,
                                                  sn_error *err);
/** `getSearchDiscretization` of a joint of the group. */
SN_API double sn_ik_search_discretization(const sn_ik *ik, size_t joint) SN_RT;

/** `getSupportedDiscretizationMethods`: all, except that a redundant prismatic joint without limits
 * can only be kept.
 *  @param methods  room for 5; @return how many */
SN_API size_t sn_ik_discretization_methods(const sn_ik *ik, sn_ik_discretization *methods) SN_RT;

/** `setDefaultTimeout`: finite, > 0. @return SN_OK or SN_EINVAL */
SN_API sn_status sn_ik_set_default_timeout(sn_ik *ik, double timeout_s, sn_error *err);
/** `getDefaultTimeout` */
SN_API double sn_ik_default_timeout(const sn_ik *ik) SN_RT;

/** Replace the joint limits of the model, tighter or wider, from the next query on.
 *  @param lower  one entry per joint of the group, -infinity for none; NULL for both restores the
 *                limits of the model
 *  @return SN_OK, or SN_EINVAL with nothing changed: wrong count, NaN, or lower above upper
 *          (also after applying the limits of mimic joints) */
SN_API sn_status sn_ik_set_limits(sn_ik *ik, const double *lower, const double *upper, size_t count,
                                  sn_error *err);
/** The effective limits of a joint of the group, including those of its mimic joints. */
SN_API void sn_ik_limits(const sn_ik *ik, size_t joint, double *lower, double *upper) SN_RT;

/** Set the seed of the random sequence, from the next query on. */
SN_API void sn_ik_set_random_seed(sn_ik *ik, uint64_t seed) SN_RT;

SN_END_DECLS

#endif
