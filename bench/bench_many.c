/* What a robot costs when many of them share one thread: the systems of a process run in turn, a
   cycle each, as the threads of `sinew run --count` do, but without waiting in between. One JSON
   line a number of robots: processor time for a robot and cycle, with large pages of memory and, in
   turn, of as many other robots with small ones, and resident memory for a robot.

   usage: bench_many [DEPLOYMENT [COUNT...]]     quadruped_cycle.yaml; 1 10 30 100
 */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "rt/component_runtime.h"
#include "run/memory.h"
#include "sinew/components.h"
#include "sinew/deployment.h"

enum { MS = 1000000, ROUNDS = 40, CYCLES = 10, WARM_UP = 100 };

typedef struct robot {
  sn_arena arena;
  sn_clock clock;
  sn_system *system;
  sn_activity *activity;
  int64_t now_ns; /* of the next cycle */
} robot;

static void need(sn_status status, const char *what) {
  if (status != SN_OK) {
    fprintf(stderr, "bench_many: %s\n", what);
    exit(1);
  }
}

static void build(robot *r, const char *path) {
  static const char *const without[] = {"cockpit"};
  sn_error err = {SN_OK, ""};
  sn_report *report = NULL;
  const sn_deployment *deployment = NULL;
  sn_arena_init_growing(&r->arena, "bench", 256 * 1024);
  sn_clock_init_monotonic(&r->clock);
  sn_component_registry *registry = sn_component_registry_create(&r->arena);
  need(sn_report_create(&r->arena, &report, &err), "no memory");
  need(sn_components_add(registry, &err), err.message);
  const sn_deployment_config config = {
      .registry = registry, .without = without, .without_count = 1};
  need(sn_deployment_load(&r->arena, path, &config, report, &deployment), path);
  r->system = sn_system_create(
      &(sn_system_config){.clock = &r->clock, .capacity = sn_deployment_capacity(deployment)});
  need(sn_deployment_build(deployment, r->system, report), path);
  need(sn_system_begin(r->system, &err), err.message);
  r->activity = sn_system_activity_at(r->system, 0);
  need(sn__activity_sort(r->activity, &err), err.message);
  r->now_ns = sn_clock_now_ns(&r->clock);
}

static void cycle_all(robot *robots, size_t count) {
  for (size_t i = 0; i < count; i++) {
    robot *r = &robots[i];
    r->activity->due_ns = r->now_ns;
    sn__activity_cycle(r->activity, r->now_ns);
    r->now_ns += MS;
  }
}

static int64_t cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static long resident_kB(void) {
  long pages[2] = {0, 0};
  FILE *file = fopen("/proc/self/statm", "r");
  if (file != NULL && fscanf(file, "%ld %ld", &pages[0], &pages[1]) == 2) {
    pages[1] *= sysconf(_SC_PAGESIZE) / 1024;
  }
  if (file != NULL) {
    fclose(file);
  }
  return pages[1];
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double run_round(robot *robots, size_t count) {
  cycle_all(robots, count); /* the others were there last */
  const int64_t start_ns = cpu_ns();
  for (size_t k = 0; k < CYCLES; k++) {
    cycle_all(robots, count);
  }
  return 1e-3 * (double)(cpu_ns() - start_ns) / CYCLES / (double)count;
}

static robot *build_all(const char *path, size_t count, double *memory_kB) {
  robot *robots = calloc(count, sizeof *robots);
  need(robots == NULL ? SN_ENOMEM : SN_OK, "no memory");
  build(&robots[0], path);
  const long first_kB = resident_kB();
  for (size_t i = 1; i < count; i++) {
    build(&robots[i], path);
  }
  *memory_kB = count < 2 ? 0.0 : (double)(resident_kB() - first_kB) / (double)(count - 1);
  return robots;
}

static void destroy_all(robot *robots, size_t count) {
  for (size_t i = 0; i < count; i++) {
    sn_system_destroy(robots[i].system);
    sn_arena_release(&robots[i].arena);
  }
  free(robots);
}

static void measure(const char *path, size_t count) {
  double memory_kB = 0.0, large_us[ROUNDS], small_us[ROUNDS];
  robot *large = build_all(path, count, &memory_kB);
  memory_use_large_pages();
  robot *small = build_all(path, count, &memory_kB);
  for (size_t k = 0; k < WARM_UP; k++) {
    cycle_all(large, count);
    cycle_all(small, count);
  }
  for (size_t round = 0; round < ROUNDS; round++) {
    small_us[round] = run_round(small, count);
    large_us[round] = run_round(large, count);
  }
  qsort(small_us, ROUNDS, sizeof *small_us, compare);
  qsort(large_us, ROUNDS, sizeof *large_us, compare);
  printf(
      "{\"case\":\"many\",\"robots\":%zu,\"min_us\":%.2f,\"median_us\":%.2f,"
      "\"small_pages_min_us\":%.2f,\"small_pages_median_us\":%.2f,\"memory_kB\":%.0f}\n",
      count, large_us[0], large_us[ROUNDS / 2], small_us[0], small_us[ROUNDS / 2], memory_kB);
  fflush(stdout);
  destroy_all(small, count);
  destroy_all(large, count);
}

int main(int argc, char **argv) {
  memory_keep_large_blocks_apart();
  const char *path = argc > 1 ? argv[1] : BENCH_DEPLOYMENTS "/quadruped_cycle.yaml";
  static const size_t counts[] = {1, 10, 30, 100};
  for (size_t i = 0; argc <= 2 && i < 4; i++) {
    measure(path, counts[i]);
  }
  for (int i = 2; i < argc; i++) {
    measure(path, strtoul(argv[i], NULL, 10));
  }
  return 0;
}
