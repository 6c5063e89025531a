/** @file
 *  Internal: sine and cosine of many angles together, two in a vector register. Joint angles are
 * few and small; the calls of libm took a third of the time of inverse dynamics. */
#ifndef SN_MATH_SINCOS_H
#define SN_MATH_SINCOS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "math/pair.h"

/** Beyond this size (rad), and for values that are not finite, libm does the work. */
#define SN__SINCOS_LIMIT 1e5

/** As sn__sincos(), angle by angle: for few of them and for those out of range. */
void sn__sincos_each(size_t n, const double *x, double *s, double *c);

/** Sine and cosine of two angles, both within the limit.
 *
 *  The angle is split into k quarter turns and a remainder r in [-pi/4, pi/4] (Cody and Waite,
 * *Software Manual for the Elementary Functions*, 1980): pi/2 is split into 33 bits, whose product
 * with k is exact, and a tail. Sine and cosine of r are minimax polynomials of our own (Remez
 * exchange; errors 3.4e-18 relative and 4.7e-20 absolute), summed in pairs to shorten the
 * dependency chain. Then k swaps the two and sets their signs, by bit masks. */
static inline void sn__sincos_pair(sn__pair x, sn__pair *s, sn__pair *c) {
  const double shifter = 0x1.8p52; /* adding it leaves round(x) in the low bits of the sum */
  const sn__pair turned = x * 0x1.45f306dc9c883p-1 + shifter;
  const sn__pair k = turned - shifter;
  const sn__pair r = (x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a626331p-34;

  const sn__pair u = r * r;
  const sn__pair u2 = u * u;
  const sn__pair sine_low = u * 0x1.111111110f87ap-7 - 0x1.5555555555549p-3;
  const sn__pair sine_mid = u * 0x1.71de3577b66e0p-19 - 0x1.a01a019c11992p-13;
  const sn__pair sine_high = u * 0x1.5d9300f114019p-33 - 0x1.ae5e663a6afbcp-26;
  const sn__pair sine = r + r * u * (sine_low + u2 * (sine_mid + u2 * sine_high));
  const sn__pair cos_low = 0x1.555555555554cp-5 - u * 0x1.6c16c16c1517ep-10;
  const sn__pair cos_mid = 0x1.a01a019cb1bd9p-16 - u * 0x1.27e4f809f0843p-22;
  const sn__pair cos_high = 0x1.1ee9ebe9191dbp-29 - u * 0x1.8fae9c6c06514p-37;
  const sn__pair cosine = 1.0 - (0.5 * u - u2 * (cos_low + u2 * (cos_mid + u2 * cos_high)));

  const sn__pair_bits quarter = (sn__pair_bits)turned;
  const sn__pair_bits swap = ((sn__pair_bits)sine ^ (sn__pair_bits)cosine) & -(quarter & 1);
  *s = (sn__pair)((sn__pair_bits)sine ^ swap ^ ((quarter & 2) << 62));
  *c = (sn__pair)((sn__pair_bits)cosine ^ swap ^ (((quarter + 1) & 2) << 62));
}

/* Two angles from and to arrays. Sizes are compared by their bits, whose order is the same: the
   highest bit of a difference says that the angle is too large, infinite or NaN. */
static inline sn__pair_bits sn__sincos_two(const double *x, double *s, double *c) {
  const sn__pair_bits limit = (sn__pair_bits)sn__pair_both(SN__SINCOS_LIMIT);
  sn__pair angle, sine, cosine;
  memcpy(&angle, x, sizeof angle);
  sn__sincos_pair(angle, &sine, &cosine);
  memcpy(s, &sine, sizeof sine);
  memcpy(c, &cosine, sizeof cosine);
  return limit - ((sn__pair_bits)angle & (UINT64_MAX >> 1));
}

/** s[i] = sin(x[i]), c[i] = cos(x[i]) for i < n, within 1.6e-16; NaN for what is not finite.
 *  No two arrays overlap. An angle up to SN__SINCOS_LIMIT gives the same bits on every machine,
 * whatever the other angles are. */
static inline void sn__sincos(size_t n, const double *x, double *s, double *c) {
  if (n < 2) {
    sn__sincos_each(n, x, s, c);
    return;
  }
  sn__pair_bits far = {0, 0};
  for (size_t i = 0; i + 2 <= n; i += 2) {
    far |= sn__sincos_two(x + i, s + i, c + i);
  }
  if (n % 2 != 0) { /* the last pair overlaps the one before */
    far |= sn__sincos_two(x + n - 2, s + n - 2, c + n - 2);
  }
  if ((far[0] | far[1]) >> 63 != 0) {
    sn__sincos_each(n, x, s, c);
  }
}

#endif
