#include "math/sym3.h"
#include "sinew/quat.h"
#include "sinew/random.h"
#include "sinew/vec3.h"
#include "sn_test.h"

#define CASES 2000

static sn_vec3 random_vec3(sn_random *random) {
  return sn_vec3_make(sn_random_normal(random), sn_random_normal(random), sn_random_normal(random));
}

static sn_mat3 random_mat3(sn_random *random) {
  return (sn_mat3){random_vec3(random), random_vec3(random), random_vec3(random)};
}

static sn_sym3 random_sym3(sn_random *random) {
  const sn_vec3 a = random_vec3(random);
  const sn_vec3 b = random_vec3(random);
  return (sn_sym3){a.x, a.y, a.z, b.x, b.y, b.z};
}

static sn_mat3 random_rotation(sn_random *random) {
  const sn_vec3 axis = random_vec3(random);
  return sn_mat3_from_axis_angle(sn_vec3_scale(axis, 1.0 / sn_vec3_norm(axis)),
                                 sn_random_between(random, -4.0, 4.0));
}

/* The oracles work on plain arrays with indices; m[row][column]. */
static void vec3_to_array(sn_vec3 v, double a[3]) {
  a[0] = v.x;
  a[1] = v.y;
  a[2] = v.z;
}

static void mat3_to_array(sn_mat3 m, double a[3][3]) {
  const sn_vec3 columns[] = {m.x, m.y, m.z};
  for (int j = 0; j < 3; j++) {
    a[0][j] = columns[j].x;
    a[1][j] = columns[j].y;
    a[2][j] = columns[j].z;
  }
}

static void sym3_to_array(sn_sym3 s, double a[3][3]) {
  mat3_to_array((sn_mat3){{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}}, a);
}

static void multiply(double a[3][3], double b[3][3], double out[3][3]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out[i][j] = 0.0;
      for (int k = 0; k < 3; k++) {
        out[i][j] += a[i][k] * b[k][j];
      }
    }
  }
}

static void assert_vec3_near(sn_vec3 actual, const double expected[3], double tol) {
  double a[3];
  vec3_to_array(actual, a);
  for (int i = 0; i < 3; i++) {
    sn_assert_near(a[i], expected[i], tol);
  }
}

static void assert_arrays_near(double a[3][3], double b[3][3], double tol) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      sn_assert_near(a[i][j], b[i][j], tol);
    }
  }
}

SN_TEST(vector_operations_agree_with_index_notation) {
  sn_random random;
  sn_random_init(&random, 1);
  for (int n = 0; n < CASES; n++) {
    const sn_vec3 va = random_vec3(&random);
    const sn_vec3 vb = random_vec3(&random);
    const double s = sn_random_normal(&random);
    double a[3], b[3], sum[3], difference[3], negative[3], scaled[3], moved[3], cross[3];
    vec3_to_array(va, a);
    vec3_to_array(vb, b);
    double dot = 0.0;
    for (int i = 0; i < 3; i++) {
      sum[i] = a[i] + b[i];
      difference[i] = a[i] - b[i];
      negative[i] = -a[i];
      scaled[i] = a[i] * s;
      moved[i] = a[i] + s * b[i];
      cross[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
      dot += a[i] * b[i];
    }
    assert_vec3_near(sn_vec3_add(va, vb), sum, 0.0);
    assert_vec3_near(sn_vec3_sub(va, vb), difference, 0.0);
    assert_vec3_near(sn_vec3_neg(va), negative, 0.0);
    assert_vec3_near(sn_vec3_scale(va, s), scaled, 0.0);
    assert_vec3_near(sn_vec3_add_scaled(va, s, vb), moved, 0.0);
    assert_vec3_near(sn_vec3_cross(va, vb), cross, 0.0);
    sn_assert_near(sn_vec3_dot(va, vb), dot, 0.0);
    sn_assert_near(sn_vec3_norm(va), hypot(hypot(a[0], a[1]), a[2]), 1e-14);
  }
}

SN_TEST(matrix_operations_agree_with_index_notation) {
  sn_random random;
  sn_random_init(&random, 2);
  for (int n = 0; n < CASES; n++) {
    const sn_mat3 ma = random_mat3(&random);
    const sn_mat3 mb = random_mat3(&random);
    const sn_vec3 vv = random_vec3(&random);
    double a[3][3], b[3][3], product[3][3], expected[3][3], v[3];
    mat3_to_array(ma, a);
    mat3_to_array(mb, b);
    vec3_to_array(vv, v);
    double applied[3] = {0}, transposed[3] = {0};
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        applied[i] += a[i][j] * v[j];
        transposed[i] += a[j][i] * v[j];
      }
    }
    assert_vec3_near(sn_mat3_apply(ma, vv), applied, 0.0);
    assert_vec3_near(sn_mat3_apply_transposed(ma, vv), transposed, 0.0);
    assert_vec3_near(sn_mat3_apply(sn_mat3_transpose(ma), vv), transposed, 0.0);
    assert_vec3_near(sn_mat3_apply(sn_mat3_identity(), vv), v, 0.0);
    multiply(a, b, expected);
    mat3_to_array(sn_mat3_mul(ma, mb), product);
    assert_arrays_near(product, expected, 0.0);
  }
}

