/* All chains of a robot in one answer. */
#ifndef SN_ROBOT_ROBOT_MODEL_LIMBS_H
#define SN_ROBOT_ROBOT_MODEL_LIMBS_H

#include "sinew/model.h"
#include "sinew/msg.h"

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
