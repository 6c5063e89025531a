#include "random_tree.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sn_test.h"

#define BODIES_MAX 14
#define ENTRIES_MAX (BODIES_MAX + 4)

typedef struct fixture {
  sn_arena arena;
  sn_random random;
  sn_tree *tree;
  sn_dyn_data *dyn;
  sn_kin_data *kin;
  sn_base_state base;
  sn_spatial forces[BODIES_MAX];
  sn_dyn_world world;
  double q[ENTRIES_MAX], qd[ENTRIES_MAX], qdd[ENTRIES_MAX];
} fixture;

static void draw(fixture *f) {
  sn_arena_init_growing(&f->arena, "tree", 1 << 16);
  f->tree = sn_test_any_tree(&f->arena, &f->random, BODIES_MAX);
  assert_int_equal(sn_dyn_create(&f->arena, f->tree, &f->dyn, NULL), SN_OK);
  assert_int_equal(sn_kin_create(&f->arena, f->tree, &f->kin, NULL), SN_OK);
  sn_arena_seal(&f->arena);
  f->world = sn_test_random_world(&f->random, f->tree, &f->base, f->forces);
  sn_test_random_vector(&f->random, f->tree->coord_count, 3.0, f->q);
  sn_test_random_vector(&f->random, f->tree->coord_count, 2.0, f->qd);
  sn_test_random_vector(&f->random, f->tree->coord_count, 5.0, f->qdd);
}

/* Mass matrix by its definition: sum over bodies of J^T I J, with J in the frame of the body. */
static void plain_mass_matrix(const fixture *f, const double *q, double *mass) {
  const size_t n = f->tree->coord_count;
  memset(mass, 0, n * n * sizeof *mass);
  sn_kin_update(f->kin, q);
  for (size_t b = 0; b < f->tree->body_count; b++) {
    double jac[6 * ENTRIES_MAX];
    sn_kin_jacobian(f->kin, (int)b, sn_pose_identity(), SN_JAC_TIP, jac);
    for (size_t i = 0; i < n; i++) {
      const sn_spatial v = {{jac[i], jac[n + i], jac[2 * n + i]},
                            {jac[3 * n + i], jac[4 * n + i], jac[5 * n + i]}};
      const sn_spatial p = sn_inertia_apply(f->tree->inertia[b], v);
      for (size_t j = 0; j < n; j++) {
        mass[i * n + j] += p.ang.x * jac[j] + p.ang.y * jac[n + j] + p.ang.z * jac[2 * n + j] +
                           p.lin.x * jac[3 * n + j] + p.lin.y * jac[4 * n + j] +
                           p.lin.z * jac[5 * n + j];
      }
    }
  }
}

static double plain_potential(const fixture *f, const double *q, sn_vec3 gravity) {
  double energy = 0.0;
  for (size_t b = 0; b < f->tree->body_count; b++) {
    const sn_pose pose = sn_test_body_pose(f->tree, (int)b, q);
    const sn_inertia inertia = f->tree->inertia[b];
    const sn_vec3 h =
        sn_vec3_add_scaled(sn_mat3_apply(pose.rot, inertia.h), inertia.mass_kg, pose.pos);
    energy -= sn_vec3_dot(gravity, h);
  }
  return energy;
}

static double quadratic(size_t n, const double *m, const double *a, const double *b) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      sum += a[i] * m[i * n + j] * b[j];
    }
  }
  return sum;
}

static bool is_idle(const sn_tree *tree, size_t j) {
  for (size_t i = 0; i < tree->body_count; i++) {
    if (tree->coord[i] == (int)j) {
      return false;
    }
  }
  return true;
}

SN_TEST(mass_matrix_is_the_sum_over_bodies) {
  fixture f;
  sn_random_init(&f.random, 31);
  for (size_t round = 0; round < sn_test_cases(2000); round++) {
    draw(&f);
    const size_t n = f.tree->coord_count;
    double mass[ENTRIES_MAX * ENTRIES_MAX], plain[ENTRIES_MAX * ENTRIES_MAX];
    sn_dyn_mass_matrix(f.dyn, f.q, mass);
    plain_mass_matrix(&f, f.q, plain);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++) {
        const double expected = i == j && is_idle(f.tree, i) ? 1.0 : plain[i * n + j];
        sn_assert_near(mass[i * n + j], expected, 1e-10);
      }
    }
    sn_arena_release(&f.arena);
  }
}

