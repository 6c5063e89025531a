/** @file
 *  Internal: work that any thread hands to the thread of a component. A job belongs to a pool of
 * its own kind; nothing is allocated, nobody blocks, and neither side ever holds what the other
 * needs: a caller that gives up leaves the job to the owner, who puts it back into the pool. */
#ifndef SN_RT_COMPONENTS_JOBS_H
#define SN_RT_COMPONENTS_JOBS_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum sn__job_state {
  SN__JOB_FREE,
  SN__JOB_CLAIMED,   /**< the caller fills it */
  SN__JOB_QUEUED,    /**< it waits for the owner */
  SN__JOB_RUNNING,   /**< the owner is at it */
  SN__JOB_DONE,      /**< the caller reads the outcome */
  SN__JOB_ABANDONED, /**< the caller is gone: the owner frees it */
} sn__job_state;

typedef struct sn__job {
  struct sn__job *_Atomic next;
  _Atomic uint32_t state; /**< sn__job_state; callers sleep on it */
  void (*run)(struct sn__job *job);
  bool is_posted; /**< nobody waits: the owner frees it when it is done */
} sn__job;

/** Many push, the owner runs. */
typedef struct sn__jobs {
  alignas(64) sn__job *_Atomic newest;
  alignas(64) sn__job *oldest; /**< the owner's */
  sn__job stub;
} sn__jobs;

void sn__jobs_init(sn__jobs *jobs);

/** Claim a free job. @return false if it is in use */
bool sn__job_claim(sn__job *job);

/** Give a claimed job, or one whose outcome was read, back. */
void sn__job_free(sn__job *job);

/** Hand over a claimed job; the caller still has to wake the owner. Wait-free. */
void sn__jobs_push(sn__jobs *jobs, sn__job *job);

/** Wait for the outcome of a job until @p until_ns of the system's monotonic clock.
 *  @return true: it is done, and the caller frees it after reading. false: it is the owner's now */
bool sn__job_wait(sn__job *job, int64_t until_ns);

/** The same for a job that is soon done once it has begun: given up only before that.
 *  @return true: it was done, and is free again. false: it will not be done */
bool sn__job_finish(sn__job *job, int64_t until_ns);

/** Give a queued job up. @return false if the owner has begun with it */
bool sn__job_cancel(sn__job *job);

/** Is there something to run? Cheap; the owner's thread. Both ends tell: the stub may have been put
 *  behind a job whose way there is not linked yet, and then only the oldest end shows that there is
 *  one. */
static inline bool sn__jobs_pending(const sn__jobs *jobs) {
  return jobs->oldest != &jobs->stub ||
         atomic_load_explicit(&jobs->newest, memory_order_relaxed) != &jobs->stub;
}

/** Run jobs that are there, in the order pushed, at most @p limit: callers on other cores could
 *  keep the owner at it for ever. The owner's thread.
 *  @return how many ran */
uint64_t sn__jobs_run(sn__jobs *jobs, uint64_t limit);

#endif
