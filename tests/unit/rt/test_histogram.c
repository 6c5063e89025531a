#include <stdlib.h>
#include <string.h>

#include "rt/histogram.h"
#include "sinew/activity.h"
#include "sinew/random.h"
#include "sn_test.h"

SN_TEST(buckets_join_without_a_gap_and_are_within_an_eighth) {
  for (size_t i = 0; i + 1 < SN_HISTOGRAM_BUCKETS; i++) {
    const int64_t low = sn__histogram_edge_ns(i);
    const int64_t high = sn__histogram_edge_ns(i + 1);
    assert_true(low < high);
    assert_true(high - low <= 1 || (double)(high - low) <= 0.125 * (double)low + 1e-9);
    sn_histogram h = {0};
    sn__histogram_add(&h, low);
    sn__histogram_add(&h, high - 1);
    assert_int_equal(sn__histogram_bucket(&h, i), 2);
  }
}

SN_TEST(values_beyond_all_edges_count_in_the_last_bucket) {
  sn_histogram h = {0};
  sn__histogram_add(&h, INT64_MAX);
  sn__histogram_add(&h, -5);
  assert_int_equal(sn__histogram_bucket(&h, SN_HISTOGRAM_BUCKETS - 1), 1);
  assert_int_equal(sn__histogram_bucket(&h, 0), 1);
  assert_int_equal(sn__histogram_bucket(&h, SN_HISTOGRAM_BUCKETS), 0);
  assert_true(sn__histogram_max_ns(&h) == INT64_MAX);
}

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a;
  const int64_t y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

SN_TEST(quantiles_are_within_a_bucket_of_the_sorted_values) {
  enum { COUNT = 5000 };
  static int64_t values[COUNT];
  sn_random random;
  sn_random_init(&random, 7);
  sn_histogram h = {0};
  double sum = 0.0;
  for (size_t i = 0; i < COUNT; i++) {
    values[i] = (int64_t)(1000.0 / (1e-4 + sn_random_unit(&random)));
    sum += (double)values[i];
    sn__histogram_add(&h, values[i]);
  }
  qsort(values, COUNT, sizeof *values, compare);
  for (int percent = 1; percent <= 100; percent++) {
    const int64_t right = values[(size_t)(percent * (COUNT / 100)) - 1];
    const int64_t found = sn__histogram_quantile_ns(&h, percent / 100.0);
    assert_true(found >= right && (double)found <= 1.13 * (double)right);
  }
  sn_assert_near(sn__histogram_mean_ns(&h), sum / COUNT, 1e-6 * sum / COUNT);
  assert_int_equal(sn__histogram_count(&h), COUNT);
}

SN_TEST(an_empty_histogram_returns_zero) {
  const sn_histogram h = {0};
  assert_int_equal(sn__histogram_quantile_ns(&h, 0.5), 0);
  assert_int_equal(sn__histogram_max_ns(&h), 0);
  assert_true(sn__histogram_mean_ns(&h) == 0.0);
}
