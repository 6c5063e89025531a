/** @file
 *  Internal: what the tables of all controllers in Cartesian space have in common. */
#ifndef SN_CONTROLLERS_CARTESIAN_CARTESIAN_CONTROLLER_H
#define SN_CONTROLLERS_CARTESIAN_CARTESIAN_CONTROLLER_H

#include "arbiter/controller_internal.h"
#include "controllers/cartesian/cartesian_smoothing.h"
#include "controllers/inverse_kinematics.h"
#include "sinew/controller.h"

/** Entries of a table of ports. @p supports_doc  about `out_supports` */
#define SN__CARTESIAN_PORTS(supports_doc)                                                     \
  SN_INPUT(sn_controller, "sync", sync, &sn_timer_event_type, .flags = SN_PORT_EVENT,         \
           .doc = "The tick."),                                                               \
      SN_INPUT(sn_controller, "in_joints_sorted", in_joints_sorted, &sn_joint_state_type,     \
               .flags = SN_PORT_FEEDBACK, .doc = "The commanded pose, complete and sorted."), \
      SN_OUTPUT(sn_controller, "out_joints_ref", out_joints_ref, &sn_joint_state_type,        \
                .doc = "The references of all joints it owns."),                              \
      SN_OUTPUT(sn_controller, "out_supports", ref_support, &sn_support_state_type,           \
                .doc = (supports_doc))

/** Entries of a table of needs: the arbiter, a solver, smoothing. */
#define SN__CARTESIAN_NEEDS(struct_) \
  SN_CONTROLLER_NEEDS, SN_INVERSE_KINEMATICS_NEED(struct_), SN_CARTESIAN_SMOOTHING_NEED(struct_)

#endif
