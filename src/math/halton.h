/** @file
 *  Internal: points that fill a range evenly (Halton, "On the efficiency of certain quasi-random
 *  sequences of points", 1960). */
#ifndef SN_MATH_HALTON_H
#define SN_MATH_HALTON_H

#include <stddef.h>

/** The digits of @p n in a base, reversed behind the point (van der Corput): 0 .. 1. RT: yes. */
static inline double sn__radical_inverse(size_t n, size_t base) {
  double result = 0.0, digit = 1.0;
  for (; n > 0; n /= base) {
    digit /= (double)base;
    result += digit * (double)(n % base);
  }
  return result;
}

#endif
