/* The velocities at the end of a step, found by guessing the piece of each law: see rigid.c. */
#include <string.h>

#include "plant/rigid/axle_load.h"
#include "plant/rigid/rigid_internal.h"

enum { BOLD_MAX = 6, GUESSES_MAX = 40, HALVINGS_MAX = 40, SWEEPS = 4 };
#define TANGENT_DONE 1e-10

/* Solve as if each joint stayed on the piece of its law given by its mode. */
static void solve_modes(sn__rigid *r) {
  for (size_t k = 0; k < r->tree.row_count; k++) {
    const sn__axle_mode *mode = &r->modes[k];
    r->is_pinned[k] = mode->is_pinned;
    r->slopes[k] = mode->slope;
    r->v[k] = mode->is_pinned ? mode->offset : r->b[k] + mode->offset;
  }
  sn__articulated_solve(&r->tree, r->is_pinned, r->slopes, r->v);
}

static bool is_same(const sn__axle_mode *a, const sn__axle_mode *b) {
  return a->is_pinned == b->is_pinned && a->slope == b->slope && a->offset == b->offset;
}

/* Change the velocity of row k and update the products. */
static void change(sn__rigid *r, size_t k, double by) {
  r->v[k] += by;
  r->unit[k] = by;
  sn__articulated_apply(&r->tree, r->unit, r->a_way);
  r->unit[k] = 0.0;
  for (size_t j = 0; j < r->tree.row_count; j++) {
    r->av[j] += r->a_way[j];
  }
}

/* The optimum of one joint with the others fixed.
   @param inertia  that it feels */
static double best_of(const sn__rigid *r, const sn__axle *axles, const double *q, double h,
                      size_t k, double inertia, sn__axle_mode *mode) {
  const sn__axle *axle = sn__rigid_axle(r, axles, k);
  const double impulse = r->b[k] - (r->av[k] - inertia * r->v[k]);
  return (axle->gear == NULL ? sn__axle_solve : sn__axle_solve_loaded)(
      axle, inertia, impulse, sn__rigid_position(r, q, k), h, r->lower[k], r->upper[k], mode);
}

/* Does felt() know all inertias without composed bodies? */
static bool knows_inertias(const sn__rigid *r) {
  const sn__articulated_tree *t = &r->tree;
  return t->tree != NULL && t->shared_count == 0 &&
         (t->branch_count == 1 || t->branches[1].resistance > 0.0);
}

/* The inertia that the joint of a branch feels if the joints behind it are on their pieces: the
   best known one for guesses. */
static double felt(const sn__rigid *r, const sn__branch *b) {
  return b->is_shared || b->resistance == 0.0 ? r->own[b->row] : b->resistance;
}

static double guess_row(sn__rigid *r, const sn__axle *axles, const double *q, double h, size_t k,
                        double inertia) {
  sn__axle_mode mode;
  const double v = best_of(r, axles, q, h, k, inertia, &mode);
  if (is_same(&mode, &r->modes[k])) {
    return 0.0;
  }
  r->modes[k] = mode;
  const double changed = fabs(v - r->v[k]);
  /* Tangents of a curve are never the same to the last digit. */
  return axles[k].gear != NULL && changed <= TANGENT_DONE * fabs(v) ? 0.0 : changed;
}

/* Guess the piece that each joint is on from the velocities v.
   @return the largest change of a velocity; 0: v is the solution */
static double guess(sn__rigid *r, const sn__axle *axles, const double *q, double h) {
  double largest = 0.0;
  sn__articulated_apply(&r->tree, r->v, r->av);
  for (size_t i = 1; i < r->tree.branch_count; i++) {
    const sn__branch *b = &r->tree.branches[i];
    const size_t k = (size_t)b->row;
    if (axles[k].moves) {
      largest = fmax(largest, guess_row(r, axles, q, h, k, felt(r, b)));
    }
  }
  for (size_t k = 0; r->tree.tree == NULL && k < r->tree.entry_count; k++) {
    largest = fmax(largest, guess_row(r, axles, q, h, k, r->own[k]));
  }
  return largest;
}

/* A sweep brings rows to their own optimum, one after the other. */
typedef struct sweep_state {
  sn__rigid *r;
  const sn__axle *axles;
  const double *q;
  double h;
} sweep_state;

/* @return the change of the velocity of row k */
static double improve(const sweep_state *s, size_t k) {
  sn__rigid *r = s->r;
  sn__axle_mode mode;
  const double v = best_of(r, s->axles, s->q, s->h, k, r->own[k], &mode);
  r->modes[k] = sn__rigid_is_joint(r, k) ? mode : r->modes[k];
  return v - r->v[k];
}

