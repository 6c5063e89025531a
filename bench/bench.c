#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS_PER_BATCH 100
#define BATCHES 3000
#define WARM_UP_BATCHES 300

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double run_batch(bench_function *function, void *context, size_t batch) {
  const int64_t start_ns = now_ns();
  for (size_t k = 0; k < CALLS_PER_BATCH; k++) {
    function(context, (batch * CALLS_PER_BATCH + k) % BENCH_INPUTS);
  }
  return (double)(now_ns() - start_ns) / CALLS_PER_BATCH;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_run(const bench_case *c, bench_function *function, void *context) {
  static double ns[BATCHES];
  for (size_t batch = 0; batch < WARM_UP_BATCHES; batch++) {
    run_batch(function, context, batch);
  }
  for (size_t batch = 0; batch < BATCHES; batch++) {
    ns[batch] = run_batch(function, context, batch);
  }
  qsort(ns, BATCHES, sizeof *ns, compare);
  printf(
      "{\"library\":\"%s\",\"case\":\"%s\",\"robot\":\"%s\",\"n\":%zu,"
      "\"median_ns\":%.1f,\"p99_ns\":%.1f,\"max_ns\":%.1f}\n",
      c->library, c->name, c->robot, c->joint_count, ns[BATCHES / 2], ns[BATCHES * 99 / 100],
      ns[BATCHES - 1]);
  fflush(stdout);
  return ns[BATCHES / 2];
}

double *bench_inputs(size_t joint_count) {
  const size_t count = 3 * joint_count * BENCH_INPUTS;
  double *numbers = malloc((count + 1) * sizeof *numbers);
  if (numbers == NULL) {
    abort();
  }
  uint64_t state = 1;
  for (size_t i = 0; i < count; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    numbers[i] = (double)(state >> 11) * 0x1p-51 - 2.0;
  }
  return numbers;
}

void bench_robot_name(const char *path, char *name, size_t size) {
  const char *slash = strrchr(path, '/');
  snprintf(name, size, "%s", slash == NULL ? path : slash + 1);
  char *dot = strrchr(name, '.');
  if (dot != NULL) {
    *dot = '\0';
  }
}
