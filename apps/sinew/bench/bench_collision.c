#include <math.h>
#include <stdio.h>

#include "bench/bench.h"
#include "bench/bench_guard.h"
#include "collision/collision.h"
#include "command.h"
#include "sinew/clock.h"
#include "sinew/random.h"

enum { CALLS = BENCH_GUARD_CALLS, WARM_UP = 1000 };
static const double WINDOW_M = 0.02; /* of pairs that are reported */

/* What a case moves and asks. */
typedef struct collision_case {
  const char *name;
  bool is_random;  /* any pose; else a motion of 1 ms cycles about the zero pose */
  bool is_nearest; /* the nearest pair; else all within the window */
} collision_case;

static void measure(const sn_model *model, sn__collision *collision, const collision_case *what,
                    double *q, int64_t *times) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t k = 0; k < CALLS + WARM_UP; k++) {
    if (what->is_random) {
      bench_draw_pose(model, &random, q);
    } else {
      bench_swing(model, k, q);
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
  return bench_guard(request, r, name, times);
}

int bench_collision(const bench_request *request) {
  int worst = bench_robots(request, run_robot);
  if (request->urdf == NULL) {
    const int code = bench_robot(request, "quadruped", run_robot);
    worst = code > worst ? code : worst;
  }
  return worst;
}
