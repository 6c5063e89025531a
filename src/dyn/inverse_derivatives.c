/* Derivatives of inverse dynamics: with the columns and rows of each joint, every entry is a scalar
   product with the axis of a joint that carries it, or the reverse. */
#include <string.h>

#include "dyn/partial.h"
#include "sinew/fault.h"

/* The caller's matrices, those of the joints; NULL: not wanted. */
typedef struct blocks {
  double *by_q, *by_qd, *mass;
  size_t stride;
} blocks;

/* Both scalar products at once: (a.b, c.d). */
static inline sn__pair dots(sn__vec6 a, sn__vec6 b, sn__vec6 c, sn__vec6 d) {
  const sn__pair s = a.a * b.a + a.b * b.b + a.c * b.c;
  const sn__pair t = c.a * d.a + c.b * d.b + c.c * d.c;
  const sn__pair first = {s[0], t[0]}, second = {s[1], t[1]};
  return first + second;
}

/* (a.u + b.turn, 2 b.u + c.turn), where the linear part of turn is 0. */
static inline sn__pair row_entries(const sn__partial *carrier, const sn__partial *p) {
  const sn__vec6 u = p->momentum, w = p->turn;
  const sn__vec6 psi = carrier->psi, psi2 = carrier->psi2, axis = carrier->axis;
  const sn__pair slow = psi.a * u.a + psi.b * u.b + psi.c * u.c;
  const sn__pair s = (psi2.a * u.a + psi2.b * u.b + psi2.c * u.c) + (psi.a * w.a + psi.b * w.b);
  const sn__pair t = (slow + slow) + (axis.a * w.a + axis.b * w.b);
  const sn__pair first = {s[0], t[0]}, second = {s[1], t[1]};
  return first + second;
}

/* If every body has its own entry, and all three are wanted. */
static void fill_simple(const sn_dyn_derivatives *data, const blocks *out) {
  const sn_tree *tree = data->dyn->tree;
  const size_t n = out->stride;
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn__partial *p = &data->body[i + 1];
    const size_t row = (size_t)tree->coord[i];
    for (int j = (int)i; j >= 0; j = tree->parent[j]) {
      const sn__partial *carrier = &data->body[j + 1];
      const size_t column = (size_t)tree->coord[j];
      const sn__pair lower = row_entries(carrier, p);
      const sn__pair upper = dots(carrier->axis, p->by_q, carrier->axis, p->by_qd);
      const double mass = sn__vec6_dot(carrier->axis, p->momentum);
      out->by_q[column * n + row] = upper[0];
      out->by_qd[column * n + row] = upper[1];
      out->by_q[row * n + column] = lower[0]; /* on the diagonal both are the same */
      out->by_qd[row * n + column] = lower[1];
      out->mass[row * n + column] = mass;
      out->mass[column * n + row] = mass;
    }
  }
}

static inline void add_to(double *matrix, size_t at, double value) {
  if (matrix != NULL) {
    matrix[at] += value;
  }
}

/* Bodies may share an entry. */
static void fill_joints(const sn_dyn_derivatives *data, const blocks *out) {
  const sn_tree *tree = data->dyn->tree;
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn__partial *p = &data->body[i + 1];
    for (int j = (int)i; j >= 0; j = tree->parent[j]) {
      const sn__partial *carrier = &data->body[j + 1];
      const double scale = tree->q_scale[i] * tree->q_scale[j];
      const size_t row = (size_t)tree->coord[i], column = (size_t)tree->coord[j];
      const size_t below = row * out->stride + column, above = column * out->stride + row;
      const sn__pair lower = scale * row_entries(carrier, p);
      const double mass = scale * sn__vec6_dot(carrier->axis, p->momentum);
      add_to(out->by_q, below, lower[0]);
      add_to(out->by_qd, below, lower[1]);
      add_to(out->mass, below, mass);
      if (j != (int)i) {
        const sn__pair upper = scale * dots(carrier->axis, p->by_q, carrier->axis, p->by_qd);
        add_to(out->by_q, above, upper[0]);
        add_to(out->by_qd, above, upper[1]);
        add_to(out->mass, above, mass);
      }
    }
  }
  for (size_t j = 0; out->mass != NULL && j < tree->coord_count; j++) {
    if (data->dyn->idle[j]) { /* so that the matrix stays invertible */
      out->mass[j * out->stride + j] = 1.0;
    }
  }
}

static void fill(const sn_dyn_derivatives *data, const blocks *out) {
  if (data->dyn->simple && out->by_q != NULL && out->by_qd != NULL && out->mass != NULL) {
    fill_simple(data, out);
  } else {
    fill_joints(data, out);
  }
}

static void zero(double *matrix, size_t size) {
  if (matrix != NULL) {
    memset(matrix, 0, size * size * sizeof *matrix);
  }
}

static void fill_tau(const sn_dyn_derivatives *data, double *tau) {
  const sn_tree *tree = data->dyn->tree;
  if (tau == NULL) {
    return;
  }
  for (size_t j = 0; j < tree->coord_count; j++) {
    tau[j] = 0.0;
  }
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn__partial *p = &data->body[i + 1];
    tau[tree->coord[i]] += tree->q_scale[i] * sn__vec6_dot(p->axis, p->force);
  }
}

