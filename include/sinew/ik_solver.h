/** @file
 *  The interface of a solver of inverse kinematics; the ABI of solver plugins.
 *
 *  The caller of a solver (ik.h) has checked every argument: counts match, numbers are finite, the
 *  seed is inside the limits. A solver *offers* candidates; the caller confirms each by its own
 *  forward kinematics, limits and callback, so that no solver can return a wrong solution. The
 *  library's own solvers compute that forward kinematics themselves where they need it, and it is
 *  not computed a second time.
 *
 *  A solver has no global state, allocates only in create(), and is deterministic: same query, same
 *  random state, enough time -> same offers in the same order. */
#ifndef SINEW_IK_SOLVER_H
#define SINEW_IK_SOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/clock.h"
#include "sinew/model.h"
#include "sinew/pose.h"
#include "sinew/random.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Changes whenever a structure below changes; a plugin with another number is rejected. */
#define SN_IK_ABI 2

/** Outcome of a query; values 1 .. 8 as in MoveIt. */
typedef enum sn_ik_code {
  SN_IK_OK = 1,
  SN_IK_UNSUPPORTED_DISCRETIZATION_REQUESTED,
  SN_IK_DISCRETIZATION_NOT_INITIALIZED,
  SN_IK_MULTIPLE_TIPS_NOT_SUPPORTED,
  SN_IK_EMPTY_TIP_POSES,
  SN_IK_SEED_OUTSIDE_LIMITS,
  SN_IK_SOLVER_NOT_ACTIVE,
  SN_IK_NO_SOLUTION,
  SN_IK_TIMED_OUT,
  SN_IK_INVALID_ARGUMENT,
  SN_IK_REFUSED /**< solutions were found, but the callback refused all of them: they collide, for
                     example. Others may exist where the time ran out or the solver is numeric */
} sn_ik_code;

/** Axes of the target's frame in which the tip may be anywhere; a sum of bits. */
enum {
  SN_IK_FREE_X = 1,
  SN_IK_FREE_Y = 2,
  SN_IK_FREE_Z = 4,
  SN_IK_FREE_RX = 8,
  SN_IK_FREE_RY = 16,
  SN_IK_FREE_RZ = 32,
  SN_IK_FREE_ROTATION = SN_IK_FREE_RX | SN_IK_FREE_RY | SN_IK_FREE_RZ /**< position only */
};

/** One tip of the group: its chain, and the indices of the chain's joints in the group's vector. */
typedef struct sn_ik_tip {
  const sn_chain *chain; /**< from the common base to this tip */
  const int *joints;     /**< [chain->joint_count] indices into the group's vector */
} sn_ik_tip;

/** What a solver is created for. Everything outlives the solver. */
typedef struct sn_ik_setup {
  const sn_model *model;
  size_t joint_count;  /**< of the group's vector, mimic joints included */
  const int *joints;   /**< [joint_count] pose indices */
  const double *lower; /**< [joint_count] effective limits; infinite if none */
  const double *upper;
  size_t tip_count; /**< 1, or more for a whole body */
  const sn_ik_tip *tips;
  double search_discretization; /**< rad or m: step over redundancy */
} sn_ik_setup;

/** A query. Vectors have joint_count entries of the group. */
typedef struct sn_ik_query {
  const sn_pose *targets; /**< [tip_count] tips in the common base frame */
  const double *seed;     /**< inside lower and upper */
  const double *lower;    /**< limits of this query: overrides and consistency limits included */
  const double *upper;    /**< infinite where a joint has none */
  const bool *locked;     /**< joints to keep at their seed value; NULL means none */
  unsigned free_axes;     /**< SN_IK_FREE_... */
  double position_tolerance_m;   /**< Euclidean norm over the axes that are not free */
  double rotation_tolerance_rad; /**< likewise */
  const double *nominal;         /**< pose to prefer where there is a choice; NULL means the seed */
  const double *context_state; /**< sorted pose of the whole robot; finite; NULL if unknown. In the
                                    joints of the group the seed counts */
  bool restarts;               /**< false: only what follows from the seed, nearest to it first */
  bool all;                    /**< true: offer every solution that can be found */
  const sn_clock *clock;
  int64_t deadline_ns; /**< on that clock; checked often enough to keep within 50 µs */
  sn_random *random;   /**< the solver's only source of random numbers */

  /** Take a candidate. @return true to continue searching, false to stop at once (then return
   *  SN_IK_OK: the caller knows what it has). */
  bool (*offer)(void *context, const double *q);
  void *context;

  double *approximate;       /**< receives the best pose found, if not NULL */
  double *approximate_error; /**< its error: m and rad in one Euclidean norm */
} sn_ik_query;

