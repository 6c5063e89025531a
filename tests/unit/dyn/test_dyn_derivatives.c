#include "complex_dynamics.h"
#include "math/rotation.h"
#include "random_tree.h"
#include "robot.h"
#include "sinew/dyn_derivatives.h"
#include "sinew/kin.h"
#include "sn_test.h"

#define BODIES_MAX 40
#define ENTRIES_MAX (BODIES_MAX + 10)
#define AREA (ENTRIES_MAX * ENTRIES_MAX)

typedef struct fixture {
  sn_arena arena;
  sn_random random;
  const sn_tree *tree;
  sn_dyn_derivatives *data;
  sn_dyn_data *dyn;
  sn_base_state base;
  sn_spatial forces[BODIES_MAX];
  sn_dyn_world world;
  double q[ENTRIES_MAX], qd[ENTRIES_MAX], qdd[ENTRIES_MAX];
} fixture;

static double by_q[AREA], by_qd[AREA], by_qdd[AREA];

static void draw_state(fixture *f) {
  f->world = sn_test_random_world(&f->random, f->tree, &f->base, f->forces);
  sn_test_random_vector(&f->random, f->tree->coord_count, 3.0, f->q);
  sn_test_random_vector(&f->random, f->tree->coord_count, 2.0, f->qd);
  sn_test_random_vector(&f->random, f->tree->coord_count, 5.0, f->qdd);
}

static void prepare(fixture *f) {
  assert_int_equal(sn_dyn_derivatives_create(&f->arena, f->tree, &f->data, NULL), SN_OK);
  assert_int_equal(sn_dyn_create(&f->arena, f->tree, &f->dyn, NULL), SN_OK);
  draw_state(f);
}

static void draw(fixture *f, size_t body_count_max) {
  sn_arena_init_growing(&f->arena, "tree", 1 << 16);
  f->tree = sn_test_any_tree(&f->arena, &f->random, body_count_max);
  prepare(f);
}

/* One column by a complex step. @p kind 0: position, 1: velocity, 2: acceleration. @p column counts
   the base's six first. */
static void complex_column(const fixture *f, int kind, size_t column, double *out) {
  const size_t n = f->tree->coord_count;
  const double complex step = 1e-30 * I;
  double complex q[3][ENTRIES_MAX], tau[ENTRIES_MAX], wrench[6];
  for (size_t j = 0; j < n; j++) {
    q[0][j] = f->q[j];
    q[1][j] = f->qd[j];
    q[2][j] = f->qdd[j];
  }
  sn_test_complex_state s = {
      .tree = f->tree, .q = q[0], .qd = q[1], .qdd = q[2], .world = &f->world};
  if (f->world.base != NULL) {
    const sn_spatial v = f->base.twist, a = f->base.acceleration;
    const double twist[6] = {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z};
    const double acceleration[6] = {a.ang.x, a.ang.y, a.ang.z, a.lin.x, a.lin.y, a.lin.z};
    for (size_t k = 0; k < 6; k++) {
      s.twist[k] = twist[k];
      s.acceleration[k] = acceleration[k];
    }
  }
  if (column >= 6) {
    q[kind][column - 6] += step;
  } else {
    (kind == 0 ? s.displacement : kind == 1 ? s.twist : s.acceleration)[column] += step;
  }
  sn_test_complex_inverse(&s, tau, wrench);
  for (size_t k = 0; k < 6; k++) {
    out[k] = cimag(wrench[k]) / 1e-30;
  }
  for (size_t j = 0; j < n; j++) {
    out[6 + j] = cimag(tau[j]) / 1e-30;
  }
}

static bool is_idle(const sn_tree *tree, size_t j) {
  bool idle = true;
  for (size_t i = 0; i < tree->body_count; i++) {
    idle = idle && tree->coord[i] != (int)j;
  }
  return idle;
}

/* Every number of the three matrices, whose first row and column are @p skip of the full ones. */
static void assert_complex(const fixture *f, size_t skip, bool has_virtual) {
  const size_t n = f->tree->coord_count + 6 - skip;
  const double *const matrices[3] = {by_q, by_qd, by_qdd};
  for (int kind = 0; kind < 3; kind++) {
    for (size_t column = skip; column < n + skip; column++) {
      double expected[ENTRIES_MAX];
      complex_column(f, kind, column, expected);
      if (kind == 2 && column >= 6 && is_idle(f->tree, column - 6)) {
        expected[column] = 1.0;
      }
      for (size_t row = skip; row < n + skip; row++) {
        const double got = matrices[kind][(row - skip) * n + column - skip];
        if (kind == 2 && has_virtual && row == column && got == 1.0) {
          continue; /* an entry that moves no mass: test_virtual.c */
        }
        sn_assert_near(got, expected[row], 1e-11 * (100.0 + fabs(expected[row])));
      }
    }
  }
}

