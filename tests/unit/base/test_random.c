#include "sinew/random.h"
#include "sn_test.h"

/* A second xoshiro256**, straight from the recurrence of Blackman and Vigna (2018) in the form
   where each new word is a sum of old ones, and SplitMix64 by its counter form. */
static uint64_t rotate(uint64_t x, unsigned k) {
  return x << k | x >> (64 - k);
}

static uint64_t split_mix_at(uint64_t seed, uint64_t step) {
  const uint64_t z0 = seed + step * UINT64_C(0x9e3779b97f4a7c15);
  const uint64_t z1 = (z0 ^ z0 >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  const uint64_t z2 = (z1 ^ z1 >> 27) * UINT64_C(0x94d049bb133111eb);
  return z2 ^ z2 >> 31;
}

static uint64_t reference_next(uint64_t s[4]) {
  const uint64_t a = s[0], b = s[1], c = s[2], d = s[3];
  s[0] = a ^ b ^ d;
  s[1] = a ^ b ^ c;
  s[2] = a ^ c ^ b << 17;
  s[3] = rotate(b ^ d, 45);
  return rotate(5 * b, 7) * 9;
}

SN_TEST(bits_follow_the_published_recurrence) {
  static const uint64_t seeds[] = {0, 1, 2, 42, UINT64_MAX, UINT64_C(1) << 63};
  for (size_t i = 0; i < 6; i++) {
    uint64_t s[4];
    for (uint64_t j = 0; j < 4; j++) {
      s[j] = split_mix_at(seeds[i], j + 1);
    }
    sn_random random;
    sn_random_init(&random, seeds[i]);
    for (int j = 0; j < 10000; j++) {
      assert_true(sn_random_bits(&random) == reference_next(s));
    }
  }
}

SN_TEST(copy_forks_the_sequence) {
  sn_random random;
  sn_random_init(&random, 5);
  sn_random_bits(&random);
  sn_random fork = random;
  for (int i = 0; i < 100; i++) {
    assert_true(sn_random_bits(&random) == sn_random_bits(&fork));
  }
}

static int ones(uint64_t x) {
  int count = 0;
  for (; x != 0; x &= x - 1) {
    count++;
  }
  return count;
}

SN_TEST(nearby_seeds_give_unrelated_sequences) {
  enum { PAIRS = 10000 };
  double different = 0.0;
  for (uint64_t seed = 0; seed < PAIRS; seed++) {
    sn_random a;
    sn_random b;
    sn_random_init(&a, seed);
    sn_random_init(&b, seed + 1);
    different += ones(sn_random_bits(&a) ^ sn_random_bits(&b));
  }
  /* the mean of PAIRS binomials B(64, 1/2), each of standard deviation 4 */
  sn_assert_near(different / PAIRS, 32.0, 5.0 * 4.0 / sqrt(PAIRS));
}

/* Chi-square of counts that should be equal; it has mean k - 1 and variance 2 (k - 1). The seeds
   are fixed, so five standard deviations either hold always or never. */
static void assert_uniform(const size_t *counts, size_t k) {
  double total = 0.0;
  for (size_t i = 0; i < k; i++) {
    total += (double)counts[i];
  }
  const double expected = total / (double)k;
  double chi2 = 0.0;
  for (size_t i = 0; i < k; i++) {
    const double difference = (double)counts[i] - expected;
    chi2 += difference * difference / expected;
  }
  const double mean = (double)(k - 1);
  sn_assert_near(chi2, mean, 5.0 * sqrt(2.0 * mean));
}

SN_TEST(unit_numbers_are_uniform) {
  sn_random random;
  sn_random_init(&random, 6);
  size_t counts[1000] = {0};
  for (size_t i = 0; i < 1000000; i++) {
    const double x = sn_random_unit(&random);
    assert_true(x >= 0.0 && x < 1.0);
    counts[(size_t)(x * 1000.0)]++;
  }
  assert_uniform(counts, 1000);
}

SN_TEST(numbers_between_stay_in_their_range) {
  sn_random random;
  sn_random_init(&random, 7);
  size_t counts[100] = {0};
  for (size_t i = 0; i < 100000; i++) {
    const double x = sn_random_between(&random, -3.0, 1.0);
    assert_true(x >= -3.0 && x < 1.0);
    counts[(size_t)((x + 3.0) * 25.0)]++;
    assert_true(sn_random_between(&random, 1.0, nextafter(1.0, 2.0)) == 1.0);
    assert_true(sn_random_between(&random, 1e300, 1e300) == 1e300);
    assert_true(sn_random_between(&random, 1e16, 1e16 + 2.0) == 1e16);
  }
  assert_uniform(counts, 100);
}

SN_TEST(numbers_below_are_uniform_without_bias) {
  sn_random random;
  sn_random_init(&random, 8);
  static const uint64_t small[] = {2, 3, 7, 10, 64, 100};
  for (size_t i = 0; i < 6; i++) {
    size_t counts[100] = {0};
    for (size_t j = 0; j < 100000; j++) {
      const uint64_t x = sn_random_below(&random, small[i]);
      assert_true(x < small[i]);
      counts[x]++;
    }
    assert_uniform(counts, small[i]);
  }
  /* A plain remainder would give the lower third of this range twice as often as the others. */
  const uint64_t third = UINT64_C(1) << 62;
  size_t counts[3] = {0};
  for (size_t j = 0; j < 100000; j++) {
    counts[sn_random_below(&random, 3 * third) / third]++;
  }
  assert_uniform(counts, 3);
  assert_true(sn_random_below(&random, 1) == 0);
  sn_assert_fault(sn_random_below(&random, 0), "count > 0");
}

SN_TEST(normal_numbers_have_the_normal_distribution) {
  enum { BINS = 64, DRAWS = 1000000 };
  sn_random random;
  sn_random_init(&random, 9);
  size_t counts[BINS] = {0};
  double sum = 0.0;
  double sum2 = 0.0;
  for (size_t i = 0; i < DRAWS; i++) {
    const double x = sn_random_normal(&random);
    assert_true(isfinite(x));
    sum += x;
    sum2 += x * x;
    const double p = 0.5 * erfc(-x / sqrt(2.0)); /* uniform if x is normal */
    counts[p < 1.0 ? (size_t)(p * BINS) : BINS - 1]++;
  }
  assert_uniform(counts, BINS);
  sn_assert_near(sum / DRAWS, 0.0, 5.0 / sqrt(DRAWS));
  sn_assert_near(sum2 / DRAWS, 1.0, 5.0 * sqrt(2.0 / DRAWS));
}
