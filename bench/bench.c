#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLS_PER_BATCH 100
#define RESULTS_MAX 256
#define PATH_SIZE 4096

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Our medians, by which the peers' are divided, and the ratio of each round. */
typedef struct result {
  char name[32];
  char robot[64];
  char library[32]; /* the peer */
  double median_ns; /* of the latest round */
  size_t round_count;
  double own_ns[BENCH_ROUNDS_MAX];
  double peer_ns[BENCH_ROUNDS_MAX];
  double times[BENCH_ROUNDS_MAX];
} result;

static result results[RESULTS_MAX];
static size_t result_count;

static int64_t now_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double run_batch(const bench_case *c, bench_function *function, void *context,
                        size_t batch) {
  const clockid_t clock = c->is_processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  const size_t calls = c->calls_per_batch == 0 ? CALLS_PER_BATCH : c->calls_per_batch;
  const int64_t start_ns = now_ns(clock);
  for (size_t k = 0; k < calls; k++) {
    function(context, (batch * calls + k) % BENCH_INPUTS);
  }
  return (double)(now_ns(clock) - start_ns) / (double)calls;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The kind of processor, as Linux calls it. */
static const char *cpu_name(void) {
  static char name[128];
  FILE *file = name[0] == '\0' ? fopen("/proc/cpuinfo", "r") : NULL;
  char line[256];
  while (file != NULL && name[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
    sscanf(line, "model name : %127[^\n\"\\]", name);
  }
  if (file != NULL) {
    fclose(file);
  }
  return name[0] == '\0' ? "unknown" : name;
}

static result *find_result(const char *name, const char *robot) {
  for (size_t i = 0; i < result_count; i++) {
    if (strcmp(results[i].name, name) == 0 && strcmp(results[i].robot, robot) == 0) {
      return &results[i];
    }
  }
  return NULL;
}

static void remember(const bench_case *c, double median_ns) {
  result *r = find_result(c->name, c->robot);
  if (r == NULL && result_count < RESULTS_MAX) {
    r = &results[result_count++];
    snprintf(r->name, sizeof r->name, "%s", c->name);
    snprintf(r->robot, sizeof r->robot, "%s", c->robot);
  }
  if (r != NULL) {
    r->median_ns = median_ns;
  }
}

double bench_run(const bench_case *c, bench_function *function, void *context) {
  static double ns[BENCH_BATCHES_MAX];
  const size_t count = c->batch_count == 0 ? BENCH_BATCHES_MAX : c->batch_count;
  for (size_t batch = 0; batch < count / 10; batch++) { /* warm-up */
    run_batch(c, function, context, batch);
  }
  for (size_t batch = 0; batch < count; batch++) {
    ns[batch] = run_batch(c, function, context, batch);
  }
  qsort(ns, count, sizeof *ns, compare);
  printf(
      "{\"library\":\"%s\",\"case\":\"%s\",\"robot\":\"%s\",\"n\":%zu,"
      "\"min_ns\":%.1f,\"median_ns\":%.1f,\"p99_ns\":%.1f,\"max_ns\":%.1f,"
      "\"compiler\":\"%s\",\"cpu\":\"%s\"}\n",
      c->library, c->name, c->robot, c->joint_count, ns[0], ns[count / 2], ns[count * 99 / 100],
      ns[count - 1], COMPILER, cpu_name());
  fflush(stdout);
  remember(c, ns[count / 2]);
  return ns[count / 2];
}

double *bench_inputs(size_t joint_count) {
  const size_t count = 3 * joint_count * BENCH_INPUTS;
  double *numbers = malloc((count + 1) * sizeof *numbers);
  if (numbers == NULL) {
    abort();
  }
  uint64_t state = 1;
  for (size_t i = 0; i < count; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    numbers[i] = (double)(state >> 11) * 0x1p-51 - 2.0;
  }
  return numbers;
}

void bench_joint_name(size_t index, char *name, size_t size) {
  snprintf(name, size, "limb%zu_joint%zu", index / 6, index % 6);
}

void bench_robot_name(const char *path, char *name, size_t size) {
  const char *slash = strrchr(path, '/');
  snprintf(name, size, "%s", slash == NULL ? path : slash + 1);
  char *dot = strrchr(name, '.');
  if (dot != NULL) {
    *dot = '\0';
  }
}

static void add_round(result *r, const char *library, double peer_ns) {
  if (r->round_count < BENCH_ROUNDS_MAX) {
    snprintf(r->library, sizeof r->library, "%s", library);
    r->own_ns[r->round_count] = r->median_ns;
    r->peer_ns[r->round_count] = peer_ns;
    r->times[r->round_count++] = peer_ns / r->median_ns;
  }
}

/* A line of a peer: show it, then how it compares. */
static void compare_line(const char *line) {
  char library[32], name[32], robot[64];
  double median_ns;
  fputs(line, stdout);
  const char *number = strstr(line, "\"median_ns\":");
  if (number == NULL || sscanf(number, "\"median_ns\":%lf", &median_ns) != 1 ||
      sscanf(line, "{\"library\":\"%31[^\"]\",\"case\":\"%31[^\"]\",\"robot\":\"%63[^\"]\"",
             library, name, robot) != 3) {
    return;
  }
  result *r = find_result(name, robot);
  if (r != NULL) {
    add_round(r, library, median_ns);
    printf("{\"ratio\":\"%s/sinew\",\"case\":\"%s\",\"robot\":\"%s\",\"times\":%.2f}\n", library,
           name, robot, median_ns / r->median_ns);
  }
}

static double median(double *numbers, size_t count) {
  qsort(numbers, count, sizeof *numbers, compare);
  return numbers[count / 2];
}

void bench_summary(void) {
  for (result *r = results; r < results + result_count; r++) {
    if (r->round_count > 0) {
      const double times = median(r->times, r->round_count);
      printf(
          "{\"summary\":\"%s/sinew\",\"case\":\"%s\",\"robot\":\"%s\",\"rounds\":%zu,"
          "\"sinew_ns\":%.1f,\"peer_ns\":%.1f,\"times\":%.2f,\"times_least\":%.2f}\n",
          r->library, r->name, r->robot, r->round_count, median(r->own_ns, r->round_count),
          median(r->peer_ns, r->round_count), times, r->times[0]);
    }
  }
}

static int end_well(pid_t child, const char *program) {
  int status = 0;
  if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return 1;
  }
  fprintf(stderr, "bench: %s failed\n", program);
  return 0;
}

int bench_peer(const char *program, char *const *argv) {
  int ends[2];
  if (pipe(ends) != 0) {
    return 0;
  }
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(program, argv);
    _exit(127);
  }
  close(ends[1]);
  FILE *lines = fdopen(ends[0], "r");
  char line[512];
  while (lines != NULL && fgets(line, sizeof line, lines) != NULL) {
    compare_line(line);
  }
  if (lines != NULL) {
    fclose(lines);
  }
  return child > 0 && end_well(child, program);
}

/* The path of a program in the folder of the one that runs. */
static void find_beside(const char *name, char path[PATH_SIZE]) {
  const ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 1);
  path[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(path, '/');
  const size_t used = slash == NULL ? 0 : (size_t)(slash + 1 - path);
  snprintf(path + used, PATH_SIZE - used, "%s", name);
}

int bench_peer_beside(const bench_library *peer, char *const *argv) {
  static const bench_library *missing; /* what was printed last */
  char path[PATH_SIZE];
  find_beside(peer->program, path);
  if (access(path, X_OK) != 0) {
    if (missing != peer) {
      fprintf(stderr, "bench: there is no %s; it is built where these packages are installed: %s\n",
              path, peer->packages);
    }
    missing = peer;
    return 0;
  }
  char *all[8] = {path};
  for (size_t i = 0; i < 6 && argv[i] != NULL; i++) {
    all[i + 1] = argv[i];
  }
  return bench_peer(path, all);
}