SN_TEST(symmetric_matrices_agree_with_full_ones) {
  sn_random random;
  sn_random_init(&random, 3);
  for (int n = 0; n < CASES; n++) {
    const sn_sym3 sa = random_sym3(&random);
    const sn_sym3 sb = random_sym3(&random);
    const sn_mat3 r = random_rotation(&random);
    const sn_vec3 vv = random_vec3(&random);
    double a[3][3], b[3][3], sum[3][3], rot[3][3], rot_t[3][3], turned[3][3], v[3];
    sym3_to_array(sa, a);
    sym3_to_array(sb, b);
    mat3_to_array(r, rot);
    mat3_to_array(sn_mat3_transpose(r), rot_t);
    vec3_to_array(vv, v);
    double applied[3] = {0};
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        applied[i] += a[i][j] * v[j];
        b[i][j] += a[i][j];
      }
    }
    assert_vec3_near(sn_sym3_apply(sa, vv), applied, 0.0);
    sym3_to_array(sn_sym3_add(sa, sb), sum);
    assert_arrays_near(sum, b, 0.0);

    double half[3][3], expected[3][3];
    multiply(rot, a, half);
    multiply(half, rot_t, expected);
    sym3_to_array(sn__sym3_rotate(r, sa), turned);
    assert_arrays_near(turned, expected, 1e-14);
  }
}

/* Three eigenvalues in ascending order, often close to each other or far apart. */
static sn_vec3 random_eigenvalues(sn_random *random) {
  double e[3];
  for (int i = 0; i < 3; i++) {
    e[i] = sn_random_normal(random) * pow(10.0, -(double)sn_random_below(random, 13));
  }
  switch (sn_random_below(random, 4)) {
    case 0:
      e[1] = e[0];
      break;
    case 1:
      e[1] = e[2] = e[0];
      break;
    case 2:
      e[2] = e[1] * (1.0 + 1e-9);
      break;
    default:
      break;
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 2; j++) {
      if (e[j] > e[j + 1]) {
        const double t = e[j];
        e[j] = e[j + 1];
        e[j + 1] = t;
      }
    }
  }
  return sn_vec3_make(e[0], e[1], e[2]);
}

SN_TEST(eigenvalues_of_a_turned_diagonal_are_its_entries) {
  sn_random random;
  sn_random_init(&random, 4);
  const size_t cases = sn_test_cases(20000);
  for (size_t n = 0; n < cases; n++) {
    const sn_vec3 expected = random_eigenvalues(&random);
    const sn_sym3 diagonal = {.xx = expected.y, .yy = expected.z, .zz = expected.x};
    const sn_vec3 actual =
        sn__sym3_eigenvalues(sn__sym3_rotate(random_rotation(&random), diagonal));
    const double largest = fmax(fabs(expected.x), fabs(expected.z));
    assert_vec3_near(actual, (double[]){expected.x, expected.y, expected.z}, 4e-15 * largest);
  }
}

SN_TEST(eigenvalues_of_special_matrices_are_exact) {
  const double zero[3] = {0, 0, 0};
  assert_vec3_near(sn__sym3_eigenvalues((sn_sym3){0}), zero, 0.0);
  const double sorted[3] = {-1, 2, 3};
  assert_vec3_near(sn__sym3_eigenvalues((sn_sym3){.xx = 3, .yy = -1, .zz = 2}), sorted, 0.0);
  const double ones[3] = {0, 0, 3}; /* of the matrix of ones: rank one, trace three */
  assert_vec3_near(sn__sym3_eigenvalues((sn_sym3){1, 1, 1, 1, 1, 1}), ones, 1e-15);
  const double pair[3] = {-5, 0, 5};
  assert_vec3_near(sn__sym3_eigenvalues((sn_sym3){.xz = 5}), pair, 1e-15);
  /* An off-diagonal entry that vanishes beside the diagonal must not overflow the rotation. */
  const double wide[3] = {-1e300, 1, 1e300};
  assert_vec3_near(sn__sym3_eigenvalues((sn_sym3){1e300, 1, -1e300, 1e-300, 1e-300, 1e-300}), wide,
                   0.0);
}
