#define _GNU_SOURCE /* accept4(), getaddrinfo(), ppoll() */

#include "ros/ros1/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "remote/remote_starved.h"
#include "ros/ros_transport.h"

#define S_NS INT64_C(1000000000)
#define PATIENCE_NS (10 * S_NS)           /* for the first valid data of a connection */
#define IN_LIMIT (((size_t)16 << 20) + 4) /* roles have tighter limits */
#define OUT_ROOM 8                        /* frames; see sn__link_set_queue() */

/* ---- host lookup, in a pool thread; the link may be closed before it completes ---- */

typedef struct sn__dial {
  sn__remote_job job;    /**< first */
  struct sn__dial *next; /**< of all pending lookups */
  sn__link *link;        /**< NULL: closed meanwhile */
  char host[SN__HOST_SIZE];
  int port;
  struct in_addr address;
  bool is_found;
} sn__dial;

bool sn__address_quick(const char *host, struct in_addr *out) {
  if (strcmp(host, "localhost") == 0) {
    out->s_addr = htonl(INADDR_LOOPBACK);
    return true;
  }
  return inet_pton(AF_INET, host, out) == 1;
}

bool sn__address_find(const char *host, struct in_addr *out) {
  if (sn__address_quick(host, out)) {
    return true;
  }
  const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  if (getaddrinfo(host, NULL, &hints, &found) != 0 || found == NULL) {
    return false;
  }
  struct sockaddr_in address;
  memcpy(&address, found->ai_addr, sizeof address);
  *out = address.sin_addr;
  freeaddrinfo(found);
  return true;
}

/* A name server may be slow, so this is not for the quick lane. */
static bool look_up(sn__remote_job *job, sn__remote_lane lane) {
  sn__dial *dial = (sn__dial *)job;
  if (lane == SN__REMOTE_QUICK) {
    return false;
  }
  dial->is_found = sn__address_find(dial->host, &dial->address);
  return true;
}

/* @return false if out of memory */
static bool start_lookup(sn__link *link, const char *host, int port) {
  sn__dial *dial = calloc(1, sizeof *dial);
  if (dial == NULL) {
    return false;
  }
  dial->job.run = look_up;
  dial->link = link;
  dial->port = port;
  snprintf(dial->host, sizeof dial->host, "%s", host);
  link->dial = dial;
  dial->next = link->net->dials;
  link->net->dials = dial;
  sn__remote_pool_add(link->net->pool, &dial->job);
  return true;
}

static void free_dial(sn__net *net, sn__dial *dial) {
  sn__dial **at = &net->dials;
  while (*at != dial) {
    at = &(*at)->next;
  }
  *at = dial->next;
  free(dial);
}

/* ---- links ---- */

static sn__link *take_slot(sn__net *net, int fd) {
  for (size_t i = 0; i < SN__LINKS_MAX; i++) {
    sn__link *link = &net->links[i];
    if (link->role == NULL) {
      *link = (sn__link){.net = net,
                         .id = ++net->next_id,
                         .fd = fd,
                         .in = {.limit = IN_LIMIT},
                         .deadline_ns = net->now_ns + PATIENCE_NS};
      return sn__frame_queue_init(&link->out, OUT_ROOM) ? link : NULL;
    }
  }
  return NULL;
}

sn__link *sn__net_dial(sn__net *net, const char *host, int port, const sn__link_role *role,
                       void *owner) {
  sn__link *link = take_slot(net, -1);
  if (link == NULL) {
    return NULL;
  }
  link->role = role;
  link->owner = owner;
  link->is_dialled = true;
  struct in_addr address;
  if (sn__address_quick(host, &address)) {
    sn__link_connect(link, address, port);
  } else if (!start_lookup(link, host, port)) {
    sn__link_fail(link, SN_ENOMEM, "out of memory");
  }
  return link;
}

bool sn__net_collect(sn__net *net, sn__remote_job *job) {
  if (job->run != look_up) {
    return false;
  }
  sn__dial *dial = (sn__dial *)job;
  if (dial->link != NULL) {
    dial->link->dial = NULL;
    if (dial->is_found) {
      sn__link_connect(dial->link, dial->address, dial->port);
    } else {
      sn__link_fail(dial->link, SN_EIO, "no such host");
    }
  }
  free_dial(net, dial);
  return true;
}

static void sweep(sn__link *link) {
  if (link->role == NULL || !link->is_gone) {
    return;
  }
  link->role->closed(link);
  if (link->dial != NULL) {
    link->dial->link = NULL;
  }
  if (link->fd >= 0) {
    close(link->fd);
  }
  link->net->dropped += link->out.dropped;
  sn__frame_queue_free(&link->out);
  sn__bytes_free(&link->in);
  link->role = NULL;
}

/* ---- the net ---- */

/* Idle connections must not block others: when all slots are in use, the oldest connection that has
   not sent valid data yet is closed.
   @return whether a slot is free */
