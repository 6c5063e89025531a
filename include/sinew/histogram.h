/** @file
 *  A histogram of durations: fixed memory, one writer, any number of readers. */
#ifndef SINEW_HISTOGRAM_H
#define SINEW_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"

SN_BEGIN_DECLS

/** Buckets: eight per power of two, so a value is known to 12 %. The last one holds all from 2^40
 * ns (18 minutes). */
#define SN_HISTOGRAM_BUCKETS 304

/** All zero is empty. Read it with the functions. */
typedef struct sn_histogram {
  uint64_t counts[SN_HISTOGRAM_BUCKETS];
  uint64_t count;
  int64_t max_ns;
  int64_t sum_ns;
} sn_histogram;

/** Count one duration; a negative one counts as 0. RT: yes.  Threads: one writer. */
SN_API void sn_histogram_add(sn_histogram *histogram, int64_t value_ns) SN_RT;

/** How many, the largest, the mean (0 if empty). RT: yes.  Threads: any. */
SN_API uint64_t sn_histogram_count(const sn_histogram *histogram) SN_RT;
SN_API int64_t sn_histogram_max_ns(const sn_histogram *histogram) SN_RT;
SN_API double sn_histogram_mean_ns(const sn_histogram *histogram) SN_RT;

/** The upper edge of the bucket below which the share @p part (0 .. 1) of all values lies, at most
 *  the largest value; 0 if empty. RT: yes.  Threads: any; approximate while it is written. */
SN_API int64_t sn_histogram_quantile_ns(const sn_histogram *histogram, double part) SN_RT;

/** Lower edge of a bucket, and how many fell into it. RT: yes. */
SN_API int64_t sn_histogram_edge_ns(size_t bucket) SN_RT;
SN_API uint64_t sn_histogram_bucket(const sn_histogram *histogram, size_t bucket) SN_RT;

SN_END_DECLS

#endif
