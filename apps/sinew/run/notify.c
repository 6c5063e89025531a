#define _GNU_SOURCE

#include "run/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A name that begins with '@' is one of the abstract ones, which begin with NUL. */
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