static bool free_slot(sn__net *net) {
  size_t count = 0;
  sn__link *oldest = NULL;
  for (size_t i = 0; i < SN__LINKS_MAX; i++) {
    sn__link *link = &net->links[i];
    if (link->role != NULL && !link->is_dialled) {
      count++;
      const bool is_older = oldest == NULL || link->id < oldest->id;
      oldest = link->deadline_ns != 0 && is_older ? link : oldest;
    }
  }
  if (count < SN__LINKS_MAX - SN__LINKS_OWN) {
    return true;
  }
  net->overcrowded++;
  if (oldest != NULL) {
    sn__link_fail(oldest, SN_EBUSY, "closed in favour of another connection");
    sweep(oldest);
  }
  return oldest != NULL;
}

static void accept_all(sn__net *net, const sn__listener *listener) {
  for (;;) {
    const int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (sn__remote_is_starved(errno)) {
        net->accept_ns = net->now_ns + SN__REMOTE_ACCEPT_PAUSE_NS;
        net->starved++;
      }
      return;
    }
    sn__link *link = free_slot(net) ? take_slot(net, fd) : NULL;
    if (link == NULL) {
      close(fd);
      continue;
    }
    sn__socket_set_options(fd);
    link->role = listener->accept(listener->context, link);
  }
}

static void poll_sockets(sn__net *net, int64_t timeout_ns) {
  struct pollfd *polls = net->polls;
  const bool may_accept = sn__monotonic_now_ns() >= net->accept_ns;
  polls[0] = (struct pollfd){net->wake_fd, POLLIN, 0};
  for (int i = 0; i < 2; i++) {
    polls[1 + i] = (struct pollfd){may_accept ? net->listeners[i].fd : -1, POLLIN, 0};
  }
  for (size_t i = 0; i < SN__LINKS_MAX; i++) {
    const sn__link *link = &net->links[i];
    const bool has_output = link->out.count > 0 || link->is_connecting;
    const int events =
        (link->is_paused || link->is_connecting ? 0 : POLLIN) | (has_output ? POLLOUT : 0);
    polls[3 + i] = (struct pollfd){link->role == NULL ? -1 : link->fd, (short)events, 0};
  }
  const struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / S_NS),
                                   .tv_nsec = (long)(timeout_ns % S_NS)};
  if (ppoll(polls, SN__LINKS_MAX + 3, &timeout, NULL) < 0) {
    for (size_t i = 0; i < SN__LINKS_MAX + 3; i++) {
      polls[i].revents = 0;
    }
  }
}

void sn__net_step(sn__net *net, int64_t timeout_ns) {
  poll_sockets(net, timeout_ns);
  net->now_ns = sn__monotonic_now_ns();
  eventfd_t count;
  (void)eventfd_read(net->wake_fd, &count);
  for (size_t i = 0; i < SN__LINKS_MAX; i++) {
    if (net->links[i].role != NULL && !net->links[i].is_gone) {
      sn__link_handle_events(&net->links[i], net->polls[3 + i].revents);
    }
  }
  for (int i = 0; i < 2; i++) {
    if ((net->polls[1 + i].revents & POLLIN) != 0) {
      accept_all(net, &net->listeners[i]);
    }
  }
  for (size_t i = 0; i < SN__LINKS_MAX; i++) {
    sweep(&net->links[i]);
  }
}

void sn__net_wake(sn__net *net) {
  (void)eventfd_write(net->wake_fd, 1);
}

sn_status sn__net_open(sn__net *net, sn__remote_pool *pool, sn_error *err) {
  *net = (sn__net){.pool = pool, .now_ns = sn__monotonic_now_ns()};
  net->listeners[0].fd = net->listeners[1].fd = -1;
  net->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return net->wake_fd >= 0 ? SN_OK : sn__fail(err, SN_EIO, "eventfd: %s", strerror(errno));
}

sn_status sn__net_listen(sn__net *net, struct in_addr address, sn__net_accept *accept,
                         void *context, sn_error *err) {
  sn__listener *listener = &net->listeners[net->listeners[0].fd < 0 ? 0 : 1];
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = address};
  socklen_t size = sizeof at;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 64) != 0 ||
      getsockname(fd, (struct sockaddr *)&at, &size) != 0) {
    const int problem = errno;
    if (fd >= 0) {
      close(fd);
    }
    return sn__fail(err, SN_EIO, "cannot listen: %s", strerror(problem));
  }
  *listener = (sn__listener){fd, ntohs(at.sin_port), accept, context};
  return SN_OK;
}

void sn__net_close(sn__net *net) {
  for (size_t i = 0; i < SN__LINKS_MAX; i++) {
    net->links[i].is_gone = true;
    sweep(&net->links[i]);
  }
  while (net->dials != NULL) {
    free_dial(net, net->dials);
  }
  for (int i = 0; i < 2; i++) {
    if (net->listeners[i].fd >= 0) {
      close(net->listeners[i].fd);
    }
  }
  close(net->wake_fd);
}
