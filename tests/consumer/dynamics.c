/* Dynamics of a robot: each function against what another one, or mechanics, says.
   usage: dynamics FOLDER     of the installed robots */
#include <stdlib.h>

#include "check.h"

enum { N_MAX = 64 };

typedef struct robot {
  const sn_model *model;
  const sn_tree *tree;
  size_t n;
  sn_dyn_data *dyn;
  double q[N_MAX], qd[N_MAX], qdd[N_MAX];
  bool is_driven[N_MAX];
} robot;

static void six(sn_spatial s, double *out) {
  const double numbers[6] = {s.ang.x, s.ang.y, s.ang.z, s.lin.x, s.lin.y, s.lin.z};
  for (size_t i = 0; i < 6; i++) {
    out[i] = numbers[i];
  }
}

/* Whether the entry moves a body with mass; others have no torque (see dyn.h). */
static void find_driven(robot *r) {
  double mass[N_MAX] = {0}; /* of a body and all that it carries */
  for (size_t i = r->tree->body_count; i-- > 0;) {
    mass[i] += r->tree->inertia[i].mass_kg;
    if (r->tree->parent[i] >= 0) {
      mass[r->tree->parent[i]] += mass[i];
    }
    r->is_driven[r->tree->coord[i]] |= mass[i] > 0;
  }
}

/* Mass matrix times acceleration plus bias is the inverse dynamics. */
static void check_mass_matrix(robot *r) {
  double mass[N_MAX * N_MAX];
  double bias[N_MAX];
  double tau[N_MAX];
  sn_dyn_mass_matrix(r->dyn, r->q, mass);
  sn_dyn_inverse(r->dyn, NULL, r->q, r->qd, NULL, bias, NULL);
  sn_dyn_inverse(r->dyn, NULL, r->q, r->qd, r->qdd, tau, NULL);
  for (size_t i = 0; i < r->n; i++) {
    double sum = bias[i];
    for (size_t j = 0; j < r->n; j++) {
      sum += mass[i * r->n + j] * r->qdd[j];
      CHECK_NEAR(mass[i * r->n + j], mass[j * r->n + i], 1e-12);
    }
    CHECK_NEAR(tau[i], r->is_driven[i] ? sum : 0, 1e-9);
  }
}

/* A robot that falls freely: inverse dynamics needs no force on the base for the accelerations
   that the forward dynamics finds, and the torques are those applied. */
static void check_floating(robot *r) {
  double tau[N_MAX] = {0};
  double qdd[N_MAX];
  double needed[N_MAX];
  for (size_t i = 0; i < r->n; i++) {
    tau[i] = r->is_driven[i] ? 0.1 * (double)(i % 3) : 0;
  }
  sn_base_state base = {.pose_world_base = {sn_mat3_from_rpy(0.1, -0.2, 0.3), {0, 0, 1}},
                        .twist = {{0.3, -0.2, 0.1}, {0.5, 0, 0.2}}};
  const sn_dyn_world world = {.gravity = {0, 0, -9.81}, .base = &base};
  sn_spatial wrench = {{1, 1, 1}, {1, 1, 1}};
  CHECK(sn_dyn_forward_floating(r->dyn, &world, r->q, r->qd, tau, qdd, &base.acceleration) ==
        SN_OK);
  sn_dyn_inverse(r->dyn, &world, r->q, r->qd, qdd, needed, &wrench);
  for (size_t i = 0; i < r->n; i++) {
    CHECK_NEAR(needed[i], tau[i], 1e-8);
  }
  CHECK_NEAR(sn_vec3_norm(wrench.ang) + sn_vec3_norm(wrench.lin), 0, 1e-8);
}

/* The first six rows of the floating mass matrix times all velocities are the momentum about the
   origin of the base. */
