#include "sinew/random.h"

#include <math.h>

#include "sinew/fault.h"

static uint64_t rotate_left(uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

/* SplitMix64 spreads a seed over the state, as the authors of xoshiro advise. */
static uint64_t split_mix(uint64_t *x) {
  uint64_t z = (*x += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void sn_random_init(sn_random *random, uint64_t seed) {
  for (int i = 0; i < 4; i++) {
    random->state[i] = split_mix(&seed);
  }
}

uint64_t sn_random_bits(sn_random *random) {
  uint64_t *s = random->state;
  const uint64_t result = rotate_left(s[1] * 5, 7) * 9;
  const uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 45);
  return result;
}

double sn_random_unit(sn_random *random) {
  return (double)(sn_random_bits(random) >> 11) * 0x1p-53;
}

double sn_random_between(sn_random *random, double lower, double upper) {
  const double x = lower + (upper - lower) * sn_random_unit(random);
  return x < upper ? x : lower; /* rounding may reach the upper end */
}

uint64_t sn_random_below(sn_random *random, uint64_t count) {
  SN_ASSERT(count > 0);
  const uint64_t threshold = -count % count; /* 2^64 mod count: values below it would be biased */
  for (;;) {
    const uint64_t bits = sn_random_bits(random);
    if (bits >= threshold) {
      return bits % count;
    }
  }
}

double sn_random_normal(sn_random *random) {
  /* Box-Muller; 1 - u is in (0, 1], so the logarithm is finite. */
  const double radius = sqrt(-2.0 * log(1.0 - sn_random_unit(random)));
  return radius * cos(6.283185307179586 * sn_random_unit(random));
}
