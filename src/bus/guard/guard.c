/* The control process's side of the guard. */
#define _GNU_SOURCE

#include "bus/guard/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "bus/guard/guard_shared.h"
#include "rt/futex.h"

static const int64_t START_AGAIN_NS = INT64_C(1000000000);

/* One for the process: handlers of fatal signals must find it. */
static struct {
  pthread_mutex_t lock; /* of all fields; a dying process reads `shared` and `socket` without it */
  sn__guard_shared *_Atomic shared;
  _Atomic int socket; /* -1: no guard */
  int fds[SN__GUARD_PLACES];
  int count; /* used places */
  int priority;
  int64_t failed_ns; /* when the last start failed */
  sn_error failure;  /* and why; SN_OK: it did not */
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1};

/* ---- the process ---- */

/* In the first child: fork again, so that this process need not wait for the guard. */
static void start_second(int pidfd, int control, int socket) {
  (void)setsid(); /* ignore Ctrl-C of the terminal */
  const pid_t pid = fork();
  if (pid != 0) {
    _exit(pid < 0 ? 1 : 0);
  }
  sn__guard_run(guard.shared, control, pidfd, socket, guard.priority);
}

static sn_status start_process(sn_error *err) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    return sn__fail(err, SN_EIO, "no guard process: %s", strerror(errno));
  }
  const pid_t control = getpid();
  const int pidfd = (int)syscall(SYS_pidfd_open, control, 0);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signal handlers must not run in the child */
  const pid_t child = fork();
  if (child == 0) {
    start_second(pidfd, control, pair[1]);
  }
  const int code = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  close(pair[1]);
  if (pidfd >= 0) {
    close(pidfd);
  }
  if (child < 0 || status != 0) {
    close(pair[0]);
    return sn__fail(err, SN_EIO, "no guard process: %s",
                    child < 0 ? strerror(code) : "its start failed");
  }
  guard.socket = pair[0];
  return SN_OK;
}

static void end_process(void) {
  if (guard.socket >= 0) {
    close(guard.socket);
    guard.socket = -1;
  }
}

