#define _GNU_SOURCE /* nanosleep() */

#include "bench_graph.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ros/ros_transport.h"
#include "run/bridges.h"
#include "sinew/components.h"
#include "sinew/deployment.h"
#include "sinew/msg_types.h"

enum { JOINTS = BENCH_GRAPH_JOINTS, SAMPLES = BENCH_GRAPH_SAMPLES, WARM_UP = 500 };

static sn_arena arena;
static sn_system *system_used;

/* ---- publisher: a component that records the time ---- */

typedef struct source {
  sn_component component;
  sn_output joints_measured;
  uint64_t count;
} source;

static int64_t writes_ns[SAMPLES];
static atomic_size_t write_count = SAMPLES; /* counted from the end of the warm-up */
static sn_clock watch;
static const sn_names *joint_names;

static sn_status step(sn_component *component, int64_t now_ns) {
  sn_output *out = &((source *)component)->joints_measured;
  sn_joint_state *msg = out->msg;
  sn_msg_names_share(&msg->name, joint_names);
  msg->header.stamp_ns = now_ns;
  msg->position.count = msg->velocity.count = msg->effort.count = JOINTS;
  msg->position.data[0] = (double)++((source *)component)->count;
  const int64_t begin_ns = sn_clock_now_ns(&watch);
  const sn_status status = sn_output_write(out);
  const int64_t took_ns = sn_clock_now_ns(&watch) - begin_ns;
  const size_t count = atomic_load(&write_count);
  if (count < SAMPLES) {
    writes_ns[count] = took_ns;
    atomic_store(&write_count, count + 1);
  }
  return status;
}

static const sn_port ports[] = {
    SN_OUTPUT(source, "joints_measured", joints_measured, &sn_joint_state_type, .doc = ""), {0}};
static const sn_component_type source_type = {.abi = SN_COMPONENT_ABI,
                                              .name = "bench_source",
                                              .size = sizeof(source),
                                              .ports = ports,
                                              .step = step};

/* ---- figures ---- */

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a;
  const int64_t y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Prints sorted latencies with a name and a remark. @return the median */
static int64_t print(const char *name, int64_t *times, size_t count, const char *beside) {
  qsort(times, count, sizeof *times, compare);
  printf(
      "{\"bench\":\"ros\",\"case\":\"%s\",\"joints\":%d,\"samples\":%zu,%s\"median_ns\":%lld,"
      "\"p99_ns\":%lld,\"max_ns\":%lld}\n",
      name, JOINTS, count, beside, (long long)times[count / 2],
      (long long)times[count - 1 - count / 100], (long long)times[count - 1]);
  fflush(stdout);
  return times[count / 2];
}

int64_t bench_graph_writes(const char *name, int64_t nobody_ns) {
  const struct timespec nap = {.tv_nsec = 10000000};
  char beside[64] = "";
  for (int i = 0; i < 50; i++) { /* the warm-up */
    nanosleep(&nap, NULL);
  }
  atomic_store(&write_count, 0);
  while (atomic_load(&write_count) < SAMPLES) {
    nanosleep(&nap, NULL);
  }
  if (nobody_ns > 0) {
    qsort(writes_ns, SAMPLES, sizeof *writes_ns, compare);
    snprintf(beside, sizeof beside, "\"added_ns\":%lld,",
             (long long)(writes_ns[SAMPLES / 2] - nobody_ns));
  }
  return print(name, writes_ns, SAMPLES, beside);
}

static int64_t latency_ns[SAMPLES];
static size_t came, lost;
static uint64_t last;

void bench_graph_note(uint64_t count, int64_t stamp_ns) {
  lost += came == 0 ? 0 : (size_t)(count - last - 1);
  last = count;
  if (came >= WARM_UP && came - WARM_UP < SAMPLES) {
    latency_ns[came - WARM_UP] = sn__wall_now_ns() - stamp_ns;
  }
  came++;
}

void bench_graph_latencies(const char *name) {
  char beside[32];
  if (came <= WARM_UP) {
    fprintf(stderr, "bench_ros: %s: only %zu messages received\n", name, came);
    exit(1);
  }
  const size_t count = came - WARM_UP < SAMPLES ? came - WARM_UP : SAMPLES;
  snprintf(beside, sizeof beside, "\"lost\":%zu,", lost);
  print(name, latency_ns, count, beside);
  came = lost = 0;
}

/* ---- run ---- */

static void create_names(void) {
  static char names[JOINTS][16];
  const char *list[JOINTS];
  for (size_t i = 0; i < JOINTS; i++) {
    snprintf(names[i], sizeof names[i], "joint_%zu", i);
    list[i] = names[i];
  }
  if (sn_names_create(&arena, list, JOINTS, &joint_names, NULL) != SN_OK) {
    exit(1);
  }
}

void bench_graph_open(const char *bridges) {
  static sn_clock clock;
  char text[1024];
  sn_arena_init_growing(&arena, "bench", 0);
  sn_clock_init_monotonic(&clock);
  sn_clock_init_monotonic(&watch);
  create_names();
  snprintf(text, sizeof text,
           "robot: %s\nactivities: {control: {period: 0.001}}\n"
           "components:\n  source: {type: bench_source}\n  %s\n",
           BENCH_ROBOTS "/quadruped.urdf", bridges);
  sn_error err = {SN_OK, ""};
  sn_report *report = NULL;
  sn_report_create(&arena, &report, NULL);
  sn_component_registry *registry = sn_component_registry_create(&arena);
  const sn_deployment *deployment = NULL;
  const sn_system_config system_config = {.clock = &clock};
  sn_system *system = sn_system_create(&system_config);
  const sn_deployment_config config = {.registry = registry, .may_read = true};
  if (system == NULL || sn_components_add(registry, &err) != SN_OK ||
      sn_bridges_add(registry, &err) != SN_OK ||
      sn_component_registry_add(registry, &source_type, &err) != SN_OK ||
      sn_deployment_parse(&arena, sn_arena_text(&arena, text, strlen(text)), strlen(text), "bench",
                          &config, report, &deployment) != SN_OK ||
      sn_deployment_build(deployment, system, report) != SN_OK ||
      sn_system_begin(system, &err) != SN_OK || sn_system_launch(system, &err) != SN_OK) {
    fprintf(stderr, "bench_ros: %s %s\n", err.message,
            sn_report_count(report) > 0 ? sn_report_at(report, 0)->message : "");
    exit(1);
  }
  system_used = system;
}

void bench_graph_close(void) {
  sn_system_halt(system_used);
  sn_system_destroy(system_used);
  sn_arena_release(&arena);
}
