/** @file
 *  Internal: whether a motion of a tool would bring links too near to each other, or to objects, as
 *  the guard of the gate sees it: `checkWay`. */
#ifndef SN_CONTROLLERS_CARTESIAN_TOOL_CONTACT_H
#define SN_CONTROLLERS_CARTESIAN_TOOL_CONTACT_H

#include "path/tool_path.h"
#include "sinew/component.h"

/** The motion is asked about as straight ways in joint space between poses, none farther from the
 *  next one than 0.01 rad or m in any joint.
 *  @param guard   `checkWay`; not connected: nothing is checked
 *  @param free_s  out: how long the motion is free; its duration: all of it
 *  @param err     receives target, place and the two links
 *  @return SN_OK; SN_EINVAL: it is not free; SN_ENOMEM; as sn_call(): the gate does not answer
 *  RT: no, waits for the gate.  Threads: not that of the gate. */
sn_status sn__tool_contact_check(const sn_caller *guard, const sn_model *model,
                                 const sn_chain *chain, const sn__tool_motion *motion,
                                 double *free_s, sn_error *err);

#endif
