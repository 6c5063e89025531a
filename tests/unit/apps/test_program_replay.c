/* A recorded run is repeated bit for bit, or the first difference is reported. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/app_system.h"
#include "program_rig.h"
#include "record/recorder.h"
#include "sinew/msg_calls.h"
#include "sinew/random.h"
#include "sinew/tap.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

/* ---- a run with many inputs ---- */

typedef struct outside {
  app_system app;
  sn_recorder *recorder;
  sn_source *joints; /* references for `follow` */
  sn_source *push;   /* pushes the robot */
  sn_random random;
  sn_error err;
} outside;

static void call_switch(outside *o, const char *operation, bool data) {
  sn_caller caller = {0};
  const sn_call_switch request = {.data = data};
  assert_int_equal(sn_caller_open(o->app.system, operation, &caller, &o->err), SN_OK);
  assert_int_equal(sn_caller_post(&caller, &request, &o->err), SN_OK);
  sn_caller_close(&caller);
}

static void call_stop(outside *o) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "stop", 0);
  sn_caller caller = {0};
  sn_call_stop *request = sn_msg_create(&arena, &sn_call_stop_type, NULL);
  assert_non_null(request);
  assert_int_equal(sn_msg_text_set(&request->who, "test"), SN_OK);
  assert_int_equal(sn_caller_open(o->app.system, "aggregator.emergencyStop", &caller, &o->err),
                   SN_OK);
  assert_int_equal(sn_call(&caller, request, NULL, &o->err), SN_OK);
  sn_caller_close(&caller);
  sn_arena_release(&arena);
}

static void set_friction(outside *o) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "value", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  const sn_value *value = NULL;
  assert_int_equal(sn_value_parse_text(&arena, "0.25", 4, "v", report, &value), SN_OK);
  assert_int_equal(sn_system_set(o->app.system, sn_system_find(o->app.system, "dynamics_inv"),
                                 "friction", value, report, &o->err),
                   SN_OK);
  sn_arena_release(&arena);
}

static void write_joints(outside *o, sn_source *source, double scale) {
  sn_joint_state *msg = sn_source_msg(source);
  const sn_model *model = sn_deployment_model(o->app.deployment);
  const size_t n = sn_model_pose_size(model);
  sn_msg_names_share(&msg->name, sn_model_joint_names(model));
  const bool is_push = source == o->push;
  msg->position.count = is_push ? 0 : n;
  msg->effort.count = is_push ? n : 0;
  double *values = is_push ? msg->effort.data : msg->position.data;
  for (size_t i = 0; i < n; i++) {
    values[i] = sn_random_between(&o->random, -scale, scale);
  }
  assert_int_equal(sn_source_write(source), SN_OK);
}

static bool drain(void *context, int64_t now_ns) {
  outside *o = context;
  sn_log_record record;
  (void)now_ns;
  assert_int_equal(sn__recorder_drain(o->recorder, &o->err), SN_OK);
  while (sn_log_read(o->app.log, &record)) {
  }
  return true;
}

static void go(outside *o, int64_t duration_ns) {
  assert_int_equal(sn_system_run(o->app.system, duration_ns, drain, o, &o->err), SN_OK);
}

static void record_outside(const char *robot, const char *file, uint64_t seed) {
  static const app_system_options options = {.is_headless = true};
  char path[256];
  outside o = {.recorder = NULL};
  snprintf(path, sizeof path, "%s/%s", program_folder, file);
  sn_random_init(&o.random, seed);
  sn_clock_init_simulated(&o.app.clock, 0);
  assert_true(app_system_load(&o.app, robot, &options));
  assert_non_null(o.app.system);
  assert_int_equal(sn_source_open(o.app.system, "plant.push", NULL, &o.push, &o.err), SN_OK);
  assert_int_equal(
      sn__recorder_start(o.app.system, &(sn_recorder_config){.path = path}, &o.recorder, &o.err),
      SN_OK);
  assert_int_equal(sn_system_begin(o.app.system, &o.err), SN_OK);
  go(&o, 50 * MS);
  call_switch(&o, "follow.rosSetOperational", true);
  go(&o, 100 * MS);
  const sn_connection buffered = {.buffer = 4};
  assert_int_equal(
      sn_source_open(o.app.system, "follow.in_joints_ref", &buffered, &o.joints, &o.err), SN_OK);
  for (int i = 0; i < 20; i++) {
    write_joints(&o, o.joints, 0.3);
    write_joints(&o, o.push, 0.5);
    go(&o, (int64_t)sn_random_below(&o.random, 40) * MS);
  }
  set_friction(&o);
  call_stop(&o);
  go(&o, 100 * MS);
  sn_source_close(o.joints);
  go(&o, 50 * MS);
  sn_source_close(o.push);
  assert_int_equal(sn__recorder_stop(o.recorder, NULL, &o.err), SN_OK);
  app_system_free(&o.app);
}

