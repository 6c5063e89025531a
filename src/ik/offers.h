/** @file
 *  Internal: solutions offered so far in one query, so that none is offered twice. */
#ifndef SN_IK_OFFERS_H
#define SN_IK_OFFERS_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/arena.h"

/** How many are remembered. */
#define SN__OFFERS_MAX 256

typedef struct sn__offers {
  size_t joint_count;
  size_t count;
  double *q; /**< [SN__OFFERS_MAX][joint_count] */
} sn__offers;

/** @return false if there is no room. */
bool sn__offers_create(sn_arena *arena, size_t joint_count, sn__offers *out);

/** Remember @p q unless it is known or the list is full.
 *  @param apart  two solutions differ if some joint does by more than this; joints are compared
 *                modulo a turn where @p periodic
 *  @return true if it is new */
bool sn__offers_add(sn__offers *offers, const double *q, const bool *periodic, double apart);

#endif
