#define _POSIX_C_SOURCE 200809L

#include "remote/pool.h"

#include <sched.h>
#include <signal.h>
#include <string.h>

#include "base/fail.h"

static void push(sn__remote_queue *queue, sn__remote_job *job) {
  job->next = NULL;
  if (queue->last == NULL) {
    queue->first = job;
  } else {
    queue->last->next = job;
  }
  queue->last = job;
}

static sn__remote_job *pop(sn__remote_queue *queue) {
  sn__remote_job *job = queue->first;
  if (job != NULL) {
    queue->first = job->next;
    queue->last = queue->first == NULL ? NULL : queue->last;
  }
  return job;
}

static void *work_slow(void *context);

/* One thread more for the slow lane if it has fewer idle ones than jobs. Without it the job waits
   for one of them. The caller holds the lock. */
static void add_slow_worker(sn__remote_pool *pool) {
  if (pool->queued_count > pool->idle_count && pool->slow_count < SN__REMOTE_SLOW_WORKERS &&
      !pool->is_ending &&
      sn__remote_thread_start(&pool->threads[pool->thread_count], work_slow, pool, NULL) == SN_OK) {
    pool->thread_count++;
    pool->slow_count++;
  }
}

/* Queue it for the slow lane. The caller holds the lock. */
static void push_slow(sn__remote_pool *pool, sn__remote_job *job) {
  push(&pool->waiting[SN__REMOTE_SLOW], job);
  pool->queued_count++;
  add_slow_worker(pool);
  pthread_cond_signal(&pool->has_work[SN__REMOTE_SLOW]);
}

static void wait_for_work(sn__remote_pool *pool, sn__remote_lane lane) {
  pool->idle_count += lane == SN__REMOTE_SLOW;
  pthread_cond_wait(&pool->has_work[lane], &pool->mutex);
  pool->idle_count -= lane == SN__REMOTE_SLOW;
}

/* Runs the jobs of one lane until the pool ends. */
static void work(sn__remote_pool *pool, sn__remote_lane lane) {
  pthread_mutex_lock(&pool->mutex);
  while (!pool->is_ending) {
    sn__remote_job *job = pop(&pool->waiting[lane]);
    if (job == NULL) {
      wait_for_work(pool, lane);
      continue;
    }
    pool->queued_count -= lane == SN__REMOTE_SLOW;
    pthread_mutex_unlock(&pool->mutex);
    const bool is_done = job->run(job, lane);
    pthread_mutex_lock(&pool->mutex);
    if (is_done) {
      push(&pool->done, job);
      pool->wake(pool->wake_context);
    } else {
      push_slow(pool, job);
    }
  }
  pthread_mutex_unlock(&pool->mutex);
}

static void *work_quick(void *context) {
  work(context, SN__REMOTE_QUICK);
  return NULL;
}

static void *work_slow(void *context) {
  work(context, SN__REMOTE_SLOW);
  return NULL;
}

static void *work_urgent(void *context) {
  work(context, SN__REMOTE_URGENT);
  return NULL;
}

/* The caller may be a real-time thread, whose scheduler must not be inherited. */
sn_status sn__remote_thread_start(pthread_t *thread, void *(*run)(void *), void *context,
                                  sn_error *err) {
  pthread_attr_t attributes;
  const struct sched_param normal = {.sched_priority = 0};
  pthread_attr_init(&attributes);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
  pthread_attr_setschedparam(&attributes, &normal);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int problem = pthread_create(thread, &attributes, run, context);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (problem != 0) {
    return sn__fail(err, SN_EIO, "cannot start a thread: %s", strerror(problem));
  }
  return SN_OK;
}

sn_status sn__remote_pool_start(sn__remote_pool *pool, void (*wake)(void *), void *context,
                                sn_error *err) {
  *pool = (sn__remote_pool){.wake = wake, .wake_context = context};
  pthread_mutex_init(&pool->mutex, NULL);
  for (int i = 0; i < SN__REMOTE_LANES; i++) {
    pthread_cond_init(&pool->has_work[i], NULL);
  }
  sn_status status = SN_OK;
  void *(*const work_at[SN__REMOTE_LANES])(void *) = {work_urgent, work_quick, work_slow};
  pthread_mutex_lock(&pool->mutex);
  for (int i = 0; i < SN__REMOTE_LANES && status == SN_OK; i++) {
    status = sn__remote_thread_start(&pool->threads[i], work_at[i], pool, err);
    pool->thread_count += status == SN_OK;
  }
  pool->slow_count = 1;
  pthread_mutex_unlock(&pool->mutex);
  if (status != SN_OK) {
    sn__remote_pool_end(pool);
  }
  return status;
}

void sn__remote_pool_end(sn__remote_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pool->is_ending = true;
  for (int i = 0; i < SN__REMOTE_LANES; i++) {
    pthread_cond_broadcast(&pool->has_work[i]);
  }
  pthread_mutex_unlock(&pool->mutex);
  for (int i = 0; i < pool->thread_count; i++) {
    pthread_join(pool->threads[i], NULL);
  }
  for (int i = 0; i < SN__REMOTE_LANES; i++) {
    pthread_cond_destroy(&pool->has_work[i]);
  }
  pthread_mutex_destroy(&pool->mutex);
}

void sn__remote_pool_add(sn__remote_pool *pool, sn__remote_job *job) {
  const sn__remote_lane lane = job->is_urgent ? SN__REMOTE_URGENT : SN__REMOTE_QUICK;
  pthread_mutex_lock(&pool->mutex);
  push(&pool->waiting[lane], job);
  pthread_cond_signal(&pool->has_work[lane]);
  pthread_mutex_unlock(&pool->mutex);
}

sn__remote_job *sn__remote_pool_take_done(sn__remote_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  sn__remote_job *job = pop(&pool->done);
  pthread_mutex_unlock(&pool->mutex);
  return job;
}
