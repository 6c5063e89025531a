#include <pthread.h>
#include <stddef.h>

#include "rt/components/jobs.h"
#include "sn_test.h"

enum { PRODUCERS = 3 };

typedef struct work {
  sn__job job;
  sn__jobs *jobs;
  size_t count, done;
} work;

static void count_up(sn__job *job) {
  work *w = (work *)job;
  w->done++;
}

/* Hands its one job over again and again, and waits for it without sleeping. */
static void *produce(void *argument) {
  work *w = argument;
  for (size_t i = 0; i < w->count; i++) {
    assert_true(sn__job_claim(&w->job));
    sn__jobs_push(w->jobs, &w->job);
    while (atomic_load(&w->job.state) != SN__JOB_DONE) {
    }
    sn__job_free(&w->job);
  }
  return NULL;
}

/* The owner looks only when something is said to be pending: a job that is missed then is missed
   for ever, and the test hangs until it is killed. */
SN_TEST(no_job_is_overlooked) {
  static sn__jobs jobs;
  static work works[PRODUCERS];
  pthread_t threads[PRODUCERS];
  sn__jobs_init(&jobs);
  const size_t count = sn_test_cases(20000);
  for (size_t i = 0; i < PRODUCERS; i++) {
    works[i] = (work){.job.run = count_up, .jobs = &jobs, .count = count};
    assert_int_equal(pthread_create(&threads[i], NULL, produce, &works[i]), 0);
  }
  uint64_t ran = 0;
  while (ran < PRODUCERS * count) {
    if (sn__jobs_pending(&jobs)) {
      ran += sn__jobs_run(&jobs, 64);
    }
  }
  for (size_t i = 0; i < PRODUCERS; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(works[i].done, count);
  }
  assert_false(sn__jobs_pending(&jobs));
}

/* The state that a producer leaves when it is stopped between its two steps, just as the owner puts
   the stub behind the last job: that job is there, though the newest end is the stub. */
SN_TEST(job_behind_a_missing_link_is_still_pending) {
  sn__jobs jobs;
  work first = {.job.run = count_up};
  work second = {.job.run = count_up};
  sn__jobs_init(&jobs);
  assert_true(sn__job_claim(&first.job));
  assert_true(sn__job_claim(&second.job));
  sn__jobs_push(&jobs, &first.job);
  sn__jobs_push(&jobs, &second.job);
  jobs.oldest = &first.job;
  atomic_store(&second.job.next, &jobs.stub);
  atomic_store(&jobs.stub.next, NULL);
  atomic_store(&jobs.newest, &jobs.stub);
  atomic_store(&first.job.next, NULL); /* not linked yet */
  assert_true(sn__jobs_pending(&jobs));
  assert_int_equal(sn__jobs_run(&jobs, 64), 0);
  assert_true(sn__jobs_pending(&jobs));
  atomic_store(&first.job.next, &second.job);
  assert_int_equal(sn__jobs_run(&jobs, 64), 2);
  assert_false(sn__jobs_pending(&jobs));
}

SN_TEST(job_that_was_given_up_is_not_run_and_can_be_claimed_again) {
  sn__jobs jobs;
  work w = {.job.run = count_up};
  sn__jobs_init(&jobs);
  assert_true(sn__job_claim(&w.job));
  assert_false(sn__job_claim(&w.job));
  sn__jobs_push(&jobs, &w.job);
  assert_true(sn__job_cancel(&w.job));
  assert_false(sn__job_claim(&w.job)); /* it is the owner's to give back */
  assert_int_equal(sn__jobs_run(&jobs, 64), 0);
  assert_int_equal(w.done, 0);
  assert_true(sn__job_claim(&w.job));
  sn__jobs_push(&jobs, &w.job);
  assert_false(sn__job_wait(&w.job, 0)); /* too late already */
  assert_int_equal(sn__jobs_run(&jobs, 64), 0);
  assert_true(sn__job_claim(&w.job));
}

SN_TEST(owner_does_no_more_than_its_limit) {
  sn__jobs jobs;
  work works[5] = {{.count = 0}};
  sn__jobs_init(&jobs);
  for (size_t i = 0; i < 5; i++) {
    works[i].job.run = count_up;
    assert_true(sn__job_claim(&works[i].job));
    sn__jobs_push(&jobs, &works[i].job);
  }
  assert_int_equal(sn__jobs_run(&jobs, 3), 3);
  assert_true(sn__jobs_pending(&jobs));
  assert_int_equal(works[2].done + works[3].done, 1); /* in the order pushed */
  assert_int_equal(sn__jobs_run(&jobs, 3), 2);
  assert_false(sn__jobs_pending(&jobs));
}
