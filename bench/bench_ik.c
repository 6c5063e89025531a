/* Inverse kinematics of one chain through sinew/ik.h, whole queries, processor time of this
   process: bench_ik FILE.urdf BASE TIP [BATCHES [CASE]]. Poses are made by forward kinematics of
   joints drawn evenly within limits.

     ik_all   `auto`, sn_ik_get_all(), the seed in the middle of the ranges
     ik_one   `analytic`, sn_ik_search(), the same seed
     ik_near  `auto`, sn_ik_get_position(), the seed within 0.05 rad of a solution in every joint

   Prints the mean count of solutions of a query, too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "sinew/ik.h"
#include "sinew/random.h"

#define SOLUTIONS_MAX 64
/* More than BENCH_INPUTS: a processor learns the branches of a hundred poses by heart. */
#define POSES 4096
#define PI 3.141592653589793

typedef struct bench {
  sn_arena arena;
  const sn_model *model;
  const char *base, *tip, *robot;
  size_t batch_count;
  sn_ik *ik;
  size_t n;
  size_t next; /* pose */
  sn_pose poses[POSES];
  double *middle, *near; /* [n], [POSES][n] */
  double *q;             /* [SOLUTIONS_MAX][n] */
  size_t query_count, solution_count;
} bench;

static size_t next_pose(bench *b) {
  b->next = (b->next + 1) % POSES;
  return b->next;
}

static void count(bench *b, size_t solutions) {
  b->query_count++;
  b->solution_count += solutions;
}

static void run_all(void *context, size_t ignored) {
  (void)ignored;
  bench *b = context;
  const size_t index = next_pose(b);
  sn_ik_result result;
  sn_ik_get_all(b->ik, &b->poses[index], 1, b->middle, b->n, NULL, b->q, SOLUTIONS_MAX, &result);
  count(b, result.solution_count);
}

static void run_one(void *context, size_t ignored) {
  (void)ignored;
  bench *b = context;
  const size_t index = next_pose(b);
  const sn_ik_code code =
      sn_ik_search(b->ik, &b->poses[index], 1, b->middle, b->n, 0.005, NULL, b->q, NULL);
  count(b, code == SN_IK_OK ? 1 : 0);
}

static void run_near(void *context, size_t ignored) {
  (void)ignored;
  bench *b = context;
  const size_t index = next_pose(b);
  const double *seed = b->near + index * b->n;
  const sn_ik_code code = sn_ik_get_position(b->ik, &b->poses[index], seed, b->n, NULL, b->q);
  count(b, code == SN_IK_OK ? 1 : 0);
}

static void draw_pose(bench *b, sn_random *random, size_t index) {
  double *near = b->near + index * b->n;
  for (size_t i = 0; i < b->n; i++) {
    double lower, upper;
    sn_ik_limits(b->ik, i, &lower, &upper);
    const double low = isfinite(lower) ? lower : -PI, high = isfinite(upper) ? upper : PI;
    b->q[i] = sn_random_between(random, low, high);
    const double beside = b->q[i] + sn_random_between(random, -0.05, 0.05);
    near[i] = fmin(fmax(beside, low), high);
    b->middle[i] = 0.5 * (low + high);
  }
  sn_ik_fk(b->ik, &b->tip, 1, b->q, b->n, &b->poses[index]);
}

static bool create(bench *b, const char *solver) {
  const sn_ik_config config = {
      .solver = solver, .base_frame = b->base, .tip_frames = &b->tip, .tip_count = 1};
  sn_error err;
  const sn_status status = sn_ik_create(&b->arena, b->model, &config, &b->ik, &err);
  if (status != SN_OK) {
    if (status != SN_EUNSUPPORTED) { /* not every chain has a closed form */
      fprintf(stderr, "%s\n", err.message);
    }
    return false;
  }
  b->n = sn_ik_joint_count(b->ik);
  b->middle = SN_NEW(&b->arena, double, b->n *(1 + POSES + SOLUTIONS_MAX));
  if (b->middle == NULL) {
    return false;
  }
  b->near = b->middle + b->n;
  b->q = b->near + POSES * b->n;
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t i = 0; i < POSES; i++) {
    draw_pose(b, &random, i);
  }
  return true;
}

static void measure(bench *b, const char *name, const char *solver, bench_function *function) {
  if (!create(b, solver)) {
    return;
  }
  b->query_count = b->solution_count = 0;
  const bench_case c = {.library = "sinew",
                        .name = name,
                        .robot = b->robot,
                        .joint_count = b->n,
                        .calls_per_batch = POSES,
                        .batch_count = b->batch_count,
                        .is_processor_time = 1};
  bench_run(&c, function, b);
  printf("{\"case\":\"%s\",\"robot\":\"%s\",\"solutions\":%.3f}\n", name, b->robot,
         (double)b->solution_count / (double)b->query_count);
}

int main(int argc, char **argv) {
  if (argc < 4 || argc > 6) {
    fprintf(stderr, "usage: bench_ik FILE.urdf BASE TIP [BATCHES [CASE]]\n");
    return 2;
  }
  static const struct {
    const char *name, *solver;
    bench_function *function;
  } cases[] = {
      {"ik_all", "auto", run_all}, {"ik_one", "analytic", run_one}, {"ik_near", "auto", run_near}};
  char robot[64];
  bench_robot_name(argv[1], robot, sizeof robot);
  static bench b;
  b.base = argv[2];
  b.tip = argv[3];
  b.robot = robot;
  b.batch_count = argc > 4 ? strtoul(argv[4], NULL, 10) : 300;
  b.batch_count = b.batch_count > BENCH_BATCHES_MAX ? BENCH_BATCHES_MAX : b.batch_count;
  sn_arena_init_growing(&b.arena, "bench", 1 << 20);
  sn_error err;
  if (sn_model_load(&b.arena, argv[1], NULL, NULL, &b.model, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    if (argc < 6 || strcmp(argv[5], cases[i].name) == 0) {
      measure(&b, cases[i].name, cases[i].solver, cases[i].function);
    }
  }
  sn_arena_release(&b.arena);
  return 0;
}
