/* Derivatives of forward dynamics, from those of inverse dynamics at the acceleration that results:
   d qdd = M^-1 (d tau - d ID). The mass matrix is factored as in mass.c, M = L^T L; eight columns
   at a time are solved for, so that a number of the factor is loaded once for all of them. */
#include <string.h>

#include "dyn/mass_factor.h"
#include "dyn/partial.h"
#include "sinew/fault.h"

enum { LANES = SN__PANEL / 2 };

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

/* x := x / l[i][i] */
static inline void divide(sn__pair *x, double inverse) {
  for (int k = 0; k < LANES; k++) {
    x[k] *= inverse;
  }
}

/* x -= factor y */
static inline void subtract(sn__pair *restrict x, double factor, const sn__pair *restrict y) {
  for (int k = 0; k < LANES; k++) {
    x[k] -= factor * y[k];
  }
}

/* L^T y = b from the tips, then L x = y from the base. The diagonal of @p l holds inverses. */
static void solve_panel(const sn__system *system, const double *l, sn__pair *x) {
  const size_t n = system->size;
  for (size_t i = n; i-- > 0;) {
    const double *row = l + i * n;
    sn__pair own[LANES];
    memcpy(own, x + i * LANES, sizeof own);
    divide(own, row[i]);
    memcpy(x + i * LANES, own, sizeof own);
    for (int j = system->up[i]; j >= 0; j = system->up[j]) {
      subtract(x + (size_t)j * LANES, row[j], own);
    }
  }
  for (size_t i = 0; i < n; i++) {
    const double *row = l + i * n;
    sn__pair own[LANES];
    memcpy(own, x + i * LANES, sizeof own);
    for (int j = system->up[i]; j >= 0; j = system->up[j]) {
      subtract(own, row[j], x + (size_t)j * LANES);
    }
    divide(own, row[i]);
    memcpy(x + i * LANES, own, sizeof own);
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
  for (size_t i = 0; i < n; i++) {
    double x[SN__PANEL] = {0};
    const size_t entry = (size_t)system->entry[i];
    const bool does_move = moves(data, system, (int)entry);
    for (size_t k = 0; does_move && k < count; k++) {
      x[k] = b != NULL ? -b[entry * n + first + k] : entry == first + k ? 1.0 : 0.0;
    }
    memcpy(data->panel + i * LANES, x, sizeof x);
  }
  solve_panel(system, data->matrix, data->panel);
  for (size_t i = 0; i < n; i++) {
    memcpy(out + (size_t)system->entry[i] * n + first, data->panel + i * LANES,
           count * sizeof *out);
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
