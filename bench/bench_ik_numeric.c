/* The solver `numeric` alone: bench_ik_numeric FILE.urdf BASE TIP [POSES [SEED]]
   Poses are made by forward kinematics of joints drawn evenly within limits. "far" starts in the
   middle of the ranges, with 5 ms and restarts; "near" starts within 0.05 rad of a solution. A
   pose counts as found if the library's own FK brings the tip within 1e-5 of it, m and rad in one
   Euclidean norm, and every joint is inside its limits. Velocity IK is measured as well. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "ik/solvers.h"
#include "sinew/ik_velocity.h"
#include "sinew/kin.h"
#include "sinew/quat.h"

#define TIMEOUT_NS 5000000
#define TOLERANCE 1e-5
#define PI 3.141592653589793

typedef struct bench {
  sn_arena arena;
  const sn_chain *chain;
  const char *robot;
  size_t pose_count;
  sn_clock clock;
  sn_random random;
  void *solver;
  double *q, *seed, *found; /* [joint_count] */
  double *ns;               /* [pose_count] */
} bench;

static bool take(void *context, const double *q) {
  bench *b = context;
  memcpy(b->found, q, b->chain->joint_count * sizeof *q);
  return false;
}

/* Joints within limits, and a seed for them. */
static void draw(bench *b, bool near) {
  for (size_t i = 0; i < b->chain->joint_count; i++) {
    const bool bounded = isfinite(b->chain->lower[i]) && isfinite(b->chain->upper[i]);
    const double lower = bounded ? b->chain->lower[i] : -PI;
    const double upper = bounded ? b->chain->upper[i] : PI;
    b->q[i] = sn_random_between(&b->random, lower, upper);
    const double beside = b->q[i] + sn_random_between(&b->random, -0.05, 0.05);
    b->seed[i] = near ? fmin(fmax(beside, lower), upper) : 0.5 * (lower + upper);
  }
}

static bool is_found(const bench *b, sn_pose target) {
  const sn_pose error = sn_pose_between(target, sn_chain_fk(b->chain, b->found));
  const sn_vec3 turn = sn_mat3_log(error.rot);
  bool inside = true;
  for (size_t i = 0; i < b->chain->joint_count; i++) {
    inside = inside && b->found[i] >= b->chain->lower[i] && b->found[i] <= b->chain->upper[i];
  }
  return inside && sqrt(sn_vec3_dot(error.pos, error.pos) + sn_vec3_dot(turn, turn)) <= TOLERANCE;
}

