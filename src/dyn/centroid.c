#include <string.h>

#include "dyn/data.h"
#include "sinew/dyn.h"

static sn_vec3 centre_of(sn_inertia whole) {
  return whole.mass_kg > 0.0 ? sn_vec3_scale(whole.h, 1.0 / whole.mass_kg) : sn_vec3_make(0, 0, 0);
}

double sn_dyn_total_mass(const sn_dyn_data *data) {
  double mass_kg = data->tree->base_inertia.mass_kg;
  for (size_t i = 0; i < data->tree->body_count; i++) {
    mass_kg += data->tree->inertia[i].mass_kg;
  }
  return mass_kg;
}

sn_vec3 sn_dyn_com(sn_dyn_data *data, const double *q) {
  const sn_tree *tree = data->tree;
  sn_inertia whole = tree->base_inertia;
  sn__joints_update(tree, q, &data->joints);
  sn__rows rows = sn__rows_identity();
  for (size_t i = 0; i < tree->body_count; i++) {
    rows = sn__tree_step(tree, &data->joints, i, &rows, data->pose);
    data->pose[i] = rows;
    const sn_inertia *body = &tree->inertia[i];
    const sn_pose pose = sn__rows_to_pose(&rows);
    whole.h = sn_vec3_add(
        whole.h, sn_vec3_add_scaled(sn_mat3_apply(pose.rot, body->h), body->mass_kg, pose.pos));
    whole.mass_kg += body->mass_kg;
  }
  return centre_of(whole);
}

void sn_dyn_com_jacobian(sn_dyn_data *data, const double *q, sn_vec3 *com, double *jac) {
  const sn_tree *tree = data->tree;
  const size_t n = tree->coord_count;
  const sn_inertia whole = sn__dyn_compose(data, q);
  const double per_mass = whole.mass_kg > 0.0 ? 1.0 / whole.mass_kg : 0.0;
  memset(jac, 0, 3 * n * sizeof *jac);
  for (size_t i = 0; i < tree->body_count; i++) {
    const size_t j = (size_t)tree->coord[i];
    const sn_vec3 rate = sn_vec3_scale(data->momentum[i].lin, per_mass * tree->q_scale[i]);
    jac[0 * n + j] += rate.x;
    jac[1 * n + j] += rate.y;
    jac[2 * n + j] += rate.z;
  }
  *com = centre_of(whole);
}

sn_spatial sn_dyn_momentum(sn_dyn_data *data, const sn_base_state *base, const double *q,
                           const double *qd) {
  const sn_tree *tree = data->tree;
  const sn_inertia whole = sn__dyn_compose(data, q);
  sn_spatial momentum = base == NULL ? sn_spatial_zero() : sn_inertia_apply(whole, base->twist);
  for (size_t i = 0; i < tree->body_count; i++) {
    const double rate = tree->q_scale[i] * qd[tree->coord[i]];
    momentum = sn_spatial_add(momentum, sn_spatial_scale(data->momentum[i], rate));
  }
  /* From the origin of the base to the centre of mass. */
  const sn_vec3 orbital = sn_vec3_cross(centre_of(whole), momentum.lin);
  momentum.ang = sn_vec3_sub(momentum.ang, orbital);
  return momentum;
}
