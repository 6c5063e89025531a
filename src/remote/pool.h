/** @file
 *  A pool of threads for a server, whose socket thread never waits. Jobs are embedded in their
 *  owners' structs, so queueing does not allocate.
 *
 *  There are three lanes: quick jobs; slow ones, which may wait for a component; and urgent ones,
 * which wait for the confirmation of an emergency stop. Slow jobs do not delay the others. Each
 * lane has a thread from the start; more for slow jobs are started when all are busy. */
#ifndef SN_REMOTE_POOL_H
#define SN_REMOTE_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include "sinew/status.h"

#define SN__REMOTE_SLOW_WORKERS 4

typedef enum sn__remote_lane {
  SN__REMOTE_QUICK,
  SN__REMOTE_SLOW,
  SN__REMOTE_URGENT,
  SN__REMOTE_LANES
} sn__remote_lane;

typedef struct sn__remote_job {
  struct sn__remote_job *next;
  /** @return false: not done, queue it in the slow lane */
  bool (*run)(struct sn__remote_job *job, sn__remote_lane lane);
  bool is_urgent; /**< starts in the urgent lane, not in the quick one */
} sn__remote_job;

typedef struct sn__remote_queue {
  sn__remote_job *first, *last;
} sn__remote_queue;

typedef struct sn__remote_pool {
  pthread_mutex_t mutex;
  pthread_cond_t has_work[SN__REMOTE_LANES];
  sn__remote_queue waiting[SN__REMOTE_LANES];
  sn__remote_queue done;
  int slow_count;   /**< threads of the slow lane */
  int idle_count;   /**< those of them that wait for a job */
  int queued_count; /**< jobs of that lane that wait for a thread */
  bool is_ending;
  void (*wake)(void *context); /**< a job is done; called with the lock held, must not block */
  void *wake_context;
  pthread_t threads[2 + SN__REMOTE_SLOW_WORKERS];
  int thread_count;
} sn__remote_pool;

/** @param wake  called in any thread whenever a job is done
 *  @return SN_OK or SN_EIO */
sn_status sn__remote_pool_start(sn__remote_pool *pool, void (*wake)(void *), void *context,
                                sn_error *err);

/** Wait for running jobs; queued ones are dropped. */
void sn__remote_pool_end(sn__remote_pool *pool);

/** Threads: any. The job belongs to the pool until sn__remote_pool_take_done() returns it. */
void sn__remote_pool_add(sn__remote_pool *pool, sn__remote_job *job);

/** @return a job that is done, or NULL */
sn__remote_job *sn__remote_pool_take_done(sn__remote_pool *pool);

/** Start a thread with the default scheduler and with all signals blocked.
 *  @return SN_OK or SN_EIO */
sn_status sn__remote_thread_start(pthread_t *thread, void *(*run)(void *), void *context,
                                  sn_error *err);

#endif
