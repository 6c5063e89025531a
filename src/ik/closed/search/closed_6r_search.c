#include "ik/closed/search/closed_6r_search.h"

#include <stdio.h>

#include "ik/closed/geometry/subproblems.h"
#include "ik/closed/search/elbow_curve.h"
#include "math/rotation.h"

/* Steps round the circle. Zeros closer together than a step show as a minimum of the residual. */
#define STEPS 128
/* Residuals up to this size at a minimum or at the end of a branch are worth a start. */
#define MINIMUM_MAX 0.05
#define END_MAX 0.3
/* rad beyond the limits of the searched joint: a zero is not yet polished. */
#define MARGIN_EXACT 1e-3
#define MARGIN_NEAR 0.1

static bool are_related(const sn__arm *arm, int i, sn__tolerance tol) {
  return sn__arm_is_parallel(arm, i, i + 1, tol) ||
         sn__arm_is_intersecting(arm, i, i + 1, tol, NULL);
}

/* Only what the search relies on: every other change would only make it less exact. */
static void snap_pairs(sn__closed_6r_search *s, sn__tolerance tol) {
  s->arm.r[s->first] = s->arm.r[s->first + 1] = s->centre;
  for (int i = s->has_curve ? 1 : 0; i < 2; i++) {
    if (sn__arm_is_parallel(&s->arm, i, i + 1, tol)) {
      sn__arm_snap_parallel(&s->arm, i, i + 1);
    } else if (sn__arm_is_intersecting(&s->arm, i, i + 1, tol, NULL)) {
      sn__arm_snap_intersecting(&s->arm, i, i + 1);
    }
  }
}

/* The less, the better. */
static int rank(const sn__closed_6r_search *s) {
  return s->has_curve ? 0 : s->quartic ? 2 : 1;
}

/* The best of the four pairs; the first joints must not be part of it. */
static bool find_pair(sn__closed_6r_search *search, const sn__arm *arm, sn__tolerance tol) {
  bool found = false;
  for (int way = 0; way < 4; way++) {
    sn__closed_6r_search s = {.reversed = way >= 2, .first = way % 2 == 0 ? 3 : 4};
    s.joint = s.first == 3 ? 5 : 3;
    if (s.reversed) {
      sn__arm_reverse(arm, &s.arm);
    } else {
      s.arm = *arm;
    }
    s.quartic = !are_related(&s.arm, 0, tol) && !are_related(&s.arm, 1, tol);
    s.has_curve = sn__arm_is_parallel(&s.arm, 1, 2, tol) &&
                  !sn__arm_is_parallel(&s.arm, 0, 1, tol) &&
                  !sn__arm_is_parallel(&s.arm, 1, 3, tol);
    if (!sn__arm_is_intersecting(&s.arm, s.first, s.first + 1, tol, &s.centre) ||
        (found && rank(search) <= rank(&s))) {
      continue;
    }
    snap_pairs(&s, tol);
    s.side = sn__mat3_with_z(s.arm.h[s.first + 1]).x;
    s.third = sn_vec3_cross(s.arm.h[s.first + 1], s.side);
    s.plane = sn__mat3_with_z(s.arm.h[1]);
    s.sense = sn_vec3_dot(s.arm.h[1], s.arm.h[2]) < 0.0 ? -1.0 : 1.0;
    s.tip_inverse = sn_pose_inverse(s.arm.tip);
    s.length = sn__arm_length(&s.arm);
    s.has_general = false;
    *search = s;
    found = true;
  }
  return found;
}

bool sn__closed_6r_search_init(sn__closed_6r_search *search, const sn__arm *arm, sn__tolerance tol,
                               sn__search_way way) {
  if (way == SN__SEARCH_GENERAL) {
    sn__general_choice choice;
    search->has_curve = false;
    search->has_general =
        sn__general_6r_choose(arm, &choice) && sn__general_6r_init(&search->general, arm, &choice);
    return search->has_general;
  }
  return find_pair(search, arm, tol) && (way == SN__SEARCH_STEPS || search->has_curve);
}

int sn__closed_6r_search_describe(const sn__closed_6r_search *search, char *text, size_t size) {
  if (search->has_general) {
    return snprintf(text, size, "any geometry, zeros of a polynomial of joint %d",
                    sn__general_6r_joint(&search->general) + 1);
  }
  const int low = search->reversed ? 4 - search->first : search->first;
  const int along = search->reversed ? 5 - search->joint : search->joint;
  return snprintf(text, size, "%sintersecting axes %d-%d, search along joint %d",
                  search->is_near ? "nearly " : "", low + 1, low + 2, along + 1);
}

