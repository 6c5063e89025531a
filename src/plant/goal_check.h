/** @file
 *  Internal: is a message of goals good? One answer for the plant and for the drivers of real
 *  servos, so that what is tried in simulation holds on the robot. */
#ifndef SN_PLANT_GOAL_CHECK_H
#define SN_PLANT_GOAL_CHECK_H

#include <stdbool.h>

#include "sinew/api.h"
#include "sinew/msg_types.h"
#include "sinew/names.h"
#include "sinew/plant.h"

/** Judge a message as a whole.
 *  @param joints    that there are
 *  @param is_named  room for as many flags as there are joints
 *  @return SN_PLANT_TAKEN; SN_PLANT_UNKNOWN: take it, but for names that are not joints; or why it
 *          is to be refused whole.  RT: yes, O(names). */
sn_plant_verdict sn__goal_check(const sn_servo_goal *msg, const sn_names *joints,
                                bool *is_named) SN_RT;

/** The same of names alone: each is a joint, and none appears twice. */
sn_plant_verdict sn__goal_check_names(const sn_msg_names *names, const sn_names *joints,
                                      bool *is_named) SN_RT;

/** Is every number finite? RT: yes. */
bool sn__goal_is_finite(const sn_seq_f64 *values) SN_RT;

/** Which joint the name at @p i is; -1: none. RT: yes. */
int sn__goal_joint(const sn_msg_names *names, const sn_names *joints, size_t i) SN_RT;

#endif
