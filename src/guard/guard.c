#include "guard/guard.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "guard/guard_internal.h"
#include "sinew/fault.h"

/* Of the mean radius of the links. */
static const double MARGIN_SHARE = 0.05, MARGIN_MIN_M = 0.001, MARGIN_MAX_M = 0.01;

/* Depths of contacts have a relative error of about 0.001. */
static const double DEPTH_TOLERANCE = 2e-3, TOLERANCE_M = 1e-8;

/* ---- creation ---- */

static sn__guard *allocate(sn_arena *arena, const sn_model *model, sn__collision *collision) {
  const size_t n = sn_model_pose_size(model);
  const size_t pairs = sn__collision_pair_capacity(collision);
  sn__guard *guard = SN_NEW(arena, sn__guard, 1);
  double *numbers = SN_NEW(arena, double, 6 * n);
  sn__guard_limits *limits = SN_NEW(arena, sn__guard_limits, n);
  bool *is_limited = SN_NEW(arena, bool, n);
  sn__guard_pair *list = SN_NEW(arena, sn__guard_pair, pairs);
  sn__guard_verdict *verdicts = SN_NEW(arena, sn__guard_verdict, pairs);
  double *distances = SN_NEW(arena, double, pairs);
  if (guard == NULL || numbers == NULL || limits == NULL || is_limited == NULL || list == NULL ||
      verdicts == NULL || distances == NULL) {
    return NULL;
  }
  *guard = (sn__guard){.collision = collision,
                       .joint_count = n,
                       .pair_capacity = pairs,
                       .limits = limits,
                       .still = numbers,
                       .q = numbers + n,
                       .qd = numbers + 2 * n,
                       .probe = numbers + 3 * n,
                       .share = numbers + 4 * n,
                       .slope = numbers + 5 * n,
                       .is_limited = is_limited,
                       .pairs = list,
                       .verdicts = verdicts,
                       .distances = distances,
                       .cycle = 1};
  return guard;
}

/* Links that are near each other in the zero pose keep half of that distance, if it is less. */
static void set_margins(sn__guard *guard, const sn_model *model) {
  for (size_t i = 0; i < guard->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    guard->probe[i] = fmax(joint->lower, fmin(joint->upper, 0.0));
  }
  for (size_t i = 0; i < guard->pair_capacity; i++) {
    double distance = INFINITY;
    if (i < sn__collision_robot_pair_count(guard->collision)) {
      distance =
          sn__collision_gap_at(guard->collision, i, guard->probe, 2.0 * guard->margin, -INFINITY);
    }
    guard->pairs[i].margin = fmin(guard->margin, distance > 0.0 ? 0.5 * distance : INFINITY);
  }
}

sn_status sn__guard_create(sn_arena *arena, const sn_model *model, sn__collision *collision,
                           const sn__guard_config *config, sn__guard **out, sn_error *err) {
  SN_ASSERT(collision != NULL);
  if (!(config->margin_m >= 0.0) || !isfinite(config->margin_m)) {
    return sn__fail(err, SN_EINVAL, "collision margin: %g m, must be at least 0", config->margin_m);
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn__guard *guard = allocate(arena, model, collision);
  if (guard == NULL) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "guard: no room in arena '%s'", sn_arena_name(arena));
  }
  const double size = MARGIN_SHARE * sn__collision_part_size(collision);
  guard->margin =
      config->margin_m > 0.0 ? config->margin_m : fmax(MARGIN_MIN_M, fmin(MARGIN_MAX_M, size));
  guard->lag_s = 0.5 * config->period_max_s;
  memcpy(guard->limits, config->limits, guard->joint_count * sizeof *guard->limits);
  set_margins(guard, model);
  *out = guard;
  return SN_OK;
}

double sn__guard_margin(const sn__guard *guard) {
  return guard->margin;
}

sn__guard_block sn__guard_blocked_by(const sn__guard *guard) {
  return guard->block;
}

/* ---- what is remembered of a pair ---- */

/* A pair inside of its margin may not come nearer than it was at best; if it was placed nearer, by
   hand for example, than it is now. */
static double floor_of(const sn__guard_pair *before, double distance) {
  if (distance >= before->margin) {
    return before->margin;
  }
  const double least = distance - TOLERANCE_M - DEPTH_TOLERANCE * fmax(0.0, -distance);
  return distance < before->floor ? least : fmax(before->floor, least);
}

static void remember_pair(sn__guard *guard, size_t pair, const sn__guard_pair *before,
                          double distance) {
  guard->pairs[pair] = (sn__guard_pair){.margin = before->margin,
                                        .cycle = guard->cycle,
                                        .distance = distance,
                                        .floor = floor_of(before, distance)};
}

