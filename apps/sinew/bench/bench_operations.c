/* Cost of a call of an operation. */
#define _GNU_SOURCE

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/bench_parts.h"
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

/* ---- a round trip with bare futexes: the cost of the kernel ---- */

typedef struct bare {
  _Atomic uint32_t asked, answered;
  _Atomic bool is_over;
  int cpu;
} bare;

static void wait_while(_Atomic uint32_t *word, uint32_t seen) {
  while (atomic_load(word) == seen) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
  }
}

static void raise_and_wake(_Atomic uint32_t *word) {
  atomic_fetch_add(word, 1);
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *answer_bare(void *context) {
  bare *b = context;
  bench_stay_on(b->cpu);
  for (uint32_t seen = 0; !atomic_load(&b->is_over); seen++) {
    wait_while(&b->asked, seen);
    raise_and_wake(&b->answered);
  }
  return NULL;
}

static void ask_bare(void *context, size_t batch) {
  bare *b = context;
  for (size_t i = 0; i < batch; i++) {
    const uint32_t seen = atomic_load(&b->answered);
    raise_and_wake(&b->asked);
    wait_while(&b->answered, seen);
  }
}

static void bench_bare(const bench_request *request, const char *name, int own_cpu, int cpu) {
  bare b = {.cpu = cpu};
  pthread_t thread;
  if (pthread_create(&thread, NULL, answer_bare, &b) != 0) {
    fputs("sinew bench: cannot start a thread\n", stderr);
    return;
  }
  bench_stay_on(own_cpu);
  bench_batches(request, "operations", name, 20000, 1, ask_bare, &b);
  bench_stay_on(0);
  atomic_store(&b.is_over, true);
  raise_and_wake(&b.asked);
  pthread_join(thread, NULL);
}

int bench_operations(const bench_request *request) {
  bench_call(request, "client thread", "part.here", 2000, 10000, 0, 0);
  bench_bare(request, "bare futexes, one core", 1, 1);
  bench_call(request, "own thread, one core", "part.echo", 20000, 1, 1, 1);
  bench_bare(request, "bare futexes, two cores", 1, 2);
  bench_call(request, "own thread, two cores", "part.echo", 20000, 1, 1, 2);
  return EXIT_GOOD;
}