/* One solution for the other joints. */
typedef struct point {
  sn__turn turn[6];
  double residual;
} point;

/* The pair a, b is to bring about the rotation that sends h_b to @p along and side to @p side.
   Joint b cannot change where its own axis goes, so the angle of it from axis a is the residual. */
static double add_pair(const sn__closed_6r_search *s, sn_vec3 along, sn_vec3 side,
                       sn__turn turn[6]) {
  const sn_vec3 *h = s->arm.h;
  const int a = s->first, b = s->first + 1;
  turn[a] = (sn__turn){1.0, 0.0};
  turn[b] = (sn__turn){1.0, 0.0};
  sn__sp1(h[b], along, h[a], &turn[a]);
  const sn_vec3 local = sn__turn_unapply(turn[a], h[a], side);
  const double c = sn_vec3_dot(local, s->side), sine = sn_vec3_dot(local, s->third);
  if (c * c + sine * sine > 1e-20) {
    turn[b] = sn__turn_normalize(c, sine);
  }
  return sn_vec3_dot(h[a], along) - sn_vec3_dot(h[a], h[b]);
}

double sn__closed_6r_search_complete(const sn__closed_6r_search *search, const sn_pose *move,
                                     sn__turn t, sn__turn turn[6]) {
  const sn_vec3 *h = search->arm.h;
  sn_vec3 along = h[search->first + 1], side = search->side;
  if (search->joint == 5) {
    along = sn__turn_unapply(t, h[5], along);
    side = sn__turn_unapply(t, h[5], side);
  }
  along = sn_mat3_apply(move->rot, along);
  side = sn_mat3_apply(move->rot, side);
  for (int j = 0; j < 3; j++) {
    along = sn__turn_unapply(turn[j], h[j], along);
    side = sn__turn_unapply(turn[j], h[j], side);
  }
  if (search->joint == 3) {
    along = sn__turn_unapply(t, h[3], along);
    side = sn__turn_unapply(t, h[3], side);
  }
  turn[search->joint] = t;
  return add_pair(search, along, side, turn);
}

/* All solutions with the searched joint at @p t. */
static int evaluate(const sn__closed_6r_search *s, const sn_pose *move, sn__turn t, point list[4]) {
  const sn__arm *arm = &s->arm;
  const sn_vec3 *h = arm->h;
  const bool is_last = s->joint == 5; /* beyond the pair; else before it */
  const sn_vec3 from = sn_vec3_sub(s->centre, arm->r[s->joint]);
  sn_vec3 goal = s->centre, local = s->centre;
  if (is_last) {
    goal = sn_vec3_add(arm->r[5], sn__turn_unapply(t, h[5], from));
  } else {
    local = sn_vec3_add(arm->r[3], sn__turn_apply(t, h[3], from));
  }
  const sn__sp5_in in = {.p0 = sn_vec3_sub(arm->r[0], arm->r[1]),
                         .p1 = sn_vec3_sub(sn_pose_apply(*move, goal), arm->r[0]),
                         .p2 = sn_vec3_sub(arm->r[2], arm->r[1]),
                         .p3 = sn_vec3_sub(local, arm->r[2]),
                         .k1 = sn_vec3_neg(h[0]),
                         .k2 = h[1],
                         .k3 = h[2],
                         .length = s->length};
  sn__turn first[4][3] = {{{1, 0}, {1, 0}, {1, 0}}};
  unsigned any = 0;
  const int count = sn__sp5(&in, 1e-3, &any, first);
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < 3; j++) {
      list[i].turn[j] = first[i][j];
    }
    list[i].residual = sn__closed_6r_search_complete(s, move, t, list[i].turn);
  }
  return count;
}

/* Similarity of two solutions by the first three joints; at most 3. */
static double likeness(const point *a, const point *b) {
  double sum = 0.0;
  for (int j = 0; j < 3; j++) {
    sum += a->turn[j].c * b->turn[j].c + a->turn[j].s * b->turn[j].s;
  }
  return sum;
}

