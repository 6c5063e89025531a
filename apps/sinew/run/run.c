/* `sinew run`: loads a deployment, runs and ends it. Threads of the system only write to the log's
 * ring and to the buffers of taps; the main thread prints. */
#define _POSIX_C_SOURCE 200809L

#include "run/run.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "commands.h"
#include "common/app_system.h"
#include "common/print.h"
#include "record/recorder.h"
#include "remote/remote_log.h"
#include "run/bridges.h"
#include "run/control_path.h"
#include "run/control_server.h"
#include "run/process.h"
#include "run/run_fatal.h"
#include "run/run_hash.h"
#include "run/run_report.h"

enum { RUN_PATH_SIZE = 4096 };

typedef struct running {
  app_system app;
  run_hash hash;
  sn_recorder *recorder;  /* NULL: nothing is recorded */
  control_server *server; /* NULL: no control socket */
  const run_arguments *arguments;
  int64_t start_ns; /* by the clock of the system: time 0 of the log */
} running;

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
  (void)number;
  is_interrupted = 1;
  run_fatal_interrupt();
}

/* ---- while it runs ---- */

static void print_log(const running *r) {
  sn_log_record record;
  while (sn_log_read(r->app.log, &record)) {
    char text[1024];
    sn_log_format(&record, text, sizeof text);
    if (!r->arguments->is_quiet || record.level >= SN_LOG_WARNING) {
      fprintf(stderr, "[%12.6f] %s: %s\n", 1e-9 * (double)(record.now_ns - r->start_ns),
              sn__remote_log_level_text(record.level), text);
    }
    if (r->server != NULL) {
      control_server_log(r->server, &record);
    }
    sn_bridges_log(r->app.system, &record);
  }
}

static void drain(running *r) {
  sn_error err;
  run_hash_drain(&r->hash);
  if (r->recorder != NULL && r->arguments->clock == SN_CLOCK_SIMULATED &&
      sn__recorder_drain(r->recorder, &err) != SN_OK) {
    fprintf(stderr, "sinew run: recording stopped: %s\n", err.message);
  }
  print_log(r);
}

static bool after_cycle(void *context, int64_t now_ns) {
  (void)now_ns;
  drain(context);
  return !is_interrupted;
}

static void run_simulated(running *r, sn_error *err, sn_status *status) {
  *status = sn_system_run(r->app.system, (int64_t)llround(r->arguments->duration_s * 1e9),
                          after_cycle, r, err);
}

/* Of the clock that the deployment sees, which may be faster than time. */
static double seconds_left(const running *r) {
  const double duration_s = r->arguments->duration_s;
  return duration_s < 0.0
             ? HUGE_VAL
             : duration_s - 1e-9 * (double)(sn_clock_now_ns(&r->app.clock) - r->start_ns);
}

/* Wakes often enough to keep the buffers of log and outputs from overflowing, and no more often:
   each time costs some 15 us. */
static void wait_for_end(running *r) {
  const double nap_s = 0.02;
  const double pace = r->arguments->clock == SN_CLOCK_ACCELERATED ? r->arguments->factor : 1.0;
  watchdog_state watchdog = {.period_ns = notify_watchdog_ns() / 2};
  for (double left_s = seconds_left(r); !is_interrupted && left_s > 0.0; left_s = seconds_left(r)) {
    const double seconds = fmin(nap_s, left_s / pace);
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds) + 1}, NULL);
    drain(r);
    watchdog_feed(&watchdog, r->app.system);
  }
}

/* The main thread handles signals: they must not delay the threads of components. */
static void run_real(running *r, sn_error *err, sn_status *status) {
  sigset_t ours;
  sigset_t before;
  sigemptyset(&ours);
  sigaddset(&ours, SIGINT);
  sigaddset(&ours, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ours, &before);
  *status = sn_system_launch(r->app.system, err);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (*status == SN_OK) {
    notify("READY=1\nSTATUS=running");
    wait_for_end(r);
    notify("STOPPING=1\nSTATUS=ending");
  }
}

/* A robot that cannot be stopped from outside does not start. With a simulated clock there is a
 * socket only on request, so that runs are reproducible. */
