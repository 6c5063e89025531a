#define _GNU_SOURCE /* eventfd() */

#include "control_pool.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "control_verbs.h"

static void push(control_queue *queue, control_job *job) {
  job->next = NULL;
  if (queue->last == NULL) {
    queue->first = job;
  } else {
    queue->last->next = job;
  }
  queue->last = job;
}

static control_job *pop(control_queue *queue) {
  control_job *job = queue->first;
  if (job != NULL) {
    queue->first = job->next;
    queue->last = queue->first == NULL ? NULL : queue->last;
  }
  return job;
}

/* Runs jobs of one lane until the end. */
static void work(control_pool *pool, control_lane lane) {
  pthread_mutex_lock(&pool->mutex);
  while (!pool->is_ending) {
    control_job *job = pop(&pool->waiting[lane]);
    if (job == NULL) {
      pthread_cond_wait(&pool->has_work[lane], &pool->mutex);
      continue;
    }
    pthread_mutex_unlock(&pool->mutex);
    const bool is_done = job->run(job, lane);
    pthread_mutex_lock(&pool->mutex);
    if (is_done) {
      push(&pool->done, job);
      eventfd_write(pool->wake_fd, 1);
    } else {
      push(&pool->waiting[CONTROL_SLOW], job);
      pthread_cond_signal(&pool->has_work[CONTROL_SLOW]);
    }
  }
  pthread_mutex_unlock(&pool->mutex);
}

static void *work_quick(void *context) {
  work(context, CONTROL_QUICK);
  return NULL;
}

static void *work_slow(void *context) {
  work(context, CONTROL_SLOW);
  return NULL;
}

/* Whoever starts the server may be a real-time thread: this one must not become another. */
sn_status control_thread_start(pthread_t *thread, void *(*run)(void *), void *context,
                               sn_error *err) {
  pthread_attr_t attributes;
  const struct sched_param usual = {.sched_priority = 0};
  pthread_attr_init(&attributes);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
  pthread_attr_setschedparam(&attributes, &usual);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int problem = pthread_create(thread, &attributes, run, context);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (problem != 0) {
    return control_fail(err, SN_EIO, "control socket: cannot start a thread: %s",
                        strerror(problem));
  }
  return SN_OK;
}

sn_status control_pool_start(control_pool *pool, sn_error *err) {
  *pool = (control_pool){.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (pool->wake_fd < 0) {
    return control_fail(err, SN_EIO, "control socket: %s", strerror(errno));
  }
  pthread_mutex_init(&pool->mutex, NULL);
  for (int i = 0; i < CONTROL_LANES; i++) {
    pthread_cond_init(&pool->has_work[i], NULL);
  }
  sn_status status = SN_OK;
  for (int i = 0; i < 1 + CONTROL_SLOW_WORKERS && status == SN_OK; i++) {
    status = control_thread_start(&pool->threads[i], i == 0 ? work_quick : work_slow, pool, err);
    pool->thread_count += status == SN_OK;
  }
  if (status != SN_OK) {
    control_pool_end(pool);
  }
  return status;
}

void control_pool_end(control_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pool->is_ending = true;
  for (int i = 0; i < CONTROL_LANES; i++) {
    pthread_cond_broadcast(&pool->has_work[i]);
  }
  pthread_mutex_unlock(&pool->mutex);
  for (int i = 0; i < pool->thread_count; i++) {
    pthread_join(pool->threads[i], NULL);
  }
  for (int i = 0; i < CONTROL_LANES; i++) {
    pthread_cond_destroy(&pool->has_work[i]);
  }
  pthread_mutex_destroy(&pool->mutex);
  close(pool->wake_fd);
}

void control_pool_add(control_pool *pool, control_job *job) {
  pthread_mutex_lock(&pool->mutex);
  push(&pool->waiting[CONTROL_QUICK], job);
  pthread_cond_signal(&pool->has_work[CONTROL_QUICK]);
  pthread_mutex_unlock(&pool->mutex);
}

control_job *control_pool_take_done(control_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  control_job *job = pop(&pool->done);
  pthread_mutex_unlock(&pool->mutex);
  return job;
}
