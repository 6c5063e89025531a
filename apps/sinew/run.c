/* `sinew run`: a deployment, built, begun, run and ended. Threads of the system only write into the
   log's ring and the buffers of taps; all printing is done here. */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "commands.h"
#include "control_path.h"
#include "control_server.h"
#include "numbers.h"
#include "plan.h"
#include "problems.h"
#include "remote/remote_log.h"
#include "run_hash.h"
#include "sinew/recorder.h"

enum { SETTINGS_MAX = 256 };

typedef struct arguments {
  const char *path;
  bool is_headless;
  sn_clock_kind clock;
  double factor;
  double duration_s; /* negative: until interrupted */
  bool wants_hash;
  const char *record; /* file to record to, or NULL */
  const char *socket; /* of control; NULL: by name */
  const char *name;
  const char *settings[SETTINGS_MAX];
  size_t setting_count;
} arguments;

typedef struct running {
  plan plan;
  run_hash hash;
  sn_recorder *recorder;  /* NULL: nothing is recorded */
  control_server *server; /* NULL: nobody can ask */
  const arguments *arguments;
  int64_t start_ns; /* by the clock of the system: the log counts from here */
} running;

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
  (void)number;
  is_interrupted = 1;
}

/* ---- arguments ---- */

static bool parse_number(const char *text, double *out) {
  const char *end = number_at(text, out);
  return end != NULL && *end == '\0';
}

static bool parse_clock(const char *text, arguments *a) {
  if (strcmp(text, "real") == 0) {
    a->clock = SN_CLOCK_MONOTONIC;
    return true;
  }
  if (strcmp(text, "sim") == 0) {
    a->clock = SN_CLOCK_SIMULATED;
    return true;
  }
  a->clock = SN_CLOCK_ACCELERATED;
  return parse_number(text + (*text == 'x'), &a->factor) && a->factor >= 1e-3 && a->factor <= 1e6;
}

/* @return false if the argument at *i is not understood */
static bool parse_argument(int argc, char **argv, int *i, arguments *a) {
  const char *name = argv[*i];
  const char *value = *i + 1 < argc ? argv[*i + 1] : NULL;
  if (strcmp(name, "--headless") == 0) {
    a->is_headless = true;
    return true;
  }
  if (strcmp(name, "--hash") == 0) {
    a->wants_hash = true;
    return true;
  }
  if (name[0] != '-') {
    const bool is_first = a->path == NULL;
    a->path = name;
    return is_first;
  }
  (*i)++;
  if (value == NULL) {
    (*i)--;
    return false;
  }
  if (strcmp(name, "--clock") == 0) {
    return parse_clock(value, a);
  }
  if (strcmp(name, "--duration") == 0) { /* nine digits of nanoseconds fit behind 1e9 s */
    return parse_number(value, &a->duration_s) && a->duration_s >= 0.0 && a->duration_s <= 1e9;
  }
  if (strcmp(name, "--set") == 0 && a->setting_count < SETTINGS_MAX) {
    a->settings[a->setting_count++] = value;
    return true;
  }
  if (strcmp(name, "--record") == 0) {
    a->record = value;
    return true;
  }
  if (strcmp(name, "--socket") == 0 || strcmp(name, "--name") == 0) {
    *(strcmp(name, "--name") == 0 ? &a->name : &a->socket) = value;
    return true;
  }
  (*i)--;
  return false;
}

static int refuse(const char *message) {
  fprintf(stderr, "sinew run: %s\n", message);
  return EXIT_USAGE;
}

/* ---- while it runs ---- */

static void print_log(const running *r) {
  sn_log_record record;
  while (sn_log_read(r->plan.log, &record)) {
    char text[1024];
    sn_log_format(&record, text, sizeof text);
    fprintf(stderr, "[%12.6f] %s: %s\n", 1e-9 * (double)(record.now_ns - r->start_ns),
            sn__remote_log_level_text(record.level), text);
    if (r->server != NULL) {
      control_server_log(r->server, &record);
    }
  }
}

static void look_after(running *r) {
  sn_error err;
  run_hash_drain(&r->hash);
  if (r->recorder != NULL && r->arguments->clock == SN_CLOCK_SIMULATED &&
      sn_recorder_drain(r->recorder, &err) != SN_OK) {
    fprintf(stderr, "sinew run: nothing is recorded any more: %s\n", err.message);
  }
  print_log(r);
}

static bool after_cycle(void *context, int64_t now_ns) {
  (void)now_ns;
  look_after(context);
  return !is_interrupted;
}

static void run_simulated(running *r, sn_error *err, sn_status *status) {
  *status = sn_system_run(r->plan.system, (int64_t)llround(r->arguments->duration_s * 1e9),
                          after_cycle, r, err);
}

/* The main thread wakes often enough for the buffers of the log and of the outputs. */
static void wait_for_end(running *r) {
  const double duration_s = r->arguments->duration_s;
  const struct timespec nap = {.tv_nsec = 5000000};
  while (!is_interrupted &&
         (duration_s < 0.0 ||
          1e-9 * (double)(sn_clock_now_ns(&r->plan.clock) - r->start_ns) < duration_s)) {
    nanosleep(&nap, NULL);
    look_after(r);
  }
}

/* Signals are for the main thread: one that wakes a component's thread would cost it its time. */
static void run_real(running *r, sn_error *err, sn_status *status) {
  sigset_t ours;
  sigset_t before;
  sigemptyset(&ours);
  sigaddset(&ours, SIGINT);
  sigaddset(&ours, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ours, &before);
  *status = sn_system_launch(r->plan.system, err);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (*status == SN_OK) {
    wait_for_end(r);
  }
}

