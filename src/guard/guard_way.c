/* A way that has not been made yet: how far it is free. */
#include <math.h>

#include "guard/guard_internal.h"

/* Distances of one pair in one call. */
enum { LOOKS_MAX = 16 };

static const double NEAR_SHARE = 0.25, ALONG_M = 1e-6;

/* Straight from one pose to another, as one pair sees it. */
typedef struct sn__guard_line {
  sn__guard *guard;
  const double *from, *to;
  size_t pair;
  sn__path path;
  double length; /* the two cannot move farther against each other, m */
} sn__guard_line;

static double length_of(const sn__guard_line *line) {
  double length = 0.0;
  for (size_t side = 0; side < 2; side++) {
    for (size_t i = 0; i < line->path.counts[side]; i++) {
      const sn__path_joint *joint = &line->path.joints[side][i];
      length += joint->lever * fabs(line->to[joint->coord] - line->from[joint->coord]);
    }
  }
  return length;
}

static double distance_at(const sn__guard_line *line, double share, double window) {
  double *q = line->guard->probe;
  for (size_t side = 0; side < 2; side++) {
    for (size_t i = 0; i < line->path.counts[side]; i++) {
      const int joint = line->path.joints[side][i].coord;
      q[joint] = line->from[joint] + share * (line->to[joint] - line->from[joint]);
    }
  }
  return sn__collision_gap_at(line->guard->collision, line->pair, q, window, -INFINITY);
}

/* Whether a pair may be as near as this on its way. Up to a quarter above the floor it may only get
   there by moving apart or along: then it is at most an eighth below the floor between two poses,
   and a caller that follows the same way by other poses finds nearly the same. */
static bool may_be(const sn__guard_pair *now, double distance, double before) {
  const bool is_near = distance < (1.0 + NEAR_SHARE) * now->floor;
  return distance >= now->floor && !(is_near && distance < before - ALONG_M);
}

/* From pose to pose, no farther than the distance to the floor and what may_be() leaves. Two links
   in contact already have no such bound: only the poses count.
   @param distance  out: where it ends, m */
static double follow_pair(const sn__guard_line *line, bool *is_free, double *distance) {
  const sn__guard_pair now = sn__guard_pair_now(line->guard, line->pair);
  double share = 0.0, before = -INFINITY;
  *is_free = true;
  if (line->length <= 0.0) {
    return 1.0;
  }
  for (size_t k = 0; k < LOOKS_MAX; k++) {
    const double rest = (1.0 - share) * line->length;
    *distance = distance_at(line, share, 2.0 * now.margin + rest);
    if (!may_be(&now, *distance, before)) {
      *is_free = false;
      return share;
    }
    if (share >= 1.0 || *distance - rest >= (1.0 + NEAR_SHARE) * fmax(0.0, now.floor)) {
      return 1.0;
    }
    const double step =
        now.floor > 0.0 ? *distance - (1.0 - NEAR_SHARE) * now.floor : line->guard->margin;
    before = *distance;
    share = fmin(1.0, share + step / line->length);
  }
  return share;
}

double sn__guard_follow(sn__guard *guard, const double *from, const double *to,
                        sn__guard_block *block, bool *is_free) {
  const sn__near *near = NULL;
  double least = 1.0;
  for (size_t i = 0; i < guard->joint_count; i++) {
    guard->still[i] = fabs(to[i] - from[i]);
  }
  const size_t count =
      sn__collision_check_reach(guard->collision, from, guard->still, 2.0 * guard->margin, &near);
  *is_free = true;
  for (size_t k = 0; k < count; k++) {
    sn__guard_line line = {.guard = guard,
                           .from = from,
                           .to = to,
                           .pair = near[k].pair,
                           .path = sn__collision_path(guard->collision, near[k].pair)};
    line.length = length_of(&line);
    bool is_pair_free = true;
    double distance = 0.0;
    const double share = follow_pair(&line, &is_pair_free, &distance);
    if (share < least || (share <= least && *is_free && !is_pair_free)) {
      least = share;
      *is_free = is_pair_free;
      if (!is_pair_free) {
        *block = (sn__guard_block){near[k].pair, near[k].link_a, near[k].link_b, distance};
      }
    }
  }
  return least;
}
