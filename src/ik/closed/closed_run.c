#include "ik/closed/closed_run.h"

#include <string.h>

#include "ik/closed/geometry/turn.h"
#include "ik/closed/polish.h"
#include "ik/offer_known.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include "sinew/fault.h"

#define PI 3.14159265358979323846
#define TWO_PI 6.28318530717958647693

/* A branch whose miss is below this is as good as the arithmetic; others are polished. */
#define MISS_EXACT 1e-10
/* A proper solution. A branch with a larger miss may still be inside the tolerance of the query,
 * such as for a target just out of reach; it is offered only if there is nothing better. */
#define MISS_PROPER 1e-9
#define MISS_GOAL 1e-13
/* A branch that polishing moves farther than this may have converged to another branch. */
#define FAR_RAD 0.06
/* Branches closer than this in every joint are the same. */
#define SAME_RAD 1e-6

const sn__effort sn__effort_any = {.slack = 1e9, .limit_slack = TWO_PI, .iterations_max = 50};

typedef struct candidate {
  double q[SN__ARM_JOINTS_MAX + 1]; /* one more: angles come in pairs */
  bool is_clamped;
} candidate;

/* Branches in the order of their distance from what is preferred. */
typedef struct ranking {
  int count;
  int branch[SN__BRANCHES_MAX];
} ranking;

static const sn__window *update_windows(int n, const double *lower, const double *upper,
                                        double slack, sn__windows *windows) {
  const size_t size = (size_t)n * sizeof(double);
  if (windows->is_valid && memcmp(windows->lower, lower, size) == 0 &&
      memcmp(windows->upper, upper, size) == 0) {
    return windows->joint;
  }
  windows->is_valid = true;
  memcpy(windows->lower, lower, size);
  memcpy(windows->upper, upper, size);
  for (int i = 0; i < n; i++) {
    const double half = 0.5 * (upper[i] - lower[i]) + slack;
    const sn__turn middle = half < PI ? sn__turn_of(0.5 * (lower[i] + upper[i]))
                                      : (sn__turn){0.0, 0.0}; /* all the way round */
    windows->joint[i] = (sn__window){middle.c, middle.s, half < PI ? cos(half) - 1e-13 : -1.0};
  }
  return windows->joint;
}

void sn__closed_run_focus(sn__closed_run *run, double reach, double slack, sn__windows *windows) {
  double lower[SN__ARM_JOINTS_MAX], upper[SN__ARM_JOINTS_MAX];
  for (int i = 0; i < run->frames->count; i++) {
    lower[i] = fmax(run->lower[i], run->prefer[i] - reach);
    upper[i] = fmin(run->upper[i], run->prefer[i] + reach);
  }
  run->reach = reach;
  run->window_slack = slack;
  windows->is_valid = false;
  run->window = update_windows(run->frames->count, lower, upper, slack, windows);
}

void sn__closed_run_init(sn__closed_run *run, const sn_ik_query *query, const sn__frames *frames,
                         const int *joints, int joint_count, size_t group_count, double *q,
                         sn__windows *windows) {
  SN_ASSERT(frames->count <= SN__ARM_JOINTS_MAX);
  run->query = query;
  run->frames = frames;
  run->joints = joints;
  run->joint_count = joint_count;
  run->q = q;
  run->group_count = group_count;
  run->target = query->targets[0];
  run->goal = sn__frames_goal(frames, &run->target);
  run->offered_count = 0;
  run->is_cumulative = false;
  run->is_doubtful = false;
  run->kept_count = 0;
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
  run->reach = INFINITY;
  run->window_slack = SN__LIMIT_SLACK;
  run->window = update_windows(frames->count, run->lower, run->upper, run->window_slack, windows);
}

void sn__closed_run_preferred(const sn__closed_run *run, sn__turn *turn) {
  double sine[SN__ARM_JOINTS_MAX], cosine[SN__ARM_JOINTS_MAX];
  sn__sincos((size_t)run->frames->count, run->prefer, sine, cosine);
  for (int i = 0; i < run->frames->count; i++) {
    turn[i] = (sn__turn){cosine[i], sine[i]};
  }
}

bool sn__fit_angle(double angle_rad, double lower, double upper, double prefer, double slack,
                   double *q) {
  double value = angle_rad + TWO_PI * round((prefer - angle_rad) / TWO_PI);
  if (value > upper + slack) {
    value -= TWO_PI * ceil((value - upper - slack) / TWO_PI);
  } else if (value < lower - slack) {
    value += TWO_PI * ceil((lower - slack - value) / TWO_PI);
  }
  *q = value;
  return value <= upper + slack && value >= lower - slack;
}