/* The rows of the base, and of entries that move no or several bodies. */
static void sweep_others(const sweep_state *s) {
  sn__rigid *r = s->r;
  for (size_t k = r->tree.entry_count; k < r->tree.row_count; k++) {
    change(r, k, improve(s, k));
  }
  for (size_t j = 0; j < r->tree.shared_count; j++) {
    const size_t k = (size_t)r->tree.shared[j];
    if (s->axles[k].moves) {
      change(r, k, improve(s, k));
    }
  }
  for (size_t k = 0; r->tree.tree == NULL && k < r->tree.entry_count; k++) {
    r->v[k] += improve(s, k);
  }
}

/* From the base to the tips: what a body carries moves along with it. */
static void sweep_tree(const sweep_state *s) {
  sn__rigid *r = s->r;
  sn_spatial *more = r->gathered;
  more[0] = sn_spatial_zero();
  for (size_t i = 1; i < r->tree.branch_count; i++) {
    const sn__branch *b = &r->tree.branches[i];
    const size_t k = (size_t)b->row;
    more[i] = more[b->parent];
    if (!b->is_shared && s->axles[k].moves) {
      r->av[k] += sn__articulated_change(&r->tree, i, more[i]);
      const double by = improve(s, k);
      r->v[k] += by;
      more[i] = sn_spatial_add(more[i], sn_spatial_scale(b->axis, by));
    }
  }
}

/* Bring each row to its own optimum, one after the other, in linear time. */
static void sweep(sn__rigid *r, const sn__axle *axles, const double *q, double h) {
  const sweep_state s = {.r = r, .axles = axles, .q = q, .h = h};
  sn__articulated_apply(&r->tree, r->v, r->av);
  sweep_others(&s);
  sweep_tree(&s);
}

/* Slope of the function at a share of the way. @param ground not in the matrix */
static double steepness(const sn__rigid *r, const sn__axle *axles, const double *q, double h,
                        bool ground, double share) {
  double sum = ground ? sn__rigid_ground_steepness(r, h, share) : 0.0;
  for (size_t k = 0; k < r->tree.row_count; k++) {
    const sn__axle *axle = sn__rigid_axle(r, axles, k);
    if (axle->moves && r->way[k] != 0.0) {
      const double v = r->from[k] + share * r->way[k];
      const double own = (axle->gear == NULL ? sn__axle_resistance : sn__axle_resistance_loaded)(
          axle, sn__rigid_position(r, q, k), v, h, r->way[k]);
      sum += r->way[k] * (r->av[k] + share * r->a_way[k] - r->b[k] + h * own);
    }
  }
  return sum;
}

/* Line search from `from` towards v, within the bounds. */
void sn__rigid_search(sn__rigid *r, const sn__axle *axles, const double *q, double h, bool ground) {
  const size_t n = r->tree.row_count;
  double most = 1.0;
  for (size_t k = 0; k < n; k++) {
    const double way = r->v[k] - r->from[k], end = way > 0.0 ? r->upper[k] : r->lower[k];
    const bool is_stuck = (end - r->from[k]) * way <= 0.0;
    r->way[k] = is_stuck ? 0.0 : way;
    most = is_stuck ? most : fmin(most, (end - r->from[k]) / way);
  }
  sn__articulated_apply(&r->tree, r->from, r->av);
  sn__articulated_apply(&r->tree, r->way, r->a_way);
  if (ground) {
    sn__rigid_begin_search(r);
  }
  double low = 0.0, high = most;
  for (int i = 0; i < HALVINGS_MAX && steepness(r, axles, q, h, ground, high) > 0.0; i++) {
    const double middle = 0.5 * (low + high);
    if (steepness(r, axles, q, h, ground, middle) > 0.0) {
      high = middle;
    } else {
      low = middle;
      if (high - low < 1e-6 * high) {
        break;
      }
    }
  }
  const double share = steepness(r, axles, q, h, ground, high) > 0.0 ? low : high;
  for (size_t k = 0; k < n; k++) {
    r->v[k] = sn__clamp(r->from[k] + share * r->way[k], r->lower[k], r->upper[k]);
  }
}

/* @return false without convergence */
bool sn__rigid_solve(sn__rigid *r, const sn__axle *axles, const double *q, double h) {
  const size_t size = r->tree.row_count * sizeof *r->v;
  bool is_composed = !knows_inertias(r);
  if (is_composed) {
    sn__articulated_compose(&r->tree, r->own);
  }
  (void)guess(r, axles, q, h);
  for (int i = 0; i < GUESSES_MAX; i++) {
    r->counts.solves++;
    memcpy(r->from, r->v, size);
    solve_modes(r);
    if (guess(r, axles, q, h) <= 1e-12) {
      return true;
    }
    if (i >= BOLD_MAX) {
      if (!is_composed) {
        sn__articulated_compose(&r->tree, r->own);
        is_composed = true;
      }
      sn__rigid_search(r, axles, q, h, false);
      for (int k = 0; k < SWEEPS; k++) {
        sweep(r, axles, q, h);
      }
    }
  }
  return false;
}