/* The solution in @p list that continues @p p, or NULL where its branch ends. */
static const point *follow(const point *p, const point *list, int count) {
  const point *best = NULL;
  double most = 2.2; /* a step of 0.05 rad hardly turns a joint by more than one */
  for (int i = 0; i < count; i++) {
    const double like = likeness(p, &list[i]);
    if (like > most) {
      most = like;
      best = &list[i];
    }
  }
  return best;
}

static void add_start(const point *p, sn__branches *out) {
  if (out->count == SN__BRANCHES_MAX) {
    return;
  }
  for (int j = 0; j < 6; j++) {
    out->turn[out->count][j] = p->turn[j];
  }
  out->count++;
}

/* Between two neighbours of opposite sign: one step of the secant. */
static void add_crossing(const sn__closed_6r_search *s, const sn_pose *move, const point *a,
                         const point *b, sn__branches *out) {
  const double share = a->residual / (a->residual - b->residual);
  const sn__turn ta = a->turn[s->joint], tb = b->turn[s->joint];
  const sn__turn t = sn__turn_normalize(ta.c + share * (tb.c - ta.c), ta.s + share * (tb.s - ta.s));
  point list[4];
  const int count = evaluate(s, move, t, list);
  const point *nearer = share < 0.5 ? a : b;
  const point *best = follow(nearer, list, count);
  add_start(best != NULL ? best : nearer, out);
}

/* Three samples in a row. */
typedef struct window {
  point list[3][4];
  int count[3];
} window;

/* What happens at the middle sample: crossings to the next, minima, ends of branches. */
static void inspect(const sn__closed_6r_search *s, const sn_pose *move, const window *w, int before,
                    int middle, int after, sn__branches *out) {
  for (int i = 0; i < w->count[middle]; i++) {
    const point *p = &w->list[middle][i];
    const point *next = follow(p, w->list[after], w->count[after]);
    const point *last = follow(p, w->list[before], w->count[before]);
    const double size = fabs(p->residual);
    if (next != NULL && (next->residual < 0.0) != (p->residual < 0.0)) {
      add_crossing(s, move, p, next, out);
    } else if (next == NULL || last == NULL) {
      if (size < END_MAX) {
        add_start(p, out);
      }
    } else if (size < MINIMUM_MAX && size <= fabs(next->residual) && size <= fabs(last->residual) &&
               (last->residual < 0.0) == (p->residual < 0.0)) {
      add_start(p, out);
    }
  }
}

static void reverse_turns(sn__branches *out) {
  for (int i = 0; i < out->count; i++) {
    for (int j = 0; j < 3; j++) {
      const sn__turn swap = out->turn[i][j];
      out->turn[i][j] = out->turn[i][5 - j];
      out->turn[i][5 - j] = swap;
    }
  }
}

static void search_in_steps(const sn__closed_6r_search *search, const sn_pose *move,
                            sn__closed_run *run, sn__branches *out) {
  const sn__turn step = sn__turn_of(2.0 * 3.14159265358979323846 / STEPS);
  window w;
  sn__turn t = {1.0, 0.0};
  for (int i = 0; i < STEPS + 2; i++) {
    const int now = i % 3;
    w.count[now] = evaluate(search, move, t, w.list[now]);
    if (i >= 2) {
      inspect(search, move, &w, (i - 2) % 3, (i - 1) % 3, now, out);
    }
    t = sn__turn_add(t, step);
    if (i % 32 == 31 && sn__closed_run_is_over(run)) {
      break;
    }
  }
}

void sn__closed_6r_search_solve(const sn__closed_6r_search *search, sn__closed_run *run,
                                sn__branches *out) {
  sn__branches_start(out, NULL);
  if (search->has_general) {
    sn__general_6r_solve(&search->general, run->target, out);
    return;
  }
  const sn_pose seen = search->reversed ? sn_pose_inverse(run->target) : run->target;
  const sn_pose move = sn_pose_mul(seen, search->tip_inverse);
  if (search->has_curve) {
    const int joint = search->reversed ? 5 - search->joint : search->joint;
    const double margin = search->is_near ? MARGIN_NEAR : MARGIN_EXACT;
    sn__elbow_curve curve;
    sn__elbow_curve_init(&curve, search, move);
    sn__elbow_curve_solve(&curve, run->lower[joint] - margin, run->upper[joint] + margin, out);
  } else {
    search_in_steps(search, &move, run, out);
  }
  if (search->reversed) {
    reverse_turns(out);
  }
}