/* One angle inside the limits, by whole turns or by a nudge. */
static bool fit_joint(const sn__closed_run *run, int i, candidate *c) {
  double value = 0.0;
  if (!sn__fit_angle(c->q[i], run->lower[i], run->upper[i], run->prefer[i], run->effort.limit_slack,
                     &value)) {
    return false;
  }
  c->q[i] = fmin(run->upper[i], fmax(run->lower[i], value));
  c->is_clamped |= c->q[i] != value;
  return true;
}

/* Angles with the whole turns that bring them nearest to what is preferred. No branch: where a
 * joint may turn far, it would be taken every other time. */
static sn__pair nearest_turns(sn__pair angles, sn__pair prefer) {
  const double shifter = 0x1.8p52; /* adding it rounds to a whole number */
  const sn__pair turns = ((prefer - angles) * (1.0 / TWO_PI) + shifter) - shifter;
  return angles + TWO_PI * turns;
}

/* Angles of a branch inside the limits. */
static bool fit_branch(const sn__closed_run *run, const sn__turn *turn, candidate *out,
                       double *distance) {
  const int n = run->frames->count;
  double sum = 0.0;
  out->is_clamped = false;
  for (int i = 0; i < n; i += 2) {
    const int next = i + 1 < n ? i + 1 : i;
    const sn__pair prefer = {run->prefer[i], run->prefer[next]};
    const sn__pair angles = nearest_turns(sn__turn_angles(turn[i], turn[next]), prefer);
    out->q[i] = angles[0];
    out->q[next] = angles[next - i];
    for (int j = i; j <= next; j++) {
      const bool fits = out->q[j] >= run->lower[j] && out->q[j] <= run->upper[j];
      if (!fits && !fit_joint(run, j, out)) {
        return false;
      }
      const double away = out->q[j] - run->prefer[j];
      sum += j < run->joint_count ? away * away : 0.0;
    }
  }
  *distance = sum;
  return true;
}

static bool is_within(sn__miss miss, double position_m, double rotation_rad) {
  return miss.position_m <= position_m && miss.rotation_rad <= rotation_rad;
}

