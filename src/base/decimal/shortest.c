/* R. Giulietti, "The Schubfach way to render doubles", 2020: all arithmetic is on whole numbers of
   64 and 128 bits. The interval of numbers that round to a binary one is scaled by a power of ten
   such that it is 2 to 20 wide; so it contains a number with one digit less, or one of the two
   whole numbers about the value, which decides between them. */
#include "base/decimal/shortest.h"

#include "base/decimal/multiply.h"

/* The product of a power of ten and a word, divided by 2^128. Its last bit is 1 if anything was cut
   off: then comparisons with whole numbers are right. */
static uint64_t scale(const uint64_t power[2], uint64_t word) {
  uint64_t low = 0;
  uint64_t middle = 0;
  const uint64_t carried = sn__multiply(power[1], word, &low);
  uint64_t high = sn__multiply(power[0], word, &middle);
  middle += carried;
  high += middle < carried;
  return high | (middle > 1);
}

/* floor(log10(2^q)), or of three quarters of it where the lower neighbour is close. */
static int decimal_exponent(int q, bool is_lower_close) {
  return sn__shift_down((int64_t)q * 1262611 - (is_lower_close ? 524031 : 0), 22);
}

sn__scaled sn__shortest(sn__scaled binary, bool is_lower_close) {
  const uint64_t c = binary.significand;
  const uint64_t odd = c & 1; /* ties go to even ones: these own the ends of their interval */
  const int k = decimal_exponent(binary.exponent, is_lower_close);
  const int h = binary.exponent + sn__binary_exponent(-k) + 1;
  const uint64_t *power = sn__powers_of_ten[-k - SN__POWER_MIN];
  /* four times the value, and the ends of its interval */
  const uint64_t value = scale(power, (4 * c) << h);
  const uint64_t lower = scale(power, (4 * c - 2 + is_lower_close) << h) + odd;
  const uint64_t upper = scale(power, (4 * c + 2) << h) - odd;
  const uint64_t below = value / 4;
  if (below >= 10) {
    const uint64_t shorter = below / 10;
    const bool has_lower = lower <= 40 * shorter;
    const bool has_upper = 40 * shorter + 40 <= upper;
    if (has_lower != has_upper) {
      return (sn__scaled){shorter + has_upper, k + 1};
    }
  }
  const bool has_lower = lower <= 4 * below;
  const bool has_upper = 4 * below + 4 <= upper;
  const uint64_t middle = 4 * below + 2;
  const bool is_nearer_above = value > middle || (value == middle && (below & 1) != 0);
  return (sn__scaled){below + (has_lower != has_upper ? has_upper : is_nearer_above), k};
}
