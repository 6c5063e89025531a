/* The guard process: a loop that watches and, in trouble, writes bytes that were prepared for it.
   It is a fork without exec of a process with threads: only async-signal-safe calls. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus/guard/guard.h"
#include "bus/guard/guard_shared.h"
#include "rt/futex.h"

enum {
  TICK_MS = 4,
  SILENT_TICKS = 5, /* of the guard's own, so that a machine that stood still is no hang */
  WRITES = 5,       /* bytes may collide with what is on the line */
  QUIET_STEPS = 8
};
static const int64_t WRITE_AGAIN_NS = 4000000, QUIET_STEP_NS = 500000;

typedef struct watched {
  int fd; /* -1: no port */
  int64_t beat_ns;
  unsigned silent_ticks;
  sn__safe_bytes safe; /* the last that was whole */
} watched;

typedef struct guardian {
  sn__guard_shared *shared;
  int control, pidfd, socket, stat_fd;
  bool has_tripped; /* and the buses have not taken over yet */
  watched buses[SN__GUARD_PLACES];
} guardian;

static guardian self; /* not on a thread's stack, which may be small */

/* ---- becoming a process of its own ---- */

static void leave_the_rest(guardian *g) {
  enum { KEPT = 10 };
  g->socket = fcntl(g->socket, F_DUPFD, KEPT); /* out of the way of what is closed */
  g->pidfd = g->pidfd < 0 ? -1 : fcntl(g->pidfd, F_DUPFD, KEPT);
  const int null_fd = open("/dev/null", O_RDWR);
  (void)dup2(null_fd, STDIN_FILENO);
  (void)dup2(null_fd, STDOUT_FILENO); /* whoever reads our output must see its end */
  (void)dup2(g->socket, 3);
  if (g->pidfd >= 0) {
    (void)dup2(g->pidfd, 4);
    g->pidfd = 4;
  }
  g->socket = 3;
  const unsigned first = g->pidfd >= 0 ? 5 : 4;
  for (unsigned fd = first; close_range(first, ~0u, 0) != 0 && fd < 4096; fd++) {
    close((int)fd); /* a kernel before 5.9 */
  }
  if (chdir("/") != 0) {
    return; /* then a folder stays in use */
  }
}

static void take_default_signals(void) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigemptyset(&action.sa_mask);
  for (int number = 1; number < NSIG; number++) {
    (void)sigaction(number, &action, NULL);
  }
  /* A service manager sends these to every process of a service; the guard stays until control has
     ended. */
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGINT);
  sigaddset(&blocked, SIGHUP);
  sigaddset(&blocked, SIGPIPE);
  (void)sigprocmask(SIG_SETMASK, &blocked, NULL);
}

static size_t put_text(char *out, size_t used, size_t size, const char *text) {
  for (; *text != '\0' && used + 1 < size; text++) {
    out[used++] = (char)(*text >= ' ' && *text != 127 ? *text : '?');
  }
  return used;
}

static size_t put_number(char *out, size_t used, size_t size, int64_t number) {
  char digits[24];
  size_t at = sizeof digits - 1;
  digits[at] = '\0';
  uint64_t left = number < 0 ? 0 : (uint64_t)number;
  do {
    digits[--at] = (char)('0' + left % 10);
    left /= 10;
  } while (left > 0);
  return put_text(out, used, size, digits + at);
}

static void open_stat(guardian *g) {
  char path[48];
  size_t used = put_text(path, 0, sizeof path, "/proc/");
  used = put_number(path, used, sizeof path, g->control);
  used = put_text(path, used, sizeof path, "/stat");
  path[used] = '\0';
  g->stat_fd = open(path, O_RDONLY | O_CLOEXEC);
}

/* ---- ports ---- */

static void drop_port(watched *bus) {
  if (bus->fd >= 0) {
    close(bus->fd);
    bus->fd = -1;
  }
}

static int received_fd(struct msghdr *header) {
  int fd = -1;
  const struct cmsghdr *item = CMSG_FIRSTHDR(header);
  if (item != NULL && item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_RIGHTS &&
      item->cmsg_len == CMSG_LEN(sizeof fd)) {
    memcpy(&fd, CMSG_DATA(item), sizeof fd);
  }
  return fd;
}