static void check_inverse(fixture *f, bool has_virtual) {
  double tau[ENTRIES_MAX], plain[ENTRIES_MAX];
  sn_spatial wrench, plain_wrench;
  const sn_inverse_derivatives out = {tau, &wrench, by_q, by_qd, by_qdd};
  sn_dyn_inverse_derivatives(f->data, &f->world, f->q, f->qd, f->qdd, &out);
  assert_complex(f, 6, has_virtual);
  sn_dyn_inverse_derivatives_floating(f->data, &f->world, f->q, f->qd, f->qdd, &out);
  assert_complex(f, 0, has_virtual);
  sn_dyn_inverse(f->dyn, &f->world, f->q, f->qd, f->qdd, plain, &plain_wrench);
  for (size_t j = 0; j < f->tree->coord_count; j++) {
    sn_assert_near(tau[j], plain[j], 1e-9);
  }
  sn_assert_vec3_near(wrench.ang, plain_wrench.ang, 1e-9);
  sn_assert_vec3_near(wrench.lin, plain_wrench.lin, 1e-9);
}

SN_TEST(inverse_dynamics_has_the_derivatives_of_complex_steps) {
  fixture f;
  sn_random_init(&f.random, 61);
  for (size_t round = 0; round < sn_test_cases(1000); round++) {
    draw(&f, 16);
    check_inverse(&f, false);
    sn_arena_release(&f.arena);
  }
}

SN_TEST(so_have_the_robots_of_the_library) {
  static const char *const names[] = {"arm6", "arm7", "arm_ur", "desk_arm", "quadruped"};
  for (size_t k = 0; k < 5; k++) {
    sn_test_robot robot;
    fixture f;
    sn_random_init(&f.random, 62);
    sn_test_robot_load(&robot, names[k]);
    sn_arena_init_growing(&f.arena, "tree", 1 << 16);
    f.tree = sn_model_tree(robot.model);
    prepare(&f);
    for (size_t round = 0; round < sn_test_cases(200); round++) {
      draw_state(&f);
      check_inverse(&f, true);
    }
    sn_arena_release(&f.arena);
    sn_test_robot_free(&robot);
  }
}

SN_TEST(a_world_of_none_means_gravity_and_rest) {
  fixture f;
  sn_random_init(&f.random, 63);
  for (size_t round = 0; round < sn_test_cases(100); round++) {
    draw(&f, 10);
    memset(f.qd, 0, sizeof f.qd);
    memset(f.qdd, 0, sizeof f.qdd);
    f.world = (sn_dyn_world){.gravity = {0, 0, -9.81}};
    const sn_inverse_derivatives out = {.by_q = by_q, .by_qd = by_qd, .by_qdd = by_qdd};
    sn_dyn_inverse_derivatives(f.data, NULL, f.q, NULL, NULL, &out);
    assert_complex(&f, 6, false);
    const sn_inverse_derivatives one = {.by_q = by_qd};
    sn_dyn_inverse_derivatives(f.data, NULL, f.q, NULL, NULL, &one);
    assert_memory_equal(by_q, by_qd, f.tree->coord_count * f.tree->coord_count * sizeof *by_q);
    sn_arena_release(&f.arena);
  }
}

