#include "ik/candidates.h"

#include <string.h>

#include "sinew/fault.h"

#define PI 3.14159265358979323846
#define TWO_PI 6.28318530717958647693

/* A branch whose miss is below this is as good as the arithmetic; others are polished. */
#define MISS_EXACT 1e-10
/* A solution proper. What misses by more may still be inside the tolerance of the query, such as a
   target just beyond the reach; it is offered only where there is nothing better. */
#define MISS_PROPER 1e-9
#define MISS_GOAL 1e-13
/* Branches closer than this in every joint are one and the same. */
#define SAME_RAD 1e-6

typedef struct candidate {
  double q[SN__ARM_JOINTS_MAX];
  double distance; /* squared, from what is preferred */
  int branch;
  bool is_clamped;
} candidate;

void sn__run_init(sn__run *run, const sn_ik_query *query, const sn__frames *frames,
                  const int *joints, int joint_count, size_t group_count, double *q) {
  SN_ASSERT(frames->count <= SN__ARM_JOINTS_MAX);
  run->query = query;
  run->frames = frames;
  run->joints = joints;
  run->joint_count = joint_count;
  run->q = q;
  run->group_count = group_count;
  run->target = query->targets[0];
  run->offered_count = 0;
  run->is_stopped = false;
  run->is_late = false;
  run->best_error = INFINITY;
  run->weak_error = INFINITY;
  memcpy(q, query->seed, group_count * sizeof *q);
  const double *prefer = query->nominal != NULL ? query->nominal : query->seed;
  for (int i = 0; i < frames->count; i++) {
    if (i >= joint_count) {
      run->lower[i] = -INFINITY;
      run->upper[i] = INFINITY;
      run->prefer[i] = 0.0;
      continue;
    }
    const int j = joints[i];
    const bool is_locked = query->locked != NULL && query->locked[j];
    run->lower[i] = is_locked ? query->seed[j] : query->lower[j];
    run->upper[i] = is_locked ? query->seed[j] : query->upper[j];
    run->prefer[i] = is_locked ? query->seed[j] : prefer[j];
  }
}

bool sn__fit_angle(double angle_rad, double lower, double upper, double prefer, double slack,
                   double *q) {
  double value = angle_rad;
  const double away = prefer - value;
  if (fabs(away) > PI) {
    value += TWO_PI * round(away / TWO_PI);
  }
  if (value > upper + slack) {
    value -= TWO_PI * ceil((value - upper - slack) / TWO_PI);
  } else if (value < lower - slack) {
    value += TWO_PI * ceil((lower - slack - value) / TWO_PI);
  }
  if (value > upper + slack || value < lower - slack) {
    return false;
  }
  *q = fmin(upper, fmax(lower, value));
  return true;
}

/* Angles of a branch inside the limits. */
static bool fit_branch(const sn__run *run, const sn__turn *turn, candidate *out) {
  out->distance = 0.0;
  out->is_clamped = false;
  for (int i = 0; i < run->frames->count; i++) {
    const double angle_rad = atan2(turn[i].s, turn[i].c);
    const double slack = run->effort.limit_slack;
    if (!sn__fit_angle(angle_rad, run->lower[i], run->upper[i], run->prefer[i], slack,
                       &out->q[i])) {
      return false;
    }
    const double turns = (out->q[i] - angle_rad) * (1.0 / TWO_PI);
    if (fabs(turns - rint(turns)) > 1e-13) {
      out->is_clamped = true;
    }
    const double away = out->q[i] - run->prefer[i];
    out->distance += i < run->joint_count ? away * away : 0.0;
  }
  return true;
}

static bool is_within(sn__miss miss, double position_m, double rotation_rad) {
  return miss.position_m <= position_m && miss.rotation_rad <= rotation_rad;
}

/* Keep the best of what did not do, for a caller who takes an approximate answer. */
static void note_approximate(sn__run *run, const double *q, double error) {
  if (run->query->approximate == NULL || run->offered_count > 0 || error >= run->best_error) {
    return;
  }
  run->best_error = error;
  memcpy(run->query->approximate, run->q, run->group_count * sizeof *run->q);
  for (int i = 0; i < run->joint_count; i++) {
    run->query->approximate[run->joints[i]] = q[i];
  }
  if (run->query->approximate_error != NULL) {
    *run->query->approximate_error = error;
  }
}

/* Forward kinematics decides; a branch that misses is polished first. */
static bool confirm(sn__run *run, const sn__turn *turn, candidate *c) {
  sn__miss miss = {INFINITY, INFINITY};
  if (!c->is_clamped) {
    miss = sn__frames_miss(run->frames, sn__frames_tip(run->frames, turn), run->target);
    if (is_within(miss, MISS_EXACT, MISS_EXACT)) {
      return true;
    }
  }
  miss = sn__frames_polish(run->frames, run->target, run->lower, run->upper, MISS_GOAL,
                           run->effort.iterations_max, c->q);
  if (is_within(miss, MISS_PROPER, MISS_PROPER)) {
    return true;
  }
  const double error = sn__miss_norm(miss);
  if (is_within(miss, run->query->position_tolerance_m, run->query->rotation_tolerance_rad) &&
      error < run->weak_error) {
    run->weak_error = error;
    memcpy(run->weak, c->q, sizeof run->weak);
  }
  note_approximate(run, c->q, error);
  return false;
}

static bool is_same(const sn__run *run, const candidate *a, const candidate *b) {
  for (int i = 0; i < run->joint_count; i++) {
    const double turns = (a->q[i] - b->q[i]) * (1.0 / TWO_PI);
    if (fabs(turns - rint(turns)) * TWO_PI > SAME_RAD) {
      return false;
    }
  }
  return true;
}

static void offer(sn__run *run, const double *q) {
  for (int i = 0; i < run->joint_count; i++) {
    run->q[run->joints[i]] = q[i];
  }
  run->offered_count++;
  run->is_stopped = !run->query->offer(run->query->context, run->q);
}

static int collect(const sn__run *run, const sn__branches *branches, candidate *list) {
  int count = 0;
  for (int i = 0; i < branches->count; i++) {
    candidate c;
    if (!fit_branch(run, branches->turn[i], &c)) {
      continue;
    }
    c.branch = i;
    int at = count++;
    for (; at > 0 && list[at - 1].distance > c.distance; at--) {
      list[at] = list[at - 1];
    }
    list[at] = c;
  }
  return count;
}

void sn__run_take(sn__run *run, const sn__branches *branches) {
  candidate list[SN__BRANCHES_MAX];
  const int count = collect(run, branches, list);
  int kept = 0;
  for (int i = 0; i < count && !run->is_stopped; i++) {
    candidate *c = &list[i];
    if (!confirm(run, branches->turn[c->branch], c)) {
      continue;
    }
    bool is_new = true;
    for (int j = 0; j < kept && is_new; j++) {
      is_new = !is_same(run, c, &list[j]);
    }
    if (is_new) {
      list[kept] = *c;
      offer(run, list[kept++].q);
    }
  }
}

void sn__run_finish(sn__run *run) {
  if (run->offered_count == 0 && run->weak_error < INFINITY) {
    offer(run, run->weak);
  }
}

bool sn__run_is_over(sn__run *run) {
  if (!run->is_stopped && !run->is_late) {
    run->is_late = sn_clock_now_ns(run->query->clock) >= run->query->deadline_ns;
  }
  return run->is_stopped || run->is_late;
}
