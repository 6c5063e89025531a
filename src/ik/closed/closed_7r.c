#include "ik/closed/closed_7r.h"

#include <stdio.h>

#include "ik/closed/analytic.h"
#include "ik/closed/nearest_7r.h"
#include "ik/closed/srs_search.h"

#define PI 3.14159265358979323846

const sn__effort sn__effort_7r_exact = {
    .slack = 1e-4, .limit_slack = SN__LIMIT_SLACK, .iterations_max = 8};
const sn__effort sn__effort_7r_near = {.slack = 0.03, .limit_slack = 0.02, .iterations_max = 12};
const sn__effort sn__effort_7r_hard = {.slack = 0.1, .limit_slack = 0.2, .iterations_max = 20};

static bool are_equal(sn__closed_6r_form a, sn__closed_6r_form b) {
  return a.kind == b.kind && a.reversed == b.reversed && a.quartic == b.quartic &&
         a.pair[0] == b.pair[0] && a.pair[1] == b.pair[1];
}

/* A form that the rest of the arm has whatever the angle of the locked joint. */
static sn__lock_plan plan_lock(const sn__arm *arm, int joint) {
  static const double angles_rad[] = {0.3, 1.1, -0.7, 2.3, -2.0};
  const sn__tolerance tolerances[] = {SN__TOLERANCE_EXACT, SN__TOLERANCE_NEAR, SN__TOLERANCE_WIDE};
  for (int i = 0; i < 3; i++) {
    sn__closed_6r_form first = {.kind = SN__6R_NONE};
    bool is_same = true;
    for (size_t k = 0; k < sizeof angles_rad / sizeof *angles_rad && is_same; k++) {
      sn__arm closed_6r;
      sn__arm_lock(arm, joint, sn__turn_of(angles_rad[k]), &closed_6r);
      const sn__closed_6r_form form = sn__closed_6r_recognise(&closed_6r, tolerances[i]);
      first = k == 0 ? form : first;
      is_same = form.kind != SN__6R_NONE && are_equal(form, first);
    }
    if (is_same) {
      return (sn__lock_plan){.form = first, .is_near = i > 0};
    }
  }
  return (sn__lock_plan){.form = {.kind = SN__6R_NONE}};
}

/* Where the form is not exact, elimination or a search is. */
static void plan_general(const sn__arm *arm, int joint, sn__lock_plan *plan) {
  if (plan->form.kind != SN__6R_NONE && !plan->is_near) {
    return;
  }
  sn__arm rest;
  sn__arm_lock(arm, joint, sn__turn_of(0.7), &rest); /* any */
  sn__closed_6r_search search;
  plan->has_steps =
      !sn__general_6r_choose(&rest, &plan->general) &&
      sn__closed_6r_search_init(&search, &rest, SN__TOLERANCE_EXACT, SN__SEARCH_STEPS);
}

/* The remaining six joints; kept for the next query, which often locks the same joint. */
static const sn__locked_6r *lock_joint(sn__closed_7r *closed, int joint, double value) {
  sn__locked_6r *kept = &closed->kept;
  if (!kept->is_valid || kept->joint != joint || kept->value != value) {
    kept->is_valid = true;
    kept->joint = joint;
    kept->value = value;
    kept->turn = sn__turn_of(value);
    sn__arm arm;
    sn__arm_lock(&closed->arm, joint, kept->turn, &arm);
    sn__closed_6r_init(&kept->closed_6r, &arm, closed->lock[joint].form);
  }
  return kept;
}

/* The branches with joint @p joint at @p value. */
static void solve_locked(sn__closed_7r *closed, int joint, double value, sn_pose target,
                         double slack, const sn__turn prefer[7], sn__branches *out) {
  const sn__locked_6r *locked = lock_joint(closed, joint, value);
  sn__turn rest[6];
  sn__window window[6];
  const sn__window *given = out->window;
  for (int i = 0; i < 6; i++) {
    const int from = i < joint ? i : i + 1;
    rest[i] = prefer[from];
    if (given != NULL) {
      window[i] = given[from];
    }
  }
  out->window = given == NULL ? NULL : window;
  sn__closed_6r_solve(&locked->closed_6r, target, slack, rest, out);
  out->window = given;
  for (int i = 0; i < out->count; i++) {
    for (int j = 6; j > joint; j--) {
      out->turn[i][j] = out->turn[i][j - 1];
    }
    out->turn[i][joint] = locked->turn;
  }
}

static double middle_of(double lower, double upper) {
  return isfinite(lower) && isfinite(upper) ? 0.5 * (lower + upper) : 0.0;
}

