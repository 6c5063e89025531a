/** @file
 *  Internal: the limb of a controller that moves one: which of its chains that is, and its solver.
 */
#ifndef SN_CONTROLLERS_CARTESIAN_ONE_LIMB_H
#define SN_CONTROLLERS_CARTESIAN_ONE_LIMB_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/limb/limb_ik.h"
#include "sinew/controller.h"

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

#endif
