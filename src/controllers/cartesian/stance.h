/** @file
 *  Standing: the pure part of the controller `FollowStance`. The base moves and the ends of the
 *  supporting limbs stay where they are in the world.
 *
 *  A wanted pose of the base that some limb cannot reach, or that is not balanced, is approached: a
 *  search moves the target towards it as far as all limbs reach, first along the line, then
 *  coordinate by coordinate. It takes a few solutions in each cycle, so it may last some cycles.
 * The base follows the target through a filter. */
#ifndef SN_CONTROLLERS_CARTESIAN_STANCE_H
#define SN_CONTROLLERS_CARTESIAN_STANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/limb/limb_ik.h"
#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/pose.h"
#include "sinew/spatial.h"
#include "sinew/status.h"
#include "traj/body_filter.h"

SN_BEGIN_DECLS

/** Opaque. Lives in the arena it was created from. */
typedef struct sn__stance sn__stance;

/** Zero-initialise, then set what differs. */
typedef struct sn__stance_config {
  const sn_model *model;   /**< must outlive it */
  sn__limb_ik *limbs;      /**< [chains] solvers; `ik` is NULL: this chain does not support */
  sn__body_filter *filter; /**< of the base */
  double period_s;
  double singular_min; /**< of solutions, in the unit of sn_ik_velocity_result: the target keeps
                          away from stretched limbs, whose joints would have to be very fast */
  bool check_balance;  /**< keep the centre of mass over the supports, by the margin */
  double margin_m;     /**< from the edge of the support polygon */
  double height_min_m, height_max_m; /**< of the base above the supports, for
                                          sn__stance_recover() */
} sn__stance_config;

/** What happened to a wanted pose. */
typedef enum sn__stance_verdict {
  SN__STANCE_TAKEN,
  SN__STANCE_APPROACHED, /**< taken; it is out of reach, or too far to know at once */
  SN__STANCE_UNSTABLE    /**< ignored: within reach, but not balanced */
} sn__stance_verdict;

/** State after a step. */
typedef struct sn__stance_state {
  sn__body_state base; /**< commanded, in the world */
  bool is_blocked;     /**< the way to the target is closed: the base waits */
  bool is_short;       /**< the wanted pose is out of reach, and the base is as near as it gets */
  int blocking_chain;  /**< the limb that does not reach; -1: none, or balance forbids it */
  double short_m, short_rad; /**< from the target to the wanted pose */
} sn__stance_state;

/** @return SN_OK, SN_ENOMEM, or SN_EMODEL (check_balance, and a moving link has no inertia).  RT:
 * no, allocates. Threads: one owner. */
sn_status sn__stance_create(sn_arena *arena, const sn__stance_config *config, sn__stance **out,
                            sn_error *err);

/** Stand on these limbs from now on: their ends stay where they are. Limbs that supported before
 *  keep their places in the world, and so does the base; otherwise it begins at @p pose_world_base.
 *  @param supports  [chains]
 *  @param q         [pose size] the commanded pose
 *  RT: yes.  Threads: owner. */
void sn__stance_stand(sn__stance *stance, const bool *supports, const double *q,
                      sn_pose pose_world_base) SN_RT;

/** Where a supporting limb ends, in the world; only for one that supports. RT: yes. */
sn_pose sn__stance_foot(const sn__stance *stance, size_t chain) SN_RT;
bool sn__stance_supports(const sn__stance *stance, size_t chain) SN_RT;

/** Go there. The pose must be a rotation and finite.
 *  @param twist  of the wanted pose; NULL: it rests.  RT: yes.  Threads: owner. */
sn__stance_verdict sn__stance_want(sn__stance *stance, const sn_pose *pose_world_base,
                                   const sn_spatial *twist) SN_RT;

/** The wanted pose rests from now on: its source is silent. RT: yes. */
void sn__stance_rest(sn__stance *stance) SN_RT;

/** The foot of a limb is seen elsewhere: shift its place by a share of the difference, at most
 *  @p limit_m and as many radians from where it was at first.  RT: yes.  Threads: owner. */
void sn__stance_shift_foot(sn__stance *stance, size_t chain, const sn_pose *pose_world_foot,
                           double share, double limit_m) SN_RT;

/** Distance of the centre of mass from the edge of the support polygon, m, negative outside; 0
 *  without supports; infinite if the masses are not known. Of the commanded pose.  RT: yes.
 * Threads: owner. */
double sn__stance_margin(sn__stance *stance) SN_RT;

/** Go to where the centre of mass is over the middle of the support polygon, at a safe height.
 *  RT: yes.  Threads: owner. */
void sn__stance_recover(sn__stance *stance) SN_RT;

/** One cycle.
 *  @param q, qd  [pose size] in: the commanded pose; out: the joints of the supporting limbs
 *  @param state  out
 *  RT: yes, a bounded number of solutions for each limb.  Threads: owner. */
void sn__stance_step(sn__stance *stance, double *q, double *qd, sn__stance_state *state) SN_RT;

SN_END_DECLS

#endif
