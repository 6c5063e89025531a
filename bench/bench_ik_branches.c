/* All branches and the nearest solution: bench_ik_branches FILE.urdf BASE TIP [POSES [JOINT]]
   Poses are made by forward kinematics of joints drawn evenly within limits. An arm of seven joints
   keeps JOINT (1 to 7) where the draw has it. "lost": the drawn joints are not among all solutions,
   within 1e-3. "farther": from a seed beside the drawn joints, or drawn like them,
   sn_ik_get_position() returns a solution farther than the first of sn_ik_get_all(), no joint kept.
   Times are of the processor, mean. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sinew/ik.h"
#include "sinew/random.h"

#define PI 3.141592653589793
enum { JOINTS_MAX = 7, ROWS_MAX = 2048 };

typedef struct bench {
  sn_ik *ik;
  size_t n;
  const char *tip;
  sn_random random;
  double q[JOINTS_MAX], seed[JOINTS_MAX];
  double rows[ROWS_MAX * JOINTS_MAX];
} bench;

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw(bench *b, double *q) {
  for (size_t i = 0; i < b->n; i++) {
    double lower, upper;
    sn_ik_limits(b->ik, i, &lower, &upper);
    q[i] =
        sn_random_between(&b->random, isfinite(lower) ? lower : -PI, isfinite(upper) ? upper : PI);
  }
}

static bool is_listed(const bench *b, size_t row_count) {
  for (size_t k = 0; k < row_count; k++) {
    double largest = 0.0;
    for (size_t i = 0; i < b->n; i++) {
      largest = fmax(largest, fabs(remainder(b->rows[k * b->n + i] - b->q[i], 2.0 * PI)));
    }
    if (largest < 1e-3) {
      return true;
    }
  }
  return false;
}

static void measure_branches(bench *b, size_t pose_count, int joint) {
  size_t lost_count = 0, solution_count = 0;
  double time_s = 0.0;
  for (size_t k = 0; k < pose_count; k++) {
    sn_pose pose;
    sn_ik_result result;
    draw(b, b->q);
    draw(b, b->seed);
    if (joint >= 0) {
      b->seed[joint] = b->q[joint];
    }
    sn_ik_fk(b->ik, &b->tip, 1, b->q, b->n, &pose);
    const double start_s = now_s();
    sn_ik_get_all(b->ik, &pose, 1, b->seed, b->n, NULL, b->rows, ROWS_MAX, &result);
    time_s += now_s() - start_s;
    solution_count += result.solution_count;
    lost_count += is_listed(b, result.solution_count) ? 0 : 1;
  }
  const double count = (double)pose_count;
  printf("branches, joint %d kept: %zu poses, lost %zu, %.2f solutions, %.1f us\n", joint + 1,
         pose_count, lost_count, (double)solution_count / count, 1e6 * time_s / count);
}

static double distance(const bench *b, const double *q) {
  double sum = 0.0;
  for (size_t i = 0; i < b->n; i++) {
    sum += (q[i] - b->seed[i]) * (q[i] - b->seed[i]);
  }
  return sqrt(sum);
}

/* Within @p beside of the joints, or anywhere. */
static void draw_seed(bench *b, double beside) {
  draw(b, b->seed);
  for (size_t i = 0; i < b->n && isfinite(beside); i++) {
    double lower, upper;
    sn_ik_limits(b->ik, i, &lower, &upper);
    const double near = b->q[i] + sn_random_between(&b->random, -beside, beside);
    b->seed[i] = fmin(upper, fmax(lower, near));
  }
}

static void measure_nearest(bench *b, size_t pose_count, double beside) {
  size_t farther_count = 0, failed_count = 0;
  double time_s = 0.0, all_s = 0.0;
  for (size_t k = 0; k < pose_count; k++) {
    sn_pose pose;
    double nearest[JOINTS_MAX];
    draw(b, b->q);
    draw_seed(b, beside);
    sn_ik_fk(b->ik, &b->tip, 1, b->q, b->n, &pose);
    double start_s = now_s();
    const sn_ik_code code = sn_ik_get_position(b->ik, &pose, b->seed, b->n, NULL, nearest);
    time_s += now_s() - start_s;
    start_s = now_s();
    sn_ik_get_all(b->ik, &pose, 1, b->seed, b->n, NULL, b->rows, ROWS_MAX, NULL);
    all_s += now_s() - start_s;
    failed_count += code == SN_IK_OK ? 0 : 1;
    farther_count += code == SN_IK_OK && distance(b, nearest) > distance(b, b->rows) + 1e-6;
  }
  const double count = (double)pose_count;
  printf("nearest, seeds within %g rad: %zu poses, farther %zu, failed %zu, %.2f us; all %.1f us\n",
         beside, pose_count, farther_count, failed_count, 1e6 * time_s / count,
         1e6 * all_s / count);
}

int main(int argc, char **argv) {
  static bench b;
  sn_arena arena;
  const sn_model *model;
  sn_error err = {0};
  sn_clock clock;
  if (argc < 4) {
    fprintf(stderr, "usage: bench_ik_branches FILE.urdf BASE TIP [POSES [JOINT]]\n");
    return 2;
  }
  sn_arena_init_growing(&arena, "bench", 1u << 18);
  sn_clock_init_simulated(&clock, 0);
  b.tip = argv[3];
  const sn_ik_config config = {
      .base_frame = argv[2], .tip_frames = &b.tip, .tip_count = 1, .clock = &clock};
  if (sn_model_load(&arena, argv[1], NULL, NULL, &model, &err) != SN_OK ||
      sn_ik_create(&arena, model, &config, &b.ik, &err) != SN_OK) {
    fprintf(stderr, "bench_ik_branches: %s\n", err.message);
    return 1;
  }
  b.n = sn_ik_joint_count(b.ik);
  const size_t pose_count = argc > 4 ? strtoul(argv[4], NULL, 10) : 1000;
  const int joint = argc > 5 ? (int)strtol(argv[5], NULL, 10) - 1 : -1;
  if (b.n > JOINTS_MAX || pose_count == 0 || joint >= (int)b.n) {
    fprintf(stderr, "bench_ik_branches: up to 7 joints, at least one pose\n");
    return 2;
  }
  printf("%s\n", sn_ik_solver_description(b.ik));
  sn_random_init(&b.random, 1);
  static const double beside[] = {0.001, 0.005, 0.05, INFINITY};
  for (size_t i = 0; joint < 0 && i < 4; i++) {
    measure_nearest(&b, pose_count, beside[i]);
  }
  if (joint >= 0 && sn_ik_set_redundant_joints(b.ik, &joint, 1, &err) != SN_OK) {
    fprintf(stderr, "bench_ik_branches: %s\n", err.message);
    return 1;
  }
  if (joint >= 0 || b.n == 6) {
    measure_branches(&b, pose_count, joint);
  }
  sn_arena_release(&arena);
  return 0;
}
