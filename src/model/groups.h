/** @file
 *  Internal: groups of joints. */
#ifndef SN_MODEL_GROUPS_H
#define SN_MODEL_GROUPS_H

#include "sinew/model.h"

/** `getJointsChains`: the chains that own these joints, each once, in the order found. Unknown
 * joints and joints of no chain are ignored.
 *  @param chains    room for @p capacity chain indices
 *  @param count     how many were written
 *  @return SN_OK, or SN_ENOSPC with nothing written */
sn_status sn__model_joints_chains(const sn_model *model, const char *const *joints,
                                  size_t joint_count, int *chains, size_t capacity,
                                  size_t *count) SN_RT;

/** Groups in the order of declaration. */
SN_API const sn_names *sn__model_group_names(const sn_model *model) SN_RT;

SN_API const sn_group *sn__model_group(const sn_model *model, size_t index) SN_RT;

#endif
