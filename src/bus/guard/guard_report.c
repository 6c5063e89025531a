/* Reads process states below /proc and prints the report of the guard. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "bus/guard/guard_process.h"

enum { WRITE_MS = 20 };

static size_t put_text(char *out, size_t used, size_t size, const char *text) {
  for (; *text != '\0' && used + 1 < size; text++) {
    out[used++] = (char)(*text >= ' ' && *text != 127 ? *text : '?');
  }
  return used;
}

/* With leading zeros up to `width` digits. */
static size_t put_number(char *out, size_t used, size_t size, int64_t number, size_t width) {
  char digits[24];
  size_t at = sizeof digits - 1;
  digits[at] = '\0';
  uint64_t left = number < 0 ? 0 : (uint64_t)number;
  do {
    digits[--at] = (char)('0' + left % 10);
    left /= 10;
  } while (left > 0 || sizeof digits - 1 - at < width);
  return put_text(out, used, size, digits + at);
}

static size_t put_ms(char *out, size_t used, size_t size, int64_t ns) {
  const int64_t us = ns < 0 ? 0 : ns / 1000;
  used = put_number(out, used, size, us / 1000, 1);
  used = put_text(out, used, size, ".");
  used = put_number(out, used, size, us % 1000, 3);
  return put_text(out, used, size, " ms");
}

/* ---- /proc ---- */

void sn__guardian_open_proc(sn__guardian *g) {
  char path[48];
  size_t used = put_text(path, 0, sizeof path, "/proc/");
  used = put_number(path, used, sizeof path, g->control, 1);
  used = put_text(path, used, sizeof path, "/stat");
  path[used] = '\0';
  g->stat_fd = open(path, O_RDONLY | O_CLOEXEC);
  g->schedstat_fd = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
}

char sn__guardian_state_of_control(const sn__guardian *g) {
  char text[512];
  const ssize_t got = g->stat_fd < 0 ? 0 : pread(g->stat_fd, text, sizeof text - 1, 0);
  if (got <= 0) {
    return got < 0 && errno == ESRCH ? 'X' : '\0';
  }
  text[got] = '\0';
  const char *name_end = strrchr(text, ')'); /* the name may contain any character */
  return (char)(name_end != NULL && name_end[1] == ' ' ? name_end[2] : '\0');
}

/* The second number of three. */
int64_t sn__guardian_waited_ns(const sn__guardian *g) {
  char text[96];
  const ssize_t got = g->schedstat_fd < 0 ? -1 : pread(g->schedstat_fd, text, sizeof text - 1, 0);
  text[got > 0 ? got : 0] = '\0';
  const char *at = strchr(text, ' ');
  int64_t number = 0;
  for (at = at == NULL ? "" : at + 1; *at >= '0' && *at <= '9'; at++) {
    number = 10 * number + (*at - '0');
  }
  return number;
}

/* ---- the line ---- */

static const char *trouble_text(sn__guard_trouble trouble) {
  switch (trouble) {
    case SN__GUARD_STOPPED:
      return " is stopped by a signal or a debugger";
    case SN__GUARD_HUNG:
      return " hangs";
    case SN__GUARD_DYING:
      return " is about to end";
    default:
      return " has died";
  }
}

static size_t put_times(char *out, size_t used, size_t size, const sn__guard_times *times) {
  used = put_text(out, used, size, ": stopped at ");
  used = put_ms(out, used, size, times->written_ns);
  used = put_text(out, used, size, " of the monotonic clock, after ");
  used = put_ms(out, used, size, times->written_ns - times->since_ns);
  used = put_text(out, used, size, ", without a processor for ");
  return put_ms(out, used, size, times->waited_ns);
}

void sn__guardian_report(const sn__guardian *g, sn__guard_trouble trouble,
                         const sn__guard_times *times) {
  char line[1024];
  const size_t size = sizeof line - 1;
  size_t used = put_text(line, 0, size, "sinew-guard: process ");
  used = put_number(line, used, size, g->control, 1);
  used = put_text(line, used, size, trouble_text(trouble));
  used = put_times(line, used, size, times);
  used = put_text(line, used, size, ":");
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    const sn__guard_place *place = &g->shared->places[i];
    if (sn__guardian_watches(g, i) && used + sizeof place->path + 64 < size) {
      char path[sizeof place->path];
      memcpy(path, place->path, sizeof path);
      path[sizeof path - 1] = '\0';
      used = put_text(line, used, size, " '");
      used = put_text(line, used, size, path);
      used = put_text(line, used, size, place->limp ? "': torque off;" : "': servos hold;");
    }
  }
  line[used - 1] = '\n';
  struct pollfd errors = {.fd = STDERR_FILENO, .events = POLLOUT};
  if (trouble == SN__GUARD_FINE || poll(&errors, 1, WRITE_MS) <= 0) {
    return; /* a full pipe must not block the guard */
  }
  const ssize_t written = write(STDERR_FILENO, line, used);
  (void)written; /* errors cannot be reported elsewhere */
}
