/* What bench/python.py measures from Python, in C: one FK call, and inverse kinematics of the same
   poses with one and two threads. Reads joint vectors, prints one line of JSON. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sinew/fault.h"
#include "sinew/ik.h"
#include "sinew/kin.h"

enum { POSES_MAX = 100000, CALLS = 100000, THREADS_MAX = 2 };

typedef struct work {
  sn_ik *ik;
  const sn_pose *poses;
  size_t first, step, count, dof;
  const double *seed;
  pthread_t thread;
} work;

static double now_s(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *solve(void *argument) {
  const work *w = argument;
  double *q = malloc(w->dof * sizeof *q);
  SN_ASSERT(q != NULL);
  for (size_t i = w->first; i < w->count; i += w->step) {
    (void)sn_ik_search(w->ik, &w->poses[i], 1, w->seed, w->dof, 1.0, NULL, q, NULL);
  }
  free(q);
  return NULL;
}

static double ik_per_s(work *workers, size_t threads, clockid_t clock) {
  const double start = now_s(clock);
  for (size_t i = 0; i < threads; i++) {
    workers[i].first = i;
    workers[i].step = threads;
    SN_ASSERT(pthread_create(&workers[i].thread, NULL, solve, &workers[i]) == 0);
  }
  for (size_t i = 0; i < threads; i++) {
    pthread_join(workers[i].thread, NULL);
  }
  return (double)workers[0].count / (now_s(clock) - start);
}

/* The sum keeps the compiler from leaving the calls out. */
static double fk_ns(const sn_chain *chain, const double *q) {
  double sum = 0.0;
  const double start = now_s(CLOCK_MONOTONIC);
  for (int i = 0; i < CALLS; i++) {
    sum += sn_chain_fk(chain, q).pos.x;
  }
  const double duration = now_s(CLOCK_MONOTONIC) - start;
  SN_ASSERT(isfinite(sum));
  return duration / CALLS * 1e9;
}

static double *middle_of(sn_arena *arena, const sn_ik *ik, size_t dof) {
  double *seed = SN_NEW(arena, double, dof);
  SN_ASSERT(seed != NULL);
  for (size_t i = 0; i < dof; i++) {
    double lower;
    double upper;
    sn_ik_limits(ik, i, &lower, &upper);
    const bool is_bounded = isfinite(lower) && isfinite(upper);
    seed[i] = is_bounded ? 0.5 * (lower + upper) : fmin(fmax(0.0, lower), upper);
  }
  return seed;
}

static size_t read_poses(const sn_chain *chain, double *q, sn_pose *poses) {
  size_t count = 0;
  for (size_t i = 0; count < POSES_MAX && scanf("%lf", &q[i]) == 1;) {
    i = (i + 1) % chain->joint_count;
    if (i == 0) {
      poses[count++] = sn_chain_fk(chain, q);
    }
  }
  return count;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fputs("usage: peer_python ROBOT.urdf BASE TIP < vectors\n", stderr);
    return 2;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "bench", 0);
  const sn_model *model = NULL;
  const sn_chain *chain = NULL;
  SN_ASSERT(sn_model_load(&arena, argv[1], &(sn_model_config){0}, NULL, &model, NULL) == SN_OK);
  SN_ASSERT(sn_chain_create(&arena, model, argv[2], argv[3], &chain, NULL) == SN_OK);
  const size_t dof = chain->joint_count;
  double *q = SN_NEW(&arena, double, dof);
  sn_pose *poses = SN_NEW(&arena, sn_pose, POSES_MAX);
  SN_ASSERT(q != NULL && poses != NULL);
  const size_t count = read_poses(chain, q, poses);
  const char *tip = argv[3];
  const sn_ik_config config = {.base_frame = argv[2], .tip_frames = &tip, .tip_count = 1};
  work workers[THREADS_MAX] = {0};
  for (size_t i = 0; i < THREADS_MAX; i++) {
    workers[i] = (work){.poses = poses, .count = count, .dof = dof};
    SN_ASSERT(sn_ik_create(&arena, model, &config, &workers[i].ik, NULL) == SN_OK);
    workers[i].seed = middle_of(&arena, workers[i].ik, dof);
  }
  const double fk = fk_ns(chain, q);
  const double one = ik_per_s(workers, 1, CLOCK_PROCESS_CPUTIME_ID);
  const double two = ik_per_s(workers, 2, CLOCK_MONOTONIC);
  printf("{\"fk_ns\": %.1f, \"ik_per_s\": [%.0f, %.0f]}\n", fk, one, two);
  sn_arena_release(&arena);
  return 0;
}
