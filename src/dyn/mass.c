/* Factors of the mass matrix. Without mimic joints M = L^T L, where L has entries only between a
   body and those that carry it: Featherstone, *Rigid Body Dynamics Algorithms* (2008), section
   6.5. */
#include <math.h>

#include "dyn/data.h"
#include "dyn/mass_factor.h"
#include "sinew/dense.h"
#include "sinew/dyn.h"
#include "sinew/fault.h"

/* Rows and columns are bodies; only entries (i, carrier of i) exist. */
static void fill_sparse(const sn_dyn_data *data, double *l) {
  const sn_tree *tree = data->tree;
  const size_t n = tree->body_count;
  for (size_t i = 0; i < n; i++) {
    const sn__vec6 momentum = sn__vec6_load(&data->momentum[i]);
    for (int j = (int)i; j >= 0; j = tree->parent[j]) {
      l[i * n + (size_t)j] = sn__vec6_dot(sn__vec6_load(&data->axis[j]), momentum);
    }
  }
}

bool sn__mass_factor_rows(size_t n, const int *up, double *l) {
  for (size_t k = n; k-- > 0;) {
    double *row = l + k * n;
    if (!(row[k] > 0.0)) { /* also rejects NaN */
      return false;
    }
    row[k] = sqrt(row[k]);
    const double inverse = 1.0 / row[k];
    for (int i = up[k]; i >= 0; i = up[i]) {
      row[i] *= inverse;
    }
    for (int i = up[k]; i >= 0; i = up[i]) {
      for (int j = i; j >= 0; j = up[j]) {
        l[(size_t)i * n + (size_t)j] -= row[i] * row[j];
      }
    }
  }
  return true;
}

/* x by bodies: L^T y = b from the tips, then L x = y from the base. */
static void solve_sparse(const sn_tree *tree, const double *l, double *x) {
  const size_t n = tree->body_count;
  for (size_t i = n; i-- > 0;) {
    const double *row = l + i * n;
    x[i] /= row[i];
    for (int j = tree->parent[i]; j >= 0; j = tree->parent[j]) {
      x[j] -= row[j] * x[i];
    }
  }
  for (size_t i = 0; i < n; i++) {
    const double *row = l + i * n;
    for (int j = tree->parent[i]; j >= 0; j = tree->parent[j]) {
      x[i] -= row[j] * x[j];
    }
    x[i] /= row[i];
  }
}

sn_status sn__dyn_mass_factor(sn_dyn_data *data, const double *q) {
  SN_ASSERT(data->matrix != NULL);
  sn__dyn_compose(data, q);
  if (data->simple) {
    fill_sparse(data, data->matrix);
    data->has_factor =
        sn__mass_factor_rows(data->tree->body_count, data->tree->parent, data->matrix);
  } else {
    sn__dyn_fill_mass(data, data->matrix);
    data->has_factor = sn_cholesky_factor(data->tree->coord_count, data->matrix);
  }
  return data->has_factor ? SN_OK : SN_EMODEL;
}

void sn__dyn_mass_solve(sn_dyn_data *data, double *b) {
  SN_ASSERT(data->has_factor);
  const sn_tree *tree = data->tree;
  if (!data->simple) {
    sn_cholesky_solve(tree->coord_count, data->matrix, b);
    return;
  }
  for (size_t i = 0; i < tree->body_count; i++) {
    data->vector[i] = b[tree->coord[i]];
  }
  solve_sparse(tree, data->matrix, data->vector);
  for (size_t i = 0; i < tree->body_count; i++) {
    b[tree->coord[i]] = data->vector[i];
  }
}