/* sn__guard_check() detects a missing guard. */
static void send_port(int place) {
  const int fd = guard.fds[place];
  sn__guard_message message = {.place = place, .has_port = fd >= 0};
  struct iovec part = {.iov_base = &message, .iov_len = sizeof message};
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof fd)];
  } control = {.bytes = {0}};
  struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
  if (fd >= 0) {
    header.msg_control = control.bytes;
    header.msg_controllen = sizeof control.bytes;
    struct cmsghdr *item = CMSG_FIRSTHDR(&header);
    item->cmsg_level = SOL_SOCKET;
    item->cmsg_type = SCM_RIGHTS;
    item->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(item), &fd, sizeof fd);
  }
  if (guard.socket >= 0) {
    (void)sendmsg(guard.socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

/* ---- places ---- */

static sn_status prepare(sn_error *err) {
  if (guard.shared == NULL) { /* never unmapped: a signal handler may use it */
    void *memory = mmap(NULL, sizeof(sn__guard_shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      return sn__fail(err, SN_ENOMEM, "no memory for the guard process");
    }
    for (int i = 0; i < SN__GUARD_PLACES; i++) {
      guard.fds[i] = -1;
    }
    guard.shared = memory;
  }
  return guard.socket >= 0 ? SN_OK : start_process(err);
}

static int find_place(void) {
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    if (guard.shared->places[i].state == SN__GUARD_FREE) {
      return i;
    }
  }
  return -1;
}

int sn__guard_enter(const sn__guard_config *config, sn_error *err) {
  pthread_mutex_lock(&guard.lock);
  guard.priority = config->priority > guard.priority ? config->priority : guard.priority;
  int place = -1;
  if (prepare(err) == SN_OK) {
    place = find_place();
    if (place < 0) {
      (void)sn__fail(err, SN_ELIMIT, "'%.80s': more than %d buses in one process", config->path,
                     SN__GUARD_PLACES);
    }
  }
  if (place >= 0) {
    sn__guard_place *p = &guard.shared->places[place];
    snprintf(p->path, sizeof p->path, "%s", config->path);
    p->timeout_ns = config->timeout_ns;
    p->limp = config->limp;
    p->trouble = SN__GUARD_FINE;
    p->state = SN__GUARD_UNWATCHED;
    guard.count++;
  }
  pthread_mutex_unlock(&guard.lock);
  return place;
}

void sn__guard_leave(int place) {
  pthread_mutex_lock(&guard.lock);
  guard.shared->places[place].state = SN__GUARD_FREE;
  if (--guard.count == 0) {
    end_process();
  }
  pthread_mutex_unlock(&guard.lock);
}

void sn__guard_port(int place, int fd) {
  pthread_mutex_lock(&guard.lock);
  guard.fds[place] = fd;
  sn__guard_place *p = &guard.shared->places[place];
  p->beat_ns = sn__real_now_ns();
  p->state = fd >= 0 ? SN__GUARD_WATCHED : SN__GUARD_UNWATCHED;
  send_port(place);
  pthread_mutex_unlock(&guard.lock);
}

/* ---- while it runs ---- */

void sn__guard_frames(int place, const sn__safe_bytes *bytes) {
  sn__guard_place *p = &guard.shared->places[place];
  const uint32_t turn = p->turn + 1;
  p->frames[turn % 2].safe.count = bytes->count;
  memcpy(p->frames[turn % 2].safe.bytes, bytes->bytes, bytes->count);
  p->frames[turn % 2].check = sn__guard_checksum(bytes);
  atomic_store_explicit(&p->turn, turn, memory_order_release);
}

void sn__guard_beat(int place, int64_t now_ns) {
  atomic_store_explicit(&guard.shared->places[place].beat_ns, now_ns, memory_order_relaxed);
}

sn__guard_trouble sn__guard_tripped(int place) {
  return (sn__guard_trouble)atomic_load(&guard.shared->places[place].trouble);
}

void sn__guard_clear(int place) {
  atomic_store(&guard.shared->places[place].trouble, SN__GUARD_FINE);
}

bool sn__guard_is_dying(void) {
  const sn__guard_shared *shared = guard.shared;
  return shared != NULL && atomic_load(&shared->is_dying);
}

/* The guard never sends: a readable socket means that it has ended. */
static bool is_alive(void) {
  char byte = 0;
  return guard.socket >= 0 && recv(guard.socket, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0;
}

/* @return as sn__guard_check() */
static sn_status start_again(int64_t now_ns) {
  end_process();
  guard.failure = (sn_error){.code = SN_OK};
  const sn_status status = start_process(&guard.failure);
  if (status != SN_OK) {
    guard.failed_ns = now_ns;
    return status;
  }
  for (int i = 0; i < SN__GUARD_PLACES; i++) {
    if (guard.fds[i] >= 0) {
      send_port(i);
    }
  }
  return SN_ESTOPPED;
}

sn_status sn__guard_check(int64_t now_ns, sn_error *err) {
  if (is_alive() || sn__guard_is_dying()) {
    return SN_OK;
  }
  sn_status status = SN_OK;
  pthread_mutex_lock(&guard.lock);
  if (!is_alive()) { /* not restarted by another thread */
    status = now_ns - guard.failed_ns > START_AGAIN_NS ? start_again(now_ns) : guard.failure.code;
    *err = guard.failure;
  }
  pthread_mutex_unlock(&guard.lock);
  return status;
}

/* ---- the end ---- */

void sn__guard_trip(void) {
  sn__guard_shared *shared = guard.shared;
  const int socket = guard.socket;
  if (shared != NULL && socket >= 0) {
    atomic_store(&shared->is_dying, true);
    const sn__guard_message wake = {.place = -1};
    (void)send(socket, &wake, sizeof wake, MSG_NOSIGNAL | MSG_DONTWAIT);
    atomic_store(&shared->called_ns, sn__real_now_ns());
  }
}

bool sn__guard_wait(int64_t wait_ns) {
  const sn__guard_shared *shared = guard.shared;
  const int64_t until_ns = sn__real_now_ns() + wait_ns;
  bool is_done = shared == NULL || guard.socket < 0;
  while (!is_done && sn__real_now_ns() < until_ns) {
    is_done = atomic_load(&shared->dying_done) != 0;
    if (!is_done) {
      sn__real_pause();
    }
  }
  return is_done;
}