static sn_status open_socket(running *r, sn_error *err) {
  const run_arguments *a = r->arguments;
  if (a->socket == NULL && a->name == NULL && a->clock == SN_CLOCK_SIMULATED) {
    return SN_OK;
  }
  char path[CONTROL_PATH_SIZE];
  sn_status status = control_path(a->socket, a->name, path, err);
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
static void print_address(const running *r) {
  char address[128];
  sn_bridges_address(r->app.system, address, sizeof address);
  if (address[0] != '\0') {
    printf("cockpit: %s\n", address);
    fflush(stdout);
  } else if (!r->arguments->is_headless && r->arguments->clock != SN_CLOCK_SIMULATED) {
    fprintf(stderr, "sinew %s: without a cockpit: %s\n", r->arguments->command,
            app_system_has_cockpit(&r->app)
                ? "the deployment has none; add 'cockpit: {type: cockpit}' or "
                  "'include: [standard.yaml]'"
                : "this build does not include it");
  }
}

static sn_status start_recording(running *r, sn_error *err) {
  if (r->arguments->record == NULL) {
    return SN_OK;
  }
  const sn_recorder_config config = {.path = r->arguments->record,
                                     .outputs = r->arguments->record_outputs.items,
                                     .output_count = r->arguments->record_outputs.count,
                                     .rate_Hz = r->arguments->record_rate};
  return sn__recorder_start(r->app.system, &config, &r->recorder, err);
}

/* ---- the end ---- */

/* Runs before the components end: queued messages may refer to their names. @return whether the
 * recording is complete; otherwise a message was printed */
static bool stop_recording(running *r) {
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
static size_t report_errors(const running *r) {
  const sn_system *system = r->app.system;
  size_t count = 0;
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    const sn_component_info info = sn_component_info_of(component);
    if (info.state == SN_STATE_ERROR) {
      const bool has_status = info.fault == SN_STEP_FAULT_STATUS;
      fprintf(stderr, "sinew run: component '%s' is in error: %s%s%s, at %.6f s\n", component->name,
              sn_step_fault_text(info.fault), has_status ? ": " : "",
              has_status ? sn_status_text(info.fault_status) : "",
              1e-9 * (double)(info.fault_ns - r->start_ns));
      count++;
    }
  }
  return count;
}

static void print_hash(const running *r) {
  uint64_t messages = 0;
  uint64_t lost = 0;
  const uint64_t hash = run_hash_value(&r->hash, &messages, &lost);
  printf("hash %016" PRIx64 " messages %" PRIu64 "\n", hash, messages);
  if (lost > 0 || r->hash.is_out_of_memory) {
    fprintf(stderr, "sinew run: the hash lacks %" PRIu64 " messages\n", lost);
  }
}

static int run_system(running *r) {
  sn_error err = {0};
  sn_system *system = r->app.system;
  sn_status status = SN_OK;
  r->start_ns = sn_clock_now_ns(&r->app.clock);
  if (r->arguments->wants_hash &&
      !run_hash_open(&r->hash, system, r->arguments->clock == SN_CLOCK_SIMULATED ? 32 : 1024,
                     &err)) {
    status = SN_EINVAL;
  }
  if (status == SN_OK) {
    status = start_recording(r, &err);
  }
  if (status == SN_OK) {
    status = sn_system_begin(system, &err);
  }
  if (status == SN_OK) {
    status = open_socket(r, &err);
  }
  if (status == SN_OK) {
    print_address(r);
  }
  if (status == SN_OK && r->arguments->clock == SN_CLOCK_SIMULATED) {
    run_simulated(r, &err, &status);
  } else if (status == SN_OK) {
    run_real(r, &err, &status);
  }
  const size_t troubles = status == SN_OK ? report_errors(r) : 0;
  control_server_stop(r->server);
  r->server = NULL;
  const bool is_recorded = stop_recording(r);
  sn_system_halt(system);
  drain(r); /* the last messages, before cleanup frees their names */
  sn_system_end(system);
  print_log(r);
  if (sn_log_dropped(r->app.log) > 0) {
    fprintf(stderr, "sinew run: %" PRIu64 " lines of the log were dropped\n",
            sn_log_dropped(r->app.log));
  }
  if (status != SN_OK) {
    fprintf(stderr, "sinew run: %s\n", err.message);
  } else if (r->arguments->wants_hash) {
    print_hash(r);
  }
  return status == SN_OK && troubles == 0 && is_recorded ? EXIT_GOOD : EXIT_NO;
}

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = interrupt};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static void init_clock(sn_clock *clock, const run_arguments *a) {
  if (a->clock == SN_CLOCK_SIMULATED) {
    sn_clock_init_simulated(clock, 0);
  } else if (a->clock == SN_CLOCK_MONOTONIC) {
    sn_clock_init_monotonic(clock);
  } else {
    (void)sn_clock_init_accelerated(clock, 0, a->factor, NULL); /* checked before */
  }
}

static int print_deployment(const app_system *p) {
  char *text = app_system_text(p, false);
  if (text == NULL) {
    return out_of_memory();
  }
  fputs(text, stdout);
  free(text);
  return EXIT_GOOD;
}

static int run_app(running *r) {
  const run_arguments *a = r->arguments;
  const sn_deployment *deployment = r->app.deployment;
  if (r->app.system == NULL) {
    return EXIT_NO;
  }
  if (a->wants_text) {
    return print_deployment(&r->app);
  }
  if (sn_deployment_component_count(deployment) == 0) {
    fprintf(stderr, "%s: error: the deployment has no components\n", a->path);
    return EXIT_NO;
  }
  run_fatal_begin(r->app.system);
  catch_signals();
  const int code = run_system(r);
  run_fatal_end();
  return code;
}

int run_with(const run_arguments *a) {
  running r = {.arguments = a};
  char beside[RUN_PATH_SIZE];
  const text_list properties = run_find_properties(a, beside, sizeof beside);
  const app_system_options options = {.settings = a->settings.items,
                                      .setting_count = a->settings.count,
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
                                      .has_ros2 = a->has_ros2};
  init_clock(&r.app.clock, a);
  int code = EXIT_FAULT;
  if (!app_system_load(&r.app, a->path, &options)) {
    (void)out_of_memory();
  } else {
    run_report_problems(&r.app, a);
    run_report_no_stance(&r.app, a);
    code = run_app(&r);
  }
  run_hash_close(&r.hash);
  app_system_free(&r.app);
  return code;
}

static int run_run(void *arguments) {
  run_arguments *a = arguments;
  if (!run_arguments_complete(a, &command_run)) {
    return EXIT_USAGE;
  }
  return file_limit_raise() ? run_with(a) : EXIT_FAULT;
}

static const command_argument run_argument_table[] = {
    {"FILE", ARGUMENT_ONE, offsetof(run_arguments, path),
     "A robot (.urdf, .xacro, MJCF .xml), a file that names one, or a deployment (.yaml)",
     WORD_FILE, NULL},
    {0}};
static const run_arguments initial = {.command = "run", RUN_ARGUMENTS_INITIAL};

const command command_run = {
    .name = "run",
    .purpose = "Run a robot or a deployment until it is interrupted, or for some seconds.",
    .arguments = run_argument_table,
    .options = {robot_option_table, run_option_table},
    .size = sizeof initial,
    .initial = &initial,
    .run = run_run};
