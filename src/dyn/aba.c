/* Articulated bodies: Featherstone, *Rigid Body Dynamics Algorithms* (2008), section 7.3, all in
   the frame of the base. Articulated inertias then add up without being transformed, which is most
   of the work in the frames of the bodies. A base that moves counts as an inertial frame that
   happens to be where the base is.

   Accelerations are split: what velocities and gravity alone cause (the drift) is known on the way
   out and enters the forces of the single bodies, so the way in deals with joint accelerations
   only. */
#include <string.h>

#include "dyn/data.h"
#include "sinew/dense.h"
#include "sinew/dyn.h"
#include "sinew/fault.h"

static inline sn__vec6 vec6_sub(sn__vec6 a, sn_spatial b) {
  return sn__vec6_add_scaled(a, -1.0, sn__vec6_load(&b));
}

/* Gravity is taken as an acceleration of the base upwards: this much is added to it. */
static sn_spatial against_gravity(const sn_dyn_world *world, const sn_base_state *base) {
  const sn_vec3 g = sn_mat3_apply_transposed(base->pose_world_base.rot, world->gravity);
  return (sn_spatial){{0, 0, 0}, sn_vec3_neg(g)};
}

/* The base's own inertia matters only if its motion is solved for. */
static void start_at_base(sn_dyn_data *data, const sn_base_state *base, sn_spatial acceleration,
                          bool floats) {
  sn__articulated *a = &data->articulated[0];
  a->velocity = base->twist;
  a->drift = acceleration;
  if (floats) {
    const sn__vec6 force = sn__dyn_rigid_force(&data->body[0].moments, base->twist, acceleration);
    a->inertia = sn__sym6_from_inertia(&data->inertia[0]);
    a->bias = vec6_sub(force, base->force);
  }
}

/* Velocities and drifts, and the isolated bodies. */
static void outward(sn_dyn_data *data, const sn_spatial *forces, const double *qd) {
  const sn_tree *tree = data->tree;
  sn__rows pose = sn__rows_identity();
  for (size_t i = 0; i < tree->body_count; i++) {
    pose = sn__tree_step(tree, &data->joints, i, &pose, data->pose);
    data->pose[i] = pose;
    const sn_spatial axis = sn__dyn_axis(&pose, tree->prismatic[i]);
    const sn_spatial step = sn_spatial_scale(axis, qd == NULL ? 0.0 : qd[tree->coord[i]]);
    const sn__articulated *carrier = &data->articulated[tree->parent[i] + 1];
    const sn_spatial turned = sn_spatial_cross_motion(carrier->velocity, step);
    const sn__moment_sum sum = sn__dyn_moments(&data->body[i + 1], &pose);
    const sn__moments moments = sn__moment_sum_matrix(&sum);
    const sn_inertia inertia = sn__moment_sum_inertia(&sum);
    sn__articulated *a = &data->articulated[i + 1];
    a->velocity = sn_spatial_add(carrier->velocity, step);
    a->drift = sn_spatial_add(carrier->drift, turned);
    a->inertia = sn__sym6_from_inertia(&inertia);
    a->bias = sn__dyn_rigid_force(&moments, a->velocity, a->drift);
    a->axis = sn__vec6_load(&axis);
    if (forces != NULL) {
      a->bias = vec6_sub(a->bias, sn_spatial_force_out(sn__rows_to_pose(&pose), forces[i]));
    }
  }
}