/* Lagrange: tau_k = sum M qdd + d/dt(M) qd - 1/2 d/dq_k (qd M qd) + dU/dq_k, derivatives by
   difference quotients of the plain mass matrix. No Newton-Euler anywhere. */
static double lagrange_tau(const fixture *f, size_t k, sn_vec3 gravity) {
  const size_t n = f->tree->coord_count;
  const double step = 1e-5;
  double mass[ENTRIES_MAX * ENTRIES_MAX], ahead[ENTRIES_MAX * ENTRIES_MAX];
  double behind[ENTRIES_MAX * ENTRIES_MAX], q[ENTRIES_MAX], unit[ENTRIES_MAX] = {0};
  unit[k] = 1.0;
  plain_mass_matrix(f, f->q, mass);
  double tau = quadratic(n, mass, unit, f->qdd);
  for (size_t j = 0; j < n; j++) {
    q[j] = f->q[j] + step * f->qd[j];
  }
  plain_mass_matrix(f, q, ahead);
  for (size_t j = 0; j < n; j++) {
    q[j] = f->q[j] - step * f->qd[j];
  }
  plain_mass_matrix(f, q, behind);
  tau += (quadratic(n, ahead, unit, f->qd) - quadratic(n, behind, unit, f->qd)) / (2 * step);
  memcpy(q, f->q, n * sizeof *q);
  q[k] = f->q[k] + step;
  plain_mass_matrix(f, q, ahead);
  const double high = plain_potential(f, q, gravity);
  q[k] = f->q[k] - step;
  plain_mass_matrix(f, q, behind);
  const double low = plain_potential(f, q, gravity);
  tau -= 0.25 * (quadratic(n, ahead, f->qd, f->qd) - quadratic(n, behind, f->qd, f->qd)) / step;
  return tau + (high - low) / (2 * step);
}

SN_TEST(inverse_dynamics_obeys_lagrange) {
  fixture f;
  sn_random_init(&f.random, 32);
  for (size_t round = 0; round < sn_test_cases(400); round++) {
    draw(&f);
    const sn_dyn_world world = {.gravity = f.world.gravity};
    double tau[ENTRIES_MAX];
    sn_dyn_inverse(f.dyn, &world, f.q, f.qd, f.qdd, tau, NULL);
    for (size_t k = 0; k < f.tree->coord_count; k++) {
      sn_assert_near(tau[k], lagrange_tau(&f, k, world.gravity), 1e-4);
    }
    sn_arena_release(&f.arena);
  }
}

SN_TEST(default_world_pulls_down_on_a_fixed_base) {
  fixture f;
  sn_random_init(&f.random, 33);
  draw(&f);
  const sn_base_state still = {.pose_world_base = sn_pose_identity()};
  const sn_dyn_world world = {.gravity = {0, 0, -9.81}, .base = &still};
  const double zero[ENTRIES_MAX] = {0};
  double tau[ENTRIES_MAX], by_default[ENTRIES_MAX];
  sn_dyn_inverse(f.dyn, &world, f.q, zero, zero, tau, NULL);
  sn_dyn_inverse(f.dyn, NULL, f.q, NULL, NULL, by_default, NULL);
  for (size_t k = 0; k < f.tree->coord_count; k++) {
    sn_assert_near(by_default[k], tau[k], 1e-12);
  }
  sn_arena_release(&f.arena);
}