/* Accelerations of base and joints at a state that is moved by @p step along @p column. */
static void moved_forward(const fixture *f, bool floats, int kind, size_t column, double step,
                          double *out) {
  double q[3][ENTRIES_MAX];
  sn_base_state base = f->base;
  const sn_dyn_world world = {f->world.gravity, &base, f->world.forces};
  memcpy(q[0], f->q, sizeof f->q);
  memcpy(q[1], f->qd, sizeof f->qd);
  memcpy(q[2], f->qdd, sizeof f->qdd); /* as joint forces */
  if (column >= 6) {
    q[kind][column - 6] += step;
  } else if (kind == 0) {
    double d[6] = {0};
    d[column] = step;
    const sn_mat3 turn = sn__mat3_exp(sn_vec3_make(d[0], d[1], d[2]));
    base.pose_world_base.rot = sn_mat3_mul(base.pose_world_base.rot, turn);
  } else {
    sn_spatial *s = kind == 1 ? &base.twist : &base.force;
    double numbers[6];
    memcpy(numbers, s, sizeof numbers);
    numbers[column] += step;
    memcpy(s, numbers, sizeof numbers);
  }
  sn_spatial acceleration = sn_spatial_zero();
  assert_int_equal(
      floats ? sn_dyn_forward_floating(f->dyn, &world, q[0], q[1], q[2], out + 6, &acceleration)
             : sn_dyn_forward(f->dyn, &world, q[0], q[1], q[2], out + 6),
      SN_OK);
  memcpy(out, &acceleration, sizeof acceleration);
}

/* Central differences, extrapolated once: an error of the fourth order. */
static void differences(const fixture *f, bool floats, int kind, size_t column, double *out) {
  const double h = 2e-3;
  double a[4][ENTRIES_MAX];
  moved_forward(f, floats, kind, column, h, a[0]);
  moved_forward(f, floats, kind, column, -h, a[1]);
  moved_forward(f, floats, kind, column, 0.5 * h, a[2]);
  moved_forward(f, floats, kind, column, -0.5 * h, a[3]);
  for (size_t j = 0; j < f->tree->coord_count + 6; j++) {
    out[j] = (4.0 * (a[2][j] - a[3][j]) / h - 0.5 * (a[0][j] - a[1][j]) / h) / 3.0;
  }
}

static void check_forward(fixture *f, bool floats) {
  const size_t skip = floats ? 0 : 6, n = f->tree->coord_count + 6 - skip;
  const double *const matrices[3] = {by_q, by_qd, by_qdd};
  double qdd[ENTRIES_MAX];
  sn_spatial acceleration;
  const sn_forward_derivatives out = {qdd, &acceleration, by_q, by_qd, by_qdd};
  assert_int_equal(
      floats ? sn_dyn_forward_derivatives_floating(f->data, &f->world, f->q, f->qd, f->qdd, &out)
             : sn_dyn_forward_derivatives(f->data, &f->world, f->q, f->qd, f->qdd, &out),
      SN_OK);
  for (int kind = 0; kind < 3; kind++) {
    for (size_t column = skip; column < n + skip; column++) {
      double expected[ENTRIES_MAX], size = 1.0;
      differences(f, floats, kind, column, expected);
      for (size_t row = skip; row < n + skip; row++) {
        size = fmax(size, fabs(expected[row]));
      }
      for (size_t row = skip; row < n + skip; row++) {
        sn_assert_near(matrices[kind][(row - skip) * n + column - skip], expected[row],
                       1e-5 * (100.0 + size));
      }
    }
  }
}

SN_TEST(forward_dynamics_has_the_derivatives_of_differences) {
  fixture f;
  sn_random_init(&f.random, 64);
  for (size_t round = 0; round < sn_test_cases(300); round++) {
    draw(&f, 9);
    check_forward(&f, false);
    check_forward(&f, true);
    sn_arena_release(&f.arena);
  }
}

/* Exact: what the acceleration does to the joint forces undoes what the rest did. */
SN_TEST(forward_derivatives_undo_those_of_inverse_dynamics) {
  static double m[AREA], b[2][AREA];
  fixture f;
  sn_random_init(&f.random, 65);
  for (size_t round = 0; round < sn_test_cases(500); round++) {
    draw(&f, 20);
    const size_t n = f.tree->coord_count + 6;
    double qdd[ENTRIES_MAX];
    const sn_forward_derivatives out = {qdd, &f.base.acceleration, by_q, by_qd, by_qdd};
    assert_int_equal(sn_dyn_forward_derivatives_floating(f.data, &f.world, f.q, f.qd, f.qdd, &out),
                     SN_OK);
    const sn_inverse_derivatives inverse = {.by_q = b[0], .by_qd = b[1], .by_qdd = m};
    sn_dyn_inverse_derivatives_floating(f.data, &f.world, f.q, f.qd, qdd, &inverse);
    const double *const x[3] = {by_q, by_qd, by_qdd};
    for (size_t kind = 0; kind < 3; kind++) {
      for (size_t k = 0; k < n * n; k++) {
        const size_t row = k / n, column = k % n;
        const bool idle = row >= 6 && is_idle(f.tree, row - 6);
        double sum = kind < 2 ? b[kind][k] : row == column && !idle ? -1.0 : 0.0, size = 100.0;
        for (size_t j = 0; j < n; j++) {
          sum += m[row * n + j] * x[kind][j * n + column];
          size += fabs(m[row * n + j] * x[kind][j * n + column]);
        }
        sn_assert_near(sum, 0.0, 1e-10 * size);
      }
    }
    sn_arena_release(&f.arena);
  }
}

