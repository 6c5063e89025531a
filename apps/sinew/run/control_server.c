#define _GNU_SOURCE /* accept4(), struct ucred */

#include "run/control_server.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fail.h"
#include "remote/peer_uid.h"
#include "remote/pool.h"
#include "remote/remote_starved.h"
#include "run/control_path.h"
#include "run/control_peer.h"

#define MS_NS INT64_C(1000000)
#define TIMEOUT_NS (60000 * MS_NS)   /* upper bound of the timeout of a call */
#define BLOCKED_NS (5000 * MS_NS)    /* without reading: then it may be dropped */
#define IDLE_NS (1000 * MS_NS)       /* the same without a request */
#define SILENT_NS (10000 * MS_NS)    /* with streams */
#define SOURCE_NS (60000 * MS_NS)    /* and after publishing */
#define STOP_ONLY_NS (10000 * MS_NS) /* then a stop-only client is dropped */

/* Dropped clients keep their entry until their request is done. */
enum { ENTRIES = CONTROL_CLIENTS_MAX + CONTROL_STOP_ONLY_MAX + 24 };

struct control_server {
  sn__remote_context context;
  sn__remote_log log;
  sn__remote_counts counts;
  sn__remote_taps taps;
  sn__remote_pool pool;
  sn_clock clock; /* of the machine; the system may have simulated time */
  char path[CONTROL_PATH_SIZE];
  int fd;
  int wake_fd;       /* readable when a job is done */
  int64_t accept_ns; /* accept no connection before */
  sn_log_limit starved;
  pthread_t thread;
  atomic_bool is_ending;
  size_t first; /* entry that is served first */
  control_peer peers[ENTRIES];
  struct pollfd polls[ENTRIES + 2]; /* the socket, the pool, the clients */
};

static void wake(void *context) {
  eventfd_write(((control_server *)context)->wake_fd, 1);
}

/* ---- accepting clients ---- */

static void send_refusal(int fd, sn_status status, const char *message) {
  sn__remote_answer answer = {.tap = NULL};
  sn__remote_answer_error(&answer, "null", status, message);
  (void)!send(fd, answer.reply.data, answer.reply.used, MSG_DONTWAIT | MSG_NOSIGNAL);
  sn__buffer_free(&answer.reply);
}

/* Which of two clients is dropped first: one that does not read, then one without streams, then the
   one that has been silent longer. */
static bool goes_before(const control_peer *a, const control_peer *b) {
  const bool a_is_stuck = a->blocked_since_ns != 0;
  const bool b_is_stuck = b->blocked_since_ns != 0;
  if (a_is_stuck != b_is_stuck) {
    return a_is_stuck;
  }
  const bool a_has_streams = control_peer_has_streams(a);
  if (a_has_streams != control_peer_has_streams(b)) {
    return !a_has_streams;
  }
  return a->heard_ns < b->heard_ns;
}

static bool may_drop(const control_peer *peer, int64_t now_ns) {
  if (peer->blocked_since_ns != 0) {
    return now_ns - peer->blocked_since_ns > BLOCKED_NS;
  }
  if (!control_peer_is_idle(peer)) {
    return false;
  }
  const int64_t silent_ns = control_peer_is_source(peer)     ? SOURCE_NS
                            : control_peer_has_streams(peer) ? SILENT_NS
                                                             : IDLE_NS;
  return now_ns - peer->heard_ns >= silent_ns;
}

/* At the limit, an idle client is dropped. Its entry is reused once its request is done, so there
   are more entries than clients. If none is idle, the new client can only stop the robot. */
