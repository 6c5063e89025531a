#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "command.h"
#include "sinew/clock.h"
#include "sinew/otg.h"
#include "sinew/random.h"

enum { TASKS = 5000, WARM_UP = 500, JOINTS_MAX = 20, CLOCK_READS = 1001 };

/* What is measured. */
typedef struct otg_case {
  const char *name;
  size_t joint_count;
  bool synchronise;
  bool is_step; /* the cycle, not the calculation */
} otg_case;

static const otg_case cases[] = {
    {"plan_1", 1, true, false},   {"plan_7", 7, true, false}, {"plan_20", 20, true, false},
    {"alone_7", 7, false, false}, {"step_7", 7, true, true},
};

/* Joint vectors of one task: start in motion, target at rest. */
typedef struct otg_task {
  double q[JOINTS_MAX], qd[JOINTS_MAX], qdd[JOINTS_MAX], target[JOINTS_MAX];
} otg_task;

static void draw_limits(sn_random *random, sn_otg_limits *limits) {
  for (size_t j = 0; j < JOINTS_MAX; j++) {
    limits[j] =
        (sn_otg_limits){sn_random_between(random, 1.0, 10.0), sn_random_between(random, 1.0, 10.0),
                        sn_random_between(random, 1.0, 10.0)};
  }
}

static void draw_task(sn_random *random, const sn_otg_limits *limits, otg_task *task) {
  for (size_t j = 0; j < JOINTS_MAX; j++) {
    task->q[j] = 4.0 * sn_random_normal(random);
    task->qd[j] = 0.9 * limits[j].velocity * sn_random_between(random, -1.0, 1.0);
    task->qdd[j] = 0.9 * limits[j].acceleration * sn_random_between(random, -1.0, 1.0);
    task->target[j] = 4.0 * sn_random_normal(random);
  }
}

static int compare_times(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a;
  const int64_t y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Cost of reading the clock: similar to what is measured. */
static int64_t clock_cost_ns(const sn_clock *clock) {
  int64_t times[CLOCK_READS];
  for (size_t i = 0; i < CLOCK_READS; i++) {
    const int64_t start_ns = sn_clock_now_ns(clock);
    times[i] = sn_clock_now_ns(clock) - start_ns;
  }
  qsort(times, CLOCK_READS, sizeof *times, compare_times);
  return times[CLOCK_READS / 2];
}

/* Time every call separately: the maximum matters as much as the median. */
static size_t measure(const otg_case *c, sn_otg *otg, const sn_otg_limits *limits, int64_t *times) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  const int64_t cost_ns = clock_cost_ns(&clock);
  sn_random random;
  sn_random_init(&random, 2);
  otg_task task;
  size_t arrived = 0;
  for (size_t i = 0; i < TASKS + WARM_UP; i++) {
    draw_task(&random, limits, &task);
    sn_otg_reset(otg, task.q, task.qd, task.qdd);
    const int64_t start_ns = sn_clock_now_ns(&clock);
    sn_otg_set_target(otg, task.target, NULL);
    int64_t time_ns = sn_clock_now_ns(&clock) - start_ns;
    if (c->is_step) {
      sn_otg_step(otg, 0.5 * sn_otg_duration(otg), NULL, NULL, NULL);
      const int64_t step_ns = sn_clock_now_ns(&clock);
      sn_otg_step(otg, 1e-3, task.q, task.qd, task.qdd);
      time_ns = sn_clock_now_ns(&clock) - step_ns;
    }
    sn_otg_step(otg, sn_otg_duration(otg) * (1.0 + 1e-12), task.q, NULL, NULL);
    if (i >= WARM_UP) {
      times[i - WARM_UP] = time_ns > cost_ns ? time_ns - cost_ns : 0;
      arrived += task.q[0] == task.target[0] ? 1 : 0;
    }
  }
  return arrived;
}

int bench_otg(const bench_request *request) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "bench", 0);
  sn_random random;
  sn_random_init(&random, 1);
  sn_otg_limits limits[JOINTS_MAX];
  draw_limits(&random, limits);
  int64_t *times = SN_NEW(&arena, int64_t, TASKS);
  int code = times != NULL ? EXIT_GOOD : EXIT_FAULT;
  for (size_t i = 0; code == EXIT_GOOD && i < sizeof cases / sizeof *cases; i++) {
    const sn_otg_config config = {
        .joint_count = cases[i].joint_count, .limits = limits, .synchronise = cases[i].synchronise};
    sn_otg *otg = NULL;
    sn_error err;
    if (sn_otg_create(&arena, &config, &otg, &err) != SN_OK) {
      fprintf(stderr, "sinew bench: %s\n", err.message);
      code = EXIT_FAULT;
      break;
    }
    const size_t arrived = measure(&cases[i], otg, limits, times);
    const bench_result result = {.bench = "otg",
                                 .name = cases[i].name,
                                 .robot = "-",
                                 .good = (double)arrived / TASKS,
                                 .times = times,
                                 .count = TASKS};
    bench_print(request, &result);
  }
  sn_arena_release(&arena);
  return code;
}
