#include "dyn/mass_factor.h"
#include "random_tree.h"
#include "sinew/dyn.h"
#include "sn_test.h"

#define BODIES_MAX 20
#define ENTRIES_MAX (BODIES_MAX + 4)

typedef struct fixture {
  sn_arena arena;
  sn_random random;
  sn_tree *tree;
  sn_dyn_data *dyn;
  sn_base_state base;
  sn_spatial forces[BODIES_MAX];
  sn_dyn_world world;
  double q[ENTRIES_MAX], qd[ENTRIES_MAX], qdd[ENTRIES_MAX];
} fixture;

static void prepare(fixture *f) {
  assert_int_equal(sn_dyn_create(&f->arena, f->tree, &f->dyn, NULL), SN_OK);
  sn_arena_seal(&f->arena);
  f->world = sn_test_random_world(&f->random, f->tree, &f->base, f->forces);
  sn_test_random_vector(&f->random, f->tree->coord_count, 3.0, f->q);
  sn_test_random_vector(&f->random, f->tree->coord_count, 2.0, f->qd);
  sn_test_random_vector(&f->random, f->tree->coord_count, 5.0, f->qdd);
  bool idle[ENTRIES_MAX];
  memset(idle, 1, sizeof idle);
  for (size_t i = 0; i < f->tree->body_count; i++) {
    idle[f->tree->coord[i]] = false;
  }
  for (size_t j = 0; j < f->tree->coord_count; j++) {
    f->qdd[j] = idle[j] ? 0.0 : f->qdd[j];
  }
}

static void draw(fixture *f) {
  sn_arena_init_growing(&f->arena, "tree", 1 << 16);
  f->tree = sn_test_any_tree(&f->arena, &f->random, BODIES_MAX);
  prepare(f);
}

static void assert_vectors_near(size_t n, const double *a, const double *b, double tol) {
  for (size_t i = 0; i < n; i++) {
    sn_assert_near(a[i], b[i], tol);
  }
}

static void assert_spatial_near(sn_spatial a, sn_spatial b, double tol) {
  sn_assert_near(a.ang.x, b.ang.x, tol);
  sn_assert_near(a.ang.y, b.ang.y, tol);
  sn_assert_near(a.ang.z, b.ang.z, tol);
  sn_assert_near(a.lin.x, b.lin.x, tol);
  sn_assert_near(a.lin.y, b.lin.y, tol);
  sn_assert_near(a.lin.z, b.lin.z, tol);
}

SN_TEST(forward_undoes_inverse) {
  fixture f;
  sn_random_init(&f.random, 41);
  for (size_t round = 0; round < sn_test_cases(3000); round++) {
    draw(&f);
    double tau[ENTRIES_MAX], qdd[ENTRIES_MAX];
    sn_dyn_inverse(f.dyn, &f.world, f.q, f.qd, f.qdd, tau, NULL);
    assert_int_equal(sn_dyn_forward(f.dyn, &f.world, f.q, f.qd, tau, qdd), SN_OK);
    assert_vectors_near(f.tree->coord_count, qdd, f.qdd, 1e-7);
    assert_int_equal(sn_dyn_forward(f.dyn, &f.world, f.q, f.qd, tau, tau), SN_OK);
    assert_vectors_near(f.tree->coord_count, tau, qdd, 0.0); /* in place */
    sn_arena_release(&f.arena);
  }
}

SN_TEST(floating_forward_undoes_inverse) {
  fixture f;
  sn_random_init(&f.random, 42);
  for (size_t round = 0; round < sn_test_cases(3000); round++) {
    draw(&f);
    double tau[ENTRIES_MAX], qdd[ENTRIES_MAX];
    sn_spatial wrench, acceleration;
    sn_dyn_inverse(f.dyn, &f.world, f.q, f.qd, f.qdd, tau, &wrench);
    const sn_spatial expected = f.base.acceleration;
    f.base.force = sn_spatial_add(f.base.force, wrench);
    f.base.acceleration = sn_test_random_spatial(&f.random, 100.0); /* must not be read */
    assert_int_equal(sn_dyn_forward_floating(f.dyn, &f.world, f.q, f.qd, tau, qdd, &acceleration),
                     SN_OK);
    assert_vectors_near(f.tree->coord_count, qdd, f.qdd, 1e-7);
    assert_spatial_near(acceleration, expected, 1e-7);
    sn_arena_release(&f.arena);
  }
}