SN_TEST(a_joint_that_moves_no_mass_has_no_forward_derivatives) {
  fixture f;
  sn_random_init(&f.random, 66);
  sn_arena_init_growing(&f.arena, "tree", 1 << 16);
  const sn_test_tree_config config = {.body_count = 5, .serial = true};
  sn_tree *tree = sn_test_random_tree(&f.arena, &f.random, &config);
  ((sn_inertia *)tree->inertia)[4] =
      (sn_inertia){.mass_kg = 1.0, .h = {0, 0, 0.1}, .tensor = {0.01, 0.01, 0, 0, 0, 0}};
  f.tree = tree;
  prepare(&f);
  const sn_forward_derivatives out = {.by_q = by_q};
  assert_int_equal(sn_dyn_forward_derivatives(f.data, NULL, f.q, f.qd, f.qdd, &out), SN_EMODEL);
  sn_arena_release(&f.arena);
}

/* The acceleration by complex steps through the force on the base, the velocity by differences of
   the Jacobian. */
SN_TEST(centre_of_mass_has_the_derivatives_of_its_motion) {
  fixture f;
  sn_random_init(&f.random, 67);
  for (size_t round = 0; round < sn_test_cases(300); round++) {
    draw(&f, 12);
    f.world = (sn_dyn_world){.gravity = {0, 0, 0}};
    const size_t n = f.tree->coord_count;
    const double mass_kg = sn_dyn_total_mass(f.dyn), h = 1e-6;
    double jac[3 * ENTRIES_MAX], ahead[3 * ENTRIES_MAX], behind[3 * ENTRIES_MAX];
    sn_com_derivatives out = {.jac = by_qdd, .velocity_by_q = by_qd, .acceleration_by_q = by_q};
    sn_dyn_com_derivatives(f.data, f.q, f.qd, f.qdd, &out);
    sn_vec3 com, other;
    sn_dyn_com_jacobian(f.dyn, f.q, &com, jac);
    sn_assert_vec3_near(out.position, com, 1e-12);
    double velocity[3] = {0};
    for (size_t j = 0; j < 3 * n; j++) {
      sn_assert_near(by_qdd[j], jac[j], 1e-12);
      velocity[j / n] += jac[j] * f.qd[j % n];
    }
    sn_assert_vec3_near(out.velocity, sn_vec3_make(velocity[0], velocity[1], velocity[2]), 1e-11);
    for (size_t j = 0; j < n; j++) {
      double exact[ENTRIES_MAX], q[ENTRIES_MAX];
      complex_column(&f, 0, 6 + j, exact);
      memcpy(q, f.q, sizeof q);
      q[j] = f.q[j] + h;
      sn_dyn_com_jacobian(f.dyn, q, &other, ahead);
      q[j] = f.q[j] - h;
      sn_dyn_com_jacobian(f.dyn, q, &other, behind);
      for (size_t k = 0; k < 3; k++) {
        double rate = 0.0;
        for (size_t i = 0; i < n; i++) {
          rate += (ahead[k * n + i] - behind[k * n + i]) * 0.5 / h * f.qd[i];
        }
        sn_assert_near(by_qd[k * n + j], rate, 1e-6);
        sn_assert_near(by_q[k * n + j], exact[3 + k] / mass_kg, 1e-10);
      }
    }
    sn_arena_release(&f.arena);
  }
}

