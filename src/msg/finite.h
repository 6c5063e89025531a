/** @file
 *  Internal: checking numbers for NaN and infinity. */
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

/** Are @p count doubles finite? A sum with a NaN stays NaN. Eight at a time in four sums, and
 *  the last eight once more instead of the rest one by one: this takes a quarter of the time, and
 *  every output is checked in every cycle. */
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
