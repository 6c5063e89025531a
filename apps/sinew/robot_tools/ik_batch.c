#include "robot_tools/ik_batch.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "command.h"
#include "common/numbers.h"
#include "common/print.h"

/* Poses that several threads share: enough to keep them busy, few enough to print soon. */
enum { CHUNK = 1024 };

/* Of one pose. */
typedef struct answer {
  sn_ik_code code;
  int64_t duration_ns;
  size_t row_count;
  double *rows; /* [rows_max][joint_count] */
} answer;

typedef struct worker {
  ik_batch *batch;
  sn_ik *ik;
  sn_ik_options options; /* of the task, with a check of its own */
  pthread_t thread;
} worker;

struct ik_batch {
  const ik_task *task;
  worker workers[IK_JOBS_MAX];
  sn_clock clock;
  const double *seed;
  size_t joint_count;
  size_t capacity;
  size_t rows_max;
  answer *answers; /* [capacity] */
  const sn_pose *poses;
  size_t count;
  atomic_size_t next; /* first pose without a worker */
  bool has_explained;
};

static const double *middle_of_ranges(sn_arena *arena, const sn_ik *ik) {
  const size_t n = sn_ik_joint_count(ik);
  double *seed = SN_NEW(arena, double, n);
  for (size_t i = 0; seed != NULL && i < n; i++) {
    double lower;
    double upper;
    sn_ik_limits(ik, i, &lower, &upper);
    const bool bounded = isfinite(lower) && isfinite(upper);
    seed[i] = bounded ? 0.5 * (lower + upper) : fmin(fmax(0.0, lower), upper);
  }
  return seed;
}

static int report_failure(sn_status status, const sn_error *err) {
  fprintf(stderr, "sinew: %s\n", err->message);
  return status == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
}

/* Joints outside the chain are at zero. Warnings of the first worker are those of all. */
static int create_check(sn_arena *arena, const ik_task *task, worker *w, bool is_first) {
  sn_ik_avoid *avoid = NULL;
  sn_error err;
  const sn_status status = sn_ik_avoid_create(arena, task->model, w->ik, task->avoid,
                                              is_first ? task->report : NULL, &avoid, &err);
  if (is_first) {
    problems_print(task->report);
  }
  if (status != SN_OK) {
    return report_failure(status, &err);
  }
  sn_ik_avoid_use(avoid, NULL, &w->options);
  return EXIT_GOOD;
}

static int create_solvers(sn_arena *arena, ik_batch *batch) {
  const ik_task *task = batch->task;
  for (size_t i = 0; i < task->jobs; i++) {
    worker *w = &batch->workers[i];
    w->batch = batch;
    w->options = task->options;
    sn_error err;
    const sn_status status = sn_ik_create(arena, task->model, &task->config, &w->ik, &err);
    if (status != SN_OK) {
      return report_failure(status, &err);
    }
    const int code = task->avoid == NULL ? EXIT_GOOD : create_check(arena, task, w, i == 0);
    if (code != EXIT_GOOD) {
      return code;
    }
  }
  return EXIT_GOOD;
}

static int take_seed(sn_arena *arena, ik_batch *batch) {
  const ik_task *task = batch->task;
  if (task->seed != NULL && task->seed_count != batch->joint_count) {
    fprintf(stderr, "sinew ik: --seed has %zu numbers, '%s' to '%s' has %zu joints\n",
            task->seed_count, task->config.base_frame, task->config.tip_frames[0],
            batch->joint_count);
    return EXIT_USAGE;
  }
  batch->seed = task->seed != NULL ? task->seed : middle_of_ranges(arena, batch->workers[0].ik);
  return batch->seed == NULL ? EXIT_FAULT : EXIT_GOOD;
}

static int create_answers(sn_arena *arena, ik_batch *batch) {
  batch->answers = SN_NEW(arena, answer, batch->capacity);
  double *rows = SN_NEW(arena, double, batch->capacity * batch->rows_max * batch->joint_count);
  if (batch->answers == NULL || rows == NULL) {
    return EXIT_FAULT;
  }
  for (size_t i = 0; i < batch->capacity; i++) {
    batch->answers[i].rows = rows + i * batch->rows_max * batch->joint_count;
  }
  return EXIT_GOOD;
}

int ik_batch_create(sn_arena *arena, const ik_task *task, ik_batch **out) {
  ik_batch *batch = SN_NEW(arena, ik_batch, 1);
  if (batch == NULL) {
    return EXIT_FAULT;
  }
  batch->task = task;
  batch->capacity = task->jobs == 1 ? 1 : CHUNK; /* one thread answers each line at once */
  batch->rows_max = task->all ? IK_BRANCHES_MAX : 1;
  sn_clock_init_monotonic(&batch->clock);
  int code = create_solvers(arena, batch);
  if (code == EXIT_GOOD) {
    batch->joint_count = sn_ik_joint_count(batch->workers[0].ik);
    code = take_seed(arena, batch);
  }
  if (code == EXIT_GOOD) {
    code = create_answers(arena, batch);
  }
  *out = batch;
  return code;
}

