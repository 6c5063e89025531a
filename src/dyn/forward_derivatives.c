/* Derivatives of forward dynamics, from those of inverse dynamics at the acceleration that results:
   d qdd = M^-1 (d tau - d ID). The mass matrix is factored as in mass.c, M = L^T L; eight columns
   at a time are solved for, so that a number of the factor is loaded once for all of them. */
#include <string.h>

#include "dyn/mass_factor.h"
#include "dyn/partial.h"
#include "sinew/fault.h"

/* The mass matrix with the rows of the system instead of entries; only what the factors need. */
static void arrange(const sn__system *system, const double *mass, double *rows) {
  const size_t n = system->size;
  for (size_t i = 0; i < n; i++) {
    const double *from = mass + (size_t)system->entry[i] * n;
    for (int j = (int)i; j >= 0; j = system->up[j]) {
      rows[i * n + (size_t)j] = from[system->entry[j]];
    }
  }
}

static inline sn__panel scale(double factor, sn__panel x) {
  const sn__panel y = {factor * x.a, factor * x.b, factor * x.c, factor * x.d};
  return y;
}

/* x - factor y */
static inline sn__panel subtract(sn__panel x, double factor, const sn__panel *y) {
  const sn__panel z = {x.a - factor * y->a, x.b - factor * y->b, x.c - factor * y->c,
                       x.d - factor * y->d};
  return z;
}

/* Exactly 0, of either sign. A sum, since a maximum may lose NaN. */
static inline bool is_zero(const sn__panel *x) {
  const sn__pair size =
      sn__pair_abs(x->a) + sn__pair_abs(x->b) + sn__pair_abs(x->c) + sn__pair_abs(x->d);
  return size[0] == 0.0 && size[1] == 0.0;
}

/* x = sign M^-1 x: L^T y = b from the tips, then L x = y from the base. The diagonal of @p l holds
   inverses. */
static void solve_panel(const sn__system *system, const double *l, double sign, sn__panel *x) {
  const size_t n = system->size;
  const int *up = system->up;
  for (size_t i = n; i-- > 0;) {
    const double *row = l + i * n;
    const sn__panel own = scale(row[i], x[i]);
    x[i] = own;
    if (is_zero(&own)) { /* columns of another branch */
      continue;
    }
    for (int j = up[i]; j >= 0; j = up[j]) {
      x[j] = subtract(x[j], row[j], &own);
    }
  }
  for (size_t i = 0; i < n; i++) {
    const double *row = l + i * n;
    sn__panel own = scale(sign, x[i]);
    for (int j = up[i]; j >= 0; j = up[j]) {
      own = subtract(own, row[j], &x[j]);
    }
    x[i] = scale(row[i], own);
  }
}

/* Entries that move no mass do not accelerate, whatever acts on them. */
static bool moves(const sn_dyn_derivatives *data, const sn__system *system, int entry) {
  const int first = (int)(system->size - data->dyn->tree->coord_count);
  return entry < first || !data->dyn->idle[entry - first];
}

/* out = -M^-1 b, columns first to first + count. @p b NULL: out = M^-1 */
static void solve_columns(sn_dyn_derivatives *data, const sn__system *system, const double *b,
                          size_t first, size_t count, double *out) {
  const size_t n = system->size;
  sn__panel *x = data->panel;
  memset(x, 0, n * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    const size_t entry = (size_t)system->entry[i];
    double *row = (double *)&x[i];
    if (!moves(data, system, (int)entry)) {
      continue;
    }
    if (b != NULL) {
      memcpy(row, b + entry * n + first, count * sizeof *row);
    } else if (entry >= first && entry < first + count) {
      row[entry - first] = 1.0;
    }
  }
  solve_panel(system, data->matrix, b != NULL ? -1.0 : 1.0, x);
  for (size_t i = 0; i < n; i++) {
    memcpy(out + (size_t)system->entry[i] * n + first, &x[i], count * sizeof *out);
  }
}

static void solve(sn_dyn_derivatives *data, const sn__system *system, const double *b,
                  double *out) {
  for (size_t first = 0; out != NULL && first < system->size; first += SN__PANEL) {
    const size_t left = system->size - first;
    solve_columns(data, system, b, first, left < SN__PANEL ? left : SN__PANEL, out);
  }
}

/* The three matrices, from those of inverse dynamics in the workspace. */
static sn_status finish(sn_dyn_derivatives *data, const sn__system *system,
                        const sn_forward_derivatives *out) {
  const size_t n = system->size;
  arrange(system, data->mass, data->matrix);
  if (!sn__mass_factor_rows(n, system->up, data->matrix)) {
    return SN_EMODEL;
  }
  for (size_t i = 0; i < n; i++) {
    data->matrix[i * n + i] = 1.0 / data->matrix[i * n + i];
  }
  solve(data, system, data->by[0], out->by_q);
  solve(data, system, data->by[1], out->by_qd);
  solve(data, system, NULL, out->by_tau);
  return SN_OK;
}

static double *qdd_of(sn_dyn_derivatives *data, const sn_forward_derivatives *out) {
  return out->qdd != NULL ? out->qdd : data->vector;
}

sn_status sn_dyn_forward_derivatives(sn_dyn_derivatives *data, const sn_dyn_world *world,
                                     const double *q, const double *qd, const double *tau,
                                     const sn_forward_derivatives *out) {
  double *qdd = qdd_of(data, out);
  const sn_status status = sn_dyn_forward(data->dyn, world, q, qd, tau, qdd);
  if (status != SN_OK) {
    return status;
  }
  const sn_inverse_derivatives inverse = {
      .by_q = data->by[0], .by_qd = data->by[1], .by_qdd = data->mass};
  sn_dyn_inverse_derivatives(data, world, q, qd, qdd, &inverse);
  return finish(data, &data->fixed, out);
}

sn_status sn_dyn_forward_derivatives_floating(sn_dyn_derivatives *data, const sn_dyn_world *world,
                                              const double *q, const double *qd, const double *tau,
                                              const sn_forward_derivatives *out) {
  SN_ASSERT(world != NULL);
  SN_ASSERT(world->base != NULL);
  double *qdd = qdd_of(data, out);
  sn_base_state base = *world->base;
  const sn_status status =
      sn_dyn_forward_floating(data->dyn, world, q, qd, tau, qdd, &base.acceleration);
  if (status != SN_OK) {
    return status;
  }
  const sn_dyn_world moving = {world->gravity, &base, world->forces};
  const sn_inverse_derivatives inverse = {
      .by_q = data->by[0], .by_qd = data->by[1], .by_qdd = data->mass};
  sn_dyn_inverse_derivatives_floating(data, &moving, q, qd, qdd, &inverse);
  if (out->base_acceleration != NULL) {
    *out->base_acceleration = base.acceleration;
  }
  return finish(data, &data->floating, out);
}
