/* For affinity. */
#define _GNU_SOURCE

#include "bench/bench_parts.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"

static sn_status step(sn_component *component, int64_t now_ns) {
  bench_part *part = (bench_part *)component;
  const sn_joint_state *in = sn_input_read(&part->in, NULL);
  sn_joint_state *out = part->out.msg;
  out->header.stamp_ns = now_ns;
  for (size_t i = 0; in != NULL && i < in->position.count; i++) {
    out->position.data[i] = in->position.data[i] + 1.0;
  }
  part->steps++;
  return sn_output_write(&part->out);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  (void)now_ns;
  (void)err;
  bench_fill(((bench_part *)component)->out.msg);
  return SN_OK;
}

static sn_status echo(sn_component *component, const void *request, void *response, sn_error *err) {
  (void)component;
  (void)err;
  *(sn_timer_event *)response = *(const sn_timer_event *)request;
  return SN_OK;
}

static sn_status idle(sn_component *component, int64_t now_ns) {
  (void)component;
  (void)now_ns;
  return SN_OK;
}

static sn_status note_time(sn_component *component, int64_t now_ns) {
  bench_part *part = (bench_part *)component;
  if (part->steps < part->time_count) {
    part->times[part->steps++] = sn_clock_now_ns(sn_system_clock(component->system)) - now_ns;
  }
  return SN_OK;
}

static sn_status note_delay(sn_component *component, int64_t now_ns) {
  bench_part *part = (bench_part *)component;
  (void)now_ns;
  const sn_joint_state *in = sn_input_read(&part->in, NULL);
  if (in != NULL && part->steps < part->time_count) {
    part->times[part->steps] =
        sn_clock_now_ns(sn_system_clock(component->system)) - in->header.stamp_ns;
  }
  part->steps++;
  return sn_output_write(&part->out);
}

static const sn_operation operations[] = {
    {"echo", SN_OWN_THREAD, &sn_timer_event_type, &sn_timer_event_type, echo, "Answers."},
    {"here", SN_CLIENT_THREAD, &sn_timer_event_type, &sn_timer_event_type, echo, "Answers."},
    {0}};

static const sn_port event_ports[] = {
    SN_INPUT(bench_part, "in", in, &sn_joint_state_type, .flags = SN_PORT_EVENT, .doc = "Before."),
    SN_OUTPUT(bench_part, "out", out, &sn_joint_state_type, .doc = "After."),
    {0}};

static const sn_port plain_ports[] = {
    SN_INPUT(bench_part, "in", in, &sn_joint_state_type, .doc = "Before."),
    SN_INPUTS(bench_part, "more", more, &sn_joint_state_type, .doc = "Not read."),
    SN_OUTPUT(bench_part, "out", out, &sn_joint_state_type, .doc = "After."),
    {0}};

const sn_component_type bench_part_type = {.abi = SN_COMPONENT_ABI,
                                           .name = "bench_part",
                                           .size = sizeof(bench_part),
                                           .ports = event_ports,
                                           .operations = operations,
                                           .start = start,
                                           .step = step};

const sn_component_type bench_ticker_type = {.abi = SN_COMPONENT_ABI,
                                             .name = "bench_ticker",
                                             .size = sizeof(bench_part),
                                             .ports = plain_ports,
                                             .operations = operations,
                                             .start = start,
                                             .step = step};

const sn_component_type bench_idle_type = {
    .abi = SN_COMPONENT_ABI, .name = "bench_idle", .size = sizeof(bench_part), .step = idle};

const sn_component_type bench_receiver_type = {.abi = SN_COMPONENT_ABI,
                                               .name = "bench_receiver",
                                               .size = sizeof(bench_part),
                                               .ports = event_ports,
                                               .step = note_delay};

const sn_component_type bench_stopwatch_type = {.abi = SN_COMPONENT_ABI,
                                                .name = "bench_stopwatch",
                                                .size = sizeof(bench_part),
                                                .ports = plain_ports,
                                                .step = note_time};

static void require(bool good, const char *what) {
  if (!good) {
    fprintf(stderr, "sinew bench: %s\n", what);
    exit(EXIT_FAULT);
  }
}

void bench_rig_open(bench_rig *rig, sn_clock_kind kind) {
  sn_arena_init_growing(&rig->arena, "bench", 1 << 16);
  if (kind == SN_CLOCK_SIMULATED) {
    sn_clock_init_simulated(&rig->clock, 0);
  } else {
    sn_clock_init_monotonic(&rig->clock);
  }
  rig->system = sn_system_create(&(sn_system_config){.clock = &rig->clock});
  require(rig->system != NULL, "out of memory");
}

void bench_rig_close(bench_rig *rig) {
  sn_system_destroy(rig->system);
  sn_arena_release(&rig->arena);
}

sn_activity *bench_rig_activity(bench_rig *rig, const char *name, int64_t period_ns, int cpu) {
  const sn_activity_config config = {.name = name, .period_ns = period_ns, .cpu = cpu};
  sn_activity *activity = NULL;
  sn_error err = {.message = ""};
  require(sn_system_add_activity(rig->system, &config, &activity, &err) == SN_OK, err.message);
  return activity;
}

void *bench_rig_add(bench_rig *rig, const sn_component_type *type, const char *name,
                    sn_activity *activity) {
  sn_component *component = NULL;
  sn_error err = {.message = ""};
  require(sn_system_add(rig->system, type, name, &component, &err) == SN_OK, err.message);
  require(sn_system_assign(rig->system, component, activity, 0, &err) == SN_OK, err.message);
  return component;
}

void bench_rig_connect(bench_rig *rig, const char *from, const char *to, size_t buffer) {
  const sn_connection connection = {.buffer = buffer};
  sn_error err = {.message = ""};
  require(sn_system_connect(rig->system, from, to, &connection, &err) == SN_OK, err.message);
}

void bench_rig_begin(bench_rig *rig) {
  sn_error err = {.message = ""};
  require(sn_system_begin(rig->system, &err) == SN_OK, err.message);
}

const char *bench_name(char text[32], const char *stem, size_t index) {
  snprintf(text, 32, "%s%zu", stem, index);
  return text;
}

void bench_fill(sn_joint_state *msg) {
  msg->position.count = msg->velocity.count = msg->effort.count = BENCH_JOINTS;
  for (size_t i = 0; i < BENCH_JOINTS; i++) {
    msg->position.data[i] = msg->velocity.data[i] = msg->effort.data[i] = 0.1 * (double)i;
  }
}

void bench_batches(const bench_request *request, const char *bench, const char *name, size_t count,
                   size_t batch, void (*run)(void *context, size_t batch), void *context) {
  int64_t *times = calloc(count, sizeof *times);
  require(times != NULL, "out of memory");
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  run(context, batch); /* once to warm up */
  for (size_t i = 0; i < count; i++) {
    const int64_t start_ns = sn_clock_now_ns(&clock);
    run(context, batch);
    times[i] = sn_clock_now_ns(&clock) - start_ns;
  }
  const bench_result result = {.bench = bench,
                               .name = name,
                               .robot = "-",
                               .good = 1.0,
                               .times = times,
                               .count = count,
                               .batch = batch};
  bench_print(request, &result);
  free(times);
}

void bench_stay_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (size_t i = 0; i < CPU_SETSIZE; i++) {
    if (cpu == 0 || i + 1 == (size_t)cpu) {
      CPU_SET(i, &set);
    }
  }
  (void)sched_setaffinity(0, sizeof set,
                          &set); /* fails on a machine with one core, where it does not matter */
}