SN_TEST(factors_solve_with_the_mass_matrix) {
  fixture f;
  sn_random_init(&f.random, 43);
  for (size_t round = 0; round < sn_test_cases(2000); round++) {
    draw(&f);
    const size_t n = f.tree->coord_count;
    double mass[ENTRIES_MAX * ENTRIES_MAX], b[ENTRIES_MAX], x[ENTRIES_MAX];
    sn_test_random_vector(&f.random, n, 1.0, b);
    memcpy(x, b, n * sizeof *x);
    assert_int_equal(sn__dyn_mass_factor(f.dyn, f.q), SN_OK);
    sn__dyn_mass_solve(f.dyn, x);
    sn_dyn_mass_matrix(f.dyn, f.q, mass);
    for (size_t i = 0; i < n; i++) {
      double sum = 0.0;
      for (size_t j = 0; j < n; j++) {
        sum += mass[i * n + j] * x[j];
      }
      sn_assert_near(sum, b[i], 1e-8);
    }
    sn_arena_release(&f.arena);
  }
}

SN_TEST(joint_that_moves_no_mass_is_reported) {
  fixture f;
  sn_random_init(&f.random, 44);
  sn_arena_init_growing(&f.arena, "tree", 1 << 16);
  const sn_test_tree_config config = {.body_count = 5, .serial = true};
  f.tree = sn_test_random_tree(&f.arena, &f.random, &config);
  /* A point on the axis of the last joint: it has mass, but turning it moves none. */
  ((bool *)f.tree->prismatic)[4] = false;
  ((sn_inertia *)f.tree->inertia)[4] =
      (sn_inertia){.mass_kg = 1.0, .h = {0, 0, 0.1}, .tensor = {0.01, 0.01, 0, 0, 0, 0}};
  prepare(&f);
  double qdd[ENTRIES_MAX];
  assert_int_equal(sn_dyn_forward(f.dyn, NULL, f.q, f.qd, NULL, qdd), SN_EMODEL);
  assert_int_equal(sn__dyn_mass_factor(f.dyn, f.q), SN_EMODEL);
  sn_arena_release(&f.arena);
}

static double energy(const fixture *f, const double *q, const double *qd) {
  const size_t n = f->tree->coord_count;
  double mass[ENTRIES_MAX * ENTRIES_MAX], sum = 0.0;
  sn_dyn_mass_matrix(f->dyn, q, mass);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      sum += 0.5 * qd[i] * mass[i * n + j] * qd[j];
    }
  }
  return sum + 9.81 * sn_dyn_total_mass(f->dyn) * sn_dyn_com(f->dyn, q).z;
}

/* One step of Runge-Kutta 4 without joint forces. */
static void simulate(const fixture *f, double dt_s, double *q, double *qd) {
  const size_t n = f->tree->coord_count;
  const double ahead[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double k_q[ENTRIES_MAX] = {0}, k_qd[ENTRIES_MAX] = {0};
  double sum_q[ENTRIES_MAX] = {0}, sum_qd[ENTRIES_MAX] = {0};
  for (int stage = 0; stage < 4; stage++) {
    double at_q[ENTRIES_MAX], at_qd[ENTRIES_MAX];
    for (size_t j = 0; j < n; j++) {
      at_q[j] = q[j] + ahead[stage] * dt_s * k_q[j];
      at_qd[j] = qd[j] + ahead[stage] * dt_s * k_qd[j];
    }
    assert_int_equal(sn_dyn_forward(f->dyn, NULL, at_q, at_qd, NULL, k_qd), SN_OK);
    memcpy(k_q, at_qd, sizeof k_q);
    for (size_t j = 0; j < n; j++) {
      sum_q[j] += weight[stage] * k_q[j];
      sum_qd[j] += weight[stage] * k_qd[j];
    }
  }
  for (size_t j = 0; j < n; j++) {
    q[j] += dt_s * sum_q[j];
    qd[j] += dt_s * sum_qd[j];
  }
}

SN_TEST(free_motion_conserves_energy) {
  fixture f;
  sn_random_init(&f.random, 45);
  for (size_t round = 0; round < sn_test_cases(20); round++) {
    sn_arena_init_growing(&f.arena, "tree", 1 << 16);
    const sn_test_tree_config config = {.body_count = 1 + round % 6,
                                        .prismatic_share = round % 2 == 0 ? 0.0 : 0.3,
                                        .mimic_share = round % 3 == 0 ? 0.3 : 0.0};
    f.tree = sn_test_random_tree(&f.arena, &f.random, &config);
    prepare(&f);
    const double before = energy(&f, f.q, f.qd);
    for (int step = 0; step < 1000; step++) {
      simulate(&f, 2e-4, f.q, f.qd);
    }
    sn_assert_near(energy(&f, f.q, f.qd), before, 1e-5);
    sn_arena_release(&f.arena);
  }
}
