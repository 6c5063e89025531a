/* What clients of the control socket do to the cycle: lateness and duration of a 1 kHz activity of
   ten components, alone and with 64 clients in another process that ask as fast as they can and
   read a stream each. One JSON line a case; `rss_kB` is what the process holds at the end.

   usage: bench_control [SECONDS [PRIORITY]]     5 and 80; priority 0 is the usual scheduler */
#define _GNU_SOURCE /* kill() */

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/histogram.h"
#include "run/control_path.h"
#include "run/control_server.h"
#include "sinew/msg_types.h"

#define PARTS 10
#define JOINTS 30
#define CLIENTS 64

typedef struct part {
  sn_component base;
  double gain;
  sn_output out;
  sn_input in;
} part;

static sn_status step(sn_component *component, int64_t now_ns) {
  part *p = (part *)component;
  const sn_joint_state *before = sn_input_read(&p->in, NULL);
  sn_joint_state *joints = p->out.msg;
  joints->header.stamp_ns = now_ns;
  joints->position.count = JOINTS;
  for (size_t i = 0; i < JOINTS; i++) {
    joints->position.data[i] =
        before == NULL ? (double)i : 0.5 * before->position.data[i] + p->gain;
  }
  return sn_output_write(&p->out);
}

static const sn_property properties[] = {
    SN_PROPERTY(part, "gain", gain, .flags = SN_PROPERTY_LIVE, .initial = "1"),
    {.name = NULL},
};
static const sn_port ports[] = {
    SN_INPUT(part, "in", in, &sn_joint_state_type, .doc = ""),
    SN_OUTPUT(part, "out", out, &sn_joint_state_type, .doc = ""),
    {.name = NULL},
};
static const sn_component_type part_type = {.abi = SN_COMPONENT_ABI,
                                            .name = "Part",
                                            .size = sizeof(part),
                                            .properties = properties,
                                            .ports = ports,
                                            .step = step};

static void need(sn_status status, const sn_error *err) {
  if (status != SN_OK) {
    fprintf(stderr, "bench_control: %s\n", err->message);
    exit(1);
  }
}

static sn_activity *build(sn_system *system, int priority) {
  sn_error err = {SN_OK, ""};
  sn_activity *activity = NULL;
  const sn_activity_config cycle = {
      .name = "cycle", .period_ns = 1000000, .priority = priority, .lock_memory = priority > 0};
  need(sn_system_add_activity(system, &cycle, &activity, &err), &err);
  for (int i = 0; i < PARTS; i++) {
    char name[16];
    char from[16];
    char to[16];
    sn_component *component = NULL;
    snprintf(name, sizeof name, "p%d", i);
    need(sn_system_add(system, &part_type, name, &component, &err), &err);
    need(sn_system_assign(system, component, activity, INT64_C(1000000000), &err), &err);
    snprintf(from, sizeof from, "p%d.out", i - 1);
    snprintf(to, sizeof to, "p%d.in", i);
    const sn_connection latest = {0};
    if (i > 0) {
      need(sn_system_connect(system, from, to, &latest, &err), &err);
    }
  }
  return activity;
}

/* ---- the flood, in a separate process ---- */

static volatile sig_atomic_t is_over;

static void end(int signal) {
  (void)signal;
  is_over = 1;
}

static uint64_t count_lines(const char *bytes, ssize_t count) {
  uint64_t lines = 0;
  for (ssize_t i = 0; i < count; i++) {
    lines += bytes[i] == '\n';
  }
  return lines;
}

