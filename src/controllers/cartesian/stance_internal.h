/** @file
 *  Internal: the struct of stance.h. */
#ifndef SN_CONTROLLERS_CARTESIAN_STANCE_INTERNAL_H
#define SN_CONTROLLERS_CARTESIAN_STANCE_INTERNAL_H

#include "controllers/cartesian/stance.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"

enum { SN__STANCE_COORDS = 6 }; /**< x, y, z in the world, then a rotation vector in the base */

struct sn__stance {
  sn__stance_config config;
  size_t chain_count, joint_count, point_count_max;
  bool *supports;      /**< [chain_count] */
  sn_pose *feet;       /**< [chain_count] in the world */
  sn_pose *feet_first; /**< where they were when the limb began to support */
  sn_pose *firsts;     /**< [chain_count] first links of the chains in the base */
  sn_kin_data *kin;
  sn_dyn_data *dyn;
  sn_vec3 *points, *corners; /**< [point_count_max] contact points in the world */

  sn__body_state base; /**< commanded */
  double *q;           /**< [joint_count] commanded */

  sn_pose wanted;
  sn_spatial wanted_twist;
  sn_pose target;                  /**< within reach, on the way to `wanted` */
  double *q_target;                /**< [joint_count] the solution there */
  double *q_try;                   /**< [joint_count] */
  double singular_value;           /**< of the solution there */
  double along;                    /**< share of the way to try next, all coordinates */
  double share[SN__STANCE_COORDS]; /**< the same for each coordinate alone */
  size_t coord;                    /**< the next one to try */
  bool has_moved;                  /**< a coordinate did, in this sweep over all of them */
  bool is_at_wanted;               /**< target and wanted are the same */
  bool is_stuck;                   /**< no coordinate can get nearer */
  bool is_unbalanced;              /**< the last try failed by its balance */
  int blocking_chain;
};

/** Solve all supporting limbs for a pose of the base, from @p seed.
 *  @param q  out: @p seed with the joints of those limbs; valid if all reach
 *  @return whether all reach; else blocking_chain is set */
bool sn__stance_solve(sn__stance *stance, const sn_pose *base, const double *seed, double *q) SN_RT;

/** Distance of the centre of mass from the edge, of a pose. */
double sn__stance_margin_at(sn__stance *stance, const sn_pose *base, const double *q) SN_RT;

/** Move the target on towards the wanted pose (stance_target.c). */
void sn__stance_search(sn__stance *stance) SN_RT;

/** Begin the search anew, at the target. */
void sn__stance_aim(sn__stance *stance) SN_RT;

/** Is the pose within reach, and balanced if it must be? The target becomes it then. */
bool sn__stance_try(sn__stance *stance, const sn_pose *base) SN_RT;

#endif
