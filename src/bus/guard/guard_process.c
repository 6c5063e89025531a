/* The guard process: a loop that watches the buses and, on a failure, writes prepared bytes.
   It is forked without exec from a process with threads: only async-signal-safe calls. */
#define _GNU_SOURCE

#include "bus/guard/guard_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus/guard/guard.h"
#include "bus/guard/guard_shared.h"
#include "rt/futex.h"

enum {
  TICK_MS = 4,
  SILENT_TICKS = 5, /* counted by the guard, so that a stalled machine is not a hang */
  WRITES = 5,       /* repeated, since bytes may collide with others on the line */
  QUIET_STEPS = 8
};
static const int64_t WRITE_AGAIN_NS = 4000000, QUIET_STEP_NS = 500000;

static sn__guardian self; /* not on a thread's stack, which may be small */

/* ---- detaching from the parent ---- */

static void leave_the_rest(sn__guardian *g) {
  enum { KEPT = 10 };
  g->socket = fcntl(g->socket, F_DUPFD, KEPT); /* keep it above the descriptors that are closed */
  g->pidfd = g->pidfd < 0 ? -1 : fcntl(g->pidfd, F_DUPFD, KEPT);
  const int null_fd = open("/dev/null", O_RDWR);
  (void)dup2(null_fd, STDIN_FILENO);
  (void)dup2(null_fd, STDOUT_FILENO); /* readers of the program's output must see its end */
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
    return; /* on failure the working directory stays in use */
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

/* ---- ports ---- */

static void drop_port(sn__guard_watched *bus) {
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
static bool receive(sn__guardian *g) {
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
      sn__guard_watched *bus = &g->buses[message.place];
      drop_port(bus);
      *bus = (sn__guard_watched){.fd = fd};
    } else if (fd >= 0) {
      close(fd);
    }
  }
}

/* ---- watching ---- */

static bool is_anything_watched(const sn__guardian *g) {
  bool is = false;
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    is = is || sn__guardian_watches(g, i);
  }
  return is;
}

/* Keep the newest bytes with a valid checksum: a dying process may write anything. */
static void take_frames(const sn__guard_place *place, sn__guard_watched *bus) {
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

/* @return whether a bus misses its heartbeats */
static bool is_silent(sn__guardian *g, int64_t now_ns) {
  bool is = false;
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    const sn__guard_place *place = &g->shared->places[i];
    sn__guard_watched *bus = &g->buses[i];
    const int64_t beat_ns = atomic_load(&place->beat_ns);
    bus->silent_ticks = beat_ns == bus->beat_ns ? bus->silent_ticks + 1 : 0;
    bus->beat_ns = beat_ns;
    if (sn__guardian_watches(g, i)) {
      if (!g->has_tripped) { /* afterwards the hold position must not change */
        take_frames(place, bus);
      }
      is = is || (bus->silent_ticks >= SILENT_TICKS &&
                  now_ns - beat_ns > atomic_load(&place->timeout_ns));
    }
  }
  return is;
}

