/* Cost of a cycle, and start-up time of a large system. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <time.h>

#include "bench/bench_parts.h"
#include "command.h"

enum { PERIOD_NS = 1000000 };

static void run_cycles(void *context, size_t batch) {
  sn_error err;
  (void)sn_system_run(context, (int64_t)batch * PERIOD_NS, NULL, NULL, &err);
}

static void connect_index(bench_rig *rig, size_t from, size_t to, const char *port) {
  char from_text[48];
  char to_text[48];
  snprintf(from_text, sizeof from_text, "part_%zu.out", from);
  snprintf(to_text, sizeof to_text, "part_%zu.%s", to, port);
  bench_rig_connect(rig, from_text, to_text, 0);
}

/* Components in a row, each reading what the one before it wrote. */
static sn_activity *add_row(bench_rig *rig, size_t count, const sn_component_type *type) {
  sn_activity *activity = bench_rig_activity(rig, "main", PERIOD_NS, 0);
  for (size_t i = 0; i < count; i++) {
    char text[32];
    bench_rig_add(rig, type, bench_name(text, "part_", i), activity);
    if (type->ports != NULL && i > 0) {
      connect_index(rig, i - 1, i, "in");
    }
  }
  return activity;
}

static void bench_simulated(const bench_request *request, const char *name, size_t count,
                            const sn_component_type *type) {
  bench_rig rig;
  bench_rig_open(&rig, SN_CLOCK_SIMULATED);
  add_row(&rig, count, type);
  bench_rig_begin(&rig);
  bench_batches(request, "cycle", name, 2000, 100, run_cycles, rig.system);
  bench_rig_close(&rig);
}

/* In real time, in a separate thread, from the start of a cycle to its last component. */
static void bench_real(const bench_request *request, const char *name, size_t count,
                       const sn_component_type *type) {
  enum { CYCLES = 2000 };
  static int64_t times[CYCLES];
  bench_rig rig;
  bench_rig_open(&rig, SN_CLOCK_MONOTONIC);
  sn_activity *activity = add_row(&rig, count, type);
  bench_part *watch = bench_rig_add(&rig, &bench_stopwatch_type, "watch", activity);
  watch->times = times;
  watch->time_count = CYCLES;
  bench_rig_begin(&rig);
  sn_error err = {.message = ""};
  if (sn_system_launch(rig.system, &err) != SN_OK) {
    fprintf(stderr, "sinew bench: %s\n", err.message);
  } else {
    const struct timespec pause = {.tv_nsec = 10000000};
    while (sn_component_info_of(&watch->component).steps < CYCLES) {
      nanosleep(&pause, NULL);
    }
    sn_system_end(rig.system);
    const bench_result result = {
        .bench = "cycle", .name = name, .robot = "-", .good = 1.0, .times = times, .count = CYCLES};
    bench_print(request, &result);
  }
  bench_rig_close(&rig);
}

/* A thousand components with two thousand connections: built, configured, started. */
static void begin_large(void *context, size_t batch) {
  bench_rig *rig = context;
  (void)batch;
  bench_rig_open(rig, SN_CLOCK_SIMULATED);
  add_row(rig, 1000, &bench_ticker_type);
  for (size_t i = 0; i < 1000; i++) {
    connect_index(rig, i, (i + 500) % 1000 < i ? i : (i + 500) % 1000, "more");
  }
  bench_rig_begin(rig);
  bench_rig_close(rig);
}

int bench_cycle(const bench_request *request) {
  bench_real(request, "chain of 4", 4, &bench_ticker_type);
  bench_real(request, "50 trivial components", 50, &bench_idle_type);
  bench_simulated(request, "chain of 4, simulated", 4, &bench_ticker_type);
  bench_simulated(request, "chain of 20, simulated", 20, &bench_ticker_type);
  bench_rig large;
  bench_batches(request, "cycle", "begin 1000 components", 5, 1, begin_large, &large);
  return bench_quadruped(request);
}
