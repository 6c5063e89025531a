/* As D. Lemire, "Number parsing at a gigabyte per second", 2021: the digits times 128 bits of the
   power of ten. The power is rounded up by less than one unit of its last place, so the upper 128
   of 192 bits of the product are wrong by less than one unit of theirs. Unless the middle between
   two doubles is that near, they decide. */
#include "base/decimal/to_double.h"

#include <string.h>

#include "base/decimal/multiply.h"
#include "base/decimal/shortest.h"

enum { MANTISSA_BITS = 52, EXPONENT_BIAS = 1023, EXPONENT_MAX = 2046 };

/* Bring the leading bit to the top. @return the shift */
static int normalize(uint64_t *word) {
  int shift = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (*word >> (64 - step) == 0) {
      *word <<= step;
      shift += step;
    }
  }
  return shift;
}

/* The upper two words of the product of a power of ten and a word. */
static uint64_t scale(const uint64_t power[2], uint64_t word, uint64_t *middle) {
  uint64_t low = 0;
  const uint64_t carried = sn__multiply(power[1], word, &low);
  const uint64_t high = sn__multiply(power[0], word, middle);
  *middle += carried;
  return high + (*middle < carried);
}

bool sn__double_from_decimal(uint64_t digits, int exponent, double *out) {
  if (exponent < SN__POWER_MIN || exponent > SN__POWER_MAX) {
    return false;
  }
  const int shift = normalize(&digits);
  uint64_t middle = 0;
  uint64_t high = scale(sn__powers_of_ten[exponent - SN__POWER_MIN], digits, &middle);
  /* Its leading bit is one of the upper two: of 53 bits the last is at 10 or 11 of `high`. */
  const int last = 10 + (int)(high >> 63);
  const uint64_t half = UINT64_C(1) << (last - 1);
  const uint64_t rest = high & (2 * half - 1);
  if ((rest == half && middle <= 1) || (rest == half - 1 && middle == UINT64_MAX)) {
    return false; /* the middle between two doubles, or too near to it */
  }
  uint64_t bits = (high >> last) + (rest >= half);
  int biased = last + MANTISSA_BITS + 1 + sn__binary_exponent(exponent) - shift + EXPONENT_BIAS;
  if (bits >> (MANTISSA_BITS + 1) != 0) { /* rounded up to the next power of two */
    bits >>= 1;
    biased++;
  }
  if (biased < 1 || biased > EXPONENT_MAX) {
    return false;
  }
  bits = (bits & ((UINT64_C(1) << MANTISSA_BITS) - 1)) | ((uint64_t)biased << MANTISSA_BITS);
  memcpy(out, &bits, sizeof *out);
  return true;
}
