#include <math.h>
#include <stdio.h>

#include "bench/bench.h"
#include "command.h"
#include "sinew/ik.h"
#include "sinew/random.h"

enum { POSES = 2000, WARM_UP = 200 };
static const double TIMEOUT_S = 0.005;

static double range_middle(const sn_ik *ik, size_t joint, double *low, double *high) {
  sn_ik_limits(ik, joint, low, high);
  *low = isfinite(*low) ? *low : -3.14;
  *high = isfinite(*high) ? *high : 3.14;
  return 0.5 * (*low + *high);
}

/* Reachable poses: those of the tip at random joint positions. */
static void draw_poses(sn_ik *ik, double *q, double *seed, sn_pose *poses) {
  const size_t n = sn_ik_joint_count(ik);
  const char *tip = sn_ik_tip_frame(ik, 0);
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t k = 0; k < POSES; k++) {
    for (size_t i = 0; i < n; i++) {
      double low;
      double high;
      seed[i] = range_middle(ik, i, &low, &high);
      q[i] = sn_random_between(&random, low, high);
    }
    sn_ik_fk(ik, &tip, 1, q, n, &poses[k]);
  }
}

/* Time every query separately: the maximum matters as much as the median. */
static size_t measure(sn_ik *ik, const sn_pose *poses, const double *seed, double *q,
                      int64_t *times) {
  const size_t n = sn_ik_joint_count(ik);
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  for (size_t k = 0; k < WARM_UP; k++) {
    sn_ik_search(ik, &poses[k], 1, seed, n, TIMEOUT_S, NULL, q, NULL);
  }
  size_t solved = 0;
  for (size_t k = 0; k < POSES; k++) {
    const int64_t start_ns = sn_clock_now_ns(&clock);
    const sn_ik_code code = sn_ik_search(ik, &poses[k], 1, seed, n, TIMEOUT_S, NULL, q, NULL);
    times[k] = sn_clock_now_ns(&clock) - start_ns;
    solved += code == SN_IK_OK ? 1 : 0;
  }
  return solved;
}

static int run_solver(const bench_request *request, robot *r, const char *name,
                      sn_ik_config *config) {
  sn_ik *ik = NULL;
  sn_error err;
  const sn_status status = sn_ik_create(&r->arena, r->model, config, &ik, &err);
  if (status == SN_EUNSUPPORTED) {
    return EXIT_GOOD; /* skip solvers that do not apply */
  }
  if (status != SN_OK) {
    fprintf(stderr, "sinew bench: %s\n", err.message);
    return status == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
  }
  const size_t n = sn_ik_joint_count(ik);
  double *q = SN_NEW(&r->arena, double, 2 * n);
  sn_pose *poses = SN_NEW(&r->arena, sn_pose, POSES);
  int64_t *times = SN_NEW(&r->arena, int64_t, POSES);
  if (q == NULL || poses == NULL || times == NULL) {
    return EXIT_FAULT;
  }
  draw_poses(ik, q, q + n, poses);
  const size_t solved = measure(ik, poses, q + n, q, times);
  const bench_result result = {.bench = "ik",
                               .name = config->solver,
                               .robot = name,
                               .good = (double)solved / POSES,
                               .times = times,
                               .count = POSES};
  bench_print(request, &result);
  return EXIT_GOOD;
}

static int run_robot(const bench_request *request, robot *r, const char *name) {
  static const char *const solvers[] = {"auto", "analytic", "numeric"};
  if (request->base == NULL && sn_names_count(sn_model_chain_names(r->model)) == 0) {
    fprintf(stderr, "sinew bench: robot '%s' has no movable chain\n", name);
    return EXIT_NO;
  }
  int worst = EXIT_GOOD;
  for (size_t s = 0; s < 3; s++) {
    const bool has_frames = request->base != NULL;
    sn_ik_config config = {
        .solver = solvers[s],
        .group = has_frames ? NULL : sn_names_at(sn_model_chain_names(r->model), 0),
        .base_frame = request->base,
        .tip_frames = has_frames ? &request->tip : NULL,
        .tip_count = has_frames ? 1 : 0};
    const int code = run_solver(request, r, name, &config);
    worst = code > worst ? code : worst;
  }
  return worst;
}

int bench_ik(const bench_request *request) {
  return bench_robots(request, run_robot);
}
