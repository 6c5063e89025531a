#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/decimal/shortest.h"
#include "base/number.h"

/* A number has an exponent if it is below 1e-4, or has more digits before its point than these or
   than it needs. */
enum { DOUBLE_DIGITS = 15, FLOAT_DIGITS = 6, DIGITS_MAX = 20 };

static size_t put(char *out, size_t length, const char *text) {
  const size_t size = strlen(text);
  memcpy(out + length, text, size);
  return length + size;
}

static size_t put_zeros(char *out, size_t length, int count) {
  for (int i = 0; i < count; i++) {
    out[length++] = '0';
  }
  return length;
}

static size_t put_exponent(char *out, size_t length, int exponent) {
  const int size = exponent < 0 ? -exponent : exponent;
  out[length++] = 'e';
  out[length++] = exponent < 0 ? '-' : '+';
  if (size >= 100) {
    out[length++] = (char)('0' + size / 100);
  }
  out[length++] = (char)('0' + size / 10 % 10);
  out[length++] = (char)('0' + size % 10);
  return length;
}

/* The digits of a number without the zeros at its end. @return how many; the exponent grows */
static int digits_of(sn__scaled *decimal, char digits[DIGITS_MAX]) {
  while (decimal->significand % 10 == 0) {
    decimal->significand /= 10;
    decimal->exponent++;
  }
  int count = 0;
  for (uint64_t rest = decimal->significand; rest > 0; rest /= 10) {
    count++;
  }
  uint64_t rest = decimal->significand;
  for (int i = count; i-- > 0; rest /= 10) {
    digits[i] = (char)('0' + rest % 10);
  }
  return count;
}

/* Digits with a point after so many of them. */
static size_t put_fraction(char *out, size_t length, const char *digits, int count, int point) {
  for (int i = 0; i < count; i++) {
    if (i == point) {
      out[length++] = '.';
    }
    out[length++] = digits[i];
  }
  return length;
}

static size_t put_decimal(char *out, size_t length, sn__scaled decimal, int digits_min) {
  char digits[DIGITS_MAX];
  const int count = digits_of(&decimal, digits);
  const int exponent = decimal.exponent + count - 1; /* of the first digit */
  if (exponent < -4 || exponent >= (count > digits_min ? count : digits_min)) {
    return put_exponent(out, put_fraction(out, length, digits, count, 1), exponent);
  }
  if (exponent < 0) {
    length = put_zeros(out, put(out, length, "0."), -exponent - 1);
    return put_fraction(out, length, digits, count, count);
  }
  length = put_fraction(out, length, digits, count, exponent + 1);
  return put_zeros(out, length, exponent + 1 - count);
}

static size_t end(char *out, size_t length) {
  out[length] = '\0';
  return length;
}

/* Sign, and what has no digits: zero, infinity, NaN. @return whether that was all */
static bool put_special(double value, char *out, size_t *length) {
  *length = signbit(value) ? put(out, 0, "-") : 0;
  if (isfinite(value) && value != 0.0) {
    return false;
  }
  *length = put(out, *length, value == 0.0 ? "0" : isnan(value) ? "nan" : "inf");
  return true;
}

/* Numbers of a format with so many bits of significand and this least exponent. */
static sn__scaled shortest_of(uint64_t fraction, int biased, int bits, int least) {
  const bool is_normal = biased != 0;
  const sn__scaled binary = {is_normal ? fraction | UINT64_C(1) << bits : fraction,
                             is_normal ? biased - 1 + least : least};
  return sn__shortest(binary, fraction == 0 && biased > 1);
}

size_t sn__number_format(double value, char out[SN__NUMBER_SIZE]) {
  size_t length = 0;
  if (put_special(value, out, &length)) {
    return end(out, length);
  }
  uint64_t word = 0;
  memcpy(&word, &value, sizeof word);
  const uint64_t fraction = word & ((UINT64_C(1) << 52) - 1);
  const sn__scaled decimal = shortest_of(fraction, (int)(word >> 52 & 0x7ff), 52, -1074);
  return end(out, put_decimal(out, length, decimal, DOUBLE_DIGITS));
}

size_t sn__number_format_single(float value, char out[SN__NUMBER_SIZE]) {
  size_t length = 0;
  if (put_special((double)value, out, &length)) {
    return end(out, length);
  }
  uint32_t word = 0;
  memcpy(&word, &value, sizeof word);
  const sn__scaled decimal =
      shortest_of(word & ((1u << 23) - 1), (int)(word >> 23 & 0xff), 23, -149);
  return end(out, put_decimal(out, length, decimal, FLOAT_DIGITS));
}
