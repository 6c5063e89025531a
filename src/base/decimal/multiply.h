/** @file
 *  Internal: whole numbers of 128 bits and exponents, for both directions of conversion. */
#ifndef SN_BASE_DECIMAL_MULTIPLY_H
#define SN_BASE_DECIMAL_MULTIPLY_H

#include <stdint.h>

/** The product of two words: its upper word; the lower one goes to `low`. */
static inline uint64_t sn__multiply(uint64_t a, uint64_t b, uint64_t *low) {
  const uint64_t mask = 0xffffffffu;
  const uint64_t a0 = a & mask;
  const uint64_t a1 = a >> 32;
  const uint64_t b0 = b & mask;
  const uint64_t b1 = b >> 32;
  const uint64_t first = a0 * b0;
  const uint64_t cross = a1 * b0 + (first >> 32);
  const uint64_t other = a0 * b1 + (cross & mask);
  *low = (other << 32) | (first & mask);
  return a1 * b1 + (cross >> 32) + (other >> 32);
}

/** Divide, rounding down, which the shift of a negative number does with our compilers. */
static inline int sn__shift_down(int64_t value, int bits) {
  return (int)(value >> bits);
}

/** floor(log2(10^k)) */
static inline int sn__binary_exponent(int k) {
  return sn__shift_down((int64_t)k * 1741647, 19);
}

#endif
