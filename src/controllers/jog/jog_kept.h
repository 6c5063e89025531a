/** @file
 *  Internal: what a motion of joints must not change, while some of them cannot move as was wanted.
 *
 *  A tool that only turns keeps its place, and one that only shifts keeps its orientation. Where a
 *  joint has to brake, the others make up for it, within what each of them can do in this cycle:
 *  the tool turns less, but its place has priority. */
#ifndef SN_CONTROLLERS_JOG_JOG_KEPT_H
#define SN_CONTROLLERS_JOG_JOG_KEPT_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"

enum { SN__JOG_KEPT_ROWS = 3 };

typedef struct sn__jog_kept {
  const double *jac;              /**< [SN__JOG_KEPT_ROWS][joints] of what is kept; NULL: nothing */
  double rate[SN__JOG_KEPT_ROWS]; /**< with which it should change: what is put right */
} sn__jog_kept;

/** The velocity of a joint in the next cycle. */
typedef struct sn__jog_choice {
  double low, high; /**< what is possible; low <= high */
  double qd;        /**< in and out; within them */
  bool is_taken;    /**< scratch: cannot help any more */
} sn__jog_choice;

/** Change velocities as little as it takes, each by its share of what it can, until what is kept
 *  changes with its rate, or as closely as is possible.
 *  @param choices  [count].  RT: yes, O(count^2). */
void sn__jog_keep(const sn__jog_kept *kept, sn__jog_choice *choices, size_t count) SN_RT;

#endif
