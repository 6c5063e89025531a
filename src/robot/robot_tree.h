/** @file
 *  Internal: links and joints of a robot as a message, for those outside of the process. */
#ifndef SN_ROBOT_ROBOT_TREE_H
#define SN_ROBOT_ROBOT_TREE_H

#include "sinew/model.h"
#include "sinew/msg_calls.h"
#include "sinew/status.h"

/** All links. @return SN_OK or SN_ENOSPC: the message has not enough room */
sn_status sn__robot_tree_of_all(const sn_model *model, sn_call_tree *out, sn_error *err);

/** The links of a chain, from its first to its last. */
sn_status sn__robot_tree_of_chain(const sn_model *model, size_t chain, bool with_virtual_joints,
                                  sn_call_tree *out, sn_error *err);

#endif
