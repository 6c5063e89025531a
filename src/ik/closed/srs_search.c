#include "ik/closed/srs_search.h"

#define PI 3.14159265358979323846

/* Inside a stretch of good swings, this far from its end if it is long enough. */
#define INSET_RAD 0.05

#define SHAKES 7
#define SHAKE_MIN 5e-4

typedef struct swing {
  double angle_rad;
  int elbow;
} swing;

/* Of the stretches between neighbouring bounds take the point nearest to 0, a little inside; the
   stretch around 0 has been tried. */
static int list_swings(const sn__srs *srs, const sn__srs_elbow *elbow, int which,
                       const sn__closed_run *run, swing *list) {
  sn__turn bound[SN__SRS_BOUNDS_MAX];
  double at[SN__SRS_BOUNDS_MAX + 1] = {0};
  const int count = sn__srs_bounds(srs, elbow, run->lower, run->upper, bound);
  for (int i = 0; i < count; i++) { /* ascending */
    const double angle_rad = atan2(bound[i].s, bound[i].c);
    int j = i;
    for (; j > 0 && at[j - 1] > angle_rad; j--) {
      at[j] = at[j - 1];
    }
    at[j] = angle_rad;
  }
  if (count == 0) {
    return 0;
  }
  at[count] = at[0] + 2.0 * PI;
  int found = 0;
  for (int i = 0; i < count; i++) {
    const double width = at[i + 1] - at[i];
    const double inset = fmin(INSET_RAD, 0.5 * width);
    if (at[i] < 0.0 && at[i + 1] > 0.0) {
      continue;
    }
    const double from_below = at[i] + inset;
    const double from_above = at[i + 1] - inset;
    const bool is_positive = at[i] >= 0.0 && from_below <= PI;
    double angle_rad = is_positive ? from_below : from_above;
    if (i == count - 1 && at[count] - 2.0 * PI < 0.0) { /* the stretch across half a turn */
      angle_rad =
          fabs(from_below) < fabs(from_above - 2.0 * PI) ? from_below : from_above - 2.0 * PI;
    }
    list[found++] = (swing){angle_rad, which};
  }
  return found;
}

static void sort_swings(swing *list, int count) {
  for (int i = 1; i < count; i++) {
    const swing s = list[i];
    int j = i;
    for (; j > 0 && fabs(list[j - 1].angle_rad) > fabs(s.angle_rad); j--) {
      list[j] = list[j - 1];
    }
    list[j] = s;
  }
}

static void try_swing(const sn__srs *srs, const sn__srs_elbow *elbow, int elbow_count,
                      double angle_rad, const sn__turn prefer[7], sn__closed_run *run) {
  const sn__turn turn = angle_rad == 0.0 ? (sn__turn){1.0, 0.0} : sn__turn_of(angle_rad);
  sn__branches branches;
  sn__branches_start(&branches, sn__closed_run_window(run));
  for (int i = 0; i < elbow_count; i++) {
    sn__srs_solve(srs, &elbow[i], turn, run->effort.slack, prefer, &branches);
  }
  sn__closed_run_take(run, &branches);
}

/* Swings beyond this turn the upper arm too far for the reach of the run. A swing by t after the
   shortest turn is a rotation by t or more, joints 1 to 3 together turn by no less, and the sum of
   three numbers is at most the root of 3 times their norm. */
static double swing_max(const sn__closed_run *run) {
  return fmin(PI, 1.7321 * run->reach);
}

/* Step around the circle in both directions. */
static void sweep_swings(const sn__srs *srs, const sn__srs_elbow *elbow, int elbow_count,
                         double step, const sn__turn prefer[7], sn__closed_run *run) {
  const int count = (int)fmin(ceil(PI / step), 1e9);
  for (int i = 1; i <= count && (i - 1) * step < swing_max(run); i++) {
    const double clipped = fmin(i * step, PI);
    try_swing(srs, elbow, elbow_count, clipped, prefer, run);
    if (sn__closed_run_is_over(run)) {
      return;
    }
    try_swing(srs, elbow, elbow_count, -clipped, prefer, run);
    if (sn__closed_run_is_over(run)) {
      return;
    }
  }
}

