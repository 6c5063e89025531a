/* What an idle robot costs: processor time of `sinew run ROBOT --headless` in real time, beside a
   process that only wakes up every millisecond. Both run at once, so that they see the same
   machine. One JSON line each: processor time and wake-ups for a millisecond on the wall, all
   threads together.

   usage: bench_idle SINEW ROBOT [SECONDS]     10 */
#define _GNU_SOURCE /* kill(), clock_nanosleep() */

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SETTLE_S = 2, NS_PER_MS = 1000000, NS_PER_S = 1000000000, PATH_SIZE = 600 };

typedef struct cost {
  double now_ns;
  double run_ns; /* on a processor, all threads */
  double wakeups;
} cost;

static void wake_every_millisecond(void) {
  struct timespec due;
  clock_gettime(CLOCK_MONOTONIC, &due);
  for (;;) {
    due.tv_nsec += NS_PER_MS;
    if (due.tv_nsec >= NS_PER_S) {
      due.tv_nsec -= NS_PER_S;
      due.tv_sec++;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
  }
}

static pid_t start_bare(void) {
  const pid_t child = fork();
  if (child == 0) {
    wake_every_millisecond();
  }
  return child;
}

static pid_t start_robot(const char *program, const char *robot) {
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    execl(program, program, "run", robot, "--headless", (char *)NULL);
    _exit(127);
  }
  return child;
}

/* A number of a file of a thread: the first that follows `before`. */
static double read_number(const char *path, const char *before) {
  char text[4096];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0) {
    close(file);
  }
  text[size > 0 ? size : 0] = '\0';
  const char *at = strstr(text, before);
  return at == NULL ? 0.0 : strtod(at + strlen(before), NULL);
}

static cost cost_of(pid_t process) {
  char folder[64];
  char path[PATH_SIZE];
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  cost sum = {.now_ns = 1e9 * (double)now.tv_sec + (double)now.tv_nsec};
  snprintf(folder, sizeof folder, "/proc/%ld/task", (long)process);
  DIR *threads = opendir(folder);
  const struct dirent *thread = NULL;
  while (threads != NULL && (thread = readdir(threads)) != NULL) {
    if (thread->d_name[0] != '.') {
      snprintf(path, sizeof path, "%s/%s/schedstat", folder, thread->d_name);
      sum.run_ns += read_number(path, "");
      snprintf(path, sizeof path, "%s/%s/status", folder, thread->d_name);
      sum.wakeups += read_number(path, "\nvoluntary_ctxt_switches:");
    }
  }
  if (threads != NULL) {
    closedir(threads);
  }
  return sum;
}

static void print(const char *name, const cost *a, const cost *b) {
  const double ms = 1e-6 * (b->now_ns - a->now_ns);
  printf("{\"case\":\"%s\",\"us_per_ms\":%.1f,\"wakeups_per_ms\":%.2f}\n", name,
         1e-3 * (b->run_ns - a->run_ns) / ms, (b->wakeups - a->wakeups) / ms);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: bench_idle SINEW ROBOT [SECONDS]\n");
    return 2;
  }
  const unsigned seconds = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 10;
  const pid_t processes[] = {start_bare(), start_robot(argv[1], argv[2])};
  cost before[2], after[2];
  sleep(SETTLE_S);
  for (size_t i = 0; i < 2; i++) {
    before[i] = cost_of(processes[i]);
  }
  sleep(seconds);
  for (size_t i = 0; i < 2; i++) {
    after[i] = cost_of(processes[i]);
  }
  print("bare wake-up", &before[0], &after[0]);
  print("sinew run", &before[1], &after[1]);
  for (size_t i = 0; i < 2; i++) {
    kill(processes[i], SIGTERM);
    waitpid(processes[i], NULL, 0);
  }
  return 0;
}