/* Whoever asked for a socket must get it. Without being asked a second system goes without one, and
   a simulated clock, whose runs should not be disturbed, always does. */
static sn_status open_socket(running *r, sn_error *err) {
  const arguments *a = r->arguments;
  const bool is_asked = a->socket != NULL || a->name != NULL;
  if (!is_asked && a->clock == SN_CLOCK_SIMULATED) {
    return SN_OK;
  }
  char path[CONTROL_PATH_SIZE];
  sn_status status = control_path(a->socket, a->name, path, err);
  if (status == SN_OK) {
    status = control_server_start(r->plan.system, path, &r->server, err);
  }
  if (status != SN_OK && !is_asked) {
    fprintf(stderr, "sinew run: warning: without a control socket: %s\n", err->message);
    status = SN_OK;
  }
  return status;
}

static sn_status start_recording(running *r, sn_error *err) {
  if (r->arguments->record == NULL) {
    return SN_OK;
  }
  const sn_recorder_config config = {.path = r->arguments->record};
  return sn_recorder_start(r->plan.system, &config, &r->recorder, err);
}

/* ---- the end ---- */

/* Before the components go: messages that wait may hold names of theirs.
   @return whether the recording is complete; otherwise it was told */
static bool stop_recording(running *r) {
  sn_recorder_info info = {0};
  sn_error err;
  const sn_status status = sn_recorder_stop(r->recorder, &info, &err);
  r->recorder = NULL;
  if (status != SN_OK) {
    fprintf(stderr, "sinew run: the recording is not complete: %s\n", err.message);
  } else if (info.lost > 0) {
    fprintf(stderr, "sinew run: the recording misses %" PRIu64 " messages\n", info.lost);
  }
  return status == SN_OK;
}

/* @return how many components are held in the error state, each told */
static size_t tell_troubles(const running *r) {
  const sn_system *system = r->plan.system;
  size_t count = 0;
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    const sn_component_info info = sn_component_info_of(component);
    if (info.state == SN_STATE_ERROR) {
      const bool has_status = info.trouble == SN_TROUBLE_STATUS;
      fprintf(stderr, "sinew run: component '%s' is in error: %s%s%s, at %.6f s\n", component->name,
              sn_trouble_text(info.trouble), has_status ? ": " : "",
              has_status ? sn_status_text(info.trouble_status) : "",
              1e-9 * (double)(info.trouble_ns - r->start_ns));
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
    fprintf(stderr, "sinew run: the hash misses %" PRIu64 " messages\n", lost);
  }
}

static int run_system(running *r) {
  sn_error err = {0};
  sn_system *system = r->plan.system;
  sn_status status = SN_OK;
  r->start_ns = sn_clock_now_ns(&r->plan.clock);
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
  if (status == SN_OK && r->arguments->clock == SN_CLOCK_SIMULATED) {
    run_simulated(r, &err, &status);
  } else if (status == SN_OK) {
    run_real(r, &err, &status);
  }
  const size_t troubles = status == SN_OK ? tell_troubles(r) : 0;
  control_server_stop(r->server);
  r->server = NULL;
  const bool is_recorded = stop_recording(r);
  sn_system_halt(system);
  look_after(r); /* what was written last, with names that go with cleanup */
  sn_system_end(system);
  print_log(r);
  if (sn_log_dropped(r->plan.log) > 0) {
    fprintf(stderr, "sinew run: %" PRIu64 " lines of the log were dropped\n",
            sn_log_dropped(r->plan.log));
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

static int run_plan(const arguments *a) {
  running r = {.arguments = a};
  if (a->clock == SN_CLOCK_SIMULATED) {
    sn_clock_init_simulated(&r.plan.clock, 0);
  } else if (a->clock == SN_CLOCK_MONOTONIC) {
    sn_clock_init_monotonic(&r.plan.clock);
  } else {
    (void)sn_clock_init_accelerated(&r.plan.clock, 0, a->factor, NULL); /* checked before */
  }
  int code = EXIT_FAULT;
  if (!plan_load(&r.plan, a->path, a->settings, a->setting_count)) {
    fputs("sinew: out of memory\n", stderr);
  } else {
    problems_print(r.plan.report);
    catch_signals();
    code = r.plan.system == NULL ? EXIT_NO : run_system(&r);
  }
  run_hash_close(&r.hash);
  plan_free(&r.plan);
  return code;
}

int command_run(int argc, char **argv) {
  arguments a = {.clock = SN_CLOCK_MONOTONIC, .duration_s = -1.0};
  for (int i = 1; i < argc; i++) {
    if (!parse_argument(argc, argv, &i, &a)) {
      return command_misused(argv[0], argv[i]);
    }
  }
  if (a.path == NULL) {
    return command_misused(argv[0], NULL);
  }
  if (!a.is_headless) {
    return refuse("the cockpit is not there yet: add --headless");
  }
  if (a.clock == SN_CLOCK_SIMULATED && a.duration_s < 0.0) {
    return refuse("a simulated clock needs --duration: nothing would end it");
  }
  const char *dot = strrchr(a.path, '.');
  if (dot != NULL && strcmp(dot, ".urdf") == 0) {
    return refuse("a URDF alone cannot be run yet: name a deployment (.yaml)");
  }
  return run_plan(&a);
}
