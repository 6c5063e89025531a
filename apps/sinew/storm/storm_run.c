/* One run: a robot, a plan, a check after every cycle. */
#include <stdio.h>
#include <stdlib.h>

#include "record/recorder.h"
#include "storm/storm.h"

static bool fail(storm_run *run, const char *what, const sn_error *err) {
  snprintf(run->violation, sizeof run->violation, "%s: %.200s", what, err->message);
  return false;
}

/* The system, and a model of its own for the checks. */
static bool build(storm_run *run) {
  const app_system_options options = {.is_alone = true, .is_headless = true};
  const robot_options plain = {0};
  sn_error err = {.message = ""};
  sn_clock_init_simulated(&run->app.clock, 0);
  if (!app_system_load(&run->app, run->robot_path, &options) || run->app.system == NULL ||
      !robot_load(&run->robot, run->robot_path, &plain) || run->robot.model == NULL) {
    return fail(run, "the robot cannot be loaded; 'sinew check' says why", &err);
  }
  run->context = (sn__remote_context){
      .system = run->app.system, .taps = &run->taps, .timeout_ns_max = INT64_C(1000000000)};
  run->joint_count = sn_model_pose_size(run->robot.model);
  run->before = (storm_memory){.q = calloc(run->joint_count + 1, sizeof(double)),
                               .v = calloc(run->joint_count + 1, sizeof(double)),
                               .limp = calloc(run->joint_count + 1, sizeof(bool)),
                               .stamp_ns = INT64_MIN,
                               .memory_size = SIZE_MAX};
  return run->before.q != NULL && run->before.v != NULL && run->before.limp != NULL;
}

static bool open_taps(storm_run *run) {
  const struct {
    sn_tap **tap;
    const char *output;
    bool is_optional;
  } list[] = {{&run->command, "aggregator.joints_sorted", false},
              {&run->limp, "aggregator.limp", false},
              {&run->measured, "plant.joints_measured", false},
              {&run->assignment, "resources_control.assignment", false},
              {&run->goals, "servo_inv_7param.out_goals", true}};
  sn_error err;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    if (sn_tap_open(run->app.system, list[i].output, NULL, list[i].tap, &err) != SN_OK &&
        !list[i].is_optional) {
      return fail(run, list[i].output, &err);
    }
  }
  (void)sn_source_open(run->app.system, "follow.in_joints_ref", NULL, &run->references, &err);
  return true;
}

static void close_all(storm_run *run) {
  sn_tap *const taps[] = {run->command, run->limp, run->measured, run->assignment, run->goals};
  for (size_t i = 0; i < sizeof taps / sizeof *taps; i++) {
    sn_tap_close(taps[i]);
  }
  if (run->references != NULL) {
    sn_source_close(run->references);
  }
  app_system_free(&run->app);
  robot_free(&run->robot);
  free(run->before.q);
  free(run->before.v);
  free(run->before.limp);
}

static void apply_due(storm_run *run, const storm_plan *plan, size_t *next) {
  while (*next < plan->count && plan->faults[*next].cycle <= run->cycle) {
    const storm_fault *fault = &plan->faults[(*next)++];
    sn_random random;
    sn_random_init(&random, fault->seed);
    storm_kinds[fault->kind].apply(run, &random);
  }
}

static bool run_cycles(storm_run *run, const storm_plan *plan, sn_recorder *recorder) {
  sn_error err;
  size_t next = 0;
  for (run->cycle = 0; run->cycle < plan->cycles; run->cycle++) {
    apply_due(run, plan, &next);
    if (sn_system_run(run->app.system, STORM_CYCLE_NS, NULL, NULL, &err) != SN_OK) {
      return fail(run, "the system stopped", &err);
    }
    if (recorder != NULL && sn__recorder_drain(recorder, &err) != SN_OK) {
      return fail(run, "the recording failed", &err);
    }
    if (!storm_check(run)) {
      return false;
    }
  }
  return true;
}

void storm_run_plan(const char *robot_path, const storm_plan *plan, const char *record,
                    storm_result *result) {
  static storm_run run; /* not on the stack: the system has pointers into it */
  run = (storm_run){.robot_path = robot_path, .hash = UINT64_C(14695981039346656037)};
  sn_recorder *recorder = NULL;
  sn_error err;
  bool is_built = build(&run) && open_taps(&run);
  if (is_built && record != NULL) {
    const sn_recorder_config config = {.path = record};
    is_built = sn__recorder_start(run.app.system, &config, &recorder, &err) == SN_OK ||
               fail(&run, record, &err);
  }
  if (is_built) {
    is_built = sn_system_begin(run.app.system, &err) == SN_OK ||
               fail(&run, "the system does not start", &err);
  }
  if (is_built) {
    (void)run_cycles(&run, plan, recorder);
  }
  if (recorder != NULL) {
    (void)sn__recorder_stop(recorder, NULL, &err);
  }
  *result = (storm_result){.is_built = is_built,
                           .seconds = 1e-9 * (double)(run.cycle * STORM_CYCLE_NS),
                           .hash = run.hash};
  snprintf(result->violation, sizeof result->violation, "%s", run.violation);
  close_all(&run);
}