SN_TEST(a_run_with_inputs_is_repeated_bit_for_bit) {
  static const char *const robots[] = {SINEW_ROBOTS "/quadruped.yaml", SINEW_ROBOTS "/arm7.yaml"};
  for (uint64_t i = 0; i < 2; i++) {
    record_outside(robots[i], "a.mcap", i);
    program_expect("replay a.mcap", 0);
    sn_assert_contains(program_run.output, "a.mcap: equal: ");
    assert_null(strstr(program_run.output, " 0 inputs"));
    assert_string_equal(program_run.errors, "");
    program_expect("replay a.mcap --json", 0);
    sn_assert_contains(program_run.output, "{\"ok\":true,\"cycles\":");
    sn_assert_contains(program_run.output, "\"refused\":0,");
    sn_assert_contains(program_run.output, "\"different\":0}");
  }
}

/* Thousands of points per joint, as from a planner: 2 MB in one call. */
static void call_execute(outside *o) {
  enum { POINTS = 3000 };
  const sn_model *model = sn_deployment_model(o->app.deployment);
  const size_t n = sn_model_pose_size(model);
  sn_arena arena;
  sn_arena_init_growing(&arena, "goal", 0);
  sn_trajectory_goal *goal = SN_NEW(&arena, sn_trajectory_goal, 1);
  sn_joint_trajectory_point *points = SN_NEW(&arena, sn_joint_trajectory_point, POINTS);
  double *numbers = SN_NEW(&arena, double, POINTS *n * 3);
  sn_trajectory_answer *answer = sn_msg_create(&arena, &sn_trajectory_answer_type, NULL);
  assert_true(goal != NULL && points != NULL && numbers != NULL && answer != NULL);
  for (size_t i = 0; i < POINTS; i++) { /* there and back, slowly */
    const double t = 0.001 * (double)(i + 1), rate = 2.0 * 3.14159265358979 / 3.0;
    sn_seq_f64 *const all[] = {&points[i].positions, &points[i].velocities,
                               &points[i].accelerations};
    const double values[] = {0.02 * (1.0 - cos(rate * t)), 0.02 * rate * sin(rate * t),
                             0.02 * rate * rate * cos(rate * t)};
    for (size_t k = 0; k < 3; k++) {
      *all[k] = (sn_seq_f64){.data = numbers, .count = n, .capacity = n};
      for (size_t j = 0; j < n; j++) {
        *numbers++ = i + 1 == POINTS ? 0.0 : values[k];
      }
    }
    points[i].time_from_start_ns = (int64_t)(i + 1) * MS;
  }
  sn_msg_names_share(&goal->trajectory.joint_names, sn_model_joint_names(model));
  goal->trajectory.points =
      (sn_seq_trajectory_point){.data = points, .count = POINTS, .capacity = POINTS};
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(o->app.system, "execute.execute", &caller, &o->err), SN_OK);
  assert_int_equal(sn_call(&caller, goal, answer, &o->err), SN_OK);
  if (!answer->accepted) {
    fail_msg("%s", answer->message.data);
  }
  sn_caller_close(&caller);
  sn_arena_release(&arena);
}

SN_TEST(a_goal_of_thousands_of_points_is_repeated_too) {
  static const app_system_options options = {.is_headless = true};
  char path[256];
  outside o = {.recorder = NULL};
  snprintf(path, sizeof path, "%s/%s", program_folder, "long.mcap");
  sn_clock_init_simulated(&o.app.clock, 0);
  assert_true(app_system_load(&o.app, SINEW_ROBOTS "/quadruped.yaml", &options));
  assert_non_null(o.app.system);
  assert_int_equal(
      sn__recorder_start(o.app.system, &(sn_recorder_config){.path = path}, &o.recorder, &o.err),
      SN_OK);
  assert_int_equal(sn_system_begin(o.app.system, &o.err), SN_OK);
  go(&o, 50 * MS);
  call_execute(&o);
  go(&o, 300 * MS);
  assert_int_equal(sn__recorder_stop(o.recorder, NULL, &o.err), SN_OK);
  app_system_free(&o.app);
  program_expect("replay long.mcap", 0);
  sn_assert_contains(program_run.output, "long.mcap: equal: ");
  assert_null(strstr(program_run.output, " 0 inputs"));
  assert_string_equal(program_run.errors, "");
}

