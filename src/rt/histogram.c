#include "rt/histogram.h"

enum { SUB_BITS = 3, SUBS = 1 << SUB_BITS };

/* One thread writes while others read: each number is consistent, the set of them need not be. C++
 * includes the header and has no _Atomic, so the accesses are atomic, not the type. */
static uint64_t load(const uint64_t *number) {
  return __atomic_load_n(number, __ATOMIC_RELAXED);
}

static void increase(uint64_t *number) {
  __atomic_store_n(number, load(number) + 1, __ATOMIC_RELAXED);
}

/* Values below 8 have a bucket each; above, the leading bit chooses eight, the next three bits one
   of them. */
static size_t bucket_of(uint64_t value) {
  if (value < SUBS) {
    return (size_t)value;
  }
  const unsigned exponent = 63u - (unsigned)__builtin_clzll(value);
  const size_t bucket =
      (exponent - SUB_BITS + 1) * SUBS + ((value >> (exponent - SUB_BITS)) & (SUBS - 1));
  return bucket < SN_HISTOGRAM_BUCKETS ? bucket : SN_HISTOGRAM_BUCKETS - 1;
}

void sn__histogram_add(sn_histogram *histogram, int64_t value_ns) {
  const int64_t value = value_ns < 0 ? 0 : value_ns;
  increase(&histogram->counts[bucket_of((uint64_t)value)]);
  increase(&histogram->count);
  __atomic_store_n(&histogram->sum_ns,
                   __atomic_load_n(&histogram->sum_ns, __ATOMIC_RELAXED) + value, __ATOMIC_RELAXED);
  if (value > __atomic_load_n(&histogram->max_ns, __ATOMIC_RELAXED)) {
    __atomic_store_n(&histogram->max_ns, value, __ATOMIC_RELAXED);
  }
}

uint64_t sn__histogram_count(const sn_histogram *histogram) {
  return load(&histogram->count);
}

int64_t sn__histogram_max_ns(const sn_histogram *histogram) {
  return __atomic_load_n(&histogram->max_ns, __ATOMIC_RELAXED);
}

double sn__histogram_mean_ns(const sn_histogram *histogram) {
  const uint64_t count = sn__histogram_count(histogram);
  return count == 0 ? 0.0
                    : (double)__atomic_load_n(&histogram->sum_ns, __ATOMIC_RELAXED) / (double)count;
}

int64_t sn__histogram_edge_ns(size_t bucket) {
  if (bucket < SUBS) {
    return (int64_t)bucket;
  }
  const size_t exponent = bucket / SUBS - 1;
  return (int64_t)((SUBS + bucket % SUBS) << exponent);
}

uint64_t sn__histogram_bucket(const sn_histogram *histogram, size_t bucket) {
  return bucket < SN_HISTOGRAM_BUCKETS ? load(&histogram->counts[bucket]) : 0;
}

int64_t sn__histogram_quantile_ns(const sn_histogram *histogram, double part) {
  const double wanted = part * (double)sn__histogram_count(histogram);
  const int64_t max_ns = sn__histogram_max_ns(histogram);
  uint64_t below = 0;
  for (size_t i = 0; i + 1 < SN_HISTOGRAM_BUCKETS; i++) {
    below += load(&histogram->counts[i]);
    if (below > 0 && (double)below >= wanted) {
      const int64_t edge_ns = sn__histogram_edge_ns(i + 1) - 1;
      return edge_ns < max_ns ? edge_ns : max_ns;
    }
  }
  return max_ns;
}
