#include <float.h>
#include <locale.h>
#include <stdlib.h>

#include "base/number.h"
#include "sinew/random.h"
#include "sn_test.h"

/* Oracle: strtod() of the C library, here in the C locale. */
static void assert_reads_back(double value) {
  char text[SN__NUMBER_SIZE];
  const size_t length = sn__number_format(value, text);
  assert_int_equal(length, strlen(text));
  const double back = strtod(text, NULL);
  assert_memory_equal(&back, &value, sizeof value);
}

SN_TEST(ends_of_the_range_read_back) {
  const double ends[] = {DBL_MAX, DBL_MIN, DBL_EPSILON, 5e-324, 0.0, -0.0};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    assert_reads_back(ends[i]);
    assert_reads_back(-ends[i]);
  }
  char text[SN__NUMBER_SIZE];
  sn__number_format_single(-FLT_MAX, text);
  assert_true(strtof(text, NULL) == -FLT_MAX);
}

SN_TEST(random_doubles_read_back) {
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t i = 0; i < sn_test_cases(20000); i++) {
    const uint64_t bits = sn_random_bits(&random);
    double value = 0.0;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) {
      assert_reads_back(value);
    }
    assert_reads_back(sn_random_normal(&random));
  }
}

SN_TEST(random_floats_read_back) {
  sn_random random;
  sn_random_init(&random, 2);
  for (size_t i = 0; i < sn_test_cases(20000); i++) {
    const uint32_t bits = (uint32_t)sn_random_bits(&random);
    float value = 0.0f;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) {
      char text[SN__NUMBER_SIZE];
      sn__number_format_single(value, text);
      const float back = strtof(text, NULL);
      assert_memory_equal(&back, &value, sizeof value);
    }
  }
}

/* Digits of a number without zeros at its ends. */
static int digits_in(const char *text) {
  int digits = 0;
  int zeros = 0;
  for (const char *at = text; *at != '\0' && *at != 'e'; at++) {
    if (*at >= '1' && *at <= '9') {
      digits += digits > 0 ? zeros + 1 : 1;
      zeros = 0;
    } else if (*at == '0') {
      zeros++;
    }
  }
  return digits;
}

/* Oracle: the C library rounds to any number of digits. */
SN_TEST(no_number_with_fewer_digits_reads_back) {
  sn_random random;
  sn_random_init(&random, 3);
  for (size_t i = 0; i < sn_test_cases(20000); i++) {
    const uint64_t bits = sn_random_bits(&random);
    double value = 0.0;
    memcpy(&value, &bits, sizeof value);
    value = i % 2 == 0 ? value : ldexp(1.0, (int)(bits % 2000) - 1000); /* unequal neighbours */
    char text[SN__NUMBER_SIZE];
    sn__number_format(value, text);
    if (isfinite(value) && digits_in(text) > 1) {
      char rounded[64];
      snprintf(rounded, sizeof rounded, "%.*e", digits_in(text) - 2, value);
      assert_true(strtod(rounded, NULL) != value);
    }
  }
}

SN_TEST(short_numbers_stay_short) {
  static const char *const texts[] = {
      "0",     "1",         "-1",  "0.1",   "-2.5", "1e+100", "3.14159265358979",
      "1e-05", "123456789", "0.3", "5e-324"};
  char text[SN__NUMBER_SIZE];
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    sn__number_format(strtod(texts[i], NULL), text);
    assert_string_equal(text, texts[i]);
  }
  sn__number_format_single(0.1f, text);
  assert_string_equal(text, "0.1");
  sn__number_format_single(12.6f, text);
  assert_string_equal(text, "12.6");
}

SN_TEST(infinity_and_nan_have_a_name) {
  char text[SN__NUMBER_SIZE];
  sn__number_format(INFINITY, text);
  assert_string_equal(text, "inf");
  sn__number_format(-INFINITY, text);
  assert_string_equal(text, "-inf");
  sn__number_format(NAN, text);
  assert_string_equal(text, "nan");
}

SN_TEST(locale_of_the_process_does_not_matter) {
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) {
    skip();
  }
  char text[SN__NUMBER_SIZE];
  sn__number_format(-1234.5, text);
  char mark = localeconv()->decimal_point[0];
  setlocale(LC_NUMERIC, "C");
  assert_int_equal(mark, ',');
  assert_string_equal(text, "-1234.5");
}
