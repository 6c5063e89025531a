/* `sinew view`: shows a recording in the cockpit and in Foxglove. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "commands.h"
#include "common/print.h"
#include "run/bridges.h"
#include "run/process.h"
#include "view/view_system.h"

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
  (void)number;
  is_interrupted = 1;
}

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = interrupt};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static void pass_log(const view_system *v) {
  sn_log_record record;
  while (sn_log_read(v->log, &record)) {
    char text[1024];
    if (record.level >= SN_LOG_WARNING) {
      sn_log_format(&record, text, sizeof text);
      fprintf(stderr, "sinew view: %s\n", text);
    }
    sn_bridges_log(v->system, &record);
  }
}

static void print_facts(const view_system *v, const char *path) {
  char address[128];
  sn_bridges_address(v->system, address, sizeof address);
  printf("recording: %s, %.3f s, %zu topics\n", path,
         1e-9 * (double)(v->player.end_ns - v->player.start_ns), v->player.output_count);
  if (v->hidden > 0) {
    printf("%zu topics cannot be shown: their types are unknown\n", v->hidden);
  }
  if (!v->has_robot) {
    printf("the recording has no robot: only its curves are shown\n");
  }
  printf("cockpit: %s\n", address);
  fflush(stdout);
}

static int play(view_system *v, const char *path) {
  const struct timespec nap = {.tv_nsec = 50000000};
  sn_error err = {SN_OK, ""};
  sn_status status = sn_system_begin(v->system, &err);
  if (status == SN_OK) {
    print_facts(v, path);
    status = sn_system_launch(v->system, &err);
  }
  while (status == SN_OK && !is_interrupted) {
    nanosleep(&nap, NULL);
    pass_log(v);
  }
  sn_system_end(v->system);
  if (status != SN_OK) {
    fprintf(stderr, "sinew view: %s\n", err.message);
  }
  return status == SN_OK ? EXIT_GOOD : EXIT_NO;
}

typedef struct view_arguments {
  const char *path;
  int64_t port;
} view_arguments;

static int run_view(void *arguments) {
  const view_arguments *a = arguments;
  static view_system v; /* large, and must not be moved */
  if (!file_limit_raise()) {
    return EXIT_FAULT;
  }
  catch_signals();
  const int code = view_system_open(&v, a->path, (int)a->port) ? play(&v, a->path) : EXIT_NO;
  view_system_free(&v);
  return code;
}

#define AT(member) offsetof(view_arguments, member)
static const command_argument argument_table[] = {
    {"FILE.mcap", ARGUMENT_ONE, AT(path), "The recording", WORD_FILE, NULL}, {0}};
static const command_option options[] = {
    {"--port", "N", OPTION_INTEGER, AT(port), .help = "Port of the page; 0 takes a free one",
     .max = 65535},
    {0}};
static const view_arguments initial = {.port = -1};

const command command_view = {
    .name = "view",
    .purpose = "Play a recording in the browser and in Foxglove, until it is interrupted.",
    .arguments = argument_table,
    .options = {options},
    .size = sizeof initial,
    .initial = &initial,
    .run = run_view};
