/* Conversion by whole numbers of 128 bits, against strtod(). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/decimal/to_double.h"
#include "sinew/random.h"
#include "sn_test.h"

static double by_c_library(uint64_t digits, int exponent) {
  char text[64];
  snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exponent);
  return strtod(text, NULL);
}

/* @return whether it could tell */
static bool check(uint64_t digits, int exponent) {
  double value = 0.0;
  if (!sn__double_from_decimal(digits, exponent, &value)) {
    return false;
  }
  const double expected = by_c_library(digits, exponent);
  if (memcmp(&value, &expected, sizeof value) != 0) {
    fail_msg("%" PRIu64 "e%d: %a instead of %a", digits, exponent, value, expected);
  }
  return true;
}

SN_TEST(what_it_can_tell_is_what_strtod_says) {
  sn_random random;
  sn_random_init(&random, sn_test_seed(1));
  const size_t count = sn_test_cases(200000);
  size_t told = 0, usual = 0, usual_told = 0;
  for (size_t i = 0; i < count; i++) {
    const uint64_t digits = (sn_random_bits(&random) >> sn_random_below(&random, 63)) | 1;
    const int exponent = (int)sn_random_below(&random, 700) - 360;
    const bool can_tell = check(digits, exponent);
    told += can_tell;
    const double value = by_c_library(digits, exponent);
    if (exponent >= -292 && isnormal(value)) {
      usual++;
      usual_told += can_tell;
    }
  }
  assert_true(told > count / 2);
  assert_true(usual_told > usual - usual / 100); /* it hardly ever gives up */
}

/* Decimal numbers of 17 to 19 digits nearest to the middle between two doubles: the last place of
   128 bits decides, or it must give up. */
SN_TEST(near_the_middle_between_two_doubles_it_is_right_or_gives_up) {
  sn_random random;
  sn_random_init(&random, sn_test_seed(2));
  const size_t count = sn_test_cases(100000);
  for (size_t i = 0; i < count; i++) {
    const uint64_t mantissa = (sn_random_bits(&random) >> 11) | (UINT64_C(1) << 52);
    const int shift = (int)sn_random_below(&random, 10); /* an exact middle of up to 64 bits */
    const uint64_t middle = (2 * mantissa + 1) << shift;
    (void)check(middle, 0);
    (void)check(middle - 1, 0);
    (void)check(middle + 1, 0);
    const int exponent = (int)sn_random_below(&random, 40) - 20;
    const double at = ldexp((double)mantissa, exponent);
    char text[64];
    snprintf(text, sizeof text, "%.18e", at * (1.0 + 0x1p-53));
    const uint64_t digits =
        strtoull(text + 2, NULL, 10) + (uint64_t)(text[0] - '0') * UINT64_C(1000000000000000000);
    (void)check(digits, atoi(strchr(text, 'e') + 1) - 18);
  }
}

SN_TEST(powers_of_two_and_ends_of_the_range_are_right) {
  double value = 0.0;
  assert_false(sn__double_from_decimal(1, 309, &value));
  assert_false(sn__double_from_decimal(1, -293, &value)); /* beyond the table */
  assert_false(sn__double_from_decimal(UINT64_C(18446744073709551615), 290, &value));
  assert_true(check(UINT64_C(17976931348623157), 292)); /* DBL_MAX */
  for (int shift = 0; shift < 64; shift++) {
    (void)check(UINT64_C(1) << shift, 0);
    (void)check((UINT64_C(1) << shift) - (shift > 0), 0);
    (void)check(UINT64_C(1) << shift, -17);
  }
}
