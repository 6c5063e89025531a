/* `sinew view`: shows a recording in the cockpit and in Foxglove. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Pages find the next recording at the address of the one before. */
static int port_of(const view_system *v, int otherwise) {
  char address[128];
  sn_bridges_address(v->system, address, sizeof address);
  const char *colon = strrchr(address, ':');
  const long port = colon == NULL ? 0 : strtol(colon + 1, NULL, 10);
  return port > 0 ? (int)port : otherwise;
}

/* Until the program is interrupted or a page asks for another recording.
   @param port  receives the one that was found */
static bool play(view_system *v, const char *path, int *port, view_files *files) {
  const struct timespec nap = {.tv_nsec = 50000000};
  sn_error err = {SN_OK, ""};
  sn_status status = sn_system_begin(v->system, &err);
  if (status == SN_OK) {
    print_facts(v, path);
    *port = port_of(v, *port);
    status = sn_system_launch(v->system, &err);
  }
  while (status == SN_OK && !is_interrupted && !view_files_is_wanted(files)) {
    nanosleep(&nap, NULL);
    pass_log(v);
  }
  sn_system_end(v->system);
  if (status != SN_OK) {
    fprintf(stderr, "sinew view: %s\n", err.message);
  }
  return status == SN_OK;
}

static bool show(const char *path, int *port, view_files *files) {
  static view_system v; /* large, and must not be moved */
  const bool is_good = view_system_open(&v, path, *port, files) && play(&v, path, port, files);
  view_system_free(&v);
  return is_good;
}

/* A recording that cannot be played leaves the one before. */
static int show_all(const char *first, int port, view_files *files) {
  char path[VIEW_PATH_SIZE], next[VIEW_PATH_SIZE];
  if (snprintf(path, sizeof path, "%s", first) >= (int)sizeof path) {
    fputs("sinew view: the path is too long\n", stderr);
    return EXIT_NO;
  }
  if (!show(path, &port, files)) {
    return EXIT_NO;
  }
  while (!is_interrupted && view_files_take(files, next, sizeof next)) {
    if (show(next, &port, files)) {
      memcpy(path, next, sizeof path);
    } else if (!show(path, &port, files)) {
      return EXIT_NO;
    }
  }
  return EXIT_GOOD;
}

typedef struct view_arguments {
  const char *path;
  int64_t port;
} view_arguments;

static int run_view(void *arguments) {
  const view_arguments *a = arguments;
  view_files files;
  if (!file_limit_raise()) {
    return EXIT_FAULT;
  }
  if (!view_files_init(&files, a->path)) {
    fputs("sinew view: the path is too long\n", stderr);
    return EXIT_NO;
  }
  catch_signals();
  const int code = show_all(a->path, (int)a->port, &files);
  view_files_free(&files);
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
