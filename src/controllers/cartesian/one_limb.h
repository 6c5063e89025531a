/** @file
 *  Internal: the limb of a controller that moves one: which of its chains that is, its solver, and
 * how its end follows a pose. */
#ifndef SN_CONTROLLERS_CARTESIAN_ONE_LIMB_H
#define SN_CONTROLLERS_CARTESIAN_ONE_LIMB_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/limb/limb_ik.h"
#include "sinew/controller.h"
#include "sinew/model.h"
#include "traj/body_filter.h"

typedef struct sn__one_limb {
  sn__limb_ik *limbs; /**< [chain_count]; `ik` is NULL: not one of those */
  size_t chain_count;
  int chain;            /**< the one that moves; -1: none */
  bool has_limbs;       /**< at least one */
  bool has_own_list;    /**< the list of the deployment was empty */
  const char *names[1]; /**< the list then */
} sn__one_limb;

/** Make solvers for the chains of `controlled_chains`.
 *  @param preferred  the chain of an empty list, if the robot has it; NULL: all chains
 *  @return SN_OK, SN_ENOMEM, or what the service says about a chain that is listed
 *  RT: no, allocates.  Threads: the hook `create`. */
sn_status sn__one_limb_create(sn__one_limb *one, sn_controller *controller,
                              const sn_requester *kinematics_inv, const char *preferred,
                              sn_error *err);

/** The list of the deployment is as it was: in cleanup, and if configure fails. */
void sn__one_limb_forget(sn__one_limb *one, sn_controller *controller);

/** The first limb of which the controller owns all joints; NULL: none.
 *  @return whether it is another one than before.  RT: yes. */
bool sn__one_limb_choose(sn__one_limb *one, const sn_controller *controller) SN_RT;

/** The limb that moves, or NULL. RT: yes. */
static inline sn__limb_ik *sn__one_limb_now(const sn__one_limb *one) {
  return one->chain < 0 ? NULL : &one->limbs[one->chain];
}

/** May the controller be activated? @return SN_OK, or SN_ENOTCONFIGURED, SN_EUNSUPPORTED */
sn_status sn__one_limb_can_take(const sn__one_limb *one, const sn_controller *controller,
                                sn_error *err);

/** Log that a reference was refused, at most one a second. RT: yes. */
void sn__one_limb_refuse(const sn_controller *controller, sn_log_limit *limit,
                         const char *text) SN_RT;

/* ---- following a pose ----
 *
 * The pose is filtered and solved; what is out of reach is approached as the solver's settings say.
 * Joints never exceed their speed: a limb that cannot follow lags. */

typedef struct sn__limb_follower {
  const sn_model *model;
  sn__limb_ik *limb; /**< NULL: none */
  sn__body_filter *filter;
  double period_s;
  sn__body_state end; /**< commanded, in the base */
} sn__limb_follower;

/** Follow with this limb from now on: it begins where it is, at rest.
 *  @param end  of the limb in the base.  RT: yes. */
void sn__limb_follower_begin(sn__limb_follower *follower, sn__limb_ik *limb, sn_pose end) SN_RT;

/** One cycle.
 *  @param goal   of the limb's end in the base; NULL: on to the last one
 *  @param twist  of the goal; NULL: it rests
 *  @param first  the limb's first link in the base
 *  @param q, qd  [pose size] in: the commanded pose; out: the joints of the limb
 *  @return whether the filtered pose is reached; else limb->trouble says why not
 *  RT: yes. */
bool sn__limb_follower_step(sn__limb_follower *follower, const sn_pose *goal,
                            const sn_spatial *twist, sn_pose first, double *q, double *qd) SN_RT;

/** Move joints of a limb towards @p wanted [limb->count], all by the same share, so that none
 *  exceeds its speed. qd is what they move by.  RT: yes. */
void sn__limb_move(const sn_model *model, const sn__limb_ik *limb, const double *wanted,
                   double period_s, double *q, double *qd) SN_RT;

#endif