static void check_momentum(robot *r) {
  double mass[(6 + N_MAX) * (6 + N_MAX)];
  double v[6 + N_MAX];
  double sum[6] = {0};
  const size_t size = 6 + r->n;
  const sn_base_state base = {.pose_world_base = sn_pose_identity(),
                              .twist = {{0.3, -0.2, 0.1}, {0.5, 0, 0.2}}};
  six(base.twist, v);
  for (size_t i = 0; i < r->n; i++) {
    v[6 + i] = r->qd[i];
  }
  sn_dyn_mass_matrix_floating(r->dyn, r->q, mass);
  for (size_t i = 0; i < 6 * size; i++) {
    sum[i / size] += mass[i] * v[i % size];
  }
  const sn_vec3 linear = {sum[3], sum[4], sum[5]};
  const sn_spatial momentum = sn_dyn_momentum(r->dyn, &base, r->q, r->qd);
  const sn_vec3 com = sn_dyn_com(r->dyn, r->q);
  const sn_vec3 about_base = sn_vec3_add(momentum.ang, sn_vec3_cross(com, momentum.lin));
  CHECK_NEAR(sn_vec3_norm(sn_vec3_sub(momentum.lin, linear)), 0, 1e-12);
  CHECK_NEAR(about_base.x, sum[0], 1e-12);
  CHECK_NEAR(about_base.y, sum[1], 1e-12);
  CHECK_NEAR(about_base.z, sum[2], 1e-12);
}

/* The mass is that of all links; mass times velocity of the centre of mass is the momentum. */
static void check_com(robot *r) {
  double total = 0;
  for (size_t i = 0; i < sn_model_link_count(r->model); i++) {
    total += sn_model_link(r->model, i)->mass_kg;
  }
  CHECK(total > 0);
  CHECK_NEAR(sn_dyn_total_mass(r->dyn), total, 1e-12);

  double jac[3 * N_MAX];
  double velocity[3] = {0};
  sn_vec3 com;
  sn_dyn_com_jacobian(r->dyn, r->q, &com, jac);
  for (size_t i = 0; i < 3 * r->n; i++) {
    velocity[i / r->n] += jac[i] * r->qd[i % r->n];
  }
  const sn_spatial momentum = sn_dyn_momentum(r->dyn, NULL, r->q, r->qd);
  CHECK(sn_vec3_norm(momentum.lin) > 0.01);
  CHECK_NEAR(momentum.lin.x, total * velocity[0], 1e-12);
  CHECK_NEAR(momentum.lin.y, total * velocity[1], 1e-12);
  CHECK_NEAR(momentum.lin.z, total * velocity[2], 1e-12);
}

/* The centre of mass is the mean of those of the links, weighted by their masses. */
static void check_mean(robot *r, sn_arena *arena) {
  sn_kin_data *kin = NULL;
  if (!CHECK(sn_kin_create(arena, r->tree, &kin, NULL) == SN_OK)) {
    return;
  }
  sn_kin_update(kin, r->q);
  sn_vec3 sum = {0, 0, 0};
  for (size_t i = 0; i < sn_model_link_count(r->model); i++) {
    const sn_link *link = sn_model_link(r->model, i);
    sum = sn_vec3_add_scaled(sum, link->mass_kg,
                             sn_pose_apply(sn_kin_link_pose(kin, link), link->com));
  }
  const sn_vec3 mean = sn_vec3_scale(sum, 1 / sn_dyn_total_mass(r->dyn));
  CHECK_NEAR(sn_vec3_norm(sn_vec3_sub(sn_dyn_com(r->dyn, r->q), mean)), 0, 1e-12);
}

int main(int argc, char **argv) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "dynamics", 0);
  robot r = {.model = argc == 2 ? check_load(&arena, argv[1]) : NULL};
  sn_random random;
  sn_random_init(&random, 2);
  r.n = r.model == NULL ? 0 : sn_model_pose_size(r.model);
  r.tree = r.model == NULL ? NULL : sn_model_tree(r.model);
  if (CHECK(r.n > 0 && r.n <= N_MAX) &&
      CHECK(sn_dyn_create(&arena, r.tree, &r.dyn, NULL) == SN_OK)) {
    for (size_t i = 0; i < r.n; i++) {
      r.q[i] = sn_random_between(&random, -0.8, 0.8);
      r.qd[i] = sn_random_between(&random, -1, 1);
      r.qdd[i] = sn_random_between(&random, -2, 2);
    }
    find_driven(&r);
    check_mass_matrix(&r);
    check_floating(&r);
    check_momentum(&r);
    check_com(&r);
    check_mean(&r, &arena);
  }
  sn_arena_release(&arena);
  return check_result();
}
