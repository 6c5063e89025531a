/** @file
 *  Internal: links, joints and limbs of a robot as messages, for other processes. */
#ifndef SN_ROBOT_ROBOT_MESSAGES_H
#define SN_ROBOT_ROBOT_MESSAGES_H

#include "sinew/model.h"
#include "sinew/msg_calls.h"
#include "sinew/status.h"

/** All links. @return SN_OK or SN_ENOSPC: the message is too small */
sn_status sn__robot_tree_of_all(const sn_model *model, sn_call_tree *out, sn_error *err);

/** The links of a chain, from its first to its last. */
sn_status sn__robot_tree_of_chain(const sn_model *model, size_t chain, bool with_virtual_joints,
                                  sn_call_tree *out, sn_error *err);

/** Chains with what belongs to them. The joints of the first chain come first, then those of the
 *  second and so on; `joint_counts` says how many each has. */
typedef struct sn__call_limbs {
  sn_msg_names chains;
  sn_msg_names contacts; /**< default contact of each chain; "": none */
  sn_seq_u32 joint_counts;
  sn_msg_names joints;
} sn__call_limbs;

extern const sn_msg_type sn__call_limbs_type;

/** @return SN_OK, or SN_ENOSPC if the message is too small */
sn_status sn__model_list_limbs(const sn_model *model, sn__call_limbs *out);

#endif