size_t ik_batch_capacity(const ik_batch *batch) {
  return batch->capacity;
}

/* Some solution; of those without a collision the nearest to the seed, where that is known. */
static sn_ik_code find_one(const ik_batch *batch, worker *w, const sn_pose *pose, double *q) {
  const ik_task *task = batch->task;
  const size_t n = batch->joint_count;
  sn_ik_code code = SN_IK_NO_SOLUTION;
  if (task->avoid != NULL && task->timeout_s > 0.0) {
    code = sn_ik_get_position(w->ik, pose, batch->seed, n, &w->options, q);
  }
  return code == SN_IK_OK
             ? code
             : sn_ik_search(w->ik, pose, 1, batch->seed, n, task->timeout_s, &w->options, q, NULL);
}

static void solve_one(const ik_batch *batch, worker *w, const sn_pose *pose, answer *a) {
  const int64_t start_ns = sn_clock_now_ns(&batch->clock);
  if (batch->task->all) {
    sn_ik_result result;
    a->code = sn_ik_get_all(w->ik, pose, 1, batch->seed, batch->joint_count, &w->options, a->rows,
                            batch->rows_max, &result);
    a->row_count = result.solution_count;
  } else {
    a->code = find_one(batch, w, pose, a->rows);
    a->row_count = a->code == SN_IK_OK ? 1 : 0;
  }
  a->duration_ns = sn_clock_now_ns(&batch->clock) - start_ns;
}

static void *work(void *argument) {
  worker *w = argument;
  ik_batch *batch = w->batch;
  for (;;) {
    const size_t i = atomic_fetch_add_explicit(&batch->next, 1, memory_order_relaxed);
    if (i >= batch->count) {
      return NULL;
    }
    solve_one(batch, w, &batch->poses[i], &batch->answers[i]);
  }
}

/* The first worker is this thread. */
static int work_together(ik_batch *batch) {
  const size_t jobs = batch->task->jobs < batch->count ? batch->task->jobs : batch->count;
  int code = EXIT_GOOD;
  size_t started = 1;
  while (started < jobs) {
    worker *w = &batch->workers[started];
    if (pthread_create(&w->thread, NULL, work, w) != 0) {
      fputs("sinew ik: cannot start a thread\n", stderr);
      code = EXIT_FAULT;
      break;
    }
    started++;
  }
  work(&batch->workers[0]);
  for (size_t i = 1; i < started; i++) {
    pthread_join(batch->workers[i].thread, NULL);
  }
  return code;
}

/* Explain codes caused by the request rather than the robot, once. */
static void explain(ik_batch *batch, const answer *a) {
  const bool is_of_robot =
      a->code == SN_IK_NO_SOLUTION || a->code == SN_IK_TIMED_OUT || a->code == SN_IK_REFUSED;
  if (is_of_robot || batch->has_explained) {
    return;
  }
  const bool alone = batch->task->jobs == 1; /* so the last query is this one */
  char text[256] = "";
  if (alone) {
    sn_ik_explain(batch->workers[0].ik, text, sizeof text);
  }
  fprintf(stderr, "sinew ik: %s%s%s\n", sn_ik_code_name(a->code), alone ? ": " : "", text);
  batch->has_explained = true;
}

static void print_answer(const ik_batch *batch, const answer *a) {
  const double duration_us = 1e-3 * (double)a->duration_ns;
  for (size_t row = 0; row < a->row_count; row++) {
    printf("OK %.3f ", duration_us);
    numbers_print(a->rows + row * batch->joint_count, batch->joint_count);
    putchar('\n');
  }
  if (a->row_count == 0) {
    /* Nothing but a collision refuses a solution here. */
    printf("%s %.3f\n", a->code == SN_IK_REFUSED ? "IN_COLLISION" : sn_ik_code_name(a->code),
           duration_us);
  }
  if (batch->task->all) {
    putchar('\n');
  }
}

int ik_batch_run(ik_batch *batch, const sn_pose *poses, size_t count) {
  batch->poses = poses;
  batch->count = count;
  atomic_store(&batch->next, 0);
  int code = work_together(batch);
  for (size_t i = 0; i < count; i++) {
    print_answer(batch, &batch->answers[i]);
    if (batch->answers[i].code != SN_IK_OK) {
      explain(batch, &batch->answers[i]);
      code = code == EXIT_GOOD ? EXIT_NO : code;
    }
  }
  return code;
}
