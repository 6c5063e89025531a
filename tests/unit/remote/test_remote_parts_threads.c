/* The last lines of the log, and the pool of threads. */
#include <pthread.h>
#include <stdatomic.h>

#include "remote/pool.h"
#include "remote/remote_log.h"
#include "sn_test.h"

SN_TEST(log_keeps_the_last_lines_with_their_numbers) {
  static sn__remote_log log;
  sn__remote_log_init(&log);
  sn__remote_log_line line;
  assert_false(sn__remote_log_get(&log, 1, &line));
  enum { LINES = SN__REMOTE_LOG_LINES + 10 };
  for (int k = 1; k <= LINES; k++) {
    sn_log_record record = {.now_ns = k, .level = SN_LOG_WARNING, .source = "arm"};
    record.format = "moved";
    sn__remote_log_add(&log, &record);
  }
  assert_int_equal(sn__remote_log_written(&log), LINES);
  assert_true(sn__remote_log_get(&log, 1, &line)); /* overwritten: the oldest that is left */
  assert_int_equal(line.number, LINES - SN__REMOTE_LOG_LINES + 1);
  assert_int_equal(line.now_ns, (int64_t)line.number);
  assert_true(sn__remote_log_get(&log, LINES, &line));
  assert_int_equal(line.number, LINES);
  assert_string_equal(line.text, "arm: moved");
  assert_string_equal(line.text + line.message_at, "moved");
  assert_false(sn__remote_log_get(&log, LINES + 1, &line));
  sn__remote_log_end(&log);
}

typedef struct task {
  sn__remote_job job;
  bool is_slow;
  atomic_int *gate; /* slow jobs wait until it is open */
  sn__remote_lane lane;
} task;

static bool run_task(sn__remote_job *job, sn__remote_lane lane) {
  task *t = (task *)job;
  if (t->is_slow && lane == SN__REMOTE_QUICK) {
    return false; /* continue in the slow lane */
  }
  while (t->is_slow && atomic_load(t->gate) == 0) {
    sched_yield();
  }
  t->lane = lane;
  return true;
}

static void count_wake(void *context) {
  atomic_fetch_add((atomic_int *)context, 1);
}

/* As many slow jobs as there are slow workers wait for the quick one. */
SN_TEST(slow_jobs_do_not_delay_quick_ones) {
  static sn__remote_pool pool;
  static atomic_int gate, wakes;
  static task tasks[SN__REMOTE_SLOW_WORKERS + 1];
  sn_error err;
  assert_int_equal(sn__remote_pool_start(&pool, count_wake, &wakes, &err), SN_OK);
  for (size_t i = 0; i <= SN__REMOTE_SLOW_WORKERS; i++) {
    tasks[i] = (task){.job.run = run_task, .is_slow = i < SN__REMOTE_SLOW_WORKERS, .gate = &gate};
    sn__remote_pool_add(&pool, &tasks[i].job);
  }
  sn__remote_job *done = NULL;
  while (done == NULL) {
    done = sn__remote_pool_take_done(&pool);
    sched_yield();
  }
  assert_ptr_equal(done, &tasks[SN__REMOTE_SLOW_WORKERS].job); /* the last that was added */
  assert_int_equal(tasks[SN__REMOTE_SLOW_WORKERS].lane, SN__REMOTE_QUICK);
  atomic_store(&gate, 1);
  for (size_t count = 0; count < SN__REMOTE_SLOW_WORKERS;) {
    done = sn__remote_pool_take_done(&pool);
    if (done != NULL) {
      assert_int_equal(((task *)done)->lane, SN__REMOTE_SLOW);
      count++;
    }
    sched_yield();
  }
  sn__remote_pool_end(&pool);
  assert_int_equal(atomic_load(&wakes), SN__REMOTE_SLOW_WORKERS + 1);
}

typedef struct meeting {
  sn__remote_job job; /* first: a job is its meeting */
  atomic_int *present;
} meeting;

/* Ends when all others run, too. */
static bool meet(sn__remote_job *job, sn__remote_lane lane) {
  meeting *m = (meeting *)job;
  if (lane == SN__REMOTE_QUICK) {
    return false;
  }
  atomic_fetch_add(m->present, 1);
  while (atomic_load(m->present) % SN__REMOTE_SLOW_WORKERS != 0) {
    sched_yield();
  }
  return true;
}

/* Threads are started when they are needed. A job behind a busy one would wait for ever. */
SN_TEST(slow_jobs_run_at_once_as_many_as_there_are_slow_workers) {
  static sn__remote_pool pool;
  static atomic_int present, wakes;
  static meeting meetings[SN__REMOTE_SLOW_WORKERS];
  sn_error err;
  assert_int_equal(sn__remote_pool_start(&pool, count_wake, &wakes, &err), SN_OK);
  for (int round = 1; round <= 20; round++) {
    for (size_t i = 0; i < SN__REMOTE_SLOW_WORKERS; i++) {
      meetings[i] = (meeting){.job.run = meet, .present = &present};
      sn__remote_pool_add(&pool, &meetings[i].job);
    }
    for (size_t count = 0; count < SN__REMOTE_SLOW_WORKERS;) {
      count += sn__remote_pool_take_done(&pool) != NULL;
      sched_yield();
    }
    assert_int_equal(atomic_load(&present), round * SN__REMOTE_SLOW_WORKERS);
  }
  sn__remote_pool_end(&pool);
}