static bool is_inside(const sn__turn *turn, const double *lower, const double *upper) {
  for (int i = 0; i < 7; i++) {
    double q = 0.0;
    if (!sn__fit_angle(atan2(turn[i].s, turn[i].c), lower[i], upper[i],
                       middle_of(lower[i], upper[i]), 1e-3, &q)) {
      return false;
    }
  }
  return true;
}

/* How often a random pose is reachable with this joint locked: often for a joint near the base or
 * the tip, rarely for the elbow. */
static int score_lock(sn__closed_7r *closed, int joint, const double *lower, const double *upper) {
  sn_random random;
  sn_random_init(&random, 7);
  int score = 0;
  sn__turn prefer[7];
  for (int i = 0; i < 7; i++) {
    prefer[i] = sn__turn_of(middle_of(lower[i], upper[i]));
  }
  for (int sample = 0; sample < 60; sample++) {
    sn__turn turn[7];
    double value = 0.0;
    for (int i = 0; i < 7; i++) {
      const double low = fmax(lower[i], middle_of(lower[i], upper[i]) - PI);
      const double high = fmin(upper[i], low + 2.0 * PI);
      const double angle_rad = sn_random_between(&random, low, high);
      value = i == joint ? sn_random_between(&random, low, high) : value;
      turn[i] = sn__turn_of(angle_rad);
    }
    const sn_pose target = sn__frames_tip(&closed->frames, turn);
    sn__branches branches;
    sn__branches_start(&branches, NULL);
    solve_locked(closed, joint, value, target, 1e-3, prefer, &branches);
    bool found = false;
    for (int i = 0; i < branches.count && !found; i++) {
      found = is_inside(branches.turn[i], lower, upper);
    }
    score += found ? 1 : 0;
  }
  return score;
}

/* Among joints that are about as good, those whose form is exact and cheap. */
static void choose_locks(sn__closed_7r *closed, const double *lower, const double *upper) {
  int score[7] = {0};
  closed->best = closed->second = -1;
  for (int i = 0; i < 7; i++) {
    if (closed->lock[i].form.kind == SN__6R_NONE) {
      continue;
    }
    score[i] = score_lock(closed, i, lower, upper) - (closed->lock[i].is_near ? 10 : 0) -
               (closed->lock[i].form.quartic ? 5 : 0);
    if (closed->best < 0 || score[i] > score[closed->best]) {
      closed->best = i;
    }
  }
  for (int i = 0; i < 7; i++) {
    const sn__lock_plan *plan = &closed->lock[i];
    if (plan->form.kind != SN__6R_NONE && !plan->form.quartic && i != closed->best &&
        (closed->second < 0 || score[i] > score[closed->second])) {
      closed->second = i;
    }
  }
  closed->second = closed->second < 0 ? closed->best : closed->second;
}

bool sn__closed_7r_init(sn__closed_7r *closed, const sn__arm *arm, const sn__frames *frames,
                        const double *lower, const double *upper) {
  closed->arm = *arm;
  closed->frames = *frames;
  closed->srs_is_near = false;
  closed->is_srs = sn__srs_init(&closed->srs, arm, SN__TOLERANCE_EXACT);
  if (!closed->is_srs) {
    closed->is_srs = closed->srs_is_near = sn__srs_init(&closed->srs, arm, SN__TOLERANCE_NEAR);
  }
  closed->kept.is_valid = closed->given.is_valid = false;
  for (int i = 0; i < 7; i++) {
    closed->lock[i] = plan_lock(arm, i);
    plan_general(arm, i, &closed->lock[i]);
  }
  choose_locks(closed, lower, upper);
  return closed->is_srs || closed->best >= 0;
}

int sn__closed_7r_describe(const sn__closed_7r *closed, char *text, size_t size) {
  if (closed->is_srs) {
    return snprintf(text, size, "7R, %sspherical shoulder and wrist (elbow angle)",
                    closed->srs_is_near ? "nearly " : "");
  }
  const sn__lock_plan *plan = &closed->lock[closed->best];
  const int n = snprintf(text, size, "7R by locking joint %d -> 6R, %s", closed->best + 1,
                         plan->is_near ? "nearly " : "");
  return n + sn__closed_6r_describe(plan->form, text + n, size - (size_t)n);
}

static void try_lock(sn__closed_7r *closed, int joint, double value, const sn__turn prefer[7],
                     sn__closed_run *run) {
  sn__branches branches;
  sn__branches_start(&branches, sn__closed_run_window(run));
  solve_locked(closed, joint, value, run->target, run->effort.slack, prefer, &branches);
  sn__closed_run_take(run, &branches);
}

/* Values of the joint from the preferred one outward, the ends of its range among them. An offer
 * may reduce the reach. */
