/* `sinew run`: loads deployments, runs and ends them. Threads of the systems only write to the
 * rings of logs and to the buffers of taps; the main thread prints. */
#define _POSIX_C_SOURCE 200809L

#include "run/run.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "commands.h"
#include "common/print.h"
#include "run/memory.h"
#include "run/process.h"
#include "run/run_fatal.h"
#include "run/run_names.h"
#include "run/run_robot.h"

/* All robots of the process. */
typedef struct running {
  const run_arguments *arguments;
  run_robot *robots;   /* [count] */
  sn_system **systems; /* [count] */
  size_t count;
} running;

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
  (void)number;
  is_interrupted = 1;
  run_fatal_interrupt();
}

/* ---- while they run ---- */

static void drain(running *r) {
  for (size_t i = 0; i < r->count; i++) {
    run_robot_drain(&r->robots[i]);
  }
}

static bool after_cycle(void *context, int64_t now_ns) {
  (void)now_ns;
  run_robot_drain(context);
  return !is_interrupted;
}

/* One after the other: each has its own clock, and none sees the others. */
static sn_status run_simulated(running *r, sn_error *err) {
  const int64_t duration_ns = (int64_t)llround(r->arguments->duration_s * 1e9);
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < r->count && !is_interrupted; i++) {
    status = sn_system_run(r->systems[i], duration_ns, after_cycle, &r->robots[i], err);
  }
  return status;
}

/* Of the clock that the deployment sees, which may be faster than time. */
static double seconds_left(const running *r) {
  const double duration_s = r->arguments->duration_s;
  const run_robot *first = &r->robots[0];
  return duration_s < 0.0
             ? HUGE_VAL
             : duration_s - 1e-9 * (double)(sn_clock_now_ns(&first->app.clock) - first->start_ns);
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
    watchdog_feed(&watchdog, r->systems, r->count);
  }
}

/* The main thread handles signals: they must not delay the threads of components. */
static sn_status run_real(running *r, sn_error *err) {
  sigset_t ours;
  sigset_t before;
  sigemptyset(&ours);
  sigaddset(&ours, SIGINT);
  sigaddset(&ours, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ours, &before);
  const sn_status status = sn_systems_launch(r->systems, r->count, err);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (status == SN_OK) {
    notify("READY=1\nSTATUS=running");
    wait_for_end(r);
    notify("STOPPING=1\nSTATUS=ending");
  }
  return status;
}

static int run_systems(running *r) {
  sn_error err = {0};
  sn_status status = r->count > 1 ? sn_systems_stop_together(r->systems, r->count, &err) : SN_OK;
  for (size_t i = 0; status == SN_OK && i < r->count; i++) {
    status = run_robot_begin(&r->robots[i], &err);
  }
  if (status == SN_OK) {
    memory_use_large_pages();
    status = r->arguments->clock == SN_CLOCK_SIMULATED ? run_simulated(r, &err) : run_real(r, &err);
  }
  bool is_good = status == SN_OK;
  for (size_t i = 0; i < r->count; i++) {
    is_good = run_robot_close(&r->robots[i], status == SN_OK) && is_good;
  }
  for (size_t i = 0; i < r->count; i++) {
    run_robot_end(&r->robots[i]);
  }
  if (status != SN_OK) {
    fprintf(stderr, "sinew run: %s\n", err.message);
  }
  for (size_t i = 0; status == SN_OK && r->arguments->wants_hash && i < r->count; i++) {
    run_robot_print_hash(&r->robots[i]);
  }
  return is_good ? EXIT_GOOD : EXIT_NO;
}

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = interrupt};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
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

static int load(running *r) {
  int code = EXIT_GOOD;
  for (size_t i = 0; i < r->count; i++) {
    const int one = run_robot_load(&r->robots[i]);
    r->systems[i] = r->robots[i].app.system;
    code = one > code ? one : code;
  }
  return code;
}

static int run_loaded(running *r) {
  if (r->arguments->wants_text) {
    return print_deployment(&r->robots[0].app);
  }
  run_fatal_begin((const sn_system *const *)r->systems, r->count);
  catch_signals();
  const int code = run_systems(r);
  run_fatal_end();
  return code;
}

int run_with(const run_arguments *a, const char *const *paths, size_t path_count) {
  running r = {.arguments = a, .count = path_count * (size_t)a->copies};
  memory_keep_large_blocks_apart();
  r.robots = calloc(r.count, sizeof *r.robots);
  r.systems = calloc(r.count, sizeof *r.systems);
  int code = EXIT_FAULT;
  if (r.robots == NULL || r.systems == NULL) {
    (void)out_of_memory();
  } else {
    run_robots_name(a, paths, path_count, r.robots);
    code = load(&r);
    code = code == EXIT_GOOD ? run_loaded(&r) : code;
    for (size_t i = 0; i < r.count; i++) {
      run_robot_free(&r.robots[i]);
    }
  }
  free(r.robots);
  free(r.systems);
  return code;
}

static int run_run(void *arguments) {
  run_arguments *a = arguments;
  if (!run_arguments_complete(a, &command_run)) {
    return EXIT_USAGE;
  }
  return file_limit_raise() ? run_with(a, a->paths.items, a->paths.count) : EXIT_FAULT;
}

static const command_argument run_argument_table[] = {
    {"FILE", ARGUMENT_MANY, offsetof(run_arguments, paths),
     "A robot (.urdf, .xacro, MJCF .xml), a file that names one, or a deployment (.yaml); several "
     "run in one process",
     WORD_FILE, NULL},
    {0}};
static const command_option copies_option_table[] = {
    {"--count", "N", OPTION_INTEGER, offsetof(run_arguments, copies),
     .help = "Run so many of each FILE, with names that end in -1, -2, ...", .min = 1, .max = 1000},
    {0}};
static const run_arguments initial = {.command = "run", RUN_ARGUMENTS_INITIAL};

const command command_run = {
    .name = "run",
    .purpose = "Run robots or deployments until they are interrupted, or for some seconds.",
    .arguments = run_argument_table,
    .options = {robot_option_table, run_option_table, copies_option_table},
    .size = sizeof initial,
    .initial = &initial,
    .run = run_run};
