/* Cost of a message from one component to another. */
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

/* ---- write and read ---- */

typedef struct port_pair {
  sn_output *out;
  sn_input *in;
  double sum; /* of the values read, so that the compiler keeps the read */
} port_pair;

static void write_and_read(void *context, size_t batch) {
  port_pair *pair = context;
  sn_joint_state *msg = pair->out->msg;
  for (size_t i = 0; i < batch; i++) {
    msg->position.data[0] = (double)i;
    sn_output_write(pair->out);
    const sn_joint_state *read = sn_input_read(pair->in, NULL);
    pair->sum += read->position.data[0];
  }
}

static void bench_pair(const bench_request *request, const char *name, size_t buffer) {
  bench_rig rig;
  bench_rig_open(&rig, SN_CLOCK_SIMULATED);
  sn_activity *activity = bench_rig_activity(&rig, "main", 1000000, 0);
  bench_part *writer = bench_rig_add(&rig, &bench_ticker_type, "writer", activity);
  bench_part *reader = bench_rig_add(&rig, &bench_ticker_type, "reader", activity);
  bench_rig_connect(&rig, "writer.out", "reader.in", buffer);
  bench_rig_begin(&rig);
  port_pair pair = {.out = &writer->out, .in = &reader->in};
  bench_batches(request, "ports", name, 2000, 1000, write_and_read, &pair);
  bench_rig_close(&rig);
}

/* ---- event to update: from the write to the first line of the reader's step ---- */

enum { EVENTS = 20000 };
static int64_t times[EVENTS];

static void print_events(const bench_request *request, const char *name) {
  const bench_result result = {
      .bench = "ports", .name = name, .robot = "-", .good = 1.0, .times = times, .count = EVENTS};
  bench_print(request, &result);
}

/* Let the reader finish and sleep again: an event to an awake reader wakes no thread. On one core
 * this thread must yield; on two it must stay warm. */
static void let_it_sleep(const sn_clock *clock, bool shares_core) {
  const int64_t start_ns = sn_clock_now_ns(clock);
  do {
    if (shares_core) {
      sched_yield();
    }
  } while (sn_clock_now_ns(clock) - start_ns < (shares_core ? 10000 : 30000));
}

static void send_events(bench_rig *rig, sn_source *source, bool shares_core) {
  sn_joint_state *msg = sn_source_msg(source);
  bench_fill(msg);
  for (size_t i = 0; i < EVENTS; i++) {
    let_it_sleep(&rig->clock, shares_core);
    msg->header.stamp_ns = sn_clock_now_ns(&rig->clock);
    sn_source_write(source);
  }
  let_it_sleep(&rig->clock, shares_core);
}

static void bench_event(const bench_request *request, const char *name, int own_cpu, int cpu) {
  bench_rig rig;
  bench_rig_open(&rig, SN_CLOCK_MONOTONIC);
  sn_activity *activity = bench_rig_activity(&rig, "events", 0, cpu);
  bench_part *part = bench_rig_add(&rig, &bench_receiver_type, "part", activity);
  part->times = times;
  part->time_count = EVENTS;
  sn_source *source = NULL;
  sn_error err = {.message = ""};
  bench_rig_begin(&rig);
  if (sn_source_open(rig.system, "part.in", NULL, &source, &err) == SN_OK &&
      sn_system_launch(rig.system, &err) == SN_OK) {
    bench_stay_on(own_cpu);
    send_events(&rig, source, own_cpu == cpu);
    bench_stay_on(0);
    sn_system_end(rig.system);
    print_events(request, name);
  } else {
    fprintf(stderr, "sinew bench: %s\n", err.message);
  }
  sn_source_close(source);
  bench_rig_close(&rig);
}

/* ---- the same with a bare futex: the cost of the kernel ---- */

typedef struct bare {
  _Atomic uint32_t count;
  _Atomic int64_t stamp_ns;
  sn_clock clock;
  int cpu;
} bare;

static void *receive_bare(void *context) {
  bare *b = context;
  bench_stay_on(b->cpu);
  for (uint32_t seen = 0; seen < EVENTS; seen++) {
    while (atomic_load(&b->count) == seen) {
      syscall(SYS_futex, &b->count, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    }
    times[seen] = sn_clock_now_ns(&b->clock) - atomic_load(&b->stamp_ns);
  }
  return NULL;
}

static void bench_bare(const bench_request *request, const char *name, int own_cpu, int cpu) {
  bare b = {.cpu = cpu};
  sn_clock_init_monotonic(&b.clock);
  pthread_t thread;
  if (pthread_create(&thread, NULL, receive_bare, &b) != 0) {
    fputs("sinew bench: cannot start a thread\n", stderr);
    return;
  }
  bench_stay_on(own_cpu);
  for (size_t i = 0; i < EVENTS; i++) {
    let_it_sleep(&b.clock, own_cpu == cpu);
    atomic_store(&b.stamp_ns, sn_clock_now_ns(&b.clock));
    atomic_fetch_add(&b.count, 1);
    syscall(SYS_futex, &b.count, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
  pthread_join(thread, NULL);
  bench_stay_on(0);
  print_events(request, name);
}

int bench_ports(const bench_request *request) {
  bench_pair(request, "data, 30 joints", 0);
  bench_pair(request, "buffered, 30 joints", 16);
  bench_bare(request, "bare futex, one core", 1, 1);
  bench_event(request, "event, one core", 1, 1);
  bench_bare(request, "bare futex, two cores", 1, 2);
  bench_event(request, "event, two cores", 1, 2);
  return EXIT_GOOD;
}
