/** @file
 *  Internal: histograms of durations. */
#ifndef SN_RT_HISTOGRAM_H
#define SN_RT_HISTOGRAM_H

#include "sinew/activity.h"

/** Count one duration; a negative one counts as 0. RT: yes.  Threads: one writer. */
SN_API void sn__histogram_add(sn_histogram *histogram, int64_t value_ns) SN_RT;

/** How many, the largest, the mean (0 if empty). RT: yes.  Threads: any. */
SN_API uint64_t sn__histogram_count(const sn_histogram *histogram) SN_RT;

SN_API int64_t sn__histogram_max_ns(const sn_histogram *histogram) SN_RT;

SN_API double sn__histogram_mean_ns(const sn_histogram *histogram) SN_RT;

/** The upper edge of the bucket below which the share @p part (0 .. 1) of all values lies, at most
 *  the largest value; 0 if empty. RT: yes.  Threads: any; approximate while it is written. */
SN_API int64_t sn__histogram_quantile_ns(const sn_histogram *histogram, double part) SN_RT;

/** Lower edge of a bucket, and how many fell into it. RT: yes. */
SN_API int64_t sn__histogram_edge_ns(size_t bucket) SN_RT;

SN_API uint64_t sn__histogram_bucket(const sn_histogram *histogram, size_t bucket) SN_RT;

#endif