SN_TEST(external_forces_act_through_the_jacobian) {
  fixture f;
  sn_random_init(&f.random, 34);
  for (size_t round = 0; round < sn_test_cases(1000); round++) {
    draw(&f);
    const size_t n = f.tree->coord_count;
    const sn_dyn_world free = {.gravity = f.world.gravity};
    const sn_dyn_world pushed = {.gravity = f.world.gravity, .forces = f.forces};
    double tau_free[ENTRIES_MAX], tau_pushed[ENTRIES_MAX], expected[ENTRIES_MAX] = {0};
    sn_dyn_inverse(f.dyn, &free, f.q, f.qd, f.qdd, tau_free, NULL);
    sn_dyn_inverse(f.dyn, &pushed, f.q, f.qd, f.qdd, tau_pushed, NULL);
    sn_kin_update(f.kin, f.q);
    for (size_t b = 0; b < f.tree->body_count; b++) {
      double jac[6 * ENTRIES_MAX];
      sn_kin_jacobian(f.kin, (int)b, sn_pose_identity(), SN_JAC_TIP, jac);
      for (size_t j = 0; j < n; j++) {
        const sn_spatial column = {{jac[j], jac[n + j], jac[2 * n + j]},
                                   {jac[3 * n + j], jac[4 * n + j], jac[5 * n + j]}};
        expected[j] += sn_spatial_dot(f.forces[b], column);
      }
    }
    for (size_t j = 0; j < n; j++) {
      sn_assert_near(tau_free[j] - tau_pushed[j], expected[j], 1e-9);
    }
    sn_arena_release(&f.arena);
  }
}

/* With the base moving: the whole force and torque, base included, is linear in the accelerations
   with the floating mass matrix as factor. */
SN_TEST(floating_mass_matrix_relates_wrench_to_acceleration) {
  fixture f;
  sn_random_init(&f.random, 35);
  for (size_t round = 0; round < sn_test_cases(1500); round++) {
    draw(&f);
    const size_t n = f.tree->coord_count, size = n + 6;
    double mass[(ENTRIES_MAX + 6) * (ENTRIES_MAX + 6)], tau[ENTRIES_MAX], bias[ENTRIES_MAX];
    sn_dyn_mass_matrix_floating(f.dyn, f.q, mass);
    sn_spatial wrench, wrench_bias;
    sn_dyn_inverse(f.dyn, &f.world, f.q, f.qd, f.qdd, tau, &wrench);
    const sn_spatial a = f.base.acceleration;
    f.base.acceleration = sn_spatial_zero();
    sn_dyn_inverse(f.dyn, &f.world, f.q, f.qd, NULL, bias, &wrench_bias);
    const sn_spatial d = sn_spatial_sub(wrench, wrench_bias);
    double x[ENTRIES_MAX + 6] = {a.ang.x, a.ang.y, a.ang.z, a.lin.x, a.lin.y, a.lin.z};
    double y[ENTRIES_MAX + 6] = {d.ang.x, d.ang.y, d.ang.z, d.lin.x, d.lin.y, d.lin.z};
    for (size_t j = 0; j < n; j++) {
      x[6 + j] = is_idle(f.tree, j) ? 0.0 : f.qdd[j];
      y[6 + j] = tau[j] - bias[j];
    }
    for (size_t i = 0; i < size; i++) {
      double sum = 0.0;
      for (size_t j = 0; j < size; j++) {
        sum += mass[i * size + j] * x[j];
        sn_assert_near(mass[i * size + j], mass[j * size + i], 0.0);
      }
      sn_assert_near(sum, y[i], 1e-8);
    }
    sn_arena_release(&f.arena);
  }
}

SN_TEST(robot_without_inertia_is_rejected_by_name) {
  fixture f;
  sn_random_init(&f.random, 36);
  draw(&f);
  f.tree->massless_link = "left_finger";
  sn_arena arena;
  sn_arena_init_growing(&arena, "other", 0);
  sn_dyn_data *data = NULL;
  sn_error err;
  assert_int_equal(sn_dyn_create(&arena, f.tree, &data, &err), SN_EMODEL);
  assert_null(data);
  sn_assert_contains(err.message, "left_finger");
  sn_assert_contains(err.message, "inertia");
  sn_arena_release(&arena);
  sn_arena_release(&f.arena);
}

SN_TEST(full_arena_is_reported_and_left_as_it_was) {
  fixture f;
  sn_random_init(&f.random, 37);
  draw(&f);
  static double memory[500];
  sn_arena small;
  sn_arena_init(&small, "small", memory, sizeof memory);
  sn_dyn_data *data = NULL;
  sn_error err;
  assert_int_equal(sn_dyn_create(&small, f.tree, &data, &err), SN_ENOMEM);
  assert_null(data);
  sn_assert_contains(err.message, "small");
  assert_int_equal(sn_arena_used(&small), 0);
  sn_arena_release(&f.arena);
}