void sn__guard_remember(sn__guard *guard) {
  const uint64_t last = guard->cycle++;
  for (size_t k = 0; k < guard->near_count; k++) {
    if (guard->verdicts[k] != SN__GUARD_FAR) {
      const size_t pair = guard->near[k].pair;
      sn__guard_pair before = guard->pairs[pair];
      before.floor = before.cycle == last ? before.floor : before.margin;
      remember_pair(guard, pair, &before, guard->distances[k]);
    }
  }
}

void sn__guard_start(sn__guard *guard, const double *q) {
  const sn__near *near = NULL;
  const size_t count = sn__collision_check(guard->collision, q, guard->margin, &near);
  guard->cycle++;
  for (size_t k = 0; k < count; k++) {
    sn__guard_pair before = guard->pairs[near[k].pair];
    before.floor = before.margin;
    remember_pair(
        guard, near[k].pair, &before,
        sn__collision_gap_at(guard->collision, near[k].pair, q, guard->margin, -INFINITY));
  }
  guard->is_settled = false;
}

void sn__guard_world_moved(sn__guard *guard, const double *q) {
  const sn__near *near = NULL;
  const size_t count = sn__collision_check(guard->collision, q, guard->margin, &near);
  for (size_t k = 0; k < count; k++) {
    if (near[k].link_b < 0) {
      sn__guard_pair *pair = &guard->pairs[near[k].pair];
      pair->cycle = guard->cycle;
      pair->distance =
          sn__collision_gap_at(guard->collision, near[k].pair, q, guard->margin, -INFINITY);
      pair->floor = fmin(pair->margin, pair->distance - TOLERANCE_M);
    }
  }
  guard->is_settled = false;
}

/* ---- is a motion safe? ---- */

/* How far each joint may be from the wanted pose between the last cycle and its stop, whatever
   share it gets. @return false if the robot rests */
static bool find_still(sn__guard *guard, const sn__guard_motion *from,
                       const sn__guard_motion *wanted, double dt_s) {
  bool moves = false;
  for (size_t i = 0; i < guard->joint_count; i++) {
    const sn__guard_limits *l = &guard->limits[i];
    const double speed = fmax(fabs(from->qd[i]), fabs(wanted->qd[i]));
    const double step = fabs(wanted->q[i] - from->q[i]);
    moves = moves || speed > 0.0 || step > 0.0;
    guard->still[i] = step + speed * guard->lag_s;
    if (l->brake > 0.0) {
      guard->still[i] += speed * speed / (2.0 * l->brake) + (l->accel + l->brake) * dt_s * dt_s;
    }
  }
  return moves;
}

/* How far the joints may still move the two links of a pair against each other. */
static double still_between(const sn__guard *guard, size_t pair) {
  const sn__path path = sn__collision_path(guard->collision, pair);
  double way = 0.0;
  for (size_t side = 0; side < 2; side++) {
    for (size_t i = 0; i < path.counts[side]; i++) {
      way += path.joints[side][i].lever * guard->still[path.joints[side][i].coord];
    }
  }
  return way;
}

static sn__guard_verdict judge(sn__guard *guard, size_t k, const sn__guard_motion *wanted) {
  const sn__near *near = &guard->near[k];
  const sn__guard_pair now = sn__guard_pair_now(guard, near->pair);
  if (now.floor >= now.margin && near->distance - still_between(guard, near->pair) >= now.margin) {
    return SN__GUARD_FAR;
  }
  return sn__guard_is_safe(guard, near->pair, wanted, &guard->distances[k]) ? SN__GUARD_SAFE
                                                                            : SN__GUARD_UNSAFE;
}

/* Judge all pairs. Both lists of the guard are of this motion afterwards. */
static bool judge_all(sn__guard *guard, const sn__guard_motion *from,
                      const sn__guard_motion *wanted) {
  bool is_safe = true;
  guard->looks = 0;
  guard->from = from->q;
  guard->near_count = sn__collision_check_reach(guard->collision, wanted->q, guard->still,
                                                guard->margin, &guard->near);
  for (size_t k = 0; k < guard->near_count; k++) {
    guard->verdicts[k] = judge(guard, k, wanted);
    is_safe = is_safe && guard->verdicts[k] != SN__GUARD_UNSAFE;
  }
  return is_safe;
}

bool sn__guard_allows(sn__guard *guard, const sn__guard_motion *from,
                      const sn__guard_motion *wanted, double dt_s) {
  (void)find_still(guard, from, wanted, dt_s);
  return judge_all(guard, from, wanted);
}

bool sn__guard_admits(sn__guard *guard, const sn__guard_motion *from,
                      const sn__guard_motion *wanted, double dt_s) {
  if (!find_still(guard, from, wanted, dt_s) && guard->is_settled) {
    return true;
  }
  guard->is_settled = judge_all(guard, from, wanted);
  if (guard->is_settled) {
    sn__guard_remember(guard);
  }
  return guard->is_settled;
}
