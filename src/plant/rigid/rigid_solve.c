/* The velocities at the end of a step, found by guessing the piece of each law: see rigid.c. */
#include <string.h>

#include "plant/rigid/rigid_internal.h"

enum { BOLD_MAX = 3, GUESSES_MAX = 40, HALVINGS_MAX = 40 };

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

/* The optimum of one joint with the others fixed. */
static double best_of(const sn__rigid *r, const sn__axle *axles, const double *q, double h,
                      size_t k, sn__axle_mode *mode) {
  const double own = r->own[k];
  return sn__axle_solve(sn__rigid_axle(r, axles, k), own, r->b[k] - (r->av[k] - own * r->v[k]),
                        sn__rigid_position(r, q, k), h, r->lower[k], r->upper[k], mode);
}

/* The pieces that joints would be on with the others unchanged. */
static void guess(sn__rigid *r, const sn__axle *axles, const double *q, double h) {
  sn__articulated_apply(&r->tree, r->v, r->av);
  for (size_t k = 0; k < r->tree.entry_count; k++) {
    if (axles[k].moves) {
      (void)best_of(r, axles, q, h, k, &r->modes[k]);
    }
  }
}

/* Bring each joint to its own optimum, one after the other, starting from v.
   @param all include joints with an unchanged mode
   @return the largest change of a velocity; 0: v is the solution */
static double sweep(sn__rigid *r, const sn__axle *axles, const double *q, double h, bool all) {
  double largest = 0.0;
  sn__articulated_apply(&r->tree, r->v, r->av);
  for (size_t k = 0; k < r->tree.row_count; k++) {
    if (!sn__rigid_axle(r, axles, k)->moves) {
      continue;
    }
    sn__axle_mode mode;
    const double v = best_of(r, axles, q, h, k, &mode);
    mode = sn__rigid_is_joint(r, k) ? mode : r->modes[k];
    if (all || !is_same(&mode, &r->modes[k])) {
      largest = fmax(largest, fabs(v - r->v[k]));
      r->modes[k] = mode;
      change(r, k, v - r->v[k]);
    }
  }
  return largest;
}

/* Slope of the function at a share of the way. @param ground not in the matrix */
static double steepness(const sn__rigid *r, const sn__axle *axles, const double *q, double h,
                        bool ground, double share) {
  double sum = ground ? sn__rigid_ground_steepness(r, h, share) : 0.0;
  for (size_t k = 0; k < r->tree.row_count; k++) {
    const sn__axle *axle = sn__rigid_axle(r, axles, k);
    if (axle->moves && r->way[k] != 0.0) {
      const double v = r->from[k] + share * r->way[k];
      const double own = sn__axle_resistance(axle, sn__rigid_position(r, q, k), v, h, r->way[k]);
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
  sn__articulated_diagonal(&r->tree, r->own);
  guess(r, axles, q, h);
  for (int i = 0; i < GUESSES_MAX; i++) {
    r->counts.solves++;
    memcpy(r->from, r->v, size);
    solve_modes(r);
    memcpy(r->way, r->v, size);
    if (sweep(r, axles, q, h, false) <= 1e-12) {
      return true;
    }
    if (i >= BOLD_MAX) {
      memcpy(r->v, r->way, size);
      sn__rigid_search(r, axles, q, h, false);
      (void)sweep(r, axles, q, h, true);
    }
  }
  return false;
}
