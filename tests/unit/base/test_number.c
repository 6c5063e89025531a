#include <float.h>
#include <locale.h>
#include <stdlib.h>

#include "base/number.h"
#include "sinew/random.h"
#include "sn_test.h"

/* The oracle is strtod() of the C library in the C locale, which is correctly rounded. The texts
   given to it are always numbers of our grammar, so it reads them to the end. */
static void assert_like_strtod(const char *text) {
  const double expected = strtod(text, NULL);
  double actual = 12345.0;
  const sn__number_result result = sn__number_parse(text, strlen(text), &actual);
  const sn__number_result wanted = isinf(expected) ? SN__NUMBER_OUT_OF_RANGE : SN__NUMBER_OK;
  const double value = isinf(expected) ? 12345.0 : expected;
  if (result != wanted || memcmp(&actual, &value, sizeof value) != 0) {
    fail_msg("'%.60s' gives %d and %a, expected %d and %a", text, (int)result, actual, (int)wanted,
             value);
  }
}

static double random_double(sn_random *random) {
  double x = NAN;
  do {
    const uint64_t bits = sn_random_bits(random);
    memcpy(&x, &bits, sizeof x);
  } while (!isfinite(x));
  return x;
}

SN_TEST(texts_outside_the_grammar_are_not_numbers) {
  static const char *const texts[] = {
      "",     " ",    "+",      "-",     ".",   "+.",    "e5",      ".e5", "1e",   "1e+",  "1e-",
      " 1",   "1 ",   "\t1",    "1\n",   "1,5", "1.5.",  "1..5",    "--1", "+-1",  "1-",   "1e5.",
      "0x10", "0x1p", "1e5e5",  "1_000", "1'0", "inf",   "INF",     "nan", "-inf", "NaN",  "1f",
      "1.0L", "1d5",  "1e 5",   "1 e5",  "- 1", "a",     "1a",      ".5.", "1e++", "\xb2", "1\x01",
      "١",    "0b1",  "1e0x10", "+e1",   "1.e", "nan()", "infinity"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    double value = 7.0;
    if (sn__number_parse(texts[i], strlen(texts[i]), &value) != SN__NUMBER_NOT_A_NUMBER) {
      fail_msg("'%s' was taken for a number", texts[i]);
    }
    assert_true(value == 7.0);
  }
  double value = 7.0;
  assert_int_equal(sn__number_parse("1\0", 2, &value), SN__NUMBER_NOT_A_NUMBER);
  assert_int_equal(sn__number_parse(NULL, 0, &value), SN__NUMBER_NOT_A_NUMBER);
}

SN_TEST(every_form_of_the_grammar_is_read) {
  static const char *const signs[] = {"", "+", "-"};
  static const char *const bodies[] = {"0",  "7",    "1.",   "1.5",  ".5",     "00",
                                       "0.", "0.00", "007.", ".000", "0001.5", "123456789"};
  static const char *const exponents[] = {"",   "e0",   "E1",      "e+2",   "E-3",
                                          "e5", "e-05", "e000000", "e+0007"};
  for (size_t i = 0; i < 3; i++) {
    for (size_t j = 0; j < 12; j++) {
      for (size_t k = 0; k < 9; k++) {
        char text[40];
        snprintf(text, sizeof text, "%s%s%s", signs[i], bodies[j], exponents[k]);
        assert_like_strtod(text);
      }
    }
  }
}

SN_TEST(only_the_given_length_is_read) {
  double value = 0.0;
  assert_int_equal(sn__number_parse("12345", 2, &value), SN__NUMBER_OK);
  assert_true(value == 12.0);
  char *exact = malloc(3); /* so that the address sanitizer sees a read past the end */
  assert_non_null(exact);
  memcpy(exact, "1e5", 3);
  assert_int_equal(sn__number_parse(exact, 3, &value), SN__NUMBER_OK);
  assert_true(value == 1e5);
  assert_int_equal(sn__number_parse(exact, 2, &value), SN__NUMBER_NOT_A_NUMBER);
  free(exact);
}

