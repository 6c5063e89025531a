#include "rt/components/jobs.h"

#include <stddef.h>

#include "rt/futex.h"

/* D. Vyukov's multi-producer, single-consumer queue: a linked list whose newest end is swapped
   in by one exchange and linked a moment later. In between the consumer sees a shorter list, which
   is harmless: the producer wakes it after linking. A model is in tests/models/jobs.pml: change
   both. */

void sn__jobs_init(sn__jobs *jobs) {
  atomic_init(&jobs->stub.next, NULL);
  atomic_init(&jobs->newest, &jobs->stub);
  jobs->oldest = &jobs->stub;
}

bool sn__job_claim(sn__job *job) {
  uint32_t expected = SN__JOB_FREE;
  return atomic_compare_exchange_strong_explicit(&job->state, &expected, SN__JOB_CLAIMED,
                                                 memory_order_acquire, memory_order_relaxed);
}

void sn__job_free(sn__job *job) {
  job->is_posted = false;
  atomic_store_explicit(&job->state, SN__JOB_FREE, memory_order_release);
}

static void link_newest(sn__jobs *jobs, sn__job *job) {
  atomic_store_explicit(&job->next, NULL, memory_order_relaxed);
  sn__job *before = atomic_exchange_explicit(&jobs->newest, job, memory_order_acq_rel);
  atomic_store_explicit(&before->next, job, memory_order_release);
}

void sn__jobs_push(sn__jobs *jobs, sn__job *job) {
  atomic_store_explicit(&job->state, SN__JOB_QUEUED, memory_order_relaxed);
  link_newest(jobs, job);
}

/* Remove the oldest job; NULL if there is none, or it is not linked yet. */
static sn__job *pop(sn__jobs *jobs) {
  sn__job *oldest = jobs->oldest;
  sn__job *next = atomic_load_explicit(&oldest->next, memory_order_acquire);
  if (oldest == &jobs->stub) {
    if (next == NULL) {
      return NULL;
    }
    jobs->oldest = next;
    oldest = next;
    next = atomic_load_explicit(&oldest->next, memory_order_acquire);
  }
  if (next == NULL) { /* the last one: append the stub, so that it can be removed */
    if (oldest != atomic_load_explicit(&jobs->newest, memory_order_acquire)) {
      return NULL;
    }
    link_newest(jobs, &jobs->stub);
    next = atomic_load_explicit(&oldest->next, memory_order_acquire);
    if (next == NULL) {
      return NULL;
    }
  }
  jobs->oldest = next;
  return oldest;
}

static bool change_state(sn__job *job, uint32_t from, uint32_t to) {
  return atomic_compare_exchange_strong_explicit(&job->state, &from, to, memory_order_acq_rel,
                                                 memory_order_acquire);
}

uint64_t sn__jobs_run(sn__jobs *jobs, uint64_t limit) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < limit; i++) {
    sn__job *job = pop(jobs);
    if (job == NULL) {
      break;
    }
    if (change_state(job, SN__JOB_QUEUED, SN__JOB_RUNNING)) {
      job->run(job);
      count++;
      if (job->is_posted) {
        sn__job_free(job);
        continue;
      }
      if (change_state(job, SN__JOB_RUNNING, SN__JOB_DONE)) {
        sn__futex_wake(
            &job->state); /* from here on the job belongs to the caller: only its address is used */
        continue;
      }
    }
    sn__job_free(job); /* the caller gave up */
  }
  return count;
}

bool sn__job_cancel(sn__job *job) {
  return change_state(job, SN__JOB_QUEUED, SN__JOB_ABANDONED);
}

bool sn__job_wait(sn__job *job, int64_t until_ns) {
  for (;;) {
    const uint32_t state = atomic_load_explicit(&job->state, memory_order_acquire);
    if (state == SN__JOB_DONE) {
      return true;
    }
    if (sn__real_now_ns() >= until_ns) {
      if (change_state(job, state, SN__JOB_ABANDONED)) {
        return false;
      }
      continue; /* it changed in the meantime */
    }
    sn__futex_wait(&job->state, state, until_ns);
  }
}

bool sn__job_finish(sn__job *job, int64_t until_ns) {
  for (;;) {
    const uint32_t state = atomic_load_explicit(&job->state, memory_order_acquire);
    if (state == SN__JOB_DONE) {
      sn__job_free(job);
      return true;
    }
    const bool is_late = sn__real_now_ns() >= until_ns;
    if (is_late && sn__job_cancel(job)) {
      return false;
    }
    if (is_late) {
      sn__real_pause();
    } else {
      sn__futex_wait(&job->state, state, until_ns);
    }
  }
}
