/* How long it takes to time a joint path of 7 joints.

   usage: bench_path; paths of 100 waypoints on waves, as planners return them, and of 12 anywhere.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "sinew/sinew.h"

enum { JOINTS = 7, WAYPOINTS = 100, PATHS = 16 };

typedef struct timing {
  sn_retimer *retimer;
  size_t count;
  double q[PATHS][WAYPOINTS * JOINTS];
} timing;

static void stop(const char *text) {
  fprintf(stderr, "bench_path: %s\n", text);
  exit(1);
}

static void time_path(void *context, size_t index) {
  timing *t = context;
  const sn_retime_path path = {.q = t->q[index % PATHS], .count = t->count};
  if (sn_retime(t->retimer, &path, NULL, NULL) != SN_OK) {
    stop("a path was refused");
  }
}

static void draw(timing *t, bool is_smooth) {
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t i = 0; i < PATHS; i++) {
    double rate[JOINTS];
    double phase[JOINTS];
    for (size_t j = 0; j < JOINTS; j++) {
      rate[j] = sn_random_between(&random, 0.02, 0.08);
      phase[j] = sn_random_between(&random, 0.0, 6.28);
    }
    for (size_t k = 0; k < t->count * JOINTS; k++) {
      const size_t j = k % JOINTS;
      const double wave = sin(rate[j] * (double)(k / JOINTS) + phase[j]);
      t->q[i][k] = is_smooth ? wave : sn_random_between(&random, -1.0, 1.0);
    }
  }
}

static void bench_timing(sn_arena *arena, const char *name, size_t count, bool is_smooth) {
  timing *t = SN_NEW(arena, timing, 1);
  sn_otg_limits limits[JOINTS];
  for (size_t j = 0; j < JOINTS; j++) {
    limits[j] = (sn_otg_limits){2.0, 10.0, 100.0};
  }
  const sn_retimer_config config = {
      .joint_count = JOINTS, .waypoint_max = WAYPOINTS, .limits = limits};
  if (t == NULL || sn_retimer_create(arena, &config, &t->retimer, NULL) != SN_OK) {
    stop("no memory");
  }
  t->count = count;
  draw(t, is_smooth);
  const bench_case c = {.library = "sinew",
                        .name = name,
                        .robot = "",
                        .joint_count = JOINTS,
                        .calls_per_batch = 1,
                        .batch_count = 400,
                        .is_processor_time = 1};
  (void)bench_run(&c, time_path, t);
}

int main(void) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "bench", 0);
  bench_timing(&arena, "retime 100 smooth", WAYPOINTS, true);
  bench_timing(&arena, "retime 12 rough", 12, false);
  sn_arena_release(&arena);
  return 0;
}
