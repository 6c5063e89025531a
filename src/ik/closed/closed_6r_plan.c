#include "ik/closed/closed_6r_plan.h"

#include <stdio.h>

#define PI 3.14159265358979323846

static const sn__effort effort_exact = {
    .slack = 1e-4, .limit_slack = SN__LIMIT_SLACK, .iterations_max = 8};
static const sn__effort effort_near = {.slack = 0.012, .limit_slack = 0.05, .iterations_max = 12};
static const sn__effort effort_shaken = {.slack = 0.1, .limit_slack = 0.5, .iterations_max = 25};
#define SHAKE_MIN 1e-3
#define SHAKES_ALL 10
#define SHAKES_ONE 150
static const sn__effort effort_search = {
    .slack = 0.0, .limit_slack = SN__LIMIT_SLACK, .iterations_max = 20};
/* Where two singularities coincide, a rounding of 1e-16 in one is 1e-8 in the other and may spoil a
 * branch. */
static const sn__effort effort_border = {.slack = 0.01, .limit_slack = 1e-3, .iterations_max = 30};
/* Last resort where a pose is singular or at the border of the workspace. */
static const sn__effort effort_hard = {.slack = 0.2, .limit_slack = 0.3, .iterations_max = 50};

bool sn__closed_6r_plan_init(sn__closed_6r_plan *plan, const sn__arm *arm,
                             const sn__frames *frames) {
  const sn__tolerance tolerances[] = {SN__TOLERANCE_EXACT, SN__TOLERANCE_NEAR};
  plan->frames = *frames;
  plan->is_search = false;
  for (int i = 0; i < 2; i++) {
    plan->is_near = i > 0;
    plan->closed_6r.form = sn__closed_6r_recognise(arm, tolerances[i]);
    if (plan->closed_6r.form.kind != SN__6R_NONE) {
      sn__closed_6r_init(&plan->closed_6r, arm, plan->closed_6r.form);
      return true;
    }
  }
  static const struct {
    sn__search_way way;
    int tolerance;
  } ways[] = {{SN__SEARCH_CURVE, 0},
              {SN__SEARCH_GENERAL, 0},
              {SN__SEARCH_CURVE, 1},
              {SN__SEARCH_STEPS, 0},
              {SN__SEARCH_STEPS, 1}};
  plan->is_near = true;
  for (size_t i = 0; i < sizeof ways / sizeof *ways && !plan->is_search; i++) {
    plan->is_search =
        sn__closed_6r_search_init(&plan->search, arm, tolerances[ways[i].tolerance], ways[i].way);
    plan->search.is_near = ways[i].tolerance > 0;
  }
  return plan->is_search;
}

int sn__closed_6r_plan_describe(const sn__closed_6r_plan *plan, char *text, size_t size) {
  if (plan->is_search) {
    return sn__closed_6r_search_describe(&plan->search, text, size);
  }
  const int n = snprintf(text, size, "%s", plan->is_near ? "nearly " : "");
  return n + sn__closed_6r_describe(plan->closed_6r.form, text + n, size - (size_t)n);
}

/* Values of a joint that does not matter, outward from what is preferred: number k of the sequence
   0, +1, -1, +2, ... steps. @return false beyond the range, on both sides @p is_end. */
static bool outward(const sn__closed_run *run, int joint, double step, int k, double *value,
                    bool *is_end) {
  const double lower = fmax(run->lower[joint], run->prefer[joint] - PI);
  const double upper = fmin(run->upper[joint], run->prefer[joint] + PI);
  const int step_count = (k + 1) / 2;
  const double offset = step * step_count;
  *value = run->prefer[joint] + (k % 2 == 1 ? offset : -offset);
  *is_end = run->prefer[joint] + offset > upper && run->prefer[joint] - offset < lower;
  return *value >= lower && *value <= upper;
}

/* Try other values for up to two joints that do not matter. */
static void sweep(const sn__closed_6r_plan *plan, double step, unsigned any, sn__closed_run *run) {
  int joint[2] = {-1, -1};
  int count = 0;
  for (int i = 0; i < 6 && count < 2; i++) {
    if ((any >> i & 1u) != 0 && run->upper[i] > run->lower[i]) {
      joint[count++] = i;
    }
  }
  if (count == 0) {
    return;
  }
  const double coarse = count == 2 ? fmax(step, 0.2) : step;
  sn__turn turn[6];
  sn__closed_run_preferred(run, turn);
  bool is_end_first = false;
  for (int i = 0; !is_end_first; i++) {
    double value = 0.0;
    if (!outward(run, joint[0], coarse, i, &value, &is_end_first)) {
      continue;
    }
    turn[joint[0]] = sn__turn_of(value);
    bool is_end_second = false;
    for (int k = 0; !is_end_second; k++) {
      if (count == 2) {
        if (!outward(run, joint[1], coarse, k, &value, &is_end_second)) {
          continue;
        }
        turn[joint[1]] = sn__turn_of(value);
      } else {
        is_end_second = true;
      }
      sn__branches branches;
      sn__branches_start(&branches, sn__closed_run_window(run));
      sn__closed_6r_solve(&plan->closed_6r, run->target, run->effort.slack, turn, &branches);
      sn__closed_run_take(run, &branches);
      if (sn__closed_run_is_over(run) || (run->query->all && run->offered_count > 0)) {
        return;
      }
    }
  }
}

