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
#define BENCH_BATCHES_MAX 3000
/** The most rounds of one case that are summed up. */
#define BENCH_ROUNDS_MAX 32
/** Ours and a peer's in turn: so many rounds, with so many batches of each case. */
#define BENCH_ROUNDS 5
#define BENCH_ROUND_BATCHES 200

typedef struct bench_case {
  const char *library; /**< "sinew" or the peer */
  const char *name;    /**< what is computed */
  const char *robot;
  size_t joint_count;
  size_t calls_per_batch; /**< 0 means 100; 1 for what takes long enough for the clock */
  size_t batch_count;     /**< 0 means BENCH_BATCHES_MAX, which is the most */
  int is_processor_time;  /**< 1: count the time in which the process ran, not that on the wall: for
                               calls so long that other programs interrupt every one of them */
} bench_case;

/** One call with input @p index < BENCH_INPUTS. */
typedef void bench_function(void *context, size_t index);

/** Measure and print. @return the median, ns per call */
double bench_run(const bench_case *c, bench_function *function, void *context);

/** Deterministic numbers in [-2, 2): the same for every library. Caller frees. */
double *bench_inputs(size_t joint_count);

/** Name @p index of a made-up robot, into @p name: the same for every library. */
void bench_joint_name(size_t index, char *name, size_t size);

/** Which of @p count names is asked for k-th: all over the table, in an unpredictable order.
 */
#define BENCH_NAME_AT(k, count) ((k)*7919 % (count))

/** File name without folder and extension, into @p name. */
void bench_robot_name(const char *path, char *name, size_t size);

/** Run a peer and pass its lines on. Each one whose case and robot bench_run() has measured in this
 * process is followed by a line with the ratio of the peer's time to ours. Prints an error if the
 * peer fails.
 *  @param argv  as for execv()
 *  @return 1; 0 if the peer failed */
int bench_peer(const char *program, char *const *argv);

/** A peer of this project: a program beside the one that runs. */
typedef struct bench_library {
  const char *program;  /**< "peer_kdl" */
  const char *packages; /**< Debian's, which it is built with */
} bench_library;

/** The same for such a peer. Prints once what to install if there is none.
 *  @param argv  after the name of the program; at most 6, then NULL */
int bench_peer_beside(const bench_library *peer, char *const *argv);

/** Where the same cases ran in several rounds, ours and the peer's in turn: the medians over the
 *  rounds, and the least ratio. Rounds keep a machine that is sometimes slower from favouring one.
 */
void bench_summary(void);

#ifdef __cplusplus
}
#endif

#endif
