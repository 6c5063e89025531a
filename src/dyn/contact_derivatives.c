/* Forces that keep their direction have a potential, minus the sum of force . point: the derivative
   of their joint forces is its Hessian. With Q the sum of point force^T over the points that a
   joint carries, moving it by s adds the torque t = Q s.ang - trace(Q) s.ang + s.lin x force, and
   the entry of a joint that carries it is the product of t with that joint's axis. */
#include <string.h>

#include "dyn/partial.h"
#include "sinew/fault.h"

/* point force^T, with the force in the last column. */
static sn__flow moment_of(sn_vec3 point, sn_vec3 force) {
  const sn__pair xy = {force.x, force.y};
  const sn__flow flow = {{point.x * xy, {point.x * force.z, force.x}},
                         {point.y * xy, {point.y * force.z, force.y}},
                         {point.z * xy, {point.z * force.z, force.z}}};
  return flow;
}

/* Poses, and the forces on all that each body carries. */
static void collect(sn_dyn_derivatives *data, sn_mat3 rot_world_base, const double *q,
                    const sn_point_force *forces, size_t force_count) {
  sn_dyn_data *dyn = data->dyn;
  const size_t body_count = dyn->tree->body_count;
  sn__joints_update(dyn->tree, q, &dyn->joints);
  sn__rows pose = sn__rows_identity();
  for (size_t i = 0; i < body_count; i++) {
    pose = sn__tree_step(dyn->tree, &dyn->joints, i, &pose, dyn->pose);
    dyn->pose[i] = pose;
    const sn_spatial axis = sn__dyn_axis(&pose, dyn->tree->prismatic[i]);
    data->body[i + 1].axis = sn__vec6_load(&axis);
  }
  for (size_t i = 0; i <= body_count; i++) {
    memset(&data->body[i].force, 0, sizeof data->body[i].force);
    memset(&data->body[i].flow, 0, sizeof data->body[i].flow);
  }
  for (size_t k = 0; k < force_count; k++) {
    const sn_point_force *f = &forces[k];
    SN_ASSERT(f->body >= -1 && f->body < (int)body_count);
    const sn_vec3 force = sn_mat3_apply_transposed(rot_world_base, f->force);
    const sn_vec3 point =
        f->body < 0 ? f->point : sn_pose_apply(sn__rows_to_pose(&dyn->pose[f->body]), f->point);
    const sn_spatial wrench = {sn_vec3_cross(point, force), force};
    const sn__flow moment = moment_of(point, force);
    sn__partial *p = &data->body[f->body + 1];
    p->force = sn__vec6_add(p->force, sn__vec6_load(&wrench));
    p->flow = sn__flow_add(&p->flow, &moment);
  }
  for (size_t i = body_count; i-- > 0;) {
    sn__partial *parent = &data->body[dyn->tree->parent[i] + 1];
    parent->force = sn__vec6_add(parent->force, data->body[i + 1].force);
    parent->flow = sn__flow_add(&parent->flow, &data->body[i + 1].flow);
  }
}

/* The torque t of a motion, about the origin of the base. */
static sn_vec3 torque_of(const sn__partial *p, sn_spatial motion) {
  const sn_vec3 turned = sn_vec3_scale(sn__flow_apply(&p->flow, motion.ang).ang, -0.5);
  const sn_vec3 force = {p->flow.x.zp[1], p->flow.y.zp[1], p->flow.z.zp[1]};
  return sn_vec3_add(turned, sn_vec3_cross(motion.lin, force));
}

/* Entries of joint i with those that carry it. @return its torque t, scaled to its entry */
static sn_vec3 fill_joint(const sn_dyn_derivatives *data, size_t i, double *by_q, size_t stride) {
  const sn_tree *tree = data->dyn->tree;
  sn_spatial axis;
  sn__vec6_store(data->body[i + 1].axis, &axis);
  const sn_vec3 torque = torque_of(&data->body[i + 1], axis);
  const size_t row = (size_t)tree->coord[i];
  for (int j = (int)i; j >= 0; j = tree->parent[j]) {
    const size_t column = (size_t)tree->coord[j];
    sn__vec6_store(data->body[j + 1].axis, &axis);
    const double entry = tree->q_scale[i] * tree->q_scale[j] * sn_vec3_dot(axis.ang, torque);
    by_q[row * stride + column] += entry;
    if (j != (int)i) {
      by_q[column * stride + row] += entry;
    }
  }
  return sn_vec3_scale(torque, tree->q_scale[i]);
}

static void fill_tau(const sn_dyn_derivatives *data, double *tau) {
  const sn_tree *tree = data->dyn->tree;
  memset(tau, 0, tree->coord_count * sizeof *tau);
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn__partial *p = &data->body[i + 1];
    tau[tree->coord[i]] += tree->q_scale[i] * sn__vec6_dot(p->axis, p->force);
  }
}

void sn_dyn_contact_derivatives(sn_dyn_derivatives *data, const double *q,
                                const sn_point_force *forces, size_t force_count, double *tau,
                                double *by_q) {
  const sn_tree *tree = data->dyn->tree;
  const size_t n = tree->coord_count;
  collect(data, sn_mat3_identity(), q, forces, force_count);
  memset(by_q, 0, n * n * sizeof *by_q);
  for (size_t i = 0; i < tree->body_count; i++) {
    fill_joint(data, i, by_q, n);
  }
  if (tau != NULL) {
    fill_tau(data, tau);
  }
}

/* The wrench on the base as the base turns: its six numbers turn against it. */
static void fill_corner(const sn__partial *base, double *by_q, size_t stride) {
  sn_spatial wrench;
  sn__vec6_store(base->force, &wrench);
  const sn_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (size_t k = 0; k < 3; k++) {
    /* The points stay in the frame of the base, the forces turn: r x (f x e). */
    const sn_vec3 moved = torque_of(base, (sn_spatial){unit[k], {0, 0, 0}});
    const sn_vec3 torque = sn_vec3_add(moved, sn_vec3_cross(wrench.ang, unit[k]));
    const sn_vec3 force = sn_vec3_cross(wrench.lin, unit[k]);
    const double column[6] = {torque.x, torque.y, torque.z, force.x, force.y, force.z};
    for (size_t row = 0; row < 6; row++) {
      by_q[row * stride + k] = column[row];
    }
  }
}

void sn_dyn_contact_derivatives_floating(sn_dyn_derivatives *data, sn_mat3 rot_world_base,
                                         const double *q, const sn_point_force *forces,
                                         size_t force_count, double *tau, double *by_q) {
  const sn_tree *tree = data->dyn->tree;
  const size_t n = tree->coord_count + 6;
  collect(data, rot_world_base, q, forces, force_count);
  memset(by_q, 0, n * n * sizeof *by_q);
  fill_corner(&data->body[0], by_q, n);
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn_vec3 t = fill_joint(data, i, by_q + 6 * n + 6, n);
    const double torque[3] = {t.x, t.y, t.z};
    const size_t j = 6 + (size_t)tree->coord[i];
    for (size_t k = 0; k < 3; k++) {
      by_q[j * n + k] += torque[k];
      by_q[k * n + j] += torque[k];
    }
  }
  if (tau != NULL) {
    memcpy(tau, &data->body[0].force, 6 * sizeof *tau);
    fill_tau(data, tau + 6);
  }
}
