/* The force on a base at rest, without gravity, is the mass times the acceleration of the centre of
   mass; so are their derivatives. */
#include <string.h>

#include "dyn/partial.h"

static void add_column(double *matrix, size_t n, size_t j, double scale, sn_vec3 v) {
  if (matrix != NULL) {
    matrix[0 * n + j] += scale * v.x;
    matrix[1 * n + j] += scale * v.y;
    matrix[2 * n + j] += scale * v.z;
  }
}

static sn_vec3 linear_of(sn__vec6 v) {
  return sn_vec3_make(v.b[1], v.c[0], v.c[1]);
}

void sn_dyn_com_derivatives(sn_dyn_derivatives *data, const double *q, const double *qd,
                            const double *qdd, sn_com_derivatives *out) {
  static const sn_dyn_world nothing = {.gravity = {0, 0, 0}};
  const sn_tree *tree = data->dyn->tree;
  const size_t n = tree->coord_count;
  sn__partial_update(data, &nothing, q, qd, qdd);
  const sn__partial *base = &data->body[0];
  const sn_inertia whole = sn__moment_sum_inertia(&base->moments);
  const double per_mass = whole.mass_kg > 0.0 ? 1.0 / whole.mass_kg : 0.0;
  const sn_vec3 momentum = {base->flow.x.zp[1], base->flow.y.zp[1], base->flow.z.zp[1]};
  out->position = sn_vec3_scale(whole.h, per_mass);
  out->velocity = sn_vec3_scale(momentum, per_mass);
  out->acceleration = sn_vec3_scale(linear_of(base->force), per_mass);
  double *const matrices[] = {out->jac, out->velocity_by_q, out->acceleration_by_q};
  for (size_t k = 0; k < 3; k++) {
    if (matrices[k] != NULL) {
      memset(matrices[k], 0, 3 * n * sizeof *matrices[k]);
    }
  }
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn__partial *p = &data->body[i + 1];
    const size_t j = (size_t)tree->coord[i];
    const double scale = per_mass * tree->q_scale[i];
    add_column(out->jac, n, j, scale, linear_of(p->momentum));
    add_column(out->velocity_by_q, n, j, 0.5 * scale, linear_of(p->by_qd));
    add_column(out->acceleration_by_q, n, j, scale, linear_of(p->by_q));
  }
}
