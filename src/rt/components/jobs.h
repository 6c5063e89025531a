/** @file
 *  Internal: jobs that any thread queues for the thread of a component. Each job belongs to a pool;
 *  nothing is allocated and no side blocks the other: a caller that gives up leaves the job to the
 *  owner, which returns it to the pool. */
#ifndef SN_RT_COMPONENTS_JOBS_H
#define SN_RT_COMPONENTS_JOBS_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum sn__job_state {
  SN__JOB_FREE,
  SN__JOB_CLAIMED,   /**< the caller fills it */
  SN__JOB_QUEUED,    /**< queued */
  SN__JOB_RUNNING,   /**< the owner runs it */
  SN__JOB_DONE,      /**< the caller reads the outcome */
  SN__JOB_ABANDONED, /**< the caller gave up: the owner frees it */
} sn__job_state;

typedef struct sn__job {
  struct sn__job *_Atomic next;
  _Atomic uint32_t state; /**< sn__job_state; callers sleep on it */
  void (*run)(struct sn__job *job);
  bool is_posted; /**< no caller waits: the owner frees it when done */
} sn__job;

/** Many push, the owner runs. */
typedef struct sn__jobs {
  alignas(64) sn__job *_Atomic newest;
  alignas(64) sn__job *oldest; /**< of the owner */
  sn__job stub;
} sn__jobs;

void sn__jobs_init(sn__jobs *jobs);

/** Claim a free job. @return false if it is in use */
bool sn__job_claim(sn__job *job);

/** Return a claimed job, or one whose outcome was read, to the pool. */
void sn__job_free(sn__job *job);

/** Queue a claimed job; then the caller has to wake the owner. Wait-free. */
void sn__jobs_push(sn__jobs *jobs, sn__job *job);

/** Wait for the outcome of a job until @p until_ns of the system's monotonic clock.
 *  @return true: it is done, and the caller frees it after reading. false: it is the owner's now */
bool sn__job_wait(sn__job *job, int64_t until_ns);

/** The same for a job that is short once it has begun: it can be given up only before.
 *  @return true: it was done, and is free again. false: it will not be done */
bool sn__job_finish(sn__job *job, int64_t until_ns);

/** Give up a queued job. @return false if the owner has begun to run it */
bool sn__job_cancel(sn__job *job);

/** Is there a job to run? Cheap; the owner's thread. Both ends are checked: if the stub was
 *  appended to a job that is not linked yet, only the oldest end shows it. */
static inline bool sn__jobs_pending(const sn__jobs *jobs) {
  return jobs->oldest != &jobs->stub ||
         atomic_load_explicit(&jobs->newest, memory_order_relaxed) != &jobs->stub;
}

/** Run queued jobs in order, at most @p limit, since callers on other cores could add jobs without
 *  end. The owner's thread.
 *  @return how many ran */
uint64_t sn__jobs_run(sn__jobs *jobs, uint64_t limit);

#endif