/* Keep the best rejected branch, for a caller that accepts an approximate answer. */
static void note_approximate(sn__closed_run *run, const double *q, double error) {
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

/* A branch that misses is polished, and then forward kinematics decides again. @p out: its miss */
static bool repair(sn__closed_run *run, candidate *c, sn__miss *out) {
  double start[SN__ARM_JOINTS_MAX];
  memcpy(start, c->q, sizeof start);
  const sn__miss miss = sn__frames_polish(run->frames, run->target, run->lower, run->upper,
                                          MISS_GOAL, run->effort.iterations_max, c->q);
  *out = miss;
  double longest = 0.0;
  for (int i = 0; i < run->frames->count; i++) {
    longest = fmax(longest, fabs(c->q[i] - start[i]));
  }
  const bool is_proper = is_within(miss, MISS_PROPER, MISS_PROPER);
  run->is_doubtful |= (!is_proper && !c->is_clamped) || longest > FAR_RAD;
  if (is_proper) {
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

static void settle_branch(const sn__closed_run *run, sn__turn *turn) {
  static const double lower[] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY,
                                 -INFINITY, -INFINITY, -INFINITY};
  static const double upper[] = {INFINITY, INFINITY, INFINITY, INFINITY,
                                 INFINITY, INFINITY, INFINITY};
  double q[SN__ARM_JOINTS_MAX];
  for (int i = 0; i < run->frames->count; i++) {
    q[i] = atan2(turn[i].s, turn[i].c);
  }
  sn__frames_polish(run->frames, run->target, lower, upper, MISS_GOAL, run->effort.iterations_max,
                    q);
  for (int i = 0; i < run->frames->count; i++) {
    turn[i] = sn__turn_of(q[i]);
  }
}

void sn__closed_run_settle(const sn__closed_run *run, sn__branches *branches) {
  for (int i = 0; i < branches->count; i += 2) {
    const int next = i + 1 < branches->count ? i + 1 : i;
    sn__miss miss[2];
    sn__frames_misses(run->frames, branches->turn[i], branches->turn[next], &run->goal, miss);
    for (int k = i; k <= next; k++) {
      if (!is_within(miss[k - i], MISS_EXACT, MISS_EXACT)) {
        settle_branch(run, branches->turn[k]);
      }
    }
  }
}

/* Modulo a turn, and without a branch: which of the joints differ is not to be predicted. */
static bool is_same(int count, const double *a, const double *b) {
  bool same = true;
  for (int i = 0; i < count; i++) {
    const double away = fabs(a[i] - b[i]);
    same &= (away <= SAME_RAD) | (fabs(away - TWO_PI) <= SAME_RAD);
  }
  return same;
}

static bool is_new(const sn__closed_run *run, const double *q) {
  for (int i = 0; i < run->kept_count; i++) {
    if (is_same(run->joint_count, q, run->kept[i])) {
      return false;
    }
  }
  return true;
}

static void put_joints(sn__closed_run *run, const double *q) {
  for (int i = 0; i < run->joint_count; i++) {
    run->q[run->joints[i]] = q[i];
  }
}

static void offer(sn__closed_run *run, const double *q, sn__miss miss) {
  put_joints(run, q);
  if (run->kept_count < SN__BRANCHES_MAX) {
    memcpy(run->kept[run->kept_count++], q, sizeof run->kept[0]);
  }
  run->offered_count++;
  run->is_stopped = !sn__ik_offer_known(run->query, run->q, miss.position_m, miss.rotation_rad);
}

/* Each goes to the place that the number of nearer ones says: for the few that there are,
 * comparisons without branches are faster than a sort. */
static void rank(const sn__closed_run *run, const sn__branches *branches, candidate *list,
                 ranking *out) {
  double distance[SN__BRANCHES_MAX];
  int branch[SN__BRANCHES_MAX], place[SN__BRANCHES_MAX];
  int count = 0;
  for (int i = 0; i < branches->count; i++) {
    if (!fit_branch(run, branches->turn[i], &list[i], &distance[count]) ||
        distance[count] > run->reach * run->reach) {
      continue;
    }
    int nearer = 0;
    for (int k = 0; k < count; k++) {
      const int is_nearer = distance[k] <= distance[count];
      nearer += is_nearer;
      place[k] += 1 - is_nearer;
    }
    place[count] = nearer;
    branch[count++] = i;
  }
  out->count = count;
  for (int k = 0; k < count; k++) {
    out->branch[place[k]] = branch[k];
  }
}

static void take_one(sn__closed_run *run, candidate *c, sn__miss miss) {
  const bool is_exact = !c->is_clamped && is_within(miss, MISS_EXACT, MISS_EXACT);
  if (!is_exact && (sn__closed_run_is_over(run) || !repair(run, c, &miss))) {
    return;
  }
  if (is_new(run, c->q)) {
    offer(run, c->q, miss);
  } else {
    run->is_doubtful = true;
  }
}

void sn__closed_run_take(sn__closed_run *run, const sn__branches *branches) {
  candidate list[SN__BRANCHES_MAX];
  ranking order;
  rank(run, branches, list, &order);
  run->kept_count = run->is_cumulative ? run->kept_count : 0;
  for (int i = 0; i < order.count && !run->is_stopped; i += 2) {
    const int first = order.branch[i];
    const int second = i + 1 < order.count ? order.branch[i + 1] : first;
    sn__miss miss[2];
    sn__frames_misses(run->frames, branches->turn[first], branches->turn[second], &run->goal, miss);
    take_one(run, &list[first], miss[0]);
    if (second != first && !run->is_stopped) {
      take_one(run, &list[second], miss[1]);
    }
  }
}

sn_pose sn__closed_run_shaken_target(const sn__closed_run *run, double size, double length_m) {
  double part[6];
  for (int i = 0; i < 6; i++) {
    part[i] = sn_random_between(run->query->random, -size, size);
  }
  const sn_vec3 shift = {part[0], part[1], part[2]};
  const sn_vec3 twist = {part[3], part[4], part[5]};
  return (sn_pose){.rot = sn_mat3_mul(sn__mat3_exp(twist), run->target.rot),
                   .pos = sn_vec3_add_scaled(run->target.pos, length_m, shift)};
}

void sn__closed_run_finish(sn__closed_run *run) {
  if (run->offered_count == 0 && run->weak_error < INFINITY) {
    put_joints(run, run->weak);
    run->offered_count++;
    run->is_stopped = !run->query->offer(run->query->context, run->q);
  }
}

bool sn__closed_run_is_over(sn__closed_run *run) {
  if (!run->is_stopped && !run->is_late) {
    run->is_late = sn_clock_now_ns(run->query->clock) >= run->query->deadline_ns;
  }
  return run->is_stopped || run->is_late;
}
