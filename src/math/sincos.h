/** @file
 *  Internal: sine and cosine of many angles together, written so that compilers turn it into vector
 *  instructions. Joint angles are few and small; seven calls of libm were a third of the time of
 *  inverse dynamics. */
#ifndef SN_MATH_SINCOS_H
#define SN_MATH_SINCOS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Angles worked on together; arrays of angles are padded to a multiple of it. */
#define SN__SINCOS_LANES 4

/** Beyond this size (rad), and for values that are not finite, libm does the work. */
#define SN__SINCOS_LIMIT 1e5

/** s[i] = sin(x[i]), c[i] = cos(x[i]) for i < n, within 1.6e-16; NaN for what is not finite.
 *  No two arrays overlap. The same bits on every machine for |x| <= SN__SINCOS_LIMIT, and the same
 *  bits as sn__sincos_lanes(). */
void sn__sincos(size_t n, const double *x, double *s, double *c);

/** One block by libm. */
void sn__sincos_far(const double x[SN__SINCOS_LANES], double s[SN__SINCOS_LANES],
                    double c[SN__SINCOS_LANES]);

/** 1 if some lane is out of range or not finite. */
static inline int sn__sincos_is_far(const double x[SN__SINCOS_LANES]) {
  int near = 1;
  for (int i = 0; i < SN__SINCOS_LANES; i++) {
    near &= fabs(x[i]) <= SN__SINCOS_LIMIT;
  }
  return !near;
}

static inline double sn__from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t sn__to_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The angle becomes k quarter turns and a rest r in [-pi/4, pi/4] (Cody and Waite, *Software Manual
   for the Elementary Functions*, 1980): pi/2 is split into 33 bits, whose product with k is exact,
   and a tail. Sine and cosine of r are minimax polynomials of our own (Remez exchange; errors
   3.4e-18 relative and 4.7e-20 absolute), summed in pairs to shorten the dependency chain. Then k
   swaps the two and sets their signs, by bit masks. */
static inline void sn__sincos_lane(double x, double *s, double *c) {
  const double shifter = 0x1.8p52; /* adding it leaves round(x) in the low bits of the sum */
  const double turned = x * 0x1.45f306dc9c883p-1 + shifter;
  const double k = turned - shifter;
  const double r = (x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a626331p-34;

  const double u = r * r;
  const double u2 = u * u;
  const double sine_low = -0x1.5555555555549p-3 + u * 0x1.111111110f87ap-7;
  const double sine_mid = -0x1.a01a019c11992p-13 + u * 0x1.71de3577b66e0p-19;
  const double sine_high = -0x1.ae5e663a6afbcp-26 + u * 0x1.5d9300f114019p-33;
  const double sine = r + r * u * (sine_low + u2 * (sine_mid + u2 * sine_high));
  const double cos_low = 0x1.555555555554cp-5 - u * 0x1.6c16c16c1517ep-10;
  const double cos_mid = 0x1.a01a019cb1bd9p-16 - u * 0x1.27e4f809f0843p-22;
  const double cos_high = 0x1.1ee9ebe9191dbp-29 - u * 0x1.8fae9c6c06514p-37;
  const double cosine = 1.0 - (0.5 * u - u2 * (cos_low + u2 * (cos_mid + u2 * cos_high)));

  const uint64_t quarter = sn__to_bits(turned);
  const uint64_t sine_bits = sn__to_bits(sine);
  const uint64_t cosine_bits = sn__to_bits(cosine);
  const uint64_t swap = (sine_bits ^ cosine_bits) & (0 - (quarter & 1));
  *s = sn__from_bits((sine_bits ^ swap) ^ ((quarter & 2) << 62));
  *c = sn__from_bits((cosine_bits ^ swap) ^ (((quarter + 1) & 2) << 62));
}

/** One block, in line: SN__SINCOS_LANES entries of each array are used. */
static inline void sn__sincos_lanes(const double *restrict x, double *restrict s,
                                    double *restrict c) {
  if (sn__sincos_is_far(x)) {
    sn__sincos_far(x, s, c);
    return;
  }
  for (int i = 0; i < SN__SINCOS_LANES; i++) {
    sn__sincos_lane(x[i], &s[i], &c[i]);
  }
}

#endif