/* One swing in every stretch of good ones. */
static void try_stretches(const sn__srs *srs, const sn__srs_elbow *elbow, int elbow_count,
                          const sn__turn prefer[7], sn__closed_run *run) {
  swing list[2 * SN__SRS_BOUNDS_MAX];
  int count = 0;
  for (int i = 0; i < elbow_count; i++) {
    count += list_swings(srs, &elbow[i], i, run, list + count);
  }
  sort_swings(list, count);
  for (int i = 0; i < count && fabs(list[i].angle_rad) < swing_max(run) && !run->is_stopped; i++) {
    try_swing(srs, &elbow[list[i].elbow], 1, list[i].angle_rad, prefer, run);
  }
}

static void search_srs(const sn__closed_7r *closed, double step, const sn__turn prefer[7],
                       sn__closed_run *run) {
  const sn__srs *srs = &closed->srs;
  sn__srs_elbow elbow[2];
  const int elbow_count = sn__srs_reach(srs, run->target, run->effort.slack, prefer, elbow);
  try_swing(srs, elbow, elbow_count, 0.0, prefer, run);
  if (run->is_stopped || elbow_count == 0) {
    return;
  }
  /* The limits allow this swing, but the caller refused it: the next one is beside it rather than
     in another stretch. */
  const bool is_refused = run->offered_count > 0;
  if (is_refused) {
    sweep_swings(srs, elbow, elbow_count, step, prefer, run);
  }
  if (!run->query->all && !sn__closed_run_is_over(run)) {
    try_stretches(srs, elbow, elbow_count, prefer, run);
  }
  if (!is_refused && !sn__closed_run_is_over(run)) {
    sweep_swings(srs, elbow, elbow_count, step, prefer, run);
  }
}

/* Try again from near solutions and from slightly shifted targets: a stretched elbow, for example,
 * has no preferred side. Polishing may still converge. */
static void search_srs_hard(const sn__closed_7r *closed, const sn__turn prefer[7],
                            sn__closed_run *run) {
  run->effort = sn__effort_7r_hard;
  for (int i = 0; i < SHAKES && run->offered_count == 0; i++) {
    const double size = i == 0 ? 0.0 : SHAKE_MIN * (double)(1 << i);
    const sn_pose target = sn__closed_run_shaken_target(run, size, closed->srs.length);
    sn__srs_elbow elbow[2];
    const int count = sn__srs_reach(&closed->srs, target, run->effort.slack, prefer, elbow);
    if (count == 0) {
      return;
    }
    try_swing(&closed->srs, elbow, count, 0.0, prefer, run);
    if (sn__closed_run_is_over(run)) {
      return;
    }
    sweep_swings(&closed->srs, elbow, count, 0.6, prefer, run);
    if (sn__closed_run_is_over(run)) {
      return;
    }
  }
}

void sn__srs_scan(const sn__closed_7r *closed, double step, sn__closed_run *run) {
  sn__turn prefer[7];
  sn__closed_run_preferred(run, prefer);
  sn__srs_elbow elbow[2];
  const int elbow_count =
      sn__srs_reach(&closed->srs, run->target, run->effort.slack, prefer, elbow);
  if (elbow_count > 0) {
    try_swing(&closed->srs, elbow, elbow_count, 0.0, prefer, run);
    try_stretches(&closed->srs, elbow, elbow_count, prefer, run);
    sweep_swings(&closed->srs, elbow, elbow_count, step, prefer, run);
  }
}

void sn__srs_search(const sn__closed_7r *closed, double step, sn__closed_run *run) {
  sn__turn prefer[7];
  sn__closed_run_preferred(run, prefer);
  run->effort = closed->srs_is_near ? sn__effort_7r_near : sn__effort_7r_exact;
  search_srs(closed, step, prefer, run);
  if (run->offered_count == 0 && !sn__closed_run_is_over(run)) {
    search_srs_hard(closed, prefer, run);
  }
  if (run->offered_count == 0 && run->query->approximate != NULL && !sn__closed_run_is_over(run)) {
    run->effort = sn__effort_any;
    sn__srs_elbow elbow[2];
    const int count = sn__srs_reach(&closed->srs, run->target, run->effort.slack, prefer, elbow);
    try_swing(&closed->srs, elbow, count, 0.0, prefer, run);
  }
}
