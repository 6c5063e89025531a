/** @file
 *  Internal: are all of these numbers finite? */
#ifndef SN_MSG_FINITE_H
#define SN_MSG_FINITE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "math/pair.h"

/** Two doubles, each times 0: 0 if it is finite, else NaN. */
static inline sn__pair sn__zero_or_nan(const char *bytes) {
  sn__pair x;
  memcpy(&x, bytes, sizeof x);
  return x * sn__pair_both(0.0);
}

/** A sum with NaN in it stays NaN. Eight at a
 *  time in four sums, the last eight again rather than what is left one by one: a quarter of the
 *  time, and every output is checked in every cycle. @param bytes  @p count doubles */
static inline bool sn__are_finite(const void *bytes, size_t count) {
  enum { BLOCK = 8 };
  const char *at = bytes;
  double few[BLOCK] = {0};
  if (count < BLOCK) {
    memcpy(few, at, count * sizeof(double));
    at = (const char *)few;
    count = BLOCK;
  }
  sn__pair a = {0}, b = {0}, c = {0}, d = {0};
  for (size_t i = 0; i < count; i += BLOCK) {
    const char *block = at + (i + BLOCK <= count ? i : count - BLOCK) * sizeof(double);
    a += sn__zero_or_nan(block);
    b += sn__zero_or_nan(block + sizeof a);
    c += sn__zero_or_nan(block + 2 * sizeof a);
    d += sn__zero_or_nan(block + 3 * sizeof a);
  }
  const sn__pair sum = (a + b) + (c + d);
  return sum[0] + sum[1] == 0.0;
}

#endif
