/* How much of a motion that is not safe may be kept. */
#include <math.h>

#include "guard/guard_internal.h"

enum { HALVINGS = 5, ROUNDS_MAX = 4 };

/* One motion that is not safe. */
typedef struct sn__attempt {
  sn__guard *guard;
  const sn__guard_motion *brake, *wanted;
} sn__attempt;

/* ---- the joints of a pair ---- */

static void limit_pair(sn__guard *guard, size_t pair) {
  const sn__path path = sn__collision_path(guard->collision, pair);
  for (size_t side = 0; side < 2; side++) {
    for (size_t i = 0; i < path.counts[side]; i++) {
      guard->is_limited[path.joints[side][i].coord] = true;
    }
  }
}

/* Limit the joints of all pairs that were found to be unsafe. */
static void limit_joints(sn__guard *guard) {
  for (size_t k = 0; k < guard->near_count; k++) {
    if (guard->verdicts[k] == SN__GUARD_UNSAFE) {
      limit_pair(guard, guard->near[k].pair);
    }
  }
}

/* How many joints of a pair are limited, and how many are not. */
static void count_limited(const sn__guard *guard, size_t pair, size_t *limited, size_t *free) {
  const sn__path path = sn__collision_path(guard->collision, pair);
  *limited = *free = 0;
  for (size_t side = 0; side < 2; side++) {
    for (size_t i = 0; i < path.counts[side]; i++) {
      const bool is_limited = guard->is_limited[path.joints[side][i].coord];
      *limited += is_limited;
      *free += !is_limited;
    }
  }
}

/* ---- trying ---- */

static void blend(const sn__attempt *a, double share) {
  sn__guard *guard = a->guard;
  for (size_t i = 0; i < guard->joint_count; i++) {
    guard->share[i] = guard->is_limited[i] ? share : 1.0;
    const double rest = 1.0 - guard->share[i];
    guard->q[i] = a->wanted->q[i] + rest * (a->brake->q[i] - a->wanted->q[i]);
    guard->qd[i] = a->wanted->qd[i] + rest * (a->brake->qd[i] - a->wanted->qd[i]);
  }
}

/* Are all pairs safe that a limited joint moves? */
static bool is_safe(const sn__attempt *a, double share) {
  sn__guard *guard = a->guard;
  const sn__guard_motion motion = {guard->q, guard->qd};
  blend(a, share);
  for (size_t k = 0; k < guard->near_count; k++) {
    size_t limited = 0, free = 0;
    count_limited(guard, guard->near[k].pair, &limited, &free);
    if (guard->verdicts[k] != SN__GUARD_FAR && limited > 0 &&
        !sn__guard_is_safe(guard, guard->near[k].pair, &motion, &guard->distances[k])) {
      return false;
    }
  }
  return true;
}

/* The largest share that is safe; 0 if none was found. */
static double search(const sn__attempt *a) {
  double good = 0.0, bad = 1.0;
  for (size_t i = 0; i < HALVINGS; i++) {
    const double middle = 0.5 * (good + bad);
    if (is_safe(a, middle)) {
      good = middle;
    } else {
      bad = middle;
    }
  }
  return good;
}

/* All limited joints brake. Pairs that they share with other joints may be unsafe now: then these
   have to brake, too. @return whether there was such a pair */
static bool spreads(const sn__attempt *a) {
  sn__guard *guard = a->guard;
  const sn__guard_motion motion = {guard->q, guard->qd};
  bool has_spread = false;
  blend(a, 0.0);
  for (size_t k = 0; k < guard->near_count; k++) {
    size_t limited = 0, free = 0;
    count_limited(guard, guard->near[k].pair, &limited, &free);
    if (guard->verdicts[k] == SN__GUARD_SAFE && limited > 0 && free > 0 &&
        !sn__guard_is_safe(guard, guard->near[k].pair, &motion, &guard->distances[k])) {
      guard->verdicts[k] = SN__GUARD_UNSAFE;
      has_spread = true;
    }
  }
  return has_spread;
}

static void choose(const sn__attempt *a) {
  sn__guard *guard = a->guard;
  for (size_t round = 0; round < ROUNDS_MAX; round++) {
    limit_joints(guard);
    const double share = search(a);
    if (share > 0.0) {
      blend(a, share);
      return;
    }
    if (!spreads(a)) {
      return;
    }
  }
  for (size_t i = 0; i < guard->joint_count; i++) {
    guard->is_limited[i] = true;
  }
  blend(a, 0.0);
}

/* ---- the result ---- */

/* How near the pairs are at the pose that was chosen, and which unsafe one is nearest. */
static void measure(sn__guard *guard) {
  guard->block = (sn__guard_block){.distance = INFINITY};
  for (size_t k = 0; k < guard->near_count; k++) {
    const sn__near *near = &guard->near[k];
    if (guard->verdicts[k] == SN__GUARD_FAR) {
      continue;
    }
    guard->distances[k] = sn__collision_gap_at(guard->collision, near->pair, guard->q,
                                               near->distance + guard->margin);
    if (guard->verdicts[k] == SN__GUARD_UNSAFE && guard->distances[k] < guard->block.distance) {
      guard->block = (sn__guard_block){near->pair, near->link_a, near->link_b, guard->distances[k]};
    }
  }
}

const double *sn__guard_shares(sn__guard *guard, const sn__guard_motion *from,
                               const sn__guard_motion *brake, const sn__guard_motion *wanted) {
  const sn__attempt attempt = {guard, brake, wanted};
  guard->from = from->q;
  for (size_t i = 0; i < guard->joint_count; i++) {
    guard->is_limited[i] = false;
  }
  choose(&attempt);
  measure(guard);
  sn__guard_remember(guard);
  return guard->share;
}