/* @return true if a pose was found; its time goes into b->ns[index] */
static bool solve_one(bench *b, size_t index, bool near) {
  draw(b, near);
  const sn_pose target = sn_chain_fk(b->chain, b->q);
  const int64_t start_ns = sn_clock_now_ns(&b->clock);
  const sn_ik_query query = {.targets = &target,
                             .seed = b->seed,
                             .lower = b->chain->lower,
                             .upper = b->chain->upper,
                             .position_tolerance_m = 1e-6,
                             .rotation_tolerance_rad = 1e-6,
                             .restarts = true,
                             .clock = &b->clock,
                             .deadline_ns = start_ns + TIMEOUT_NS,
                             .random = &b->random,
                             .offer = take,
                             .context = b};
  const sn_ik_code code = sn__ik_numeric.solve(b->solver, &query);
  b->ns[index] = (double)(sn_clock_now_ns(&b->clock) - start_ns);
  return code == SN_IK_OK && is_found(b, target);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void run(bench *b, bool near) {
  const size_t n = b->pose_count;
  size_t found = 0;
  double sum_ns = 0.0;
  for (size_t i = 0; i < 1000; i++) { /* warm-up */
    solve_one(b, i % n, near);
  }
  for (size_t i = 0; i < n; i++) {
    found += solve_one(b, i, near) ? 1 : 0;
    sum_ns += b->ns[i];
  }
  qsort(b->ns, n, sizeof *b->ns, compare);
  printf(
      "{\"library\":\"sinew\",\"case\":\"ik_numeric_%s\",\"robot\":\"%s\",\"n\":%zu,\"poses\":%zu,"
      "\"found\":%zu,\"mean_ns\":%.0f,\"median_ns\":%.0f,\"p99_ns\":%.0f,\"max_ns\":%.0f}\n",
      near ? "near" : "far", b->robot, b->chain->joint_count, n, found, sum_ns / (double)n,
      b->ns[n / 2], b->ns[n * 99 / 100], b->ns[n - 1]);
}

typedef struct velocity_bench {
  const bench *b;
  sn_ik_velocity *velocity;
  const double *inputs;
} velocity_bench;

static void velocity(void *context, size_t index) {
  const velocity_bench *v = context;
  const size_t n = v->b->chain->joint_count;
  const sn_ik_velocity_query query = {.q = v->inputs + index * n,
                                      .twist = {{0.1, -0.2, 0.3}, {0.2, 0.1, -0.1}}};
  sn_ik_velocity_solve(v->velocity, &query, v->b->found, NULL);
}

static bool create(bench *b) {
  const size_t n = b->chain->joint_count;
  int *joints = SN_NEW(&b->arena, int, n);
  sn_ik_tip *tip = SN_NEW(&b->arena, sn_ik_tip, 1);
  b->q = SN_NEW(&b->arena, double, 3 * n);
  b->ns = SN_NEW(&b->arena, double, b->pose_count);
  if (joints == NULL || tip == NULL || b->q == NULL || b->ns == NULL) {
    return false;
  }
  b->seed = b->q + n;
  b->found = b->q + 2 * n;
  for (size_t i = 0; i < n; i++) {
    joints[i] = (int)i;
  }
  *tip = (sn_ik_tip){.chain = b->chain, .joints = joints};
  const sn_ik_setup setup = {.joint_count = n,
                             .joints = b->chain->joints,
                             .lower = b->chain->lower,
                             .upper = b->chain->upper,
                             .tip_count = 1,
                             .tips = tip};
  sn_error err = {.message = "out of memory"};
  if (sn__ik_numeric.create(&b->arena, &setup, &b->solver, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    return false;
  }
  return true;
}

static int run_all(bench *b) {
  if (!create(b)) {
    return 1;
  }
  run(b, false);
  run(b, true);
  const sn_ik_velocity_config config = {.chain = b->chain};
  velocity_bench v = {.b = b, .inputs = bench_inputs(b->chain->joint_count)};
  if (sn_ik_velocity_create(&b->arena, &config, &v.velocity, NULL) == SN_OK) {
    const bench_case what = {.library = "sinew",
                             .name = "ik_velocity",
                             .robot = b->robot,
                             .joint_count = b->chain->joint_count};
    bench_run(&what, velocity, &v);
  }
  free((void *)v.inputs);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 4 || argc > 6) {
    fprintf(stderr, "usage: bench_ik_numeric FILE.urdf BASE TIP [POSES [SEED]]\n");
    return 2;
  }
  char robot[64];
  bench_robot_name(argv[1], robot, sizeof robot);
  static bench b;
  b.robot = robot;
  b.pose_count = argc > 4 ? strtoul(argv[4], NULL, 10) : 10000;
  b.pose_count = b.pose_count > 0 ? b.pose_count : 1;
  sn_random_init(&b.random, argc > 5 ? strtoul(argv[5], NULL, 10) : 1);
  sn_clock_init_monotonic(&b.clock);
  sn_arena_init_growing(&b.arena, "bench", 1 << 20);
  sn_error err = {.message = "out of memory"};
  const sn_model *model = NULL;
  int status = 1;
  if (sn_model_load(&b.arena, argv[1], NULL, NULL, &model, &err) != SN_OK ||
      sn_chain_create(&b.arena, model, argv[2], argv[3], &b.chain, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
  } else {
    status = run_all(&b);
  }
  sn_arena_release(&b.arena);
  return status;
}