/* From the tips: articulated inertia and bias of each body with all it carries. */
static bool inward(sn_dyn_data *data, const double *tau, bool to_base) {
  const sn_tree *tree = data->tree;
  for (size_t i = tree->body_count; i-- > 0;) {
    sn__articulated *a = &data->articulated[i + 1];
    const sn__vec6 force = sn__sym6_apply(&a->inertia, a->axis);
    const double resistance = sn__vec6_dot(a->axis, force);
    const bool is_weightless = data->body[i + 1].weightless; /* it stays where it is */
    if (!is_weightless && !(resistance > 0.0)) {             /* also rejects NaN */
      return false;
    }
    a->force = force;
    a->inverse = is_weightless ? 0.0 : 1.0 / resistance;
    a->tau = (tau == NULL ? 0.0 : tau[tree->coord[i]]) - sn__vec6_dot(a->axis, a->bias);
    if (tree->parent[i] >= 0 || to_base) {
      sn__articulated *carrier = &data->articulated[tree->parent[i] + 1];
      sn__sym6_add_reduced(&carrier->inertia, &a->inertia, a->inverse, force);
      const sn__vec6 bias = sn__vec6_add_scaled(a->bias, a->inverse * a->tau, force);
      carrier->bias = sn__vec6_add(carrier->bias, bias);
    }
  }
  return true;
}

/* From the base: joint accelerations, and their contribution to the drift. */
static void solve_joints(sn_dyn_data *data, sn__vec6 base, double *qdd) {
  const sn_tree *tree = data->tree;
  sn__vec6 *added = data->acceleration;
  added[0] = base;
  for (size_t j = 0; j < tree->coord_count; j++) {
    qdd[j] = 0.0;
  }
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn__articulated *a = &data->articulated[i + 1];
    const sn__vec6 carried = added[tree->parent[i] + 1];
    const double rate = a->inverse * (a->tau - sn__vec6_dot(a->force, carried));
    added[i + 1] = sn__vec6_add_scaled(carried, rate, a->axis);
    qdd[tree->coord[i]] = rate;
  }
}

static bool solve_base(const sn__articulated *base, double x[6]) {
  double matrix[36];
  memcpy(matrix, &base->inertia, sizeof matrix); /* symmetric: columns are rows */
  memcpy(x, &base->bias, 6 * sizeof *x);
  if (!sn_cholesky_factor(6, matrix)) {
    return false;
  }
  sn_cholesky_solve(6, matrix, x);
  for (size_t i = 0; i < 6; i++) {
    x[i] = -x[i];
  }
  return true;
}

sn_status sn_dyn_forward(sn_dyn_data *data, const sn_dyn_world *world_or_null, const double *q,
                         const double *qd, const double *tau, double *qdd) {
  const sn_dyn_world *world = sn__dyn_world_or_default(world_or_null);
  if (data->tree->has_mimic) {
    return sn__dyn_forward_by_mass(data, world, q, qd, tau, qdd);
  }
  const sn_base_state *base = sn__dyn_base_or_default(world->base);
  sn__joints_update(data->tree, q, &data->joints);
  start_at_base(data, base, sn_spatial_add(base->acceleration, against_gravity(world, base)),
                false);
  outward(data, world->forces, qd);
  if (!inward(data, tau, false)) {
    return SN_EMODEL;
  }
  solve_joints(data, (sn__vec6){{0, 0}, {0, 0}, {0, 0}}, qdd);
  return SN_OK;
}

sn_status sn_dyn_forward_floating(sn_dyn_data *data, const sn_dyn_world *world, const double *q,
                                  const double *qd, const double *tau, double *qdd,
                                  sn_spatial *base_acceleration) {
  SN_ASSERT(world != NULL);
  SN_ASSERT(world->base != NULL);
  SN_ASSERT(base_acceleration != NULL);
  if (data->tree->has_mimic) {
    return sn__dyn_forward_floating_by_mass(data, world, q, qd, tau, qdd, base_acceleration);
  }
  /* Start from a base in free fall and solve for the rest. */
  double x[6];
  sn__joints_update(data->tree, q, &data->joints);
  start_at_base(data, world->base, sn_spatial_zero(), true);
  outward(data, world->forces, qd);
  if (!inward(data, tau, true) || !solve_base(&data->articulated[0], x)) {
    return SN_EMODEL;
  }
  sn_spatial felt = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  solve_joints(data, sn__vec6_load(&felt), qdd);
  *base_acceleration = sn_spatial_sub(felt, against_gravity(world, world->base));
  return SN_OK;
}