/* Requests of two kinds in turn; a whole number of lines goes each time or nothing. */
static void flood(const char *path, int report) {
  static const char begin[] = "{\"id\":0,\"verb\":\"echo\",\"name\":\"p9.out\",\"rate\":50}\n";
  static const char more[] =
      "{\"id\":1,\"verb\":\"top\"}\n"
      "{\"id\":2,\"verb\":\"set\",\"name\":\"p3.gain\",\"value\":1.5}\n";
  static char bytes[65536];
  struct pollfd polls[CLIENTS];
  size_t left[CLIENTS] = {0};
  uint64_t answers = 0;
  sn_error err;
  signal(SIGTERM, end);
  for (size_t i = 0; i < CLIENTS; i++) {
    polls[i] = (struct pollfd){-1, POLLIN | POLLOUT, 0};
    while (control_path_connect(path, &polls[i].fd, &err) != SN_OK && !is_over) {
      poll(NULL, 0, 5);
    }
    (void)!send(polls[i].fd, begin, sizeof begin - 1, MSG_NOSIGNAL);
  }
  while (!is_over) {
    if (poll(polls, CLIENTS, 100) <= 0) {
      continue;
    }
    for (size_t i = 0; i < CLIENTS; i++) {
      if ((polls[i].revents & POLLIN) != 0) {
        answers += count_lines(bytes, recv(polls[i].fd, bytes, sizeof bytes, MSG_DONTWAIT));
      }
      if ((polls[i].revents & POLLOUT) != 0) {
        const size_t at = (sizeof more - 1 - left[i]) % (sizeof more - 1);
        const ssize_t sent =
            send(polls[i].fd, more + at, sizeof more - 1 - at, MSG_DONTWAIT | MSG_NOSIGNAL);
        left[i] = sizeof more - 1 - at - (sent > 0 ? (size_t)sent : 0);
      }
    }
  }
  (void)!write(report, &answers, sizeof answers);
  _exit(0);
}

static long resident_kB(void) {
  long pages[2] = {0, 0};
  FILE *file = fopen("/proc/self/statm", "r");
  if (file != NULL && fscanf(file, "%ld %ld", &pages[0], &pages[1]) == 2) {
    pages[1] *= sysconf(_SC_PAGESIZE) / 1024;
  }
  if (file != NULL) {
    fclose(file);
  }
  return pages[1];
}

static void print(const char *name, double seconds, uint64_t answers,
                  const sn_activity_timing *timing) {
  printf("{\"case\":\"%s\",\"cycles\":%" PRIu64 ",\"overruns\":%" PRIu64
         ",\"lateness_p50_ns\":%" PRId64 ",\"lateness_p99_ns\":%" PRId64
         ",\"lateness_max_ns\":%" PRId64 ",\"duration_p50_ns\":%" PRId64
         ",\"duration_p99_ns\":%" PRId64 ",\"duration_max_ns\":%" PRId64
         ",\"lines_per_s\":%.0f,\"rss_kB\":%ld}\n",
         name, timing->cycles, timing->overruns, sn__histogram_quantile_ns(&timing->lateness, 0.5),
         sn__histogram_quantile_ns(&timing->lateness, 0.99),
         sn__histogram_max_ns(&timing->lateness), sn__histogram_quantile_ns(&timing->duration, 0.5),
         sn__histogram_quantile_ns(&timing->duration, 0.99),
         sn__histogram_max_ns(&timing->duration), (double)answers / seconds, resident_kB());
}

static void run(const char *name, const char *path, double seconds, int priority, int is_flooded) {
  int report[2];
  if (pipe(report) != 0) {
    exit(1);
  }
  const pid_t child = is_flooded ? fork() : 0; /* before there are threads */
  if (is_flooded && child == 0) {
    flood(path, report[1]);
  }
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  const sn_system_config config = {.clock = &clock};
  sn_system *system = sn_system_create(&config);
  const sn_activity *activity = build(system, priority);
  sn_error err = {SN_OK, ""};
  control_server *server = NULL;
  need(sn_system_begin(system, &err), &err);
  need(sn_system_launch(system, &err), &err);
  need(control_server_start(system, path, &server, &err), &err);
  poll(NULL, 0, (int)(1000.0 * seconds));
  uint64_t answers = 0;
  if (is_flooded) {
    kill(child, SIGTERM);
    (void)!read(report[0], &answers, sizeof answers);
    waitpid(child, NULL, 0);
  }
  sn_system_end(system);
  print(name, seconds, answers, sn_activity_timing_of(activity));
  control_server_stop(server);
  sn_system_destroy(system);
  close(report[0]);
  close(report[1]);
}

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 5.0;
  const int priority = argc > 2 ? atoi(argv[2]) : 80;
  char path[64];
  snprintf(path, sizeof path, "/tmp/sinew-bench-%ld.sock", (long)getpid());
  run("alone", path, seconds, priority, 0);
  run("64 clients flooding", path, seconds, priority, 1);
  return 0;
}
