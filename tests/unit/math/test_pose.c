#include "math/rotation.h"
#include "sinew/pose.h"
#include "sinew/random.h"
#include "sn_test.h"

#define CASES 2000

static sn_vec3 random_vec3(sn_random *random) {
  return sn_vec3_make(sn_random_normal(random), sn_random_normal(random), sn_random_normal(random));
}

static sn_pose random_pose(sn_random *random) {
  return (sn_pose){.rot = sn__mat3_exp(random_vec3(random)), .pos = random_vec3(random)};
}

/* The oracle: homogeneous 4x4 matrices, m[row][column]. */
typedef struct matrix {
  double m[4][4];
} matrix;

static matrix matrix_of(sn_pose p) {
  return (matrix){{{p.rot.x.x, p.rot.y.x, p.rot.z.x, p.pos.x},
                   {p.rot.x.y, p.rot.y.y, p.rot.z.y, p.pos.y},
                   {p.rot.x.z, p.rot.y.z, p.rot.z.z, p.pos.z},
                   {0, 0, 0, 1}}};
}

static matrix product(matrix a, matrix b) {
  matrix c = {0};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      for (int k = 0; k < 4; k++) {
        c.m[i][j] += a.m[i][k] * b.m[k][j];
      }
    }
  }
  return c;
}

static void assert_matrices_near(matrix a, matrix b, double tol) {
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      sn_assert_near(a.m[i][j], b.m[i][j], tol);
    }
  }
}

SN_TEST(product_of_poses_is_the_product_of_matrices) {
  sn_random random;
  sn_random_init(&random, 1);
  for (int i = 0; i < CASES; i++) {
    const sn_pose a = random_pose(&random);
    const sn_pose b = random_pose(&random);
    assert_matrices_near(matrix_of(sn_pose_mul(a, b)), product(matrix_of(a), matrix_of(b)), 2e-15);
  }
}

SN_TEST(applying_a_pose_moves_a_point_as_its_matrix_does) {
  sn_random random;
  sn_random_init(&random, 2);
  for (int i = 0; i < CASES; i++) {
    const sn_pose p = random_pose(&random);
    const sn_vec3 v = random_vec3(&random);
    const sn_pose at_point = {.rot = sn_mat3_identity(), .pos = v};
    const matrix expected = product(matrix_of(p), matrix_of(at_point));
    const sn_vec3 moved = sn_pose_apply(p, v);
    sn_assert_near(moved.x, expected.m[0][3], 2e-15);
    sn_assert_near(moved.y, expected.m[1][3], 2e-15);
    sn_assert_near(moved.z, expected.m[2][3], 2e-15);
  }
}

SN_TEST(inverse_undoes_a_pose_on_either_side) {
  sn_random random;
  sn_random_init(&random, 3);
  for (int i = 0; i < CASES; i++) {
    const sn_pose p = random_pose(&random);
    const matrix m = matrix_of(p);
    const matrix inverse = matrix_of(sn_pose_inverse(p));
    assert_matrices_near(product(m, inverse), matrix_of(sn_pose_identity()), 1e-14);
    assert_matrices_near(product(inverse, m), matrix_of(sn_pose_identity()), 1e-14);
  }
}

SN_TEST(pose_between_leads_from_the_first_to_the_second) {
  sn_random random;
  sn_random_init(&random, 4);
  for (int i = 0; i < CASES; i++) {
    const sn_pose a = random_pose(&random);
    const sn_pose b = random_pose(&random);
    const sn_pose between = sn_pose_between(a, b);
    assert_matrices_near(product(matrix_of(a), matrix_of(between)), matrix_of(b), 1e-14);
    sn_assert_pose_near(between, sn_pose_mul(sn_pose_inverse(a), b), 1e-14);
  }
}

SN_TEST(identity_changes_nothing) {
  sn_random random;
  sn_random_init(&random, 5);
  const sn_pose p = random_pose(&random);
  sn_assert_pose_near(sn_pose_mul(sn_pose_identity(), p), p, 0.0);
  sn_assert_pose_near(sn_pose_mul(p, sn_pose_identity()), p, 0.0);
  sn_assert_pose_near(sn_pose_inverse(sn_pose_identity()), sn_pose_identity(), 0.0);
}
