/** @file
 *  Internal: inverse kinematics as a service: solvers of limbs with the limits, nominal poses,
 *  weights and free axes that the deployment states once, in `kinematics_inv`. */
#ifndef SN_CONTROLLERS_INVERSE_KINEMATICS_H
#define SN_CONTROLLERS_INVERSE_KINEMATICS_H

#include "ik/limb/limb_ik.h"
#include "sinew/component.h"

/** The interface; its face is an `sn__inverse_kinematics`. */
#define SN_INVERSE_KINEMATICS "InverseKinematics"

/* NOLINTBEGIN(bugprone-macro-parentheses): name of a type */
/** Entry of a table of needs; @p struct_ has a member `sn_requester kinematics_inv`. */
#define SN_INVERSE_KINEMATICS_NEED(struct_)                             \
  {                                                                     \
    .name = "kinematics_inv", .interface = SN_INVERSE_KINEMATICS,       \
    .offset = offsetof(struct_, kinematics_inv), .doc = "Solves limbs." \
  }
/* NOLINTEND(bugprone-macro-parentheses) */

/** Valid from configure to cleanup of the provider, and so in all hooks of those who need it. */
typedef struct sn__inverse_kinematics {
  sn_component *component;
  /** A solver for a chain of the robot, in the caller's arena: it shares nothing with others. It
   *  has no time limit but bounded iterations, so equal queries have equal answers, however busy
   *  the machine is.
   *  Poses are of the chain's last link (of its virtual one if `with_virtual`) in its first link.
   *  @param limb  out: untouched on failure. The caller may change `goes_near` and `jump`
   *  @return as sn__limb_ik_create(), with the name of the chain in the message
   *  RT: no, allocates.  Threads: a hook of the caller. */
  sn_status (*create)(sn_component *component, sn_arena *arena, size_t chain, sn__limb_ik *limb,
                      sn_error *err);
} sn__inverse_kinematics;

#endif