SN_TEST(the_first_difference_is_reported) {
  record_outside(SINEW_ROBOTS "/quadruped.yaml", "a.mcap", 7);
  program_expect("replay a.mcap --set 'dynamics_inv.gravity=[0, 0, -9.8]'", 1);
  sn_assert_contains(program_run.output, "a.mcap: different: ");
  sn_assert_contains(program_run.output,
                     "  first   /dynamics_inv/joints_effort, message 1, 0.0010");
  sn_assert_contains(program_run.output, " after the start: effort[");
  sn_assert_contains(program_run.output, "\n          recorded ");
  sn_assert_contains(program_run.output, "\n          replayed ");
  program_expect("replay a.mcap --json --set plant.bus_delay=2", 1);
  sn_assert_contains(program_run.output, "{\"ok\":false,");
  sn_assert_contains(program_run.output, "\"first\":{\"topic\":\"/plant/joints_measured\",");
  program_expect("replay a.mcap --set plant.bus_delai=2", 1);
  sn_assert_contains(program_run.errors, "'plant' has no property 'bus_delai'");
}

SN_TEST(another_robot_is_another_run) {
  record_outside(SINEW_ROBOTS "/arm6.yaml", "a.mcap", 9);
  program_expect("replay a.mcap --deployment " SINEW_ROBOTS "/arm7.yaml", 1);
  sn_assert_contains(program_run.output, "different");
  sn_assert_contains(program_run.output, ": name\n");
  program_expect("replay a.mcap --deployment " SINEW_ROBOTS "/arm6.yaml", 0); /* the same again */
}

/* Inputs take effect in the same cycle at the same time. */
SN_TEST(real_time_is_repeated_too) {
  char command[1024];
  snprintf(
      command, sizeof command,
      "cd %s; export XDG_RUNTIME_DIR=%s; S=%s\n"
      "$S run %s/quadruped.yaml --headless --record a.mcap 2>log &\n"
      "for i in $(seq 100); do $S ls >>log 2>&1 && break; sleep 0.1; done\n"
      "$S call follow.rosSetOperational data=true --timeout 20 >>log && sleep 0.2 &&\n"
      "$S set dynamics_inv.friction 0.3 --timeout 20 >>log &&\n"
      /* A stop comes from another thread, often in the middle of a cycle. */
      "for i in $(seq 20); do $S stop >>out 2>&1; $S call aggregator.resume name=me --timeout 20 "
      ">>log 2>&1; done; grep -q 'aggregator: stopped' out &&\n"
      "$S call follow.rosSetOperational data=false --timeout 20 >>log\n"
      "R=$?; sleep 0.2; kill $!; wait; exit $R\n",
      program_folder, program_folder, SINEW_PROGRAM, SINEW_ROBOTS);
  sn_test_write(program_folder, "run.sh", command);
  snprintf(command, sizeof command, "bash %s/run.sh", program_folder);
  assert_int_equal(system(command), 0);
  program_expect("replay a.mcap", 0);
  sn_assert_contains(program_run.output, ": equal: ");
  const char *inputs = strstr(program_run.output, "cycles, ");
  assert_non_null(inputs);
  assert_true(strtol(inputs + strlen("cycles, "), NULL, 10) >= 3);
}

/* ---- files that cannot be repeated ---- */

static void damage(const char *file, long at, const char *bytes, size_t size) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", program_folder, file);
  FILE *f = fopen(path, "r+b");
  assert_non_null(f);
  assert_int_equal(fseek(f, at, at < 0 ? SEEK_END : SEEK_SET), 0);
  assert_int_equal(fwrite(bytes, 1, size, f), size);
  fclose(f);
}

/* A place within the first chunk that is compressed. */
static long first_chunk(const char *path) {
  static const char name[] = "zstd";
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  size_t matched = 0;
  for (int byte = fgetc(f); byte != EOF && matched < strlen(name); byte = fgetc(f)) {
    matched = byte == name[matched] ? matched + 1 : byte == name[0];
  }
  assert_int_equal(matched, strlen(name));
  const long at = ftell(f) + 1000;
  fclose(f);
  return at;
}

