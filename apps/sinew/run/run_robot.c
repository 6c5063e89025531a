#include "run/run_robot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "common/print.h"
#include "remote/remote_log.h"
#include "run/bridges.h"
#include "run/control_path.h"
#include "run/run_report.h"

/* ---- loading ---- */

static void init_clock(sn_clock *clock, const run_arguments *a) {
  if (a->clock == SN_CLOCK_SIMULATED) {
    sn_clock_init_simulated(clock, 0);
  } else if (a->clock == SN_CLOCK_MONOTONIC) {
    sn_clock_init_monotonic(clock);
  } else {
    (void)sn_clock_init_accelerated(clock, 0, a->factor, NULL); /* checked before */
  }
}

static int check(const run_robot *r) {
  if (r->app.system == NULL) {
    return EXIT_NO;
  }
  if (!r->arguments->wants_text && sn_deployment_component_count(r->app.deployment) == 0) {
    fprintf(stderr, "%s: error: the deployment has no components\n", r->path);
    return EXIT_NO;
  }
  return EXIT_GOOD;
}

int run_robot_load(run_robot *r) {
  const run_arguments *a = r->arguments;
  char beside[RUN_PATH_SIZE];
  const text_list properties = run_find_properties(a, r->path, !r->is_copy, beside, sizeof beside);
  const char *settings[TEXT_LIST_MAX + 1];
  size_t count = 0;
  for (; count < a->settings.count; count++) {
    settings[count] = a->settings.items[count];
  }
  if (r->port_setting[0] != '\0') {
    settings[count++] = r->port_setting;
  }
  const app_system_options options = {.settings = settings,
                                      .setting_count = count,
                                      .robot = a->robot,
                                      .properties = properties.items,
                                      .property_count = properties.count,
                                      .property_file = *beside == '\0' ? NULL : beside,
                                      .package_path = robot_package_path(&a->robot_options),
                                      .xacro_arguments = robot_xacro_arguments(&a->robot_options),
                                      .srdf_file = a->robot_options.srdf,
                                      .is_headless = a->is_headless,
                                      .is_hanging = a->is_hanging,
                                      .has_plugins = true,
                                      .has_ros1 = a->has_ros1,
                                      .has_ros2 = a->has_ros2,
                                      .has_small_log = r->is_one_of_many};
  init_clock(&r->app.clock, a);
  if (!app_system_load(&r->app, r->path, &options)) {
    (void)out_of_memory();
    return EXIT_FAULT;
  }
  if (!r->is_copy || r->app.system == NULL) {
    run_report_problems(&r->app, a, r->path);
    run_report_no_stance(&r->app, a);
  }
  return check(r);
}

void run_robot_free(run_robot *r) {
  run_hash_close(&r->hash);
  app_system_free(&r->app);
}

/* ---- beginning ---- */

/* A robot that cannot be stopped from outside does not start. With a simulated clock there is a
 * socket only on request, so that runs are reproducible. */
static sn_status open_socket(run_robot *r, sn_error *err) {
  const run_arguments *a = r->arguments;
  if (a->socket == NULL && a->name == NULL && a->clock == SN_CLOCK_SIMULATED) {
    return SN_OK;
  }
  char path[CONTROL_PATH_SIZE];
  sn_status status = control_path(a->socket, r->name, path, err);
  if (status == SN_OK) {
    status = control_server_start(r->app.system, path, &r->server, err);
  }
  if (status != SN_OK) {
    const sn_error reason = *err;
    (void)sn__fail(err, status, "no control socket, so 'sinew stop' cannot reach the system: %s",
                   reason.message);
  }
  return status;
}

/* Print the address of the cockpit, or why there is none. */
static void print_address(const run_robot *r) {
  char address[128];
  sn_bridges_address(r->app.system, address, sizeof address);
  if (address[0] != '\0') {
    printf("cockpit: %s%s%s\n", address, r->is_one_of_many ? " " : "",
           r->is_one_of_many ? r->name : "");
    fflush(stdout);
  } else if (!r->arguments->is_headless && r->arguments->clock != SN_CLOCK_SIMULATED) {
    fprintf(stderr, "sinew %s: without a cockpit: %s\n", r->arguments->command,
            app_system_has_cockpit(&r->app)
                ? "the deployment has none; add 'cockpit: {type: cockpit}' or "
                  "'include: [standard.yaml]'"
                : "this build does not include it");
  }
}

static sn_status start_recording(run_robot *r, sn_error *err) {
  if (r->record[0] == '\0') {
    return SN_OK;
  }
  sn_recorder_config config = sn__recorder_settings(r->app.system);
  config.path = r->record;
  if (r->arguments->record_outputs.count > 0) {
    config.outputs = r->arguments->record_outputs.items;
    config.output_count = r->arguments->record_outputs.count;
  }
  if (r->arguments->record_rate > 0.0) {
    config.rate_Hz = r->arguments->record_rate;
  }
  return sn__recorder_start(r->app.system, &config, &r->recorder, err);
}

