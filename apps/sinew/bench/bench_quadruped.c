/* Cost of a whole cycle: timer, two controllers (one moves two limbs), the gate, forward kinematics
 * and inverse dynamics of the demo quadruped. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/bench_parts.h"
#include "command.h"
#include "common/share.h"
#include "sinew/components.h"
#include "sinew/deployment.h"
#include "sinew/msg_calls.h"
#include "sinew/random.h"

enum { PERIOD_NS = 1000000, RETARGET_CYCLES = 300, BATCHES = 500, BATCH = 100, CYCLES = 3000 };

typedef struct quadruped {
  bench_rig rig;
  sn_source *reference;
  sn_random random;
  size_t cycles;
  sn_error err;
} quadruped;

static bool build(quadruped *q) {
  char path[SHARE_PATH_SIZE];
  sn_arena *arena = &q->rig.arena;
  sn_component_registry *registry = sn_component_registry_create(arena);
  sn_report *report = NULL;
  const sn_deployment *deployment = NULL;
  const sn_deployment_config config = {.registry = registry};
  if (!share_find("bench", "deployments/quadruped_cycle.yaml", path)) {
    snprintf(q->err.message, sizeof q->err.message, "no deployment to measure");
    return false;
  }
  if (sn_report_create(arena, &report, &q->err) != SN_OK ||
      sn_components_add(registry, &q->err) != SN_OK ||
      sn_deployment_load(arena, path, &config, report, &deployment) != SN_OK ||
      sn_deployment_build(deployment, q->rig.system, report) != SN_OK) {
    snprintf(q->err.message, sizeof q->err.message, "cannot use %.200s", path);
    return false;
  }
  return sn_source_open(q->rig.system, "follow.in_joints_ref", NULL, &q->reference, &q->err) ==
         SN_OK;
}

static bool activate(quadruped *q) {
  sn_caller caller = {0};
  if (sn_caller_open(q->rig.system, "follow.rosSetOperational", &caller, &q->err) != SN_OK) {
    return false;
  }
  sn_call_outcome *outcome = sn_msg_create(&q->rig.arena, &sn_call_outcome_type, NULL);
  const bool is_done =
      sn_call(&caller, &(sn_call_switch){.data = true}, outcome, &q->err) == SN_OK &&
      outcome->success;
  sn_caller_close(&caller);
  return is_done;
}

/* A new goal for two limbs, before they reach the last one. */
static void retarget(quadruped *q) {
  static const char *const joints[] = {"leg1_joint1", "leg1_joint2", "leg1_joint3", "leg1_joint4",
                                       "leg1_joint5", "head_joint1", "head_joint2", "head_joint3"};
  sn_joint_state *msg = sn_source_msg(q->reference);
  sn_msg_reset(&sn_joint_state_type, msg);
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
    (void)sn_msg_names_add(&msg->name, joints[i],
                           strlen(joints[i])); /* the default capacity is enough */
    msg->position.data[i] = sn_random_between(&q->random, -0.5, 0.5);
  }
  msg->position.count = msg->name.count;
  (void)sn_source_write(q->reference);
}

static bool after_cycle(void *context, int64_t now_ns) {
  quadruped *q = context;
  (void)now_ns;
  if (q->cycles++ % RETARGET_CYCLES == 0) {
    retarget(q);
  }
  return true;
}

static void run_cycles(void *context, size_t batch) {
  quadruped *q = context;
  (void)sn_system_run(q->rig.system, (int64_t)batch * PERIOD_NS, after_cycle, q, &q->err);
}

static bool measure_simulated(const bench_request *request, quadruped *q, const char *name) {
  bench_rig_begin(&q->rig);
  run_cycles(q, 10); /* until the pose is known */
  if (!activate(q)) {
    return false;
  }
  run_cycles(q, 1000);
  bench_batches(request, "cycle", name, BATCHES, BATCH, run_cycles, q);
  return true;
}

static bool run_simulated(const bench_request *request, quadruped *q) {
  return measure_simulated(request, q, "quadruped, simulated");
}

/* What the collision guard of the gate costs is the difference. */
static bool run_unguarded(const bench_request *request, quadruped *q) {
  sn_component *gate = sn_system_find(q->rig.system, "aggregator");
  const sn_value off = {.name = "", .kind = SN_VALUE_TEXT, .text = "false", .place.file = "bench"};
  sn_report *report = NULL;
  return gate != NULL && sn_report_create(&q->rig.arena, &report, &q->err) == SN_OK &&
         sn_system_set(q->rig.system, gate, "collision_guard", &off, report, &q->err) == SN_OK &&
         measure_simulated(request, q, "quadruped, unguarded");
}

static bool run_real(const bench_request *request, quadruped *q) {
  static int64_t times[CYCLES];
  bench_part *watch = bench_rig_add(&q->rig, &bench_stopwatch_type, "watch",
                                    sn_system_find_activity(q->rig.system, "control"));
  watch->times = times;
  watch->time_count = CYCLES;
  bench_rig_begin(&q->rig);
  if (sn_system_launch(q->rig.system, &q->err) != SN_OK) {
    return false;
  }
  const struct timespec pause = {.tv_nsec = RETARGET_CYCLES * (long)PERIOD_NS};
  bool is_good = true;
  for (bool is_active = false; is_good && sn_component_info_of(&watch->component).steps < CYCLES;
       is_active = true) {
    nanosleep(&pause, NULL);
    is_good = is_active || activate(q);
    retarget(q);
  }
  sn_system_end(q->rig.system);
  const bench_result result = {.bench = "cycle",
                               .name = "quadruped, every millisecond",
                               .robot = "quadruped",
                               .good = is_good,
                               .times = times,
                               .count = CYCLES};
  bench_print(request, &result);
  return is_good;
}

int bench_quadruped(const bench_request *request) {
  bool (*const runs[])(const bench_request *request, quadruped *q) = {run_simulated, run_unguarded,
                                                                      run_real};
  int code = EXIT_GOOD;
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    quadruped q = {.cycles = 0, .err = {.message = ""}};
    sn_random_init(&q.random, 7);
    bench_rig_open(&q.rig, runs[i] == run_real ? SN_CLOCK_MONOTONIC : SN_CLOCK_SIMULATED);
    if (!build(&q) || !runs[i](request, &q)) {
      fprintf(stderr, "sinew bench: quadruped: %s\n", q.err.message);
      code = EXIT_FAULT;
    }
    sn_source_close(q.reference);
    bench_rig_close(&q.rig);
  }
  return code;
}