SN_TEST(damaged_and_foreign_files_are_refused) {
  char path[256];
  struct stat facts;
  snprintf(path, sizeof path, "%s/a.mcap", program_folder);
  program_expect(
      "run " SINEW_ROBOTS "/arm6.yaml --headless --clock sim --duration 1 --record a.mcap", 0);
  damage("a.mcap", first_chunk(path), "oops", 4);
  program_expect("replay a.mcap", 1);
  sn_assert_contains(program_run.errors, "error: the recording is damaged and cannot be repeated");
  program_expect(
      "run " SINEW_ROBOTS "/arm6.yaml --headless --clock sim --duration 1 --record a.mcap", 0);
  damage("a.mcap", 4000, "oops", 4); /* in the deployment */
  program_expect("replay a.mcap", 1);
  sn_assert_contains(program_run.errors, "the checksum of the attachment is wrong");
  program_expect(
      "run " SINEW_ROBOTS "/arm6.yaml --headless --clock sim --duration 2 --record a.mcap", 0);
  assert_int_equal(stat(path, &facts), 0);
  assert_int_equal(truncate(path, facts.st_size / 4 * 3),
                   0); /* as after a crash: the rest can be repeated */
  program_expect("replay a.mcap", 0);
  sn_assert_contains(program_run.errors, "warning: the file was not closed");
  assert_int_equal(truncate(path, (off_t)first_chunk(path)), 0); /* nothing is left to repeat */
  program_expect("replay a.mcap", 1);
  sn_assert_contains(program_run.errors, "it has no cycle that could be repeated");
  sn_test_write(program_folder, "text.mcap", "no recording");
  program_expect("replay text.mcap", 1);
  sn_assert_contains(program_run.errors, "not an MCAP file");
  program_expect("replay none.mcap", 1);
  program_expect("replay", 2);
  program_expect("replay a.mcap b.mcap", 2);
}

/* The recording lacks the deployment or the beginning. */
/* The deployment in a recording may name a library. */
SN_TEST(plugins_of_a_recording_are_loaded_only_when_asked) {
  sn_test_write(program_folder, "plugin.yaml",
                "plugins: ['" SINEW_TEST_PLUGIN
                "']\n"
                "activities: {control: {period: 0.001}}\n"
                "components: {source: {type: Source}}\n");
  program_expect("run plugin.yaml --headless --clock sim --duration 0.1 --record a.mcap", 0);
  program_expect("replay a.mcap", 1);
  sn_assert_contains(program_run.errors, "the plugin '" SINEW_TEST_PLUGIN "' was not loaded");
  sn_assert_contains(program_run.errors, "= hint: the option --plugins loads it");
  program_expect("replay a.mcap --plugins", 0);
  sn_assert_contains(program_run.output, ": equal: ");
}

SN_TEST(recordings_without_the_beginning_are_refused) {
  char path[256];
  outside o = {.recorder = NULL};
  static const app_system_options options = {.is_headless = true};
  snprintf(path, sizeof path, "%s/a.mcap", program_folder);
  sn_clock_init_simulated(&o.app.clock, 0);
  assert_true(app_system_load(&o.app, SINEW_ROBOTS "/arm6.yaml", &options));
  assert_int_equal(sn_system_begin(o.app.system, &o.err), SN_OK);
  assert_int_equal(sn_system_run(o.app.system, 10 * MS, NULL, NULL, &o.err), SN_OK);
  assert_int_equal(
      sn__recorder_start(o.app.system, &(sn_recorder_config){.path = path}, &o.recorder, &o.err),
      SN_OK);
  go(&o, 10 * MS);
  snprintf(path, sizeof path, "%s/b.mcap", program_folder);
  sn_recorder *second = NULL; /* the first one has the journal */
  assert_int_equal(
      sn__recorder_start(o.app.system, &(sn_recorder_config){.path = path}, &second, &o.err),
      SN_OK);
  assert_int_equal(sn__recorder_stop(second, NULL, &o.err), SN_OK);
  assert_int_equal(sn__recorder_stop(o.recorder, NULL, &o.err), SN_OK);
  app_system_free(&o.app);
  program_expect("replay a.mcap", 1);
  sn_assert_contains(program_run.errors, "the recording begins in the middle of a run");
  program_expect("replay b.mcap", 1);
  sn_assert_contains(program_run.errors, "the recording has no journal");
}

SN_TEST_EACH(program_set_up, program_tear_down)
