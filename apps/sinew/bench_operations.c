/* What a call of an operation costs. */
#include <sched.h>
#include <stdio.h>

#include "bench_parts.h"
#include "command.h"

static void call(void *context, size_t batch) {
  const sn_caller *caller = context;
  sn_timer_event request = {.cycle = 1};
  sn_timer_event response = {0};
  sn_error err;
  for (size_t i = 0; i < batch; i++) {
    request.cycle = response.cycle + 1;
    sn_call(caller, &request, &response, &err);
  }
}

static void bench_call(const bench_request *request, const char *name, const char *operation,
                       size_t count, size_t batch, int own_cpu, int cpu) {
  bench_rig rig;
  bench_rig_open(&rig, SN_CLOCK_MONOTONIC);
  sn_activity *activity = bench_rig_activity(&rig, "events", 0, cpu);
  bench_rig_add(&rig, &bench_part_type, "part", activity);
  bench_rig_begin(&rig);
  sn_caller caller = {0};
  sn_error err = {.message = ""};
  if (sn_caller_open(rig.system, operation, &caller, &err) == SN_OK &&
      sn_system_launch(rig.system, &err) == SN_OK) {
    bench_stay_on(own_cpu);
    bench_batches(request, "operations", name, count, batch, call, &caller);
    bench_stay_on(0);
  } else {
    fprintf(stderr, "sinew bench: %s\n", err.message);
  }
  sn_caller_close(&caller);
  bench_rig_close(&rig);
}

int bench_operations(const bench_request *request) {
  bench_call(request, "client thread", "part.here", 2000, 10000, 0, 0);
  bench_call(request, "own thread, one core", "part.echo", 20000, 1, 1, 1);
  bench_call(request, "own thread, two cores", "part.echo", 20000, 1, 1, 2);
  return EXIT_GOOD;
}
