/** @file
 *  Internal: solutions offered so far in one query, so that none is offered twice. */
#ifndef SN_IK_SEEN_SOLUTIONS_H
#define SN_IK_SEEN_SOLUTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/arena.h"

/** Capacity. */
#define SN__SEEN_SOLUTIONS_MAX 256

typedef struct sn__seen_solutions {
  size_t joint_count;
  size_t count;
  double *q; /**< [SN__SEEN_SOLUTIONS_MAX][joint_count] */
} sn__seen_solutions;

/** @return false if memory runs out. */
bool sn__seen_solutions_create(sn_arena *arena, size_t joint_count, sn__seen_solutions *out);

/** Add @p q unless it is known or the list is full.
 *  @param apart  two solutions differ if some joint does by more than this; joints are compared
 *                modulo a turn where @p periodic
 *  @return true if it is new */
bool sn__seen_solutions_add(sn__seen_solutions *seen, const double *q, const bool *periodic,
                            double apart);

#endif
