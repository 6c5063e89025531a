/* One run: a robot, a plan, a check after every cycle. */
#include <stdio.h>
#include <stdlib.h>

#include "storm/storm_faults.h"

static bool fail(storm_run *run, const char *what, const sn_error *err) {
  snprintf(run->violation, sizeof run->violation, "%s: %.200s", what, err->message);
  return false;
}

/* The gate's cycle: the shortest period. */
static int64_t period_of(const sn_system *system) {
  int64_t period_ns = INT64_MAX;
  for (size_t i = 0; i < sn_system_activity_count(system); i++) {
    const int64_t each = sn_activity_config_of(sn_system_activity_at(system, i))->period_ns;
    period_ns = each > 0 && each < period_ns ? each : period_ns;
  }
  return period_ns == INT64_MAX ? 1000000 : period_ns;
}

static bool build_memory(storm_run *run) {
  const size_t n = run->joint_count + 1;
  run->before = (storm_memory){.q = SN_NEW(&run->arena, double, n),
                               .v = SN_NEW(&run->arena, double, n),
                               .q_last = SN_NEW(&run->arena, double, n),
                               .v_last = SN_NEW(&run->arena, double, n),
                               .limp_left = SN_NEW(&run->arena, unsigned char, n),
                               .measured = SN_NEW(&run->arena, double, n),
                               .limp = SN_NEW(&run->arena, bool, n),
                               .stamp_ns = INT64_MIN,
                               .memory_size = SIZE_MAX};
  return run->before.q != NULL && run->before.v != NULL && run->before.q_last != NULL &&
         run->before.v_last != NULL && run->before.limp_left != NULL &&
         run->before.measured != NULL && run->before.limp != NULL;
}

static bool build(storm_run *run, const storm_robot *r, uint64_t seed) {
  sn_error err = {.message = ""};
  sn_clock_init_simulated(&run->app.clock, 0);
  sn_arena_init_growing(&run->arena, "storm", 256 * 1024);
  if (!storm_deploy(r, seed, &run->app) || run->app.system == NULL ||
      sn_deployment_model(run->app.deployment) == NULL) {
    return fail(run, "the robot cannot be loaded; 'sinew check' says why", &err);
  }
  run->model = sn_deployment_model(run->app.deployment);
  run->context = (sn__remote_context){
      .system = run->app.system, .taps = &run->taps, .timeout_ns_max = INT64_C(1000000000)};
  run->joint_count = sn_model_pose_size(run->model);
  run->period_ns = period_of(run->app.system);
  return (build_memory(run) && storm_limits_read(run) && storm_contact_create(run) &&
          storm_limbs_create(run) && storm_follow_create(run) && storm_lines_create(run) &&
          storm_world_keep(run)) ||
         fail(run, "out of memory", &err);
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
  (void)sn_source_open(run->app.system, "plant.push", NULL, &run->push, &err);
  (void)sn_source_open(run->app.system, "plant.push_links", NULL, &run->push_links, &err);
  return true;
}

static void close_all(storm_run *run) {
  sn_tap *const taps[] = {run->command, run->limp, run->measured, run->assignment, run->goals};
  for (size_t i = 0; i < sizeof taps / sizeof *taps; i++) {
    sn_tap_close(taps[i]);
  }
  sn_source *const sources[] = {run->references, run->push, run->push_links};
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    if (sources[i] != NULL) {
      sn_source_close(sources[i]);
    }
  }
  storm_all_go(run);
  storm_limbs_close(run);
  json_decref(run->plant_before);
  app_system_free(&run->app);
  sn_arena_release(&run->arena);
}

static void apply_due(storm_run *run, const storm_plan *plan, size_t *next) {
  while (*next < plan->count && plan->faults[*next].at_ns <= sn_clock_now_ns(&run->app.clock)) {
    const storm_fault *fault = &plan->faults[(*next)++];
    sn_random random;
    sn_random_init(&random, fault->seed);
    if (run->is_explained) {
      printf("  %10.3f s  %s\n", 1e-9 * (double)fault->at_ns, storm_kinds[fault->kind].name);
    }
    storm_kinds[fault->kind].apply(run, &random);
    run->fault_count++;
  }
}

/* Live properties take effect at the start of a cycle. */
static bool is_guarded(storm_run *run) {
  json_t *value = storm_property(run, "aggregator.collision_guard");
  const bool is_on = json_is_true(value);
  json_decref(value);
  return is_on;
}

/* After each cycle. */
static bool check_cycle(void *context, int64_t now_ns) {
  storm_run *run = context;
  (void)now_ns;
  run->cycle++;
  return storm_check(run) && storm_recording_cycle(run, &run->recording);
}

static bool run_until(storm_run *run, int64_t until_ns) {
  const int64_t left_ns = until_ns - sn_clock_now_ns(&run->app.clock);
  sn_error err;
  if (left_ns > 0 && sn_system_run(run->app.system, left_ns, check_cycle, run, &err) != SN_OK) {
    return fail(run, "the system stopped", &err);
  }
  return run->violation[0] == '\0';
}

/* What was set takes effect in the first cycle. */
bool storm_run_for(storm_run *run, int64_t duration_ns) {
  const int64_t until_ns = sn_clock_now_ns(&run->app.clock) + duration_ns;
  const bool good = run_until(run, sn_clock_now_ns(&run->app.clock) + run->period_ns);
  run->is_guarded = is_guarded(run);
  return good && run_until(run, until_ns);
}

static bool run_plan(storm_run *run, const storm_plan *plan) {
  size_t next = 0;
  while (sn_clock_now_ns(&run->app.clock) < plan->end_ns) {
    apply_due(run, plan, &next);
    const int64_t until_ns = next < plan->count ? plan->faults[next].at_ns : plan->end_ns;
    const int64_t left_ns = until_ns - sn_clock_now_ns(&run->app.clock);
    if (!storm_run_for(run, left_ns > run->period_ns ? left_ns : run->period_ns)) {
      return false;
    }
  }
  return true;
}

void storm_run_plan(const storm_robot *r, const storm_plan *plan, const char *record,
                    bool is_explained, storm_result *result) {
  static storm_run run; /* not on the stack: the system has pointers into it */
  run = (storm_run){.hash = UINT64_C(14695981039346656037), .is_explained = is_explained};
  sn_error err;
  bool is_built = build(&run, r, plan->seed) && open_taps(&run) &&
                  storm_recording_begin(&run, &run.recording, record, plan->seed);
  if (is_built) {
    is_built = sn_system_begin(run.app.system, &err) == SN_OK ||
               fail(&run, "the system does not start", &err);
  }
  if (is_built && run_plan(&run, plan)) {
    run.is_explained = false;
    (void)storm_calm(&run);
  }
  const double seconds = 1e-9 * (double)sn_clock_now_ns(&run.app.clock);
  (void)storm_recording_end(&run, &run.recording);
  *result =
      (storm_result){.is_built = is_built, .seconds = seconds, .hash = run.hash, .rule = run.rule};
  snprintf(result->violation, sizeof result->violation, "%s", run.violation);
  close_all(&run);
}
