#include "math/eigen.h"
#include "sinew/random.h"
#include "sn_test.h"

/* A v = value v for every pair, and V is orthonormal. */
SN_TEST(eigenpairs_satisfy_their_equation) {
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t c = 0; c < sn_test_cases(300); c++) {
    const size_t n = 1 + c % 8;
    double a[64], copy[64], values[8], v[64];
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j <= i; j++) {
        a[i * n + j] = a[j * n + i] = sn_random_between(&random, -3.0, 3.0);
      }
    }
    memcpy(copy, a, sizeof copy);
    sn__eigen_symmetric(n, copy, values, v);
    for (size_t k = 0; k < n; k++) {
      for (size_t i = 0; i < n; i++) {
        double product = 0.0, dot = 0.0;
        for (size_t j = 0; j < n; j++) {
          product += a[i * n + j] * v[j * n + k];
          dot += v[j * n + i] * v[j * n + k];
        }
        sn_assert_near(product, values[k] * v[i * n + k], 1e-13);
        sn_assert_near(dot, i == k ? 1.0 : 0.0, 1e-14);
      }
    }
  }
}

SN_TEST(zero_and_diagonal_matrices_are_left_alone) {
  double a[9] = {3, 0, 0, 0, -1, 0, 0, 0, 0}, values[3], v[9];
  sn__eigen_symmetric(3, a, values, v);
  sn_assert_near(values[0], 3.0, 0.0);
  sn_assert_near(values[1], -1.0, 0.0);
  sn_assert_near(values[2], 0.0, 0.0);
  for (size_t i = 0; i < 9; i++) {
    sn_assert_near(v[i], i % 4 == 0 ? 1.0 : 0.0, 0.0);
  }
}
