#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal/to_double.h"

/* strtod() reads the decimal point of the process's locale: where that is a comma, "0.5" would
   become 0. So the text is scanned here, and strtod() gets digits and an exponent without a point.
   Few numbers need it: where one operation is exact, it gives the nearest double (Clinger, "How to
   read floating point numbers accurately", 1990), and with up to 19 digits whole numbers of 128
   bits nearly always do (decimal/to_double.c). */

/* A point halfway between two doubles has at most 768 significant digits. So once this many digits
   are kept, all that matters of the rest is whether it is zero. */
#define DIGITS_MAX 800
#define MANTISSA_DIGITS 19 /* fit into 64 bits */

/* The decimal number 0.d1 d2 ... dn * 10^exponent; `inexact` records that digits were cut off. */
typedef struct decimal {
  unsigned char digits[DIGITS_MAX]; /* the first one is not 0 */
  int count;
  uint64_t mantissa; /* the first MANTISSA_DIGITS of them as a whole number */
  int64_t exponent;
  bool negative;
  bool inexact; /* a digit other than 0 was cut off */
} decimal;

static bool is_digit(const char *at, const char *end) {
  return at < end && *at >= '0' && *at <= '9';
}

/* Reads digits before or after the point and returns their end. */
static const char *scan_digits(decimal *d, const char *at, const char *end, bool behind_point) {
  for (; is_digit(at, end); at++) {
    const unsigned char digit = (unsigned char)(*at - '0');
    if (d->count == 0 && digit == 0) { /* a leading zero only moves the point */
      d->exponent -= behind_point;
      continue;
    }
    d->exponent += !behind_point;
    d->mantissa = d->count < MANTISSA_DIGITS ? 10 * d->mantissa + digit : d->mantissa;
    if (d->count < DIGITS_MAX) {
      d->digits[d->count++] = digit;
    } else {
      d->inexact |= digit != 0;
    }
  }
  return at;
}

/* Reads `[+-]? digits`; NULL if there are none. Saturates: no text is long enough to bring an
   exponent of 10^18 back into the range of a double. */
static const char *scan_exponent(const char *at, const char *end, int64_t *exponent) {
  const bool negative = at < end && *at == '-';
  at += at < end && (*at == '-' || *at == '+');
  if (!is_digit(at, end)) {
    return NULL;
  }
  int64_t value = 0;
  for (; is_digit(at, end); at++) {
    value = value < INT64_C(100000000000000000) ? 10 * value + (*at - '0') : value;
  }
  *exponent = negative ? -value : value;
  return at;
}

/* The whole text by the grammar of the header. */
static bool scan(const char *at, const char *end, decimal *d) {
  d->negative = at < end && *at == '-';
  at += at < end && (*at == '-' || *at == '+');
  bool has_digits = is_digit(at, end);
  at = scan_digits(d, at, end, false);
  if (at < end && *at == '.') {
    at++;
    has_digits |= is_digit(at, end);
    at = scan_digits(d, at, end, true);
  }
  if (!has_digits) {
    return false;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    int64_t exponent = 0;
    at = scan_exponent(at + 1, end, &exponent);
    d->exponent += exponent;
  }
  return at == end;
}

/* Up to 2^53 and with a power of ten that is a double, one rounded operation gives the nearest. */
static bool convert_exactly(const decimal *d, double *out) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const int64_t exponent = d->exponent - d->count;
  const uint64_t mantissa = d->mantissa;
  if (FLT_EVAL_METHOD != 0 || exponent < -22 || exponent > 22) {
    return false;
  }
  if (mantissa > UINT64_C(1) << DBL_MANT_DIG) {
    return false;
  }
  *out = exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
  return true;
}

/* The number as `digits e exponent`, which strtod() reads the same in every locale. One more digit
 * represents all that were cut off. */
static double convert_rounded(const decimal *d) {
  char text[DIGITS_MAX + 32];
  size_t length = 0;
  for (int i = 0; i < d->count; i++) {
    text[length++] = (char)('0' + d->digits[i]);
  }
  if (d->inexact) {
    text[length++] = '1';
  }
  snprintf(text + length, sizeof text - length, "e%d",
           (int)d->exponent - d->count - (d->inexact ? 1 : 0));
  return strtod(text, NULL);
}

static double convert(const decimal *d) {
  if (d->count == 0 || d->exponent < -330) { /* below half of the least subnormal, 2.5e-324 */
    return 0.0;
  }
  if (d->exponent > 310) {
    return INFINITY;
  }
  double value = 0.0;
  const bool is_found = d->count <= MANTISSA_DIGITS &&
                        (convert_exactly(d, &value) ||
                         sn__double_from_decimal(d->mantissa, (int)d->exponent - d->count, &value));
  return is_found ? value : convert_rounded(d);
}

sn__number_result sn__number_parse(const char *text, size_t length, double *out) {
  decimal d;
  d.count = 0; /* the digits stay unset: only those counted are read */
  d.mantissa = 0;
  d.exponent = 0;
  d.inexact = false;
  if (length == 0 || !scan(text, text + length, &d)) {
    return SN__NUMBER_NOT_A_NUMBER;
  }
  const double magnitude = convert(&d);
  if (isinf(magnitude)) {
    return SN__NUMBER_OUT_OF_RANGE;
  }
  *out = d.negative ? -magnitude : magnitude;
  return SN__NUMBER_OK;
}
