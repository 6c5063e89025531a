#include "ik/closed/nearest_7r.h"

#include <string.h>

#include "ik/closed/nearness_7r.h"
#include "ik/closed/polish.h"
#include "ik/closed/slide.h"

#define JOINTS 7
/* Local minima that are kept. */
#define MINIMA_MAX 8
/* rad: a minimum is at most this far, along its curve, from the sample that leads to it. */
#define REACH_RAD 0.3
/* Curvature of the curves: most bend less. */
#define BEND 1.0
/* rad outside the limits. */
#define SLACK_RAD 0.15
/* The descent from what is preferred. */
#define DESCENT_MAX 40
#define MISS_GOAL 1e-13
#define MISS_PROPER 1e-9
/* Minima closer than this in every joint are the same. */
#define SAME_RAD 1e-4

typedef struct minimum {
  double squared; /* its distance */
  double q[JOINTS];
} minimum;

typedef struct nearest {
  sn__closed_run *run;
  sn__slide slide;     /* inside the limits of the query */
  sn__windows windows; /* of the part of the limits in which the search goes on */
  double slack;        /* by which samples may exceed the limits */
  int joint;           /* that the samples step along, or -1 */
  double step;         /* between samples, rad */
  int count;
  minimum list[MINIMA_MAX]; /* the nearest first */
} nearest;

static double distance_squared(const nearest *n, const double *q) {
  double sum = 0.0;
  for (int j = 0; j < JOINTS; j++) {
    sum += (q[j] - n->run->prefer[j]) * (q[j] - n->run->prefer[j]);
  }
  return sum;
}

static double best_squared(const nearest *n) {
  return n->count > 0 ? n->list[0].squared : INFINITY;
}

static bool is_same(const double *a, const double *b) {
  for (int j = 0; j < JOINTS; j++) {
    if (fabs(a[j] - b[j]) > SAME_RAD) {
      return false;
    }
  }
  return true;
}

static void keep(nearest *n, const double *q) {
  const double squared = distance_squared(n, q);
  for (int i = 0; i < n->count; i++) {
    if (is_same(q, n->list[i].q)) {
      return;
    }
  }
  int at = n->count;
  if (at < MINIMA_MAX) {
    n->count++;
  } else if (n->list[--at].squared <= squared) {
    return;
  }
  for (; at > 0 && n->list[at - 1].squared > squared; at--) {
    n->list[at] = n->list[at - 1];
  }
  n->list[at].squared = squared;
  memcpy(n->list[at].q, q, sizeof n->list[at].q);
}

/* Search on only where a nearer solution, or a sample that leads to it, may be. */
static void focus(nearest *n) {
  const double distance = sqrt(best_squared(n));
  const double reach = distance + fmin(REACH_RAD, distance);
  if (reach < 0.95 * n->run->reach) {
    sn__closed_run_focus(n->run, reach, n->slack, &n->windows);
  }
}

/* May a solution nearer than the best be closer to this sample than to its neighbours on the curve?
   With s the length of the curve, the squared distance has the derivative -2 |toward| s, and
   bends. */
static bool is_promising(const nearest *n, const double *q, double squared) {
  const double best = sqrt(best_squared(n));
  sn__tangent t;
  if (sqrt(squared) > best + 2.0 * REACH_RAD || !sn__slide_tangent(&n->slide, q, &t)) {
    return false;
  }
  double slope = 0.0;
  for (int j = 0; j < JOINTS; j++) {
    slope += t.toward[j] * t.toward[j];
  }
  slope = sqrt(slope);
  double reach = n->step;
  if (n->joint >= 0) { /* half of the way to the next sample */
    const double share = fabs(t.toward[n->joint]) + 1e-9;
    reach = fmin(REACH_RAD, 0.6 * n->step * slope / share);
  }
  const double distance = sqrt(squared);
  const double least = squared - 2.0 * slope * reach - BEND * distance * reach * reach;
  return least < best * best;
}

/* The offer of a sample. */
static bool collect(void *context, const double *group_q) {
  nearest *n = context;
  double q[JOINTS];
  for (int j = 0; j < JOINTS; j++) {
    q[j] = group_q[n->run->joints[j]];
  }
  const double squared = distance_squared(n, q);
  const bool is_nearer = squared < best_squared(n);
  if (is_promising(n, q, squared)) {
    (void)sn__slide_run(&n->slide, q);
    keep(n, q);
  } else if (is_nearer) {
    keep(n, q);
  }
  focus(n);
  return true;
}

/* Newton's method arrives near the minimum, since each step is the shortest. */
static void descend(nearest *n) {
  double q[JOINTS];
  for (int j = 0; j < JOINTS; j++) {
    q[j] = fmin(n->run->upper[j], fmax(n->run->lower[j], n->run->prefer[j]));
  }
  const sn__miss miss = sn__frames_polish(n->run->frames, n->run->target, n->run->lower,
                                          n->run->upper, MISS_GOAL, DESCENT_MAX, q);
  if (miss.position_m <= MISS_PROPER && miss.rotation_rad <= MISS_PROPER) {
    (void)sn__slide_run(&n->slide, q);
    keep(n, q);
  }
}

/* The steps of the query's list are among those taken. */
static double fine_step(const nearest *n, double step) {
  const double wanted = fmin(0.1, fmax(0.02, sqrt(best_squared(n))));
  return step / ceil(step / wanted);
}

static void offer_minima(nearest *n) {
  const sn_ik_query *query = n->run->query;
  for (int i = 0; i < n->count && !n->run->is_stopped; i++) {
    for (int j = 0; j < JOINTS; j++) {
      n->run->q[n->run->joints[j]] = n->list[i].q[j];
    }
    n->run->offered_count++;
    n->run->is_stopped = !query->offer(query->context, n->run->q);
  }
}

/* Samples along one joint, then along another, which finds pieces that bend back between two steps
   along the first one; then with those a little outside the limits moved inside: where limits leave
   only a short piece of a curve, it may lie between two steps. The elbow angle of a spherical
   shoulder and wrist is no joint, and all that is needed. */
static void sample(nearest *n, sn__closed_7r *closed, double step) {
  static const double slacks[] = {SN__LIMIT_SLACK, SLACK_RAD};
  const int joints[] = {closed->best, closed->second};
  n->step = fine_step(n, step);
  for (int pass = closed->is_srs ? 1 : 0; pass < 2 && !sn__closed_run_is_over(n->run); pass++) {
    n->joint = closed->is_srs ? -1 : joints[pass];
    n->slack = slacks[pass];
    n->run->reach = INFINITY;
    focus(n);
    sn__closed_7r_scan(closed, joints[pass], n->step, n->run);
  }
  if (n->count == 0 && !sn__closed_run_is_over(n->run)) {
    sn__closed_7r_search(closed, step, n->run);
  }
}

void sn__nearest_7r(sn__closed_7r *closed, double step, sn__closed_run *run) {
  nearest n = {.run = run};
  sn__slide_init(&n.slide, run->frames, run->target, run->lower, run->upper, run->prefer);
  descend(&n);
  if (n.count == 0 || !sn__nearness_7r_is_proven(&n.slide, n.list[0].q)) {
    const sn_ik_query *query = run->query;
    const sn__window *window = run->window;
    sn_ik_query part = *query;
    part.offer = collect;
    part.context = &n;
    part.all = true;
    part.approximate = NULL;
    run->query = &part;
    sample(&n, closed, step);
    run->query = query;
    run->reach = INFINITY;
    run->window_slack = SN__LIMIT_SLACK;
    run->window = window;
    run->offered_count = 0;
  }
  offer_minima(&n);
}
