#define _GNU_SOURCE

#include "run/process.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { FILES_NEEDED = 256, FILES_WANTED = 4096 };

bool file_limit_raise(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= (rlim_t)FILES_WANTED) {
    return true;
  }
  limit.rlim_cur = limit.rlim_max < (rlim_t)FILES_WANTED ? limit.rlim_max : (rlim_t)FILES_WANTED;
  (void)setrlimit(RLIMIT_NOFILE, &limit); /* the check below decides */
  (void)getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= FILES_NEEDED) {
    return true;
  }
  fprintf(
      stderr,
      "sinew run: error: at most %lu files can be open, at least %d are needed: raise the limit "
      "(ulimit -n 1024, or LimitNOFILE=1024 of the unit)\n",
      (unsigned long)limit.rlim_cur, FILES_NEEDED);
  return false;
}

/* A name that begins with '@' is in the abstract namespace, where names begin with NUL. */
void notify(const char *state) {
  const char *name = getenv("NOTIFY_SOCKET");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const size_t length = name == NULL ? 0 : strlen(name);
  if (length < 2 || length >= sizeof address.sun_path || (name[0] != '/' && name[0] != '@')) {
    return;
  }
  memcpy(address.sun_path, name, length);
  if (name[0] == '@') {
    address.sun_path[0] = '\0';
  }
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return;
  }
  const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  while (sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
                (const struct sockaddr *)&address, size) < 0 &&
         errno == EINTR) {
    /* again */
  }
  close(fd);
}

int64_t notify_watchdog_ns(void) {
  const char *period = getenv("WATCHDOG_USEC");
  const char *process = getenv("WATCHDOG_PID");
  char *end = NULL;
  if (period == NULL || (process != NULL && strtol(process, NULL, 10) != (long)getpid())) {
    return 0;
  }
  const long long us = strtoll(period, &end, 10);
  return end == period || *end != '\0' || us <= 0 || us > INT64_MAX / 1000 ? 0 : us * 1000;
}

static uint64_t fewest_of(const sn_system *system) {
  uint64_t fewest = UINT64_MAX;
  const sn_activity *activity = NULL;
  for (size_t i = 0; (activity = sn_system_activity_at(system, i)) != NULL; i++) {
    const uint64_t cycles =
        __atomic_load_n(&sn_activity_timing_of(activity)->cycles, __ATOMIC_RELAXED);
    const bool is_periodic = sn_activity_config_of(activity)->period_ns > 0;
    fewest = is_periodic && cycles < fewest ? cycles : fewest;
  }
  return fewest;
}

static uint64_t fewest_cycles(sn_system *const *systems, size_t count) {
  uint64_t fewest = UINT64_MAX;
  for (size_t i = 0; i < count; i++) {
    const uint64_t cycles = fewest_of(systems[i]);
    fewest = cycles < fewest ? cycles : fewest;
  }
  return fewest;
}

void watchdog_feed(watchdog_state *watchdog, sn_system *const *systems, size_t count) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  if (watchdog->period_ns == 0 || now_ns - watchdog->fed_ns < watchdog->period_ns) {
    return;
  }
  const uint64_t cycles = fewest_cycles(systems, count);
  if (cycles != watchdog->cycles || cycles == UINT64_MAX) {
    notify("WATCHDOG=1");
    watchdog->cycles = cycles;
    watchdog->fed_ns = now_ns;
  }
}
