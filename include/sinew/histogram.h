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

SN_END_DECLS

#endif