SN_TEST(ends_of_the_range_round_as_in_strtod) {
  static const char *const texts[] = {"1.7976931348623157e308",
                                      "1.7976931348623158e308",
                                      "1.7976931348623159e308",
                                      "1e309",
                                      "17976931348623157e292",
                                      "-1e400",
                                      "1e999999999999999999999",
                                      "-1e-999999999999999999999",
                                      "0e999999999999999999999",
                                      "-0",
                                      "-0e-5",
                                      "4.9406564584124654e-324",
                                      "2.4703282292062327e-324",
                                      "2.4703282292062328e-324",
                                      "2e-324",
                                      "3e-324",
                                      "1e-400",
                                      "2.2250738585072014e-308",
                                      "2.2250738585072011e-308",
                                      "2.225073858507201e-308",
                                      "9007199254740993",
                                      "9007199254740992e22",
                                      "9007199254740993e22",
                                      "9007199254740992e-22",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "99999999999999999999e-30",
                                      "1e22",
                                      "1e23",
                                      "1e-22",
                                      "1e-23",
                                      "9999999999999999999",
                                      "8.5e-324"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    assert_like_strtod(texts[i]);
  }
}

SN_TEST(random_doubles_in_any_precision_agree_with_strtod) {
  sn_random random;
  sn_random_init(&random, 1);
  const size_t cases = sn_test_cases(1000000);
  for (size_t i = 0; i < cases; i++) {
    char text[64];
    const int digits = (int)sn_random_below(&random, 20);
    snprintf(text, sizeof text, "%.*e", digits, random_double(&random));
    assert_like_strtod(text);
  }
}

SN_TEST(numbers_of_everyday_size_agree_with_strtod) {
  sn_random random;
  sn_random_init(&random, 2);
  const size_t cases = sn_test_cases(1000000);
  for (size_t i = 0; i < cases; i++) {
    char text[64];
    const double x = sn_random_normal(&random) * exp(sn_random_between(&random, -10.0, 10.0));
    const int digits = (int)sn_random_below(&random, 21);
    snprintf(text, sizeof text, sn_random_below(&random, 2) == 0 ? "%.*f" : "%.*g", digits, x);
    assert_like_strtod(text);
  }
}

SN_TEST(random_digits_and_exponents_agree_with_strtod) {
  sn_random random;
  sn_random_init(&random, 3);
  const size_t cases = sn_test_cases(300000);
  for (size_t i = 0; i < cases; i++) {
    char text[80];
    const size_t count = 1 + sn_random_below(&random, 40);
    const size_t point = sn_random_below(&random, count + 1);
    size_t length = 0;
    for (size_t j = 0; j < count; j++) {
      if (j == point) {
        text[length++] = '.';
      }
      text[length++] = (char)('0' + sn_random_below(&random, 10));
    }
    snprintf(text + length, sizeof text - length, "e%d", (int)sn_random_below(&random, 760) - 380);
    assert_like_strtod(text);
  }
}

/* A natural number in decimal digits, least first: slow and plain. */
typedef struct digits {
  unsigned char at[1200];
  size_t count;
} digits;

static void digits_multiply(digits *d, unsigned factor) {
  unsigned carry = 0;
  for (size_t i = 0; i < d->count || carry > 0; i++) {
    carry += i < d->count ? d->at[i] * factor : 0;
    d->at[i] = (unsigned char)(carry % 10);
    d->count = i < d->count ? d->count : i + 1;
    carry /= 10;
  }
}

static void digits_decrement(digits *d) {
  size_t i = 0;
  for (; d->at[i] == 0; i++) {
    d->at[i] = 9;
  }
  d->at[i]--;
}

static size_t digits_print(const digits *d, char *text) {
  for (size_t i = 0; i < d->count; i++) {
    text[i] = (char)('0' + d->at[d->count - 1 - i]);
  }
  return d->count;
}

/* mantissa * 2^exponent as an integer and a power of ten: 2^-k is 5^k 10^-k. */
static int digits_of(uint64_t mantissa, int exponent, digits *d) {
  d->count = 0;
  for (; mantissa > 0; mantissa /= 10) {
    d->at[d->count++] = (unsigned char)(mantissa % 10);
  }
  for (int i = 0; i < abs(exponent); i++) {
    digits_multiply(d, exponent < 0 ? 5 : 2);
  }
  return exponent < 0 ? exponent : 0;
}