/* J^T f, by the Jacobians of the points; the wrench on the base first. */
static void plain_contacts(const fixture *f, sn_kin_data *kin, sn_mat3 rot, const double *q,
                           const sn_point_force *forces, size_t count, double *tau) {
  const size_t n = f->tree->coord_count;
  memset(tau, 0, (n + 6) * sizeof *tau);
  sn_kin_update(kin, q);
  for (size_t k = 0; k < count; k++) {
    double jac[6 * ENTRIES_MAX];
    const sn_pose tip = {sn_mat3_identity(), forces[k].point};
    sn_kin_jacobian(kin, forces[k].body, tip, SN_JAC_ALIGNED, jac);
    const sn_vec3 force = sn_mat3_apply_transposed(rot, forces[k].force);
    const sn_vec3 at = sn_pose_apply(sn_kin_body_pose(kin, forces[k].body), forces[k].point);
    const sn_vec3 torque = sn_vec3_cross(at, force);
    const double wrench[6] = {torque.x, torque.y, torque.z, force.x, force.y, force.z};
    for (size_t r = 0; r < 6; r++) {
      tau[r] += wrench[r];
    }
    for (size_t j = 0; j < n; j++) {
      tau[6 + j] += jac[3 * n + j] * force.x + jac[4 * n + j] * force.y + jac[5 * n + j] * force.z;
    }
  }
}

SN_TEST(forces_on_points_have_the_derivatives_of_differences) {
  fixture f;
  sn_random_init(&f.random, 68);
  for (size_t round = 0; round < sn_test_cases(300); round++) {
    draw(&f, 12);
    const size_t n = f.tree->coord_count + 6;
    const sn_mat3 rot = f.base.pose_world_base.rot;
    sn_kin_data *kin = NULL;
    assert_int_equal(sn_kin_create(&f.arena, f.tree, &kin, NULL), SN_OK);
    sn_point_force forces[6];
    for (size_t k = 0; k < 6; k++) {
      forces[k].body = (int)sn_random_below(&f.random, f.tree->body_count + 1) - 1;
      forces[k].point = sn_test_random_vec3(&f.random, 0.5);
      forces[k].force = sn_test_random_vec3(&f.random, 20.0);
    }
    double tau[ENTRIES_MAX], expected[ENTRIES_MAX], ahead[ENTRIES_MAX], behind[ENTRIES_MAX];
    sn_dyn_contact_derivatives_floating(f.data, rot, f.q, forces, 6, tau, by_q);
    plain_contacts(&f, kin, rot, f.q, forces, 6, expected);
    for (size_t column = 0; column < n; column++) {
      sn_assert_near(tau[column], expected[column], 1e-10);
      const double h = 1e-5;
      double q[ENTRIES_MAX], d[6] = {0};
      memcpy(q, f.q, sizeof q);
      *(column < 6 ? &d[column] : &q[column - 6]) += h;
      sn_mat3 turn = sn__mat3_exp(sn_vec3_make(d[0], d[1], d[2]));
      plain_contacts(&f, kin, sn_mat3_mul(rot, turn), q, forces, 6, ahead);
      *(column < 6 ? &d[column] : &q[column - 6]) -= 2.0 * h;
      turn = sn__mat3_exp(sn_vec3_make(d[0], d[1], d[2]));
      plain_contacts(&f, kin, sn_mat3_mul(rot, turn), q, forces, 6, behind);
      for (size_t row = 0; row < n; row++) {
        sn_assert_near(by_q[row * n + column], (ahead[row] - behind[row]) * 0.5 / h, 1e-5);
      }
    }
    sn_dyn_contact_derivatives_floating(f.data, sn_mat3_identity(), f.q, forces, 6, tau, by_q);
    sn_dyn_contact_derivatives(f.data, f.q, forces, 6, expected, by_qd);
    for (size_t k = 0; k < (n - 6) * (n - 6); k++) {
      const size_t row = k / (n - 6), column = k % (n - 6);
      sn_assert_near(by_qd[k], by_q[(row + 6) * n + column + 6], 0.0);
      sn_assert_near(expected[row], tau[row + 6], 0.0);
    }
    sn_arena_release(&f.arena);
  }
}

SN_TEST(creation_in_a_full_arena_leaves_it_as_it_was) {
  fixture f;
  sn_random_init(&f.random, 69);
  draw(&f, 8);
  static max_align_t memory[4096];
  for (size_t size = 0; size < sizeof memory; size += 512) {
    sn_arena arena;
    sn_arena_init(&arena, "small", memory, size);
    sn_dyn_derivatives *data = NULL;
    const size_t before = sn_arena_used(&arena);
    if (sn_dyn_derivatives_create(&arena, f.tree, &data, NULL) == SN_ENOMEM) {
      assert_null(data);
      assert_int_equal(sn_arena_used(&arena), before);
    }
  }
  sn_arena_release(&f.arena);
}