void sn_dyn_inverse_derivatives(sn_dyn_derivatives *data, const sn_dyn_world *world_or_null,
                                const double *q, const double *qd, const double *qdd,
                                const sn_inverse_derivatives *out) {
  const size_t n = data->dyn->tree->coord_count;
  sn__partial_update(data, sn__dyn_world_or_default(world_or_null), q, qd, qdd);
  zero(out->by_q, n);
  zero(out->by_qd, n);
  zero(out->by_qdd, n);
  fill(data, &(blocks){out->by_q, out->by_qd, out->by_qdd, n});
  fill_tau(data, out->tau);
}

static void add_column(double *matrix, size_t stride, size_t column, double scale, sn__vec6 v) {
  if (matrix != NULL) {
    const double numbers[6] = {v.a[0], v.a[1], v.b[0], v.b[1], v.c[0], v.c[1]};
    for (size_t k = 0; k < 6; k++) {
      matrix[k * stride + column] += scale * numbers[k];
    }
  }
}

static void add_row(double *row, double scale, sn_spatial s) {
  const double numbers[6] = {s.ang.x, s.ang.y, s.ang.z, s.lin.x, s.lin.y, s.lin.z};
  for (size_t k = 0; k < 6; k++) {
    row[k] += scale * numbers[k];
  }
}

static sn_spatial unit(size_t k) {
  double e[6] = {0};
  e[k] = 1.0;
  return (sn_spatial){{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
}

/* The wrench on the base by its own motion. Its attitude matters only because gravity turns in its
   frame: that is an acceleration. */
static void fill_corner(const sn_dyn_derivatives *data, sn_vec3 gravity,
                        const sn_inverse_derivatives *out, size_t stride) {
  const sn__partial *base = &data->body[0];
  const sn_inertia whole = sn__moment_sum_inertia(&base->moments);
  for (size_t k = 0; k < 6; k++) {
    const sn_spatial e = unit(k);
    const sn_spatial tilt = {{0, 0, 0}, sn_vec3_cross(e.ang, gravity)};
    const sn_spatial carried = sn_spatial_cross_motion(base->velocity, e);
    const sn_spatial tilted = sn_inertia_apply(whole, tilt);
    const sn_spatial moved =
        sn_spatial_add(sn_inertia_apply(whole, carried), sn__flow_apply(&base->flow, e.ang));
    const sn_spatial pushed = sn_inertia_apply(whole, e);
    add_column(out->by_q, stride, k, 1.0, sn__vec6_load(&tilted));
    add_column(out->by_qd, stride, k, 1.0, sn__vec6_load(&moved));
    add_column(out->by_qdd, stride, k, 1.0, sn__vec6_load(&pushed));
  }
}

/* Rows of the base by the joints, and of the joints by the base. */
static void fill_edges(const sn_dyn_derivatives *data, sn_vec3 gravity,
                       const sn_inverse_derivatives *out, size_t stride) {
  const sn_tree *tree = data->dyn->tree;
  const sn_spatial twist = data->body[0].velocity;
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn__partial *p = &data->body[i + 1];
    const size_t j = 6 + (size_t)tree->coord[i];
    const double scale = tree->q_scale[i];
    sn_spatial u, w;
    sn__vec6_store(p->momentum, &u);
    sn__vec6_store(p->turn, &w);
    add_column(out->by_q, stride, j, scale, p->by_q);
    add_column(out->by_qd, stride, j, scale, p->by_qd);
    add_column(out->by_qdd, stride, j, scale, p->momentum);
    if (out->by_q != NULL) { /* (e x gravity) . u = e . (gravity x u) */
      const sn_spatial tilt = {sn_vec3_cross(gravity, u.lin), {0, 0, 0}};
      add_row(out->by_q + j * stride, scale, tilt);
    }
    if (out->by_qd != NULL) {
      const sn_spatial moved = sn_spatial_sub(w, sn_spatial_cross_force(twist, u));
      add_row(out->by_qd + j * stride, scale, moved);
    }
    if (out->by_qdd != NULL) {
      add_row(out->by_qdd + j * stride, scale, u);
    }
  }
}

static double *joints_of(double *matrix, size_t stride) {
  return matrix == NULL ? NULL : matrix + 6 * stride + 6;
}

void sn_dyn_inverse_derivatives_floating(sn_dyn_derivatives *data, const sn_dyn_world *world,
                                         const double *q, const double *qd, const double *qdd,
                                         const sn_inverse_derivatives *out) {
  SN_ASSERT(world != NULL);
  SN_ASSERT(world->base != NULL);
  const size_t n = data->dyn->tree->coord_count + 6;
  const sn_vec3 gravity =
      sn_mat3_apply_transposed(world->base->pose_world_base.rot, world->gravity);
  sn__partial_update(data, world, q, qd, qdd);
  zero(out->by_q, n);
  zero(out->by_qd, n);
  zero(out->by_qdd, n);
  fill_corner(data, gravity, out, n);
  fill_edges(data, gravity, out, n);
  const blocks joints = {joints_of(out->by_q, n), joints_of(out->by_qd, n),
                         joints_of(out->by_qdd, n), n};
  fill(data, &joints);
  fill_tau(data, out->tau);
  if (out->base_wrench != NULL) {
    sn__vec6_store(data->body[0].force, out->base_wrench);
  }
}
