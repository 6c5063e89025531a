/** @file
 *  Internal: four floats in one vector register.
 *
 *  The vector type is an extension of GCC and Clang; on machines without such registers it is
 *  lowered to scalars. No fused operations and no approximate ones: the same bits everywhere. */
#ifndef SN_MATH_QUAD_H
#define SN_MATH_QUAD_H

#include <math.h>
#include <stdint.h>

#include "math/pair.h"

typedef float sn__quad __attribute__((vector_size(16)));
typedef int32_t sn__quad_bits __attribute__((vector_size(16)));

typedef float sn__quad_half __attribute__((vector_size(8)));

/** Two pairs, rounded. */
static inline sn__quad sn__quad_of_pairs(sn__pair low, sn__pair high) {
  const sn__quad q = {(float)low[0], (float)low[1], (float)high[0], (float)high[1]};
  return q;
}

/** The first two numbers, or the last two. */
static inline sn__pair sn__quad_low(sn__quad q) {
  const sn__quad_half half = {q[0], q[1]};
  return __builtin_convertvector(half, sn__pair);
}

static inline sn__pair sn__quad_high(sn__quad q) {
  const sn__quad_half half = {q[2], q[3]};
  return __builtin_convertvector(half, sn__pair);
}

static inline sn__quad sn__quad_all(double value) {
  const float f = (float)value;
  const sn__quad q = {f, f, f, f};
  return q;
}

/** The greater of each two; b where one is not a number. */
static inline sn__quad sn__quad_max(sn__quad a, sn__quad b) {
#ifdef __SSE__
  return __builtin_ia32_maxps(a, b);
#else
  const sn__quad_bits is_a = a > b;
  return (sn__quad)((is_a & (sn__quad_bits)a) | (~is_a & (sn__quad_bits)b));
#endif
}

static inline sn__quad sn__quad_abs(sn__quad a) {
  const sn__quad_bits mask = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
  return (sn__quad)((sn__quad_bits)a & mask);
}

static inline sn__quad sn__quad_sqrt(sn__quad a) {
#ifdef __SSE__
  return __builtin_ia32_sqrtps(a);
#else
  const sn__quad q = {sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
  return q;
#endif
}

#endif