/* @return false at the end of the other side */
static bool receive(guardian *g) {
  for (;;) {
    sn__guard_message message = {.place = -1};
    struct iovec part = {.iov_base = &message, .iov_len = sizeof message};
    union {
      struct cmsghdr align;
      char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    const ssize_t got = recvmsg(g->socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got <= 0) {
      return got < 0 && (errno == EAGAIN || errno == EINTR);
    }
    const int fd = received_fd(&header);
    if (message.place >= 0 && message.place < SN__GUARD_PLACES) {
      watched *bus = &g->buses[message.place];
      drop_port(bus);
      *bus = (watched){.fd = fd};
    } else if (fd >= 0) {
      close(fd);
    }
  }
}

/* ---- watching ---- */

static bool is_watched(const guardian *g, int place) {
  const uint64_t state = atomic_load(&g->shared->places[place].state);
  return g->buses[place].fd >= 0 && state != SN__GUARD_FREE && state != SN__GUARD_UNWATCHED;
}

static bool is_anything_watched(const guardian *g) {
  bool is = false;
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    is = is || is_watched(g, i);
  }
  return is;
}

/* Keep the newest bytes that are whole: who dies may write anything before. */
static void take_frames(const sn__guard_place *place, watched *bus) {
  static sn__safe_bytes copy;
  const uint32_t turn = atomic_load_explicit(&place->turn, memory_order_acquire);
  const uint32_t count = place->frames[turn % 2].safe.count;
  if (turn == 0 || count > SN__SAFE_BYTES_MAX) {
    return;
  }
  const uint64_t check = place->frames[turn % 2].check;
  copy.count = count;
  memcpy(copy.bytes, place->frames[turn % 2].safe.bytes, count);
  if (sn__guard_checksum(&copy) == check) {
    bus->safe.count = count;
    memcpy(bus->safe.bytes, copy.bytes, count);
  }
}

static bool is_stopped(const guardian *g) {
  char text[512];
  const ssize_t got = g->stat_fd < 0 ? -1 : pread(g->stat_fd, text, sizeof text - 1, 0);
  if (got <= 0) {
    return false;
  }
  text[got] = '\0';
  const char *name_end = strrchr(text, ')'); /* the name may hold anything */
  return name_end != NULL && name_end[1] == ' ' && (name_end[2] == 'T' || name_end[2] == 't');
}

/* @return whether a bus gives no sign of life */
static bool is_silent(guardian *g, int64_t now_ns) {
  bool is = false;
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    const sn__guard_place *place = &g->shared->places[i];
    watched *bus = &g->buses[i];
    const int64_t beat_ns = atomic_load(&place->beat_ns);
    bus->silent_ticks = beat_ns == bus->beat_ns ? bus->silent_ticks + 1 : 0;
    bus->beat_ns = beat_ns;
    if (is_watched(g, i)) {
      take_frames(place, bus);
      is = is || (bus->silent_ticks >= SILENT_TICKS &&
                  now_ns - beat_ns > atomic_load(&place->timeout_ns));
    }
  }
  return is;
}

/* Buses that have taken over again clear their trouble. */
static bool is_trouble_over(const guardian *g) {
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    if (is_watched(g, i) && atomic_load(&g->shared->places[i].trouble) != SN__GUARD_FINE) {
      return false;
    }
  }
  return true;
}

/* ---- acting ---- */

static void sleep_ns(int64_t ns) {
  const struct timespec wait = {.tv_nsec = (long)ns};
  (void)ppoll(NULL, 0, &wait, NULL);
}

/* Until no byte comes or goes for a moment, 4 ms at most. */
static void wait_for_quiet(const guardian *g) {
  int last = -1;
  for (int n = 0; n < QUIET_STEPS; n++) {
    int sum = 0, busy = 0;
    for (int i = 0; i < SN__GUARD_PLACES; i++) {
      int in = 0, out = 0;
      if (g->buses[i].fd >= 0) {
        (void)ioctl(g->buses[i].fd, FIONREAD, &in);
        (void)ioctl(g->buses[i].fd, TIOCOUTQ, &out);
        sum += in;
        busy += out;
      }
    }
    if (busy == 0 && sum == last) {
      return;
    }
    last = sum;
    sleep_ns(QUIET_STEP_NS);
  }
}

static void write_once(const watched *bus) {
  size_t done = 0;
  for (int n = 0; n < 4 && done < bus->safe.count; n++) {
    const ssize_t written = write(bus->fd, bus->safe.bytes + done, bus->safe.count - done);
    done += written > 0 ? (size_t)written : 0;
  }
}

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

