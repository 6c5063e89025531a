/* How much of a motion that is not safe may be kept. First only joints that bring two links nearer
   to each other are slowed down, so that the others slide along. If that does not suffice, all
   joints between the two are. */
#include <math.h>

#include "guard/guard_internal.h"

enum {
  HALVINGS = 5,
  SEARCHES_MAX = 4,
  LOOKS_MAX = 100 /* distances; beyond it the share that was found so far has to do */
};

/* Of an approach: a joint that contributes less is tried without slowing it down. Directions are
   not exact. */
static const double SMALL_SHARE = 0.02;

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

/* How fast each joint moves the links of a pair apart, at the wanted pose. A coordinate may move
   several bodies: joints that mimic it. */
static void find_slopes(const sn__attempt *a, size_t pair) {
  sn__guard *guard = a->guard;
  const sn__path path = sn__collision_path(guard->collision, pair);
  sn__near near;
  for (size_t i = 0; i < guard->joint_count; i++) {
    guard->slope[i] = 0.0;
  }
  /* The list of the cycle is not precise enough for a direction. */
  if (!sn__collision_of_pair(guard->collision, pair, a->wanted->q, &near)) {
    return;
  }
  for (size_t side = 0; side < 2; side++) {
    for (size_t i = 0; i < path.counts[side]; i++) {
      const sn__path_joint *joint = &path.joints[side][i];
      guard->slope[joint->coord] += sn__collision_slope(guard->collision, &near, side, joint);
    }
  }
}

/* How much faster the links of a pair approach if a joint does what is wanted instead of braking.
 */
static double approach_by(const sn__attempt *a, size_t joint) {
  return a->guard->slope[joint] * (a->brake->qd[joint] - a->wanted->qd[joint]);
}

/* Limit the joints of a pair that bring its links nearer, if that is more than a share of what all
   of them do. */
static void limit_approaching(const sn__attempt *a, size_t pair, double least) {
  sn__guard *guard = a->guard;
  double total = 0.0;
  find_slopes(a, pair);
  for (size_t i = 0; i < guard->joint_count; i++) {
    total += fmax(0.0, approach_by(a, i));
  }
  for (size_t i = 0; i < guard->joint_count; i++) {
    guard->is_limited[i] = guard->is_limited[i] || approach_by(a, i) > least * total;
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

/* Are all pairs safe that were not, or that a limited joint moves? */
static bool is_safe(const sn__attempt *a, double share) {
  sn__guard *guard = a->guard;
  const sn__guard_motion motion = {guard->q, guard->qd};
  blend(a, share);
  for (size_t k = 0; k < guard->near_count; k++) {
    size_t limited = 0, free = 0;
    count_limited(guard, guard->near[k].pair, &limited, &free);
    const bool is_asked = guard->verdicts[k] == SN__GUARD_UNSAFE ||
                          (guard->verdicts[k] == SN__GUARD_SAFE && limited > 0);
    if (is_asked && !sn__guard_is_safe(guard, guard->near[k].pair, &motion, &guard->distances[k])) {
      return false;
    }
  }
  return true;
}

/* The largest share that is safe; 0 if none was found. */
static double search(const sn__attempt *a) {
  double good = 0.0, bad = 1.0;
  for (size_t i = 0; i < HALVINGS && a->guard->looks < LOOKS_MAX; i++) {
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

static void limit_none(sn__guard *guard) {
  for (size_t i = 0; i < guard->joint_count; i++) {
    guard->is_limited[i] = false;
  }
}

/* Slow down only what approaches. @return false if that is not safe */
static bool slide(const sn__attempt *a, double least) {
  sn__guard *guard = a->guard;
  limit_none(guard);
  for (size_t k = 0; k < guard->near_count; k++) {
    if (guard->verdicts[k] == SN__GUARD_UNSAFE) {
      limit_approaching(a, guard->near[k].pair, least);
    }
  }
  if (!is_safe(a, 0.0)) {
    return false;
  }
  blend(a, search(a));
  return true;
}

/* Slow down all joints of pairs that are not safe. Every round limits at least one more joint, and
   the motion of the last cycle was safe: with all of them braking, this one is. */
static void slow_down(const sn__attempt *a) {
  sn__guard *guard = a->guard;
  limit_none(guard);
  for (size_t round = 0; round <= guard->joint_count; round++) {
    limit_joints(guard);
    const double share = round < SEARCHES_MAX ? search(a) : 0.0;
    if (share > 0.0) {
      blend(a, share);
      return;
    }
    if (!spreads(a)) {
      return;
    }
  }
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
                                               near->distance + guard->margin, -INFINITY);
    if (guard->verdicts[k] == SN__GUARD_UNSAFE && guard->distances[k] < guard->block.distance) {
      guard->block = (sn__guard_block){near->pair, near->link_a, near->link_b, guard->distances[k]};
    }
  }
}

const double *sn__guard_shares(sn__guard *guard, const sn__guard_motion *from,
                               const sn__guard_motion *brake, const sn__guard_motion *wanted) {
  const sn__attempt attempt = {guard, brake, wanted};
  guard->from = from->q;
  if (!slide(&attempt, SMALL_SHARE) && !slide(&attempt, 0.0)) {
    slow_down(&attempt);
  }
  measure(guard);
  sn__guard_remember(guard);
  return guard->share;
}
