/** @file
 *  Internal: the controllers of the robot, as ros2_control lists them. */
#ifndef SN_ROS_NODE_CONTROLLERS_H
#define SN_ROS_NODE_CONTROLLERS_H

#include "msg/node/controller_msgs.h"
#include "ros/node/node_interfaces.h"

/** A component that may own limbs. */
typedef struct sn__known_controller {
  const sn_component *component;
  bool follows_trajectories; /**< always active: it takes goals at any time */
} sn__known_controller;

/** The caller holds the system. @return false: no such controller */
bool sn__controller_by_name(const sn__bridge *bridge, const char *name, sn__known_controller *out);

/** Whether it owns limbs. Waits for a cycle of the arbiter. @return as sn_call() of the arbiter;
 *  SN_ENOENT: there is none */
sn_status sn__controller_owns_limbs(const sn__bridge *bridge, const char *name, bool *owns,
                                    sn_error *err);

/** Fill @p out with all of them. @return as sn_call() of the arbiter */
sn_status sn__controllers_list(sn__node_answer *answer, sn__seq_controller_state *out,
                               sn_error *err);

#endif