static void sweep_lock(sn__closed_7r *closed, int joint, double step, const sn__turn prefer[7],
                       sn__closed_run *run) {
  const double start = run->prefer[joint];
  for (int i = 0;; i++) {
    const double offset = step * (double)i;
    const double reach = fmin(run->reach, PI);
    const double room[2] = {fmin(run->upper[joint] - start, reach),
                            fmin(start - run->lower[joint], reach)};
    if (offset >= fmax(room[0], room[1]) + step) {
      return;
    }
    for (int side = 0; side < 2; side++) {
      const bool is_beyond = room[side] <= offset - step;
      if ((i == 0 && side == 1) || is_beyond) {
        continue;
      }
      const double away = fmin(offset, room[side]);
      try_lock(closed, joint, side == 0 ? start + away : start - away, prefer, run);
      if (sn__closed_run_is_over(run)) {
        return;
      }
    }
  }
}

static void run_lock(sn__closed_7r *closed, int joint, double step, sn__closed_run *run) {
  const sn__effort effort = closed->lock[joint].is_near ? sn__effort_7r_near : sn__effort_7r_exact;
  sn__turn prefer[7];
  sn__closed_run_preferred(run, prefer);
  run->effort = effort;
  sweep_lock(closed, joint, step, prefer, run);
  /* Nothing found yet: accept branches slightly outside the limits, then refine. */
  if (run->offered_count == 0 && !sn__closed_run_is_over(run)) {
    run->effort = sn__effort_7r_hard;
    sweep_lock(closed, joint, step, prefer, run);
  }
  if (run->offered_count == 0 && !sn__closed_run_is_over(run)) {
    run->effort = effort;
    sweep_lock(closed, joint, 0.15 * step, prefer, run);
  }
  run->effort = sn__effort_7r_hard;
  for (int i = 0; i < 7 && run->offered_count == 0 && !sn__closed_run_is_over(run); i++) {
    if (i != joint && closed->lock[i].form.kind != SN__6R_NONE) {
      sweep_lock(closed, i, 2.0 * step, prefer, run);
    }
  }
  if (run->offered_count == 0 && run->query->approximate != NULL && !sn__closed_run_is_over(run)) {
    run->effort = sn__effort_any;
    try_lock(closed, joint, run->prefer[joint], prefer, run);
  }
}

bool sn__closed_7r_can_lock(const sn__closed_7r *closed, int joint) {
  const bool is_elbow = closed->is_srs && joint == 3;
  const sn__lock_plan *plan = &closed->lock[joint];
  return !is_elbow &&
         (plan->form.kind != SN__6R_NONE || plan->general.count > 0 || plan->has_steps);
}

/* The joint that the query locks and that leaves a closed form, or -1. */
static int locked_joint(const sn__closed_7r *closed, const sn__closed_run *run) {
  for (int i = 0; i < 7; i++) {
    if (run->lower[i] == run->upper[i] && sn__closed_7r_can_lock(closed, i)) {
      return i;
    }
  }
  return -1;
}

void sn__closed_7r_scan(sn__closed_7r *closed, int joint, double step, sn__closed_run *run) {
  const bool is_near = closed->is_srs ? closed->srs_is_near : closed->lock[joint].is_near;
  run->effort = is_near ? sn__effort_7r_near : sn__effort_7r_exact;
  run->effort.limit_slack = fmax(run->effort.limit_slack, run->window_slack);
  if (closed->is_srs) {
    sn__srs_scan(closed, step, run);
    return;
  }
  sn__turn prefer[7];
  sn__closed_run_preferred(run, prefer);
  sweep_lock(closed, joint, step, prefer, run);
}

void sn__closed_7r_search(sn__closed_7r *closed, double step, sn__closed_run *run) {
  if (closed->is_srs) {
    sn__srs_search(closed, step, run);
  } else {
    run_lock(closed, closed->best, step, run);
  }
}

static void run_locked(sn__closed_7r *closed, int joint, double step, sn__closed_run *run) {
  sn__locked_7r_run(closed, joint, step, run);
  if (run->offered_count == 0 && closed->lock[joint].form.kind != SN__6R_NONE &&
      !sn__closed_run_is_over(run)) {
    run_lock(closed, joint, step, run);
  }
}

void sn__closed_7r_run(sn__closed_7r *closed, double step, sn__closed_run *run) {
  const int locked = locked_joint(closed, run);
  if (locked >= 0) {
    run_locked(closed, locked, step, run);
    return;
  }
  const sn_ik_query *query = run->query;
  if ((query->all || !query->restarts) && query->nominal == NULL) {
    sn__nearest_7r(closed, step, run);
  }
  if (!sn__closed_run_is_over(run)) {
    sn__closed_7r_search(closed, step, run);
  }
}