static control_peer *find_entry(control_server *server, int64_t now_ns, bool *is_stop_only) {
  control_peer *entry = NULL;
  control_peer *victim = NULL;
  size_t count = 0;
  size_t stop_only_count = 0;
  for (size_t i = 0; i < ENTRIES; i++) {
    control_peer *peer = &server->peers[i];
    if (!peer->is_open) {
      entry = peer;
    } else if (!peer->is_gone) {
      count += !peer->is_stop_only;
      stop_only_count += peer->is_stop_only;
      if (!peer->is_stop_only && may_drop(peer, now_ns) &&
          (victim == NULL || goes_before(peer, victim))) {
        victim = peer;
      }
    }
  }
  *is_stop_only = count >= CONTROL_CLIENTS_MAX && victim == NULL;
  if (entry == NULL || (*is_stop_only && stop_only_count >= CONTROL_STOP_ONLY_MAX)) {
    return NULL;
  }
  if (count >= CONTROL_CLIENTS_MAX && victim != NULL) {
    victim->is_gone = true;
  }
  return entry;
}

/* The mode of the socket excludes other users already; the check holds even if it was changed. */
static void accept_clients(control_server *server, int64_t now_ns) {
  for (;;) {
    const int fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (sn__remote_is_starved(errno)) {
        server->accept_ns = now_ns + SN__REMOTE_ACCEPT_PAUSE_NS;
        sn__remote_log_starved(server->context.system, "control socket", &server->starved);
      }
      return;
    }
    const bool is_ours = sn__peer_is_ours(fd);
    bool is_stop_only = false;
    control_peer *entry = is_ours ? find_entry(server, now_ns, &is_stop_only) : NULL;
    if (entry != NULL) {
      control_peer_open(entry, fd, &server->context, now_ns);
      entry->is_stop_only = is_stop_only;
      server->counts.clients++;
      continue;
    }
    char message[80];
    snprintf(message, sizeof message, "too many clients, at most %d: try again later",
             CONTROL_CLIENTS_MAX);
    send_refusal(fd, SN_EBUSY, is_ours ? message : "this system belongs to another user");
    close(fd);
    server->counts.refused++;
  }
}

/* ---- the loop ---- */

static int timeout_ms(const control_server *server, int64_t now_ns) {
  int64_t next_ns = server->accept_ns > now_ns ? server->accept_ns : INT64_MAX;
  for (size_t i = 0; i < ENTRIES; i++) {
    if (server->peers[i].is_open) {
      const control_peer *peer = &server->peers[i];
      if (peer->is_gone && !peer->is_busy) {
        return 0; /* reuse its entry in the next turn */
      }
      const int64_t wanted_ns = control_peer_next_ns(peer);
      const int64_t end_ns =
          peer->is_stop_only && !peer->is_gone ? peer->opened_ns + STOP_ONLY_NS : INT64_MAX;
      next_ns = wanted_ns < next_ns ? wanted_ns : next_ns;
      next_ns = end_ns < next_ns ? end_ns : next_ns;
    }
  }
  if (next_ns == INT64_MAX) {
    return -1;
  }
  const int64_t wait_ns = next_ns - now_ns;
  return wait_ns <= 0 ? 0 : (int)((wait_ns < 1000 * MS_NS ? wait_ns : 1000 * MS_NS) / MS_NS) + 1;
}

static void wait_for_events(control_server *server) {
  const int64_t now_ns = sn_clock_now_ns(&server->clock);
  struct pollfd *polls = server->polls;
  polls[0] = (struct pollfd){server->accept_ns > now_ns ? -1 : server->fd, POLLIN, 0};
  polls[1] = (struct pollfd){server->wake_fd, POLLIN, 0};
  for (size_t i = 0; i < ENTRIES; i++) {
    const control_peer *peer = &server->peers[i];
    const int events = (control_peer_wants_input(peer) ? POLLIN : 0) |
                       (control_peer_wants_output(peer) ? POLLOUT : 0);
    polls[2 + i] =
        (struct pollfd){peer->is_open && !peer->is_gone ? peer->fd : -1, (short)events, 0};
  }
  if (poll(polls, ENTRIES + 2, timeout_ms(server, now_ns)) < 0) {
    for (size_t i = 0; i < ENTRIES + 2; i++) {
      polls[i].revents = 0;
    }
  }
}