static void report(const guardian *g, sn__guard_trouble trouble, int64_t now_ns) {
  char line[1024];
  const size_t size = sizeof line - 1;
  size_t used = put_text(line, 0, size, "sinew-guard: process ");
  used = put_number(line, used, size, g->control);
  used = put_text(line, used, size, trouble_text(trouble));
  used = put_text(line, used, size, ", at ");
  used = put_number(line, used, size, now_ns / 1000000);
  used = put_text(line, used, size, " ms of the monotonic clock:");
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    const sn__guard_place *place = &g->shared->places[i];
    if (is_watched(g, i) && used + sizeof place->path + 64 < size) {
      char path[sizeof place->path];
      memcpy(path, place->path, sizeof path);
      path[sizeof path - 1] = '\0';
      used = put_text(line, used, size, " '");
      used = put_text(line, used, size, path);
      used = put_text(line, used, size, place->limp ? "': torque off;" : "': servos hold;");
    }
  }
  line[used - 1] = '\n';
  const ssize_t written = write(STDERR_FILENO, line, used);
  (void)written; /* nobody else to tell */
}

static void write_safe(guardian *g) {
  wait_for_quiet(g);
  for (int n = 0; n < WRITES; n++) {
    for (int i = 0; i < SN__GUARD_PLACES; i++) {
      if (is_watched(g, i)) {
        write_once(&g->buses[i]);
      }
    }
    if (n + 1 < WRITES) {
      sleep_ns(WRITE_AGAIN_NS);
    }
  }
}

static void act(guardian *g, sn__guard_trouble trouble) {
  const int64_t now_ns = sn__real_now_ns();
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    if (is_watched(g, i)) {
      take_frames(&g->shared->places[i], &g->buses[i]);
      atomic_store(&g->shared->places[i].trouble, (int)trouble); /* buses send no more goals */
    }
  }
  write_safe(g);
  if (trouble == SN__GUARD_DYING) {
    atomic_store(&g->shared->dying_done, 1);
  }
  report(g, trouble, now_ns);
  g->has_tripped = true;
}

/* Control is gone: the last word, and the ports are free for others. */
static _Noreturn void end(guardian *g) {
  if (is_anything_watched(g)) {
    if (atomic_load(&g->shared->is_dying) && g->has_tripped) {
      write_safe(g); /* said already */
    } else {
      act(g, SN__GUARD_DIED);
    }
  }
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    if (g->buses[i].fd >= 0) {
      (void)ioctl(g->buses[i].fd, TIOCNXCL);
    }
  }
  _exit(0);
}

static void watch(guardian *g) {
  struct pollfd fds[2] = {{.fd = g->socket, .events = POLLIN}, {.fd = g->pidfd, .events = POLLIN}};
  const int wait_ms = is_anything_watched(g) ? TICK_MS : 1000;
  const int ready = poll(fds, 2, wait_ms);
  if (ready > 0 && (fds[0].revents != 0 && !receive(g))) {
    end(g);
  }
  if (ready > 0 && fds[1].revents != 0) {
    end(g);
  }
  if (!is_anything_watched(g)) {
    return;
  }
  const bool is_dying = atomic_load(&g->shared->is_dying);
  const bool has_stopped = is_stopped(g), has_hung = is_silent(g, sn__real_now_ns());
  g->has_tripped = g->has_tripped && (is_dying || !is_trouble_over(g));
  if (is_dying && atomic_load(&g->shared->dying_done) == 0) {
    act(g, SN__GUARD_DYING);
  } else if (!g->has_tripped && (has_stopped || has_hung)) {
    act(g, has_stopped ? SN__GUARD_STOPPED : SN__GUARD_HUNG);
  }
}

_Noreturn void sn__guard_run(sn__guard_shared *shared, int control, int pidfd, int socket,
                             int priority) {
  guardian *g = &self;
  *g = (guardian){.shared = shared, .control = control, .pidfd = pidfd, .socket = socket};
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    g->buses[i].fd = -1;
  }
  (void)prctl(PR_SET_NAME, "sinew-guard");
  leave_the_rest(g);
  take_default_signals();
  open_stat(g);
  if (priority > 0) { /* above the buses' threads, where permitted */
    const struct sched_param param = {.sched_priority = priority < 99 ? priority + 1 : 99};
    (void)sched_setscheduler(0, SCHED_FIFO, &param);
  }
  for (;;) {
    watch(g);
  }
}