/* Near a singular pose the branches of the arm and of its ideal form may lie far apart. There, a
 * tiny change of the target moves them far, so starts from slightly shifted targets cover the
 * neighbourhood. */
static void shake(const sn__closed_6r_plan *plan, int rounds, sn__closed_run *run) {
  sn__turn turn[6];
  sn__closed_run_preferred(run, turn);
  run->effort = effort_shaken;
  run->effort.limit_slack = run->query->all ? 0.1 : 0.5;
  run->is_cumulative = true;
  for (int i = 0; i < rounds && !sn__closed_run_is_over(run); i++) {
    const double size = SHAKE_MIN * (double)(1 << i % 7);
    const sn_pose target = sn__closed_run_shaken_target(run, size, plan->closed_6r.length);
    sn__branches branches;
    sn__branches_start(&branches, sn__closed_run_window(run));
    sn__closed_6r_solve(&plan->closed_6r, target, run->effort.slack, turn, &branches);
    sn__closed_run_take(run, &branches);
    if (run->offered_count > 0 && !run->query->all) {
      return;
    }
  }
}

static void try_once(const sn__closed_6r_plan *plan, sn__effort effort, const sn__turn turn[6],
                     sn__closed_run *run) {
  run->effort = effort;
  sn__branches branches;
  sn__branches_start(&branches, sn__closed_run_window(run));
  sn__closed_6r_solve(&plan->closed_6r, run->target, effort.slack, turn, &branches);
  sn__closed_run_take(run, &branches);
}

static bool is_wanting(sn__closed_run *run) {
  return run->offered_count == 0 && !sn__closed_run_is_over(run);
}

/* Nothing was found so far. */
static void insist(const sn__closed_6r_plan *plan, double step, unsigned any, sn__closed_run *run) {
  const bool is_hard = any != 0 || plan->is_near;
  sn__turn turn[6];
  sn__closed_run_preferred(run, turn);
  try_once(plan, is_hard ? effort_hard : effort_border, turn, run);
  if (any != 0 && is_wanting(run)) {
    sweep(plan, step, any, run);
  }
  if (is_hard && is_wanting(run)) {
    shake(plan, SHAKES_ONE, run);
  }
  if (run->query->approximate != NULL && is_wanting(run)) {
    try_once(plan, sn__effort_any, turn, run);
  }
}

static void run_search(const sn__closed_6r_plan *plan, sn__closed_run *run) {
  run->effort = effort_search;
  sn__branches starts, branches;
  sn__closed_6r_search_solve(&plan->search, run, &starts);
  branches = starts;
  sn__closed_run_settle(run, &branches);
  sn__closed_run_take(run, &branches);
  if (run->query->approximate != NULL && is_wanting(run)) {
    run->effort = sn__effort_any;
    sn__closed_run_take(run, &starts);
  }
}

void sn__closed_6r_plan_run(const sn__closed_6r_plan *plan, double step, sn__closed_run *run) {
  if (plan->is_search) {
    run_search(plan, run);
    return;
  }
  run->effort = plan->is_near ? effort_near : effort_exact;
  /* Only a singular pose needs the preferred angles: the first try does without them. */
  sn__turn turn[6] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}};
  sn__branches branches;
  sn__branches_start(&branches, sn__closed_run_window(run));
  sn__closed_6r_solve(&plan->closed_6r, run->target, run->effort.slack, turn, &branches);
  const unsigned any = branches.any;
  if (any != 0) {
    sn__closed_run_preferred(run, turn);
    sn__closed_6r_solve(&plan->closed_6r, run->target, run->effort.slack, turn, &branches);
  }
  sn__closed_run_take(run, &branches);
  if (plan->is_near && run->is_doubtful && run->query->all && !run->is_stopped) {
    shake(plan, SHAKES_ALL, run);
  }
  const bool is_enough = run->offered_count > 0 && (any == 0 || run->query->all);
  if (run->is_stopped || is_enough) {
    return;
  }
  if (any != 0) {
    run->effort = plan->is_near ? effort_near : effort_exact;
    sweep(plan, step, any, run);
  }
  if (is_wanting(run)) {
    insist(plan, step, any, run);
  }
}
