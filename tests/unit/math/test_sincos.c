#include <stdlib.h>

#include "math/sincos.h"
#include "sinew/random.h"
#include "sn_test.h"

#define BATCH 1000

/* Worst difference to libm over random angles of this size. */
static double worst_of(sn_random *random, double size, size_t batches) {
  static double x[BATCH], s[BATCH], c[BATCH];
  double worst = 0.0;
  for (size_t k = 0; k < batches; k++) {
    for (size_t i = 0; i < BATCH; i++) {
      x[i] = sn_random_between(random, -size, size);
    }
    sn__sincos(BATCH, x, s, c);
    for (size_t i = 0; i < BATCH; i++) {
      worst = fmax(worst, fmax(fabs(s[i] - sin(x[i])), fabs(c[i] - cos(x[i]))));
    }
  }
  return worst;
}

SN_TEST(sine_and_cosine_are_those_of_libm) {
  sn_random random;
  sn_random_init(&random, 1);
  const size_t batches = sn_test_cases(500);
  sn_assert_near(worst_of(&random, 1e-3, batches), 0.0, 2.3e-16);
  sn_assert_near(worst_of(&random, 3.5, batches), 0.0, 2.3e-16);
  sn_assert_near(worst_of(&random, 50.0, batches), 0.0, 2.3e-16);
  sn_assert_near(worst_of(&random, SN__SINCOS_LIMIT, batches), 0.0, 2.3e-16);
  sn_assert_near(worst_of(&random, 1e9, batches), 0.0, 2.3e-16);
}

/* Near a multiple of a quarter turn the result is tiny and must keep its relative accuracy. */
SN_TEST(small_results_keep_their_digits) {
  const double quarter = 1.5707963267948966;
  for (int k = -60000; k <= 60000; k += 7) {
    double x = k * quarter, s, c;
    sn__sincos(1, &x, &s, &c);
    const double small = fmin(fabs(s), fabs(c));
    const double small_libm = fmin(fabs(sin(x)), fabs(cos(x)));
    sn_assert_near(small, small_libm, 1e-15 * small_libm + 1e-21 * abs(k));
  }
  for (double x = 1e-300; x < 1e-3; x *= 3.7) {
    double s, c;
    sn__sincos(1, &x, &s, &c);
    sn_assert_near(s, sin(x), 3e-16 * x);
  }
}

SN_TEST(special_values_are_exact) {
  const double x[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
  double s[5], c[5];
  sn__sincos(5, x, s, c);
  assert_true(s[0] == 0.0 && !signbit(s[0]) && c[0] == 1.0);
  assert_true(s[1] == 0.0 && c[1] == 1.0);
  for (int i = 2; i < 5; i++) {
    assert_true(isnan(s[i]));
    assert_true(isnan(c[i]));
  }
}

/* A lane must not depend on its neighbours, or a pose would depend on how joints are grouped. */
SN_TEST(bits_of_an_angle_do_not_depend_on_the_others) {
  sn_random random;
  sn_random_init(&random, 2);
  for (size_t k = 0; k < sn_test_cases(20000); k++) {
    double x[7], s[7], c[7];
    for (int i = 0; i < 7; i++) {
      x[i] = sn_random_between(&random, -10, 10);
    }
    if (k % 3 == 0) {
      x[sn_random_below(&random, 7)] = k % 2 == 0 ? NAN : 1e7;
    }
    sn__sincos(7, x, s, c);
    for (int i = 0; i < 7; i++) {
      double alone_s, alone_c;
      sn__sincos(1, &x[i], &alone_s, &alone_c);
      assert_memory_equal(&alone_s, &s[i], sizeof alone_s);
      assert_memory_equal(&alone_c, &c[i], sizeof alone_c);
    }
  }
}