sn_status run_robot_begin(run_robot *r, sn_error *err) {
  sn_system *system = r->app.system;
  sn_status status = SN_OK;
  r->start_ns = sn_clock_now_ns(&r->app.clock);
  if (r->arguments->wants_hash &&
      !run_hash_open(&r->hash, system, r->arguments->clock == SN_CLOCK_SIMULATED ? 32 : 1024,
                     err)) {
    status = SN_EINVAL;
  }
  if (status == SN_OK) {
    status = start_recording(r, err);
  }
  if (status == SN_OK) {
    status = sn_system_begin(system, err);
  }
  if (status == SN_OK) {
    status = open_socket(r, err);
  }
  if (status == SN_OK) {
    print_address(r);
  }
  return status;
}

/* ---- while it runs ---- */

static void print_log(const run_robot *r) {
  sn_log_record record;
  while (sn_log_read(r->app.log, &record)) {
    char text[1024];
    sn_log_format(&record, text, sizeof text);
    if (!r->arguments->is_quiet || record.level >= SN_LOG_WARNING) {
      fprintf(stderr, "[%12.6f] %s%s%s: %s\n", 1e-9 * (double)(record.now_ns - r->start_ns),
              r->is_one_of_many ? r->name : "", r->is_one_of_many ? ": " : "",
              sn__remote_log_level_text(record.level), text);
    }
    if (r->server != NULL) {
      control_server_log(r->server, &record);
    }
    sn_bridges_log(r->app.system, &record);
  }
}

void run_robot_drain(run_robot *r) {
  sn_error err;
  run_hash_drain(&r->hash);
  if (r->recorder != NULL && r->arguments->clock == SN_CLOCK_SIMULATED &&
      sn__recorder_drain(r->recorder, &err) != SN_OK) {
    fprintf(stderr, "sinew run: recording stopped: %s\n", err.message);
  }
  print_log(r);
}

/* ---- the end ---- */

/* Runs before the components end: queued messages may refer to their names. @return whether the
 * recording is complete; otherwise a message was printed */
static bool stop_recording(run_robot *r) {
  sn_recorder_info info = {0};
  sn_error err;
  const sn_status status = sn__recorder_stop(r->recorder, &info, &err);
  r->recorder = NULL;
  if (status != SN_OK) {
    fprintf(stderr, "sinew run: the recording is not complete: %s\n", err.message);
  } else if (info.lost > 0) {
    fprintf(stderr, "sinew run: the recording lost %" PRIu64 " messages\n", info.lost);
  }
  return status == SN_OK;
}

/* Report components in the error state. @return their number */
static size_t report_errors(const run_robot *r) {
  const sn_system *system = r->app.system;
  size_t count = 0;
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    const sn_component_info info = sn_component_info_of(component);
    if (info.state == SN_STATE_ERROR) {
      const bool has_status = info.fault == SN_STEP_FAULT_STATUS;
      fprintf(stderr, "sinew run: %s%scomponent '%s' is in error: %s%s%s, at %.6f s\n",
              r->is_one_of_many ? r->name : "", r->is_one_of_many ? ": " : "", component->name,
              sn_step_fault_text(info.fault), has_status ? ": " : "",
              has_status ? sn_status_text(info.fault_status) : "",
              1e-9 * (double)(info.fault_ns - r->start_ns));
      count++;
    }
  }
  return count;
}

bool run_robot_close(run_robot *r, bool has_run) {
  const size_t troubles = has_run ? report_errors(r) : 0;
  control_server_stop(r->server);
  r->server = NULL;
  const bool is_recorded = stop_recording(r);
  return troubles == 0 && is_recorded;
}

void run_robot_end(run_robot *r) {
  sn_system_halt(r->app.system);
  run_robot_drain(r); /* the last messages, before cleanup frees their names */
  sn_system_end(r->app.system);
  print_log(r);
  if (sn_log_dropped(r->app.log) > 0) {
    fprintf(stderr, "sinew run: %" PRIu64 " lines of the log were dropped\n",
            sn_log_dropped(r->app.log));
  }
}

void run_robot_print_hash(const run_robot *r) {
  uint64_t messages = 0;
  uint64_t lost = 0;
  const uint64_t hash = run_hash_value(&r->hash, &messages, &lost);
  printf("hash %016" PRIx64 " messages %" PRIu64 "%s%s\n", hash, messages,
         r->is_one_of_many ? " " : "", r->is_one_of_many ? r->name : "");
  if (lost > 0 || r->hash.is_out_of_memory) {
    fprintf(stderr, "sinew run: the hash lacks %" PRIu64 " messages\n", lost);
  }
}
