#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sinew/fault.h"

/* strtod() reads the point of the process's locale, so "0.5" in a file would become 0 in a program
   that speaks German. This is a reader of our own: exact where doubles are exact (Clinger, "How to
   read floating point numbers accurately", 1990), and with big integers elsewhere. */

/* A point halfway between two doubles has at most 768 significant digits. So once this many digits
   are kept, all that matters of the rest is whether it is zero. */
#define DIGITS_MAX 800

/* The decimal number 0.d1 d2 ... dn * 10^exponent, with a trace of what was cut off. */
typedef struct decimal {
  unsigned char digits[DIGITS_MAX]; /* the first one is not 0 */
  int count;
  int64_t exponent;
  bool negative;
  bool inexact; /* a digit other than 0 was cut off */
} decimal;

static bool is_digit(const char *at, const char *end) {
  return at < end && *at >= '0' && *at <= '9';
}

/* Reads digits, before the point or behind it, and returns where they end. */
static const char *scan_digits(decimal *d, const char *at, const char *end, bool behind_point) {
  for (; is_digit(at, end); at++) {
    const unsigned char digit = (unsigned char)(*at - '0');
    if (d->count == 0 && digit == 0) { /* a leading zero only moves the point */
      d->exponent -= behind_point;
      continue;
    }
    d->exponent += !behind_point;
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

/* A natural number, least limb first. The largest are the 800 digits with the zeros that divide()
   puts behind them: 2710 bits. */
#define LIMBS_MAX 88
typedef struct natural {
  uint32_t limbs[LIMBS_MAX];
  int count; /* the highest limb is not 0 */
} natural;

static void multiply_add(natural *n, uint32_t factor, uint32_t summand) {
  uint64_t carry = summand;
  for (int i = 0; i < n->count; i++) {
    carry += (uint64_t)n->limbs[i] * factor;
    n->limbs[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry != 0) {
    SN_ASSERT(n->count < LIMBS_MAX);
    n->limbs[n->count++] = (uint32_t)carry;
  }
}

/* @return the remainder */
static uint32_t divide_small(natural *n, uint32_t divisor) {
  uint64_t rest = 0;
  for (int i = n->count; i-- > 0;) {
    rest = rest << 32 | n->limbs[i];
    n->limbs[i] = (uint32_t)(rest / divisor);
    rest %= divisor;
  }
  while (n->count > 0 && n->limbs[n->count - 1] == 0) {
    n->count--;
  }
  return (uint32_t)rest;
}

static int bit_count(const natural *n) {
  int bits = 32 * n->count;
  for (uint32_t top = n->limbs[n->count - 1]; top < UINT32_C(1) << 31; top <<= 1) {
    bits--;
  }
  return bits;
}

/* The digits as an integer. */
static void from_digits(natural *n, const decimal *d) {
  n->count = 0;
  for (int i = 0; i < d->count;) {
    uint32_t chunk = 0;
    uint32_t power = 1;
    for (int end = i + 9 < d->count ? i + 9 : d->count; i < end; i++) {
      chunk = 10 * chunk + d->digits[i];
      power *= 10;
    }
    multiply_add(n, power, chunk);
  }
}

/* Powers of five by steps of the largest one that fits a limb. */
#define FIVE_STEP 13
static uint32_t power_of_five(int exponent) {
  uint32_t power = 1;
  for (int i = 0; i < exponent; i++) {
    power *= 5;
  }
  return power;
}

static void multiply_by_fives(natural *n, int exponent) {
  for (; exponent > 0; exponent -= FIVE_STEP) {
    multiply_add(n, power_of_five(exponent < FIVE_STEP ? exponent : FIVE_STEP), 0);
  }
}

/* Divide by 5^exponent, after a shift to the left by whole limbs that leaves at least 64 bits.
   floor(floor(n / a) / b) is floor(n / (a b)), so small divisors in turn are as good as one large.
   @return the bits shifted; *inexact becomes true if there is a remainder */
static int divide_by_fives(natural *n, int exponent, bool *inexact) {
  const int divisor_bits = exponent * 2322 / 1000 + 1; /* log2(5) = 2.3219 */
  const int missing = divisor_bits + 65 - bit_count(n);
  const int words = missing > 0 ? (missing + 31) / 32 : 0;
  SN_ASSERT(n->count + words <= LIMBS_MAX);
  memmove(n->limbs + words, n->limbs, (size_t)n->count * sizeof n->limbs[0]);
  memset(n->limbs, 0, (size_t)words * sizeof n->limbs[0]);
  n->count += words;
  for (; exponent > 0; exponent -= FIVE_STEP) {
    const uint32_t step = power_of_five(exponent < FIVE_STEP ? exponent : FIVE_STEP);
    *inexact |= divide_small(n, step) != 0;
  }
  return 32 * words;
}

/* 64 bits of n from bit `first` on, which may lie below 0 or above the highest. */
static uint64_t bits_from(const natural *n, int first) {
  uint64_t bits = 0;
  for (int i = 0; i < n->count; i++) {
    const int shift = 32 * i - first;
    if (shift > -32 && shift < 64) {
      const uint64_t limb = n->limbs[i];
      bits |= shift < 0 ? limb >> -shift : limb << shift;
    }
  }
  return bits;
}

static bool any_bit_below(const natural *n, int end) {
  for (int i = 0; i < n->count && 32 * i < end; i++) {
    const uint32_t limb = n->limbs[i];
    if (end - 32 * i >= 32 ? limb != 0 : (limb & ((UINT32_C(1) << (end - 32 * i)) - 1)) != 0) {
      return true;
    }
  }
  return false;
}

/* n * 2^exponent to the nearest double, ties to even; inexact says that a bit more is meant, which
   is only the case with more than 54 bits. Infinity if it is too large. */
static double round_to_double(const natural *n, int exponent, bool inexact) {
  const int lowest = exponent + bit_count(n) - DBL_MANT_DIG;
  const int denormal = DBL_MIN_EXP - DBL_MANT_DIG; /* of the lowest bit there is */
  const int unit = lowest > denormal ? lowest : denormal;
  const int drop = unit - exponent;
  uint64_t mantissa = bits_from(n, drop);
  if (drop > 0 && (bits_from(n, drop - 1) & 1) != 0) {
    mantissa += inexact || any_bit_below(n, drop - 1) || (mantissa & 1) != 0;
  }
  return ldexp((double)mantissa, unit);
}

/* Up to 2^53 and with a power of ten that is a double, one rounded operation gives the nearest. */
static bool convert_exactly(const decimal *d, double *out) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const int64_t exponent = d->exponent - d->count;
  if (FLT_EVAL_METHOD != 0 || d->count > 19 || exponent < -22 || exponent > 22) {
    return false;
  }
  uint64_t mantissa = 0;
  for (int i = 0; i < d->count; i++) {
    mantissa = 10 * mantissa + d->digits[i];
  }
  if (mantissa > UINT64_C(1) << DBL_MANT_DIG) {
    return false;
  }
  *out = exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
  return true;
}

static double convert(const decimal *d) {
  double value = 0.0;
  if (d->count == 0 || d->exponent < -330) { /* below half of the least subnormal, 2.5e-324 */
    return 0.0;
  }
  if (d->exponent > 310) {
    return INFINITY;
  }
  if (convert_exactly(d, &value)) {
    return value;
  }
  natural n;
  from_digits(&n, d);
  bool inexact = d->inexact;
  const int exponent = (int)d->exponent - d->count; /* the number is n * 5^e * 2^e */
  if (exponent >= 0) {
    multiply_by_fives(&n, exponent);
    return round_to_double(&n, exponent, inexact);
  }
  const int shift = divide_by_fives(&n, -exponent, &inexact);
  return round_to_double(&n, exponent - shift, inexact);
}

sn__number_result sn__number_parse(const char *text, size_t length, double *out) {
  decimal d;
  d.count = 0; /* the digits stay unset: only those counted are read */
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
