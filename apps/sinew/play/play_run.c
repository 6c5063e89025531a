#include "play/play_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "movements/pace.h"
#include "play/play_goal.h"
#include "play/play_start.h"
#include "play/play_watch.h"
#include "record/recorder.h"

static const double SETTLE_S = 1.0;
/* A sequence may be stretched, and a controller waits for its joints. */
static const double PATIENCE_FACTOR = 30.0;
static const double PATIENCE_S = 10.0;

typedef struct run {
  const play_setup *setup;
  sn__movement movement;
  sn_arena arena;
  app_system app;
  play_watch watch;
  play_goal goal;
  sn_recorder *recorder; /* NULL: none */
  bool has_goal;         /* it was sent */
  bool has_ended;
  play_result *result;
} run;

/* ---- the system ---- */

static sn_status begin(run *r, const char *record, sn_error *err) {
  sn_status status = play_watch_open(&r->watch, r->setup, r->app.system, &r->arena, err);
  if (status == SN_OK && record != NULL) {
    sn_recorder_config config = sn__recorder_settings(r->app.system);
    config.path = record;
    status = sn__recorder_start(r->app.system, &config, &r->recorder, err);
  }
  return status == SN_OK ? sn_system_begin(r->app.system, err) : status;
}

/* The first error of a deployment that cannot be built. */
static void fail_with_report(run *r, const sn_report *report) {
  for (size_t i = 0; i < sn_report_count(report); i++) {
    const sn_problem *p = sn_report_at(report, i);
    if (p->severity == SN_SEVERITY_ERROR) {
      play_fail(r->result, -1, "%s", p->message);
    }
  }
  play_fail(r->result, -1, "out of memory");
}

static bool load(run *r, const play_start *start, const char *record) {
  text_list settings = r->setup->settings;
  play_start_set(r->setup, start, &r->arena, &settings);
  const app_system_options options = play_setup_options(r->setup, &settings);
  sn_error err = {.message = ""};
  sn_clock_init_simulated(&r->app.clock, 0);
  if (!app_system_load(&r->app, r->setup->arguments->robot, &options) || r->app.system == NULL) {
    fail_with_report(r, r->app.report);
    return false;
  }
  if (begin(r, record, &err) != SN_OK) {
    play_fail(r->result, -1, "%s", err.message);
    return false;
  }
  return true;
}

static bool after_cycle(void *context, int64_t now_ns) {
  run *r = context;
  sn_error err;
  play_watch_step(&r->watch, now_ns);
  if (r->recorder != NULL && sn__recorder_drain(r->recorder, &err) != SN_OK) {
    play_fail(r->result, -1, "recording stopped: %s", err.message);
  }
  if (r->has_goal && !r->has_ended) {
    r->has_ended = play_goal_has_ended(&r->goal, r->result);
    return !r->has_ended && !r->watch.fell;
  }
  return !r->watch.fell;
}

static bool run_for(run *r, double time_s) {
  sn_error err = {.message = ""};
  if (sn_system_run(r->app.system, (int64_t)llround(1e9 * time_s), after_cycle, r, &err) != SN_OK) {
    play_fail(r->result, -1, "%s", err.message);
    return false;
  }
  return !r->watch.fell;
}

/* ---- results ---- */

static void measure(run *r) {
  play_result *result = r->result;
  const play_watch *watch = &r->watch;
  result->has_base = true;
  result->base = watch->pose;
  result->fell = watch->fell || watch->reports_fall;
  result->max_tilt_rad = watch->tilt_max;
  result->slip_m = watch->slip_max;
  play_goal_measure(result);
  if (result->fell) {
    result->is_ok = false;
    play_fail(result, -1, "the robot fell");
  }
}

/* Components in the error state: the result does not show what they do. */
static void look_for_faults(run *r) {
  for (size_t i = 0; i < sn_system_component_count(r->app.system); i++) {
    const sn_component *component = sn_system_component_at(r->app.system, i);
    const sn_component_info info = sn_component_info_of(component);
    if (info.state == SN_STATE_ERROR) {
      r->result->is_ok = false;
      play_fail(r->result, -1, "component '%s' failed: %s", component->name,
                sn_step_fault_text(info.fault));
    }
  }
}

/* ---- one movement ---- */

static void perform(run *r) {
  sn_system *system = r->app.system;
  if (run_for(r, SETTLE_S)) {
    r->watch.slip_max = r->watch.tilt_max = 0.0; /* from here on it is the movement's doing */
    play_goal_set_base(&r->movement, r->watch.pose, r->result);
    if (play_goal_open(&r->goal, r->setup, system, &r->movement, r->watch.q, &r->arena,
                       r->result) &&
        play_goal_send(&r->goal, r->result)) {
      r->has_goal = true;
      run_for(r, PATIENCE_FACTOR * play_goal_length(&r->movement) + PATIENCE_S);
      if (!r->has_ended && !r->watch.fell) {
        play_fail(r->result, -1, "the movement did not end");
      }
    }
    r->has_goal = false;
    run_for(r, SETTLE_S);
  }
  measure(r);
  look_for_faults(r);
  play_goal_close(&r->goal);
}

static void stop_recording(run *r) {
  sn_error err = {.message = ""};
  if (r->recorder != NULL && sn__recorder_stop(r->recorder, NULL, &err) != SN_OK) {
    play_fail(r->result, -1, "the recording is not complete: %s", err.message);
  }
}

static bool read_movement(run *r, const char *path) {
  sn_error err = {.message = ""};
  if (sn__movement_load(path, &r->arena, &r->movement, &err) != SN_OK) {
    play_fail(r->result, -1, "%s", err.message);
    return false;
  }
  const play_arguments *a = r->setup->arguments;
  r->result->kind = sn__movement_kind_name(r->movement.kind);
  if (sn__movement_check_robot(&r->movement, r->setup->model, &err) != SN_OK ||
      sn__pace_set(r->setup->model, &r->movement, a->speed, a->is_fastest, &r->arena, &err) !=
          SN_OK) {
    play_fail(r->result, -1, "%s", err.message);
    return false;
  }
  return true;
}

void play_run(const play_setup *setup, const char *path, const char *record, play_result *result) {
  run r = {.setup = setup, .result = result};
  play_start start;
  *result = (play_result){.movement = path};
  sn_arena_init_growing(&r.arena, "movement", 64 * 1024);
  if (read_movement(&r, path) && play_start_find(setup, &r.movement, &r.arena, &start, result) &&
      load(&r, &start, record)) {
    perform(&r);
  }
  stop_recording(&r);
  play_watch_close(&r.watch);
  app_system_free(&r.app);
  sn_arena_release(&r.arena);
}
