/** @file
 *  A few threads that do the work of the control socket, so that the thread that reads and writes
 *  never waits. Jobs are links of their owners' structs: the queue has no memory of its own and is
 *  as long as there are owners.
 *
 *  Quick jobs go one way and slow ones, which may wait for a component, another: however many wait,
 *  the quick ones pass. */
#ifndef SINEW_APP_CONTROL_POOL_H
#define SINEW_APP_CONTROL_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include "sinew/status.h"

#define CONTROL_SLOW_WORKERS 4

typedef enum control_lane { CONTROL_QUICK, CONTROL_SLOW, CONTROL_LANES } control_lane;

typedef struct control_job {
  struct control_job *next;
  /** @return false: not done yet, it goes on in the slow lane */
  bool (*run)(struct control_job *job, control_lane lane);
} control_job;

typedef struct control_queue {
  control_job *first, *last;
} control_queue;

typedef struct control_pool {
  pthread_mutex_t mutex;
  pthread_cond_t has_work[CONTROL_LANES];
  control_queue waiting[CONTROL_LANES];
  control_queue done;
  bool is_ending;
  int wake_fd; /**< readable when a job is done */
  pthread_t threads[1 + CONTROL_SLOW_WORKERS];
  int thread_count;
} control_pool;

/** @return SN_OK or SN_EIO: no thread, no descriptor */
sn_status control_pool_start(control_pool *pool, sn_error *err);

/** Waits for the jobs that run; those that wait are forgotten. */
void control_pool_end(control_pool *pool);

/** Threads: any. The job belongs to the pool until control_pool_take_done() returns it. */
void control_pool_add(control_pool *pool, control_job *job);

/** @return a job that is done, or NULL */
control_job *control_pool_take_done(control_pool *pool);

/** Start a thread with the usual scheduler and with all signals blocked: those are for others.
 *  @return SN_OK or SN_EIO */
sn_status control_thread_start(pthread_t *thread, void *(*run)(void *), void *context,
                               sn_error *err);

#endif
