/** @file
 *  Internal: all zeros of a smooth function of one variable. */
#ifndef SN_IK_CLOSED_SEARCH_ZEROS_H
#define SN_IK_CLOSED_SEARCH_ZEROS_H

#include <stdbool.h>

#define SN__ZEROS_MAX 64
/** Samples of one range. */
#define SN__ZEROS_SAMPLES_MAX 256

typedef double sn__zeros_function(const void *context, double x);

/** Places found so far; set the count to 0 before the first range. */
typedef struct sn__zeros {
  int count;
  double at[SN__ZEROS_MAX];
} sn__zeros;

/** Add the zeros in @p from .. @p to.
 *
 *  Second differences of evenly spaced samples bound the curvature, so that an interval is known to
 *  have no zero, or exactly one, or it is halved. A place where the function touches zero without
 *  crossing counts, and so does one that rounding cannot tell from it; some of those are not zeros.
 *  It is evaluated a little beyond both ends, too.
 *  The bound holds if neighbouring samples show how the function bends: at least eight of them for
 *  each of its waves.
 *  @param sample_count  intervals, 4 .. SN__ZEROS_SAMPLES_MAX - 1
 *  @return false if too many halvings were needed: the function vanishes along a stretch */
bool sn__zeros_find(sn__zeros_function *f, const void *context, double from, double to,
                    int sample_count, sn__zeros *out);

#endif
