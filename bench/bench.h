/** @file
 *  How every benchmark measures: batches long enough for the clock, after a warm-up; median, 99th
 *  percentile and maximum of the batches, per call, as one JSON line a case. */
#ifndef SN_BENCH_H
#define SN_BENCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Inputs that a case cycles through, so that branches are not learnt by heart. */
#define BENCH_INPUTS 128

typedef struct bench_case {
  const char *library; /**< "sinew" or the peer */
  const char *name;    /**< what is computed */
  const char *robot;
  size_t joint_count;
} bench_case;

/** One call with input @p index < BENCH_INPUTS. */
typedef void bench_function(void *context, size_t index);

/** Measure and print. @return the median, ns per call */
double bench_run(const bench_case *c, bench_function *function, void *context);

/** Deterministic numbers in [-2, 2): the same for every library. Caller frees. */
double *bench_inputs(size_t joint_count);

/** File name without folder and extension, into @p name. */
void bench_robot_name(const char *path, char *name, size_t size);

#ifdef __cplusplus
}
#endif

#endif