/* Buses that have resumed control clear their trouble. */
static bool is_trouble_over(const sn__guardian *g) {
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    if (sn__guardian_watches(g, i) &&
        atomic_load(&g->shared->places[i].trouble) != SN__GUARD_FINE) {
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

/* Wait until the line is idle, 4 ms at most. */
static void wait_for_quiet(const sn__guardian *g) {
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

static void write_once(const sn__guard_watched *bus) {
  size_t done = 0;
  for (int n = 0; n < 4 && done < bus->safe.count; n++) {
    const ssize_t written = write(bus->fd, bus->safe.bytes + done, bus->safe.count - done);
    done += written > 0 ? (size_t)written : 0;
  }
}

/* @return when every bus had its bytes once; they are repeated, since some may collide */
static sn__guard_times write_safe(sn__guardian *g, int writes) {
  sn__guard_times times = {.since_ns = 0};
  wait_for_quiet(g);
  for (int n = 0; n < writes; n++) {
    for (int i = 0; i < SN__GUARD_PLACES; i++) {
      if (sn__guardian_watches(g, i)) {
        write_once(&g->buses[i]);
      }
    }
    if (n == 0) {
      times.written_ns = sn__real_now_ns();
      times.waited_ns = sn__guardian_waited_ns(g) - g->waited_ns[1];
    }
    if (n + 1 < writes) {
      sleep_ns(WRITE_AGAIN_NS);
    }
  }
  return times;
}

/* When the guard should have acted: at the call of sn__guard_trip(), which is stamped after it was
   sent, if that was before the guard noticed. A dying process may write anything into shared
   memory. */
static int64_t trouble_since(const sn__guardian *g, sn__guard_trouble trouble, int64_t noticed_ns) {
  const int64_t called_ns = atomic_load(&g->shared->called_ns);
  const bool is_called = trouble == SN__GUARD_DYING && called_ns > 0 && called_ns < noticed_ns;
  return is_called ? called_ns : noticed_ns;
}

static void act(sn__guardian *g, sn__guard_trouble trouble) {
  const int64_t noticed_ns = sn__real_now_ns();
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    if (sn__guardian_watches(g, i)) {
      take_frames(&g->shared->places[i], &g->buses[i]);
      atomic_store(&g->shared->places[i].trouble, (int)trouble); /* buses send no more goals */
    }
  }
  sn__guard_times times = write_safe(g, WRITES);
  times.since_ns = trouble_since(g, trouble, noticed_ns);
  if (trouble == SN__GUARD_DYING) {
    atomic_store(&g->shared->dying_done, 1);
  }
  sn__guardian_report(g, trouble, &times);
  g->has_tripped = true;
}

/* The control process is gone: write the safe state once more and release the ports. */
static _Noreturn void end(sn__guardian *g) {
  if (is_anything_watched(g)) {
    if (atomic_load(&g->shared->is_dying) && g->has_tripped) {
      (void)write_safe(g, WRITES); /* already reported */
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

static void watch(sn__guardian *g) {
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
  const char state = sn__guardian_state_of_control(g);
  if (state == 'Z' ||
      state == 'X') { /* killed; a thread waiting for a disk may keep the process alive */
    end(g);
  }
  const bool has_stopped = state == 'T' || state == 't', has_hung = is_silent(g, sn__real_now_ns());
  g->has_tripped = g->has_tripped && (is_dying || !is_trouble_over(g));
  if (is_dying && atomic_load(&g->shared->dying_done) == 0) {
    act(g, SN__GUARD_DYING);
  } else if (!g->has_tripped && (has_stopped || has_hung)) {
    act(g, has_stopped ? SN__GUARD_STOPPED : SN__GUARD_HUNG);
  }
}

/* A dry run without ports writes nothing, but loads the code into memory and, where permitted,
   locks it there: in an emergency it must not wait for a disk. */
static void rehearse(sn__guardian *g) {
  (void)mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
  (void)sn__guardian_state_of_control(g);
  const sn__guard_times times = write_safe(g, 1);
  sn__guardian_report(g, SN__GUARD_FINE, &times);
}

_Noreturn void sn__guard_run(sn__guard_shared *shared, int control, int pidfd, int socket,
                             int priority) {
  sn__guardian *g = &self;
  *g = (sn__guardian){.shared = shared, .control = control, .pidfd = pidfd, .socket = socket};
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    g->buses[i].fd = -1;
  }
  (void)prctl(PR_SET_NAME, "sinew-guard");
  leave_the_rest(g);
  take_default_signals();
  sn__guardian_open_proc(g);
  if (priority > 0) { /* above the buses' threads, where permitted */
    const struct sched_param param = {.sched_priority = priority < 99 ? priority + 1 : 99};
    if (sched_setscheduler(0, SCHED_FIFO, &param) != 0) {
      (void)setpriority(PRIO_PROCESS, 0, -20); /* fallback, where permitted */
    }
  }
  rehearse(g);
  for (;;) {
    watch(g);
    g->waited_ns[1] = g->waited_ns[0]; /* trouble may begin between the last check and this line */
    g->waited_ns[0] = sn__guardian_waited_ns(g);
  }
}