/* Exactly between two doubles, and next to that by a digit far to the right. */
static void assert_around_halfway(uint64_t odd, int exponent) {
  digits d;
  char text[2600];
  const int power = digits_of(odd, exponent, &d);
  const size_t length = digits_print(&d, text);
  snprintf(text + length, sizeof text - length, "e%d", power);
  assert_like_strtod(text);
  snprintf(text + length, sizeof text - length, ".%01000d1e%d", 0, power);
  assert_like_strtod(text);
  digits_decrement(&d);
  digits_print(&d, text);
  memset(text + length + 1, '9', 1000);
  text[length] = '.';
  snprintf(text + length + 1001, sizeof text - length - 1001, "e%d", power);
  assert_like_strtod(text);
}

SN_TEST(halfway_cases_round_to_even) {
  sn_random random;
  sn_random_init(&random, 4);
  const size_t cases = sn_test_cases(300);
  for (size_t i = 0; i < cases; i++) { /* 54 bits of which the last is 1 */
    const uint64_t odd = UINT64_C(1) << 53 | sn_random_bits(&random) >> 11 | 1;
    assert_around_halfway(odd, (int)sn_random_below(&random, 971 + 1075) - 1075);
  }
  for (size_t i = 0; i < cases; i++) { /* subnormals have fewer bits, the last of half weight */
    assert_around_halfway(sn_random_bits(&random) >> (11 + sn_random_below(&random, 53)) | 1,
                          DBL_MIN_EXP - DBL_MANT_DIG - 1);
  }
  assert_around_halfway(1, DBL_MIN_EXP - DBL_MANT_DIG - 1); /* 0 or the least */
  assert_around_halfway((UINT64_C(1) << 53) - 1, DBL_MIN_EXP - DBL_MANT_DIG - 1); /* to DBL_MIN */
  assert_around_halfway((UINT64_C(1) << 54) - 1, DBL_MAX_EXP - DBL_MANT_DIG - 1); /* to infinity */
}

/* A text of `size` bytes: head, then one digit many times, then tail. */
static char *long_text(const char *head, char digit, size_t size, const char *tail) {
  char *text = malloc(size + 1);
  assert_non_null(text);
  memset(text, digit, size);
  memcpy(text, head, strlen(head));
  memcpy(text + size - strlen(tail), tail, strlen(tail) + 1);
  return text;
}

SN_TEST(long_texts_agree_with_strtod) {
  static const struct {
    const char *head;
    char digit;
    const char *tail;
  } shapes[] = {
      {"0.", '0', "1e65530"},
      {"0.", '0', "12345e65400"},
      {"1", '0', "e-65530"},
      {"1", '7', "e-65530"},
      {"9", '9', "e-65228"},
      {"1.", '0', "1"},
      {"0", '0', "1.5"},
      {"-3.", '3', "e-300"},
      {"-.", '9', "e309"},
      {"1", '9', ""},
      {"0.", '0', ""},
      {"1e-", '0', "17"},
      {"1e", '9', ""},
      {"1e-", '9', ""},
      {"9007199254740993.", '0', "1"},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    char *text = long_text(shapes[i].head, shapes[i].digit, 65536, shapes[i].tail);
    assert_like_strtod(text);
    free(text);
  }
}

SN_TEST(locale_of_the_process_does_not_matter) {
  static const char *const comma_locales[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
  const char *found = NULL;
  for (size_t i = 0; i < 4 && found == NULL; i++) {
    found = setlocale(LC_NUMERIC, comma_locales[i]);
  }
  if (found == NULL) {
    skip();
  }
  double point = 0.0;
  double comma = 0.0;
  const char point_here = localeconv()->decimal_point[0];
  const sn__number_result of_point = sn__number_parse("-0.125e1", 8, &point);
  const sn__number_result of_comma = sn__number_parse("0,125", 5, &comma);
  setlocale(LC_NUMERIC, "C");
  assert_int_equal(point_here, ',');
  assert_int_equal(of_point, SN__NUMBER_OK);
  assert_true(point == -1.25);
  assert_int_equal(of_comma, SN__NUMBER_NOT_A_NUMBER);
}