/** A kind of solver. A plugin exports one as `const sn_ik_solver sn_ik_plugin`. */
typedef struct sn_ik_solver {
  unsigned abi; /**< SN_IK_ABI */
  const char *name;
  const char *description;

  /** Can it solve such a group at all?
   *  @param reason  receives why not, as text of at most @p size bytes; never NULL */
  bool (*supports)(const sn_ik_setup *setup, char *reason, size_t size);

  /** Create an instance in @p arena. @return SN_OK, SN_ENOMEM, SN_EUNSUPPORTED. */
  sn_status (*create)(sn_arena *arena, const sn_ik_setup *setup, void **state, sn_error *err);

  /** Answer a query. RT: yes, up to the deadline.  Threads: one at a time per instance.
   *  @return SN_IK_OK if offer() ended it or every solution was offered (at least one was accepted
   *          or not, the caller counts), SN_IK_NO_SOLUTION if there is none or the search from the
   *          seed failed, SN_IK_TIMED_OUT */
  sn_ik_code (*solve)(void *state, const sn_ik_query *query);

  /** Description of what was recognised, such as "6R, spherical wrist"; lives as long as the state.
   */
  const char *(*describe)(const void *state);
} sn_ik_solver;

/* ---- solvers by name ---- */

/** The most solvers that a registry holds. */
#define SN_IK_SOLVERS_MAX 32

/** A list of solvers; treat the fields as private. No global registry exists. */
typedef struct sn_ik_registry {
  const sn_ik_solver *solvers[SN_IK_SOLVERS_MAX];
  size_t count;
} sn_ik_registry;

/** With the built-in solvers: `auto`, `analytic`, `numeric`, `whole-body`. RT: yes. */
SN_API void sn_ik_registry_init(sn_ik_registry *registry) SN_RT;

/** Add a solver, which must outlive the registry and all instances of the solver.
 *  @return SN_OK; SN_EINVAL (built for another SN_IK_ABI, without name or functions, or a name that
 *          is taken); SN_ELIMIT (full)
 *  RT: no.  Threads: one owner while adding, then any. */
SN_API sn_status sn_ik_registry_add(sn_ik_registry *registry, const sn_ik_solver *solver,
                                    sn_error *err);

/** The solver of this name, or NULL; `-` and `_` are the same. RT: yes. */
SN_API const sn_ik_solver *sn_ik_registry_find(const sn_ik_registry *registry,
                                               const char *name) SN_RT;

/** All of them, the built-in ones first; @p index less than the count. RT: yes. */
SN_API size_t sn_ik_registry_count(const sn_ik_registry *registry) SN_RT;
SN_API const sn_ik_solver *sn_ik_registry_at(const sn_ik_registry *registry, size_t index) SN_RT;

/** Open a shared library and add the solver that it exports as `const sn_ik_solver sn_ik_plugin`.
 *  The library runs with all rights of the process, and stays loaded until the process ends.
 *  @param path    of the file; a name without a slash is looked up in the current directory, never
 * in the system's search path
 *  @param solver  receives the added solver; may be NULL
 *  @return SN_OK; SN_EIO (cannot be opened); SN_ENOENT (has no such symbol); else as
 *          sn_ik_registry_add()
 *  RT: no.  Threads: one owner of the registry. */
SN_API sn_status sn_ik_load_plugin(sn_ik_registry *registry, const char *path,
                                   const sn_ik_solver **solver, sn_error *err);

SN_END_DECLS

#endif
