#define _GNU_SOURCE

#include "sim/sim_pty.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "sinew/fault.h"

struct sim_pty {
  servo_sim sim;
  pthread_mutex_t lock;
  pthread_t thread;
  atomic_bool must_end;
  int fd; /* of the master; -1: unplugged */
  char path[64];
  char link[128];
};

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void open_master(sim_pty *pty) {
  pty->fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  SN_ASSERT(pty->fd >= 0);
  SN_ASSERT(grantpt(pty->fd) == 0 && unlockpt(pty->fd) == 0);
  SN_ASSERT(ptsname_r(pty->fd, pty->path, sizeof pty->path) == 0);
  struct termios line; /* without echo from the start */
  SN_ASSERT(tcgetattr(pty->fd, &line) == 0);
  cfmakeraw(&line);
  SN_ASSERT(tcsetattr(pty->fd, TCSANOW, &line) == 0);
  if (pty->link[0] != '\0') {
    unlink(pty->link);
    SN_ASSERT(symlink(pty->path, pty->link) == 0);
  }
}

/* @return time until the next event */
static int64_t serve(sim_pty *pty) {
  uint8_t bytes[512];
  const ssize_t got = pty->fd < 0 ? 0 : read(pty->fd, bytes, sizeof bytes);
  if (got > 0) {
    servo_sim_receive(&pty->sim, bytes, (size_t)got, now_ns());
  }
  servo_sim_advance(&pty->sim, now_ns());
  const size_t count = servo_sim_transmit(&pty->sim, now_ns(), bytes, sizeof bytes);
  if (count > 0 && pty->fd >= 0) {
    const ssize_t written = write(pty->fd, bytes, count);
    (void)written; /* without a reader bytes are lost, as on a wire */
  }
  const int64_t next_ns = servo_sim_next_ns(&pty->sim, 1) - now_ns();
  return next_ns < 2000000 ? next_ns : 2000000;
}

/* Real servos do not depend on the load of the host: take real-time priority if permitted. */
static void take_precedence(void) {
  const struct sched_param param = {.sched_priority = 1};
  (void)pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
}

static void *run(void *argument) {
  sim_pty *pty = argument;
  (void)pthread_setname_np(pthread_self(), "sim_pty");
  take_precedence();
  while (!atomic_load(&pty->must_end)) {
    pthread_mutex_lock(&pty->lock);
    const int64_t wait_ns = serve(pty);
    struct pollfd fd = {.fd = pty->fd, .events = POLLIN};
    pthread_mutex_unlock(&pty->lock);
    const struct timespec timeout = {.tv_nsec = wait_ns > 0 ? (long)wait_ns : 0};
    (void)ppoll(&fd, 1, &timeout, NULL);
    if ((fd.revents & POLLHUP) != 0) { /* no host has it open */
      const struct timespec pause = {.tv_nsec = 500000};
      nanosleep(&pause, NULL);
    }
  }
  return NULL;
}

sim_pty *sim_pty_start(const servo_sim *sim, const char *link) {
  sim_pty *pty = calloc(1, sizeof *pty);
  SN_ASSERT(pty != NULL);
  pty->sim = *sim;
  pty->sim.now_ns = now_ns();
  snprintf(pty->link, sizeof pty->link, "%s", link == NULL ? "" : link);
  pthread_mutex_init(&pty->lock, NULL);
  open_master(pty);
  SN_ASSERT(pthread_create(&pty->thread, NULL, run, pty) == 0);
  return pty;
}

void sim_pty_stop(sim_pty *pty) {
  atomic_store(&pty->must_end, true);
  pthread_join(pty->thread, NULL);
  if (pty->fd >= 0) {
    close(pty->fd);
  }
  if (pty->link[0] != '\0') {
    unlink(pty->link);
  }
  pthread_mutex_destroy(&pty->lock);
  free(pty);
}

const char *sim_pty_path(const sim_pty *pty) {
  return pty->link[0] != '\0' ? pty->link : pty->path;
}

servo_sim *sim_pty_lock(sim_pty *pty) {
  pthread_mutex_lock(&pty->lock);
  return &pty->sim;
}

void sim_pty_unlock(sim_pty *pty) {
  pthread_mutex_unlock(&pty->lock);
}

void sim_pty_unplug(sim_pty *pty) {
  pthread_mutex_lock(&pty->lock);
  close(pty->fd);
  pty->fd = -1;
  if (pty->link[0] != '\0') {
    unlink(pty->link);
  }
  pthread_mutex_unlock(&pty->lock);
}

void sim_pty_plug(sim_pty *pty) {
  pthread_mutex_lock(&pty->lock);
  open_master(pty);
  pthread_mutex_unlock(&pty->lock);
}