static void collect(control_server *server, int64_t now_ns) {
  eventfd_t count;
  (void)eventfd_read(server->wake_fd, &count);
  for (sn__remote_job *job = sn__remote_pool_take_done(&server->pool); job != NULL;
       job = sn__remote_pool_take_done(&server->pool)) {
    control_peer_collect((control_peer *)job, now_ns);
  }
}

static void take_turn(control_server *server, size_t index, int64_t now_ns) {
  control_peer *peer = &server->peers[index];
  const int events = server->polls[2 + index].revents;
  if (!peer->is_open) {
    return;
  }
  peer->is_gone |= peer->is_stop_only && now_ns - peer->opened_ns > STOP_ONLY_NS;
  if ((events & POLLIN) != 0) {
    control_peer_receive(peer, now_ns);
  } else if ((events & (POLLHUP | POLLERR)) != 0) {
    peer->is_gone = true;
  }
  if ((events & POLLOUT) != 0) {
    control_peer_send(peer, now_ns);
  }
  control_peer_advance(peer, &server->counts, now_ns);
  control_peer_submit(peer, &server->pool);
  control_peer_advance(peer, &server->counts, now_ns); /* a request may have been refused at once */
  if (control_peer_is_over(peer)) {
    control_peer_close(peer);
    server->counts.clients--;
  }
}

static void *serve(void *context) {
  control_server *server = context;
  while (!atomic_load(&server->is_ending)) {
    wait_for_events(server);
    const int64_t now_ns = sn_clock_now_ns(&server->clock);
    collect(server, now_ns);
    for (size_t i = 0; i < ENTRIES; i++) {
      take_turn(server, (server->first + i) % ENTRIES, now_ns);
    }
    server->first = (server->first + 1) % ENTRIES;
    if ((server->polls[0].revents & POLLIN) != 0) {
      accept_clients(server, now_ns);
    }
  }
  return NULL;
}

/* ---- start and stop ---- */

static void init(control_server *server, sn_system *system, const char *path) {
  sn__remote_log_init(&server->log);
  server->context = (sn__remote_context){.system = system,
                                         .taps = &server->taps,
                                         .log = &server->log,
                                         .counts = &server->counts,
                                         .timeout_ns_max = TIMEOUT_NS};
  sn_clock_init_monotonic(&server->clock);
  snprintf(server->path, sizeof server->path, "%s", path);
}

sn_status control_server_start(sn_system *system, const char *path, control_server **out,
                               sn_error *err) {
  control_server *server = calloc(1, sizeof *server);
  if (server == NULL) {
    return sn__fail(err, SN_ENOMEM, "control socket: no memory");
  }
  init(server, system, path);
  sn_status status = control_path_listen(path, &server->fd, err);
  if (status != SN_OK) {
    sn__remote_log_end(&server->log);
    free(server);
    return status;
  }
  server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  status = server->wake_fd < 0 ? sn__fail(err, SN_EIO, "control socket: %s", strerror(errno))
                               : sn__remote_pool_start(&server->pool, wake, server, err);
  if (status == SN_OK) {
    status = sn__remote_thread_start(&server->thread, serve, server, err);
    if (status != SN_OK) {
      sn__remote_pool_end(&server->pool);
    }
  }
  if (status != SN_OK) {
    control_path_remove(server->path, server->fd);
    close(server->wake_fd);
    sn__remote_log_end(&server->log);
    free(server);
    return status;
  }
  *out = server;
  return SN_OK;
}

void control_server_stop(control_server *server) {
  if (server == NULL) {
    return;
  }
  atomic_store(&server->is_ending, true);
  wake(server);
  pthread_join(server->thread, NULL);
  control_path_remove(server->path, server->fd);
  sn__remote_pool_end(&server->pool);
  close(server->wake_fd);
  for (size_t i = 0; i < ENTRIES; i++) {
    if (server->peers[i].is_open) {
      control_peer_close(&server->peers[i]);
    }
  }
  sn__remote_log_end(&server->log);
  free(server);
}

void control_server_log(control_server *server, const sn_log_record *record) {
  sn__remote_log_add(&server->log, record);
}
