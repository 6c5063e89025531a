#include <math.h>
#include <stdio.h>

#include "bench/bench.h"
#include "collision/collision.h"
#include "command.h"
#include "guard/guard.h"
#include "sinew/clock.h"
#include "sinew/random.h"

enum { CALLS = 10000, WARM_UP = 1000 };
static const double WINDOW_M = 0.02; /* of pairs that are reported */

/* What a case moves and asks. */
typedef struct collision_case {
  const char *name;
  bool is_random;  /* any pose; else a motion of 1 ms cycles about the zero pose */
  bool is_nearest; /* the nearest pair; else all within the window */
} collision_case;

static double clamp(double x, double lower, double upper) {
  return fmax(lower, fmin(upper, x));
}

static void draw(const sn_model *model, sn_random *random, double *q) {
  for (size_t i = 0; i < sn_model_pose_size(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    q[i] = sn_random_between(random, fmax(joint->lower, -3.14), fmin(joint->upper, 3.14));
  }
}

/* Every joint swings by 0.2 rad, or a tenth of its range, about once a second. */
static void swing(const sn_model *model, size_t cycle, double *q) {
  for (size_t i = 0; i < sn_model_pose_size(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    const double range = isfinite(joint->upper - joint->lower) ? joint->upper - joint->lower : 2.0;
    const double amplitude = fmin(0.2, 0.1 * range);
    const double phase = 0.001 * (double)cycle * (5.0 + 0.1 * (double)i) + (double)i;
    const double middle = clamp(0.0, joint->lower + amplitude, joint->upper - amplitude);
    q[i] = middle + amplitude * sin(phase);
  }
}

static void measure(const sn_model *model, sn__collision *collision, const collision_case *what,
                    double *q, int64_t *times) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t k = 0; k < CALLS + WARM_UP; k++) {
    if (what->is_random) {
      draw(model, &random, q);
    } else {
      swing(model, k, q);
    }
    const sn__near *list = NULL;
    sn__near nearest;
    const int64_t start_ns = sn_clock_now_ns(&clock);
    if (what->is_nearest) {
      (void)sn__collision_nearest(collision, q, &nearest);
    } else {
      (void)sn__collision_check(collision, q, WINDOW_M, &list);
    }
    times[k < WARM_UP ? 0 : k - WARM_UP] = sn_clock_now_ns(&clock) - start_ns;
  }
}

/* What the guard of the gate needs of a motion. */
typedef struct guard_case {
  sn__guard *guard;
  double *q[2], *qd[2]; /* of this cycle and the last */
} guard_case;

static bool open_guard(robot *r, sn__collision *collision, guard_case *g) {
  const size_t n = sn_model_pose_size(r->model);
  sn__guard_limits *limits = SN_NEW(&r->arena, sn__guard_limits, n);
  double *numbers = SN_NEW(&r->arena, double, 4 * n);
  if (limits == NULL || numbers == NULL) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    limits[i] = (sn__guard_limits){.accel = 20.0, .brake = 20.0};
  }
  *g = (guard_case){.q = {numbers, numbers + n}, .qd = {numbers + 2 * n, numbers + 3 * n}};
  const sn__guard_config config = {.period_max_s = 0.002, .limits = limits};
  sn_error err;
  return sn__guard_create(&r->arena, r->model, collision, &config, &g->guard, &err) == SN_OK;
}

/* The check of the gate: the swinging motion, cycle by cycle. @return the share that passed */
static double measure_guard(const sn_model *model, guard_case *g, int64_t *times) {
  const size_t n = sn_model_pose_size(model);
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  size_t passed = 0;
  swing(model, 0, g->q[0]);
  sn__guard_start(g->guard, g->q[0]);
  for (size_t k = 0; k < CALLS + WARM_UP; k++) {
    const size_t now = (k + 1) % 2, last = k % 2;
    swing(model, k + 1, g->q[now]);
    for (size_t i = 0; i < n; i++) {
      g->qd[now][i] = (g->q[now][i] - g->q[last][i]) / 0.001;
    }
    const sn__guard_motion from = {g->q[last], g->qd[last]}, wanted = {g->q[now], g->qd[now]};
    const int64_t start_ns = sn_clock_now_ns(&clock);
    const bool is_safe = sn__guard_admits(g->guard, &from, &wanted, 0.001);
    times[k < WARM_UP ? 0 : k - WARM_UP] = sn_clock_now_ns(&clock) - start_ns;
    passed += k >= WARM_UP && is_safe;
  }
  return (double)passed / CALLS;
}

static int run_guard(const bench_request *request, robot *r, sn__collision *collision,
                     const char *name, int64_t *times) {
  guard_case g;
  if (!open_guard(r, collision, &g)) {
    return EXIT_FAULT;
  }
  const bench_result result = {.bench = "collision",
                               .name = "guard_motion",
                               .robot = name,
                               .good = measure_guard(r->model, &g, times),
                               .times = times,
                               .count = CALLS};
  bench_print(request, &result);
  return EXIT_GOOD;
}

static int run_robot(const bench_request *request, robot *r, const char *name) {
  static const collision_case cases[] = {{"check_motion", false, false},
                                         {"check_random", true, false},
                                         {"nearest_random", true, true}};
  sn__collision *collision = NULL;
  sn_error err;
  const sn__collision_config config = {.robot_file = r->urdf, .leaves_out_overlaps = true};
  const sn_status status =
      sn__collision_create(&r->arena, r->model, &config, NULL, &collision, &err);
  if (status != SN_OK) {
    fprintf(stderr, "sinew bench: %s\n", err.message);
    return status == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
  }
  double *q = SN_NEW(&r->arena, double, sn_model_pose_size(r->model));
  int64_t *times = SN_NEW(&r->arena, int64_t, CALLS);
  if (q == NULL || times == NULL) {
    return EXIT_FAULT;
  }
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    measure(r->model, collision, &cases[i], q, times);
    const bench_result result = {.bench = "collision",
                                 .name = cases[i].name,
                                 .robot = name,
                                 .good = 1.0,
                                 .times = times,
                                 .count = CALLS};
    bench_print(request, &result);
  }
  return run_guard(request, r, collision, name, times);
}

int bench_collision(const bench_request *request) {
  int worst = bench_robots(request, run_robot);
  if (request->urdf == NULL) {
    const int code = bench_robot(request, "quadruped", run_robot);
    worst = code > worst ? code : worst;
  }
  return worst;
}
