/* Composite rigid bodies (Featherstone, *Rigid Body Dynamics Algorithms*, 2008, section 6.2), all
   in the frame of the base: composing is then plain addition, and an entry of the matrix is one
   product whatever the distance of the two joints. */
#include <string.h>

#include "dyn/data.h"
#include "sinew/dyn.h"

sn_inertia sn__dyn_compose(sn_dyn_data *data, const double *q) {
  const sn_tree *tree = data->tree;
  sn__joints_update(tree, q, &data->joints);
  sn__rows pose = sn__rows_identity();
  sn__moment_sum whole = sn__moments_out(&pose, &data->body[0].moments, false);
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn__body *body = &data->body[i + 1];
    pose = sn__tree_step(tree, &data->joints, i, &pose, data->pose);
    data->pose[i] = pose;
    data->axis[i] = sn__dyn_axis(&pose, body->slides);
    data->composed[i] = sn__dyn_moments(body, &pose);
  }
  for (size_t i = tree->body_count; i-- > 0;) {
    const sn__moment_sum *sum = &data->composed[i];
    sn__moment_sum *carrier = tree->parent[i] < 0 ? &whole : &data->composed[tree->parent[i]];
    *carrier = sn__moment_sum_add(*carrier, sum);
    data->momentum[i] = sn_inertia_apply(sn__moment_sum_inertia(sum), data->axis[i]);
  }
  return sn__moment_sum_inertia(&whole);
}

/* If every body has its own entry. Entries between branches are 0 already. */
static void fill_simple(const sn_dyn_data *data, double *mass, size_t stride) {
  const sn_tree *tree = data->tree;
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn__vec6 momentum = sn__vec6_load(&data->momentum[i]);
    const size_t row = (size_t)tree->coord[i];
    for (int j = (int)i; j >= 0; j = tree->parent[j]) {
      const size_t column = (size_t)tree->coord[j];
      const double product = sn__vec6_dot(sn__vec6_load(&data->axis[j]), momentum);
      mass[row * stride + column] = product;
      mass[column * stride + row] = product;
    }
  }
}

/* Entries of the joints into a matrix of this row length; zeroed before. */
static void fill_joints(const sn_dyn_data *data, double *mass, size_t stride) {
  const sn_tree *tree = data->tree;
  for (size_t i = 0; i < tree->body_count; i++) {
    const size_t row = (size_t)tree->coord[i];
    for (int j = (int)i; j >= 0; j = tree->parent[j]) {
      const size_t column = (size_t)tree->coord[j];
      const double product =
          tree->q_scale[i] * tree->q_scale[j] * sn_spatial_dot(data->axis[j], data->momentum[i]);
      mass[row * stride + column] += product;
      if (j != (int)i) { /* the other triangle; twice on the diagonal if both have one entry */
        mass[column * stride + row] += product;
      }
    }
  }
}

/* 1 on the diagonal where no body is moved, so that the matrix stays invertible. */
static void fill_idle(const sn_dyn_data *data, double *mass, size_t stride) {
  for (size_t j = 0; j < data->tree->coord_count; j++) {
    if (data->idle[j]) {
      mass[j * stride + j] = 1.0;
    }
  }
}

void sn__dyn_fill_mass(const sn_dyn_data *data, double *mass) {
  const size_t n = data->tree->coord_count;
  memset(mass, 0, n * n * sizeof *mass);
  if (data->simple) {
    fill_simple(data, mass, n);
    return;
  }
  fill_joints(data, mass, n);
  fill_idle(data, mass, n);
}

void sn_dyn_mass_matrix(sn_dyn_data *data, const double *q, double *mass) {
  sn__dyn_compose(data, q);
  sn__dyn_fill_mass(data, mass);
}

/* Momentum of the whole robot for each motion of the base: the 6 x 6 corner. */
static void fill_base(sn_inertia whole, double *mass, size_t stride) {
  const sn_sym3 t = whole.tensor;
  const sn_vec3 h = whole.h;
  const double m = whole.mass_kg;
  const double corner[6][6] = {
      {t.xx, t.xy, t.xz, 0, -h.z, h.y}, {t.xy, t.yy, t.yz, h.z, 0, -h.x},
      {t.xz, t.yz, t.zz, -h.y, h.x, 0}, {0, h.z, -h.y, m, 0, 0},
      {-h.z, 0, h.x, 0, m, 0},          {h.y, -h.x, 0, 0, 0, m},
  };
  for (size_t row = 0; row < 6; row++) {
    memcpy(mass + row * stride, corner[row], sizeof corner[row]);
  }
}

void sn__dyn_fill_mass_floating(const sn_dyn_data *data, sn_inertia whole, double *mass) {
  const sn_tree *tree = data->tree;
  const size_t stride = tree->coord_count + 6;
  memset(mass, 0, stride * stride * sizeof *mass);
  fill_base(whole, mass, stride);
  for (size_t i = 0; i < tree->body_count; i++) {
    const size_t j = 6 + (size_t)tree->coord[i];
    const sn_spatial p = sn_spatial_scale(data->momentum[i], tree->q_scale[i]);
    const double column[6] = {p.ang.x, p.ang.y, p.ang.z, p.lin.x, p.lin.y, p.lin.z};
    for (size_t row = 0; row < 6; row++) {
      mass[row * stride + j] += column[row];
      mass[j * stride + row] += column[row];
    }
  }
  double *joints = mass + 6 * stride + 6;
  if (data->simple) {
    fill_simple(data, joints, stride);
    return;
  }
  fill_joints(data, joints, stride);
  fill_idle(data, joints, stride);
}

void sn_dyn_mass_matrix_floating(sn_dyn_data *data, const double *q, double *mass) {
  const sn_inertia whole = sn__dyn_compose(data, q);
  sn__dyn_fill_mass_floating(data, whole, mass);
}
