/** @file
 *  Internal: which chains bear weight along a trajectory, from its pseudo-joints `support/CHAIN`.
 */
#ifndef SN_CONTROLLERS_GOAL_SUPPORTS_H
#define SN_CONTROLLERS_GOAL_SUPPORTS_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/msg_calls.h"
#include "sinew/status.h"

/** Zero-initialise: no chain is named. */
typedef struct sn__goal_supports {
  size_t count;    /**< chains that are named */
  int *chains;     /**< [count] */
  size_t *columns; /**< [count] their index in the names of the trajectory */
  size_t point_count;
  double *time_s; /**< [point_count] */
  double *values; /**< [point_count × count] */
} sn__goal_supports;

/** The chain that a name of a trajectory refers to: `leg1` of `support/leg1`. The program uses it,
 *  too. @return NULL: it is the name of a joint */
SN_API const char *sn__support_chain(const char *name);

/** Find the chains among the names of a trajectory.
 *  @return SN_OK; SN_ENOENT: an unknown chain; SN_EINVAL: one appears twice; SN_ENOMEM */
sn_status sn__goal_supports_find(sn_arena *arena, const sn_model *model, const sn_msg_names *names,
                                 sn__goal_supports *out, sn_error *err);

/** Read their values; every point has a position for every name.
 *  @return SN_OK; SN_EINVAL: a value is not finite; SN_ENOMEM */
sn_status sn__goal_supports_read(sn_arena *arena, const sn_joint_trajectory *msg,
                                 sn__goal_supports *supports, sn_error *err);

/** Does the chain (index in `chains`) bear weight at this time? Values between two points are
 *  interpolated linearly; more than 0.5 is contact. RT: yes, O(log point_count). */
bool sn__goal_supports_at(const sn__goal_supports *supports, size_t index, double t_s) SN_RT;

#endif
