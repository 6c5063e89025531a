/* What a whole cycle costs when it finds cold caches, and what a recorder adds. Two equal systems,
   one of which is recorded, run in turn, a cycle at a time, so that both see the same disturbances.
   Before each cycle memory as large as the second-level cache several times over is read, as other
   programs would between two cycles. One JSON line a case, and one for each component of the system
   that is not recorded.

   usage: bench_cold [DEPLOYMENT [CYCLES [EVICT_MB]]]     demo_sway.yaml, 3000, 8; 0 MB: hot caches
 */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record/recorder.h"
#include "rt/component_runtime.h"
#include "rt/histogram.h"
#include "sinew/components.h"
#include "sinew/deployment.h"

enum { MS = 1000000, CYCLES_MAX = 100000, WARM_UP = 200, LINE = 64 };

static const char FILE_NAME[] = "bench_cold.mcap";

typedef struct robot {
  sn_arena arena;
  sn_clock clock;
  sn_system *system;
  sn_activity *activity;
  int64_t now_ns; /* of the next cycle */
  int64_t times[CYCLES_MAX];
} robot;

static void need(sn_status status, const char *what) {
  if (status != SN_OK) {
    fprintf(stderr, "bench_cold: %s\n", what);
    exit(1);
  }
}

static void build(robot *r, const char *path) {
  sn_arena_init_growing(&r->arena, "bench", 1 << 16);
  sn_clock_init_monotonic(&r->clock);
  sn_component_registry *registry = sn_component_registry_create(&r->arena);
  sn_report *report = NULL;
  sn_error err = {SN_OK, ""};
  static const char *const without[] = {"cockpit"};
  const sn_deployment_config config = {
      .registry = registry, .without = without, .without_count = 1};
  const sn_deployment *deployment = NULL;
  need(sn_report_create(&r->arena, &report, &err), "no memory");
  need(sn_components_add(registry, &err), err.message);
  need(sn_deployment_load(&r->arena, path, &config, report, &deployment), path);
  r->system = sn_system_create(
      &(sn_system_config){.clock = &r->clock, .capacity = sn_deployment_capacity(deployment)});
  need(sn_deployment_build(deployment, r->system, report), path);
  need(sn_system_begin(r->system, &err), err.message);
  r->activity = sn_system_activity_at(r->system, 0);
  need(sn__activity_sort(r->activity, &err), err.message);
  r->now_ns = sn_clock_now_ns(&r->clock);
}

static int64_t cycle(robot *r) {
  const int64_t begun_ns = sn_clock_now_ns(&r->clock);
  r->activity->due_ns = r->now_ns;
  sn__activity_cycle(r->activity, r->now_ns);
  r->now_ns += MS;
  return sn_clock_now_ns(&r->clock) - begun_ns;
}

/* Reads all of it, so that what was in the caches is gone. */
static uint64_t evict(const unsigned char *memory, size_t size) {
  uint64_t sum = 0;
  for (size_t i = 0; i < size; i += LINE) {
    sum += ((const volatile unsigned char *)memory)[i];
  }
  return sum;
}

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void print(const char *name, int64_t *times, size_t count) {
  qsort(times, count, sizeof *times, compare);
  printf("{\"case\":\"%s\",\"min_ns\":%" PRId64 ",\"p10_ns\":%" PRId64 ",\"median_ns\":%" PRId64
         ",\"p99_ns\":%" PRId64 "}\n",
         name, times[0], times[count / 10], times[count / 2], times[count * 99 / 100]);
}

static void print_components(const robot *r) {
  for (size_t i = 0; i < sn_system_component_count(r->system); i++) {
    const sn_component *component = sn_system_component_at(r->system, i);
    const sn_component_info info = sn_component_info_of(component);
    if (info.steps > 0) {
      printf("{\"component\":\"%s\",\"p10_ns\":%" PRId64 ",\"median_ns\":%" PRId64 "}\n",
             component->name, sn__histogram_quantile_ns(info.duration, 0.1),
             sn__histogram_quantile_ns(info.duration, 0.5));
    }
  }
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

static void measure(robot *plain, robot *recorded, size_t count, size_t evicted) {
  unsigned char *memory = malloc(evicted + 1);
  static int64_t more[CYCLES_MAX];
  need(memory == NULL ? SN_ENOMEM : SN_OK, "no memory");
  memset(memory, 1, evicted + 1);
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < 2; k++) { /* in turn the first */
      robot *r = (i + k) % 2 == 0 ? plain : recorded;
      (void)evict(memory, evicted);
      r->times[i] = cycle(r);
    }
    more[i] = recorded->times[i] - plain->times[i];
  }
  print("not recorded", plain->times, count);
  print("recorded", recorded->times, count);
  print("difference", more, count);
  print_components(plain);
  free(memory);
}

static void finish(sn_recorder *recorder, long before_kB, long with_kB, size_t count) {
  sn_error err = {SN_OK, ""};
  sn_recorder_info info;
  need(sn__recorder_stop(recorder, &info, &err), err.message);
  printf("{\"case\":\"recording\",\"outputs\":%zu,\"messages\":%" PRIu64 ",\"lost\":%" PRIu64
         ",\"bytes_a_cycle\":%.0f,\"memory_kB\":%ld}\n",
         info.topic_count, info.recorded, info.lost, (double)info.bytes / (double)count,
         with_kB - before_kB);
  (void)unlink(FILE_NAME);
}

static void close_robot(robot *r) {
  sn_system_destroy(r->system);
  sn_arena_release(&r->arena);
}

int main(int argc, char **argv) {
  static robot plain, recorded;
  const char *path = argc > 1 ? argv[1] : BENCH_DEPLOYMENTS "/demo_sway.yaml";
  const size_t wish = argc > 2 ? strtoul(argv[2], NULL, 10) : 3000;
  const size_t count = wish < 10 ? 10 : wish > CYCLES_MAX ? CYCLES_MAX : wish;
  const size_t evicted = (argc > 3 ? strtoul(argv[3], NULL, 10) : 8) << 20;
  build(&plain, path);
  build(&recorded, path);
  for (size_t i = 0; i < WARM_UP; i++) {
    (void)cycle(&plain);
    (void)cycle(&recorded);
  }
  const long before_kB = resident_kB();
  sn_recorder *recorder = NULL;
  sn_error err = {SN_OK, ""};
  need(sn__recorder_start(recorded.system, &(sn_recorder_config){.path = FILE_NAME}, &recorder,
                          &err),
       err.message);
  const long with_kB = resident_kB();
  measure(&plain, &recorded, count, evicted);
  finish(recorder, before_kB, with_kB, count);
  close_robot(&plain);
  close_robot(&recorded);
  return 0;
}
