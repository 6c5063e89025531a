#define _GNU_SOURCE /* accept4(), ppoll() */

#include "ros/ros1/net.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "remote/remote_starved.h"
#include "ros/ros1/dial.h"
#include "sinew/clock.h"

#define S_NS INT64_C(1000000000)
#define PATIENCE_NS (10 * S_NS)           /* until a connection has proved itself */
#define READ_SIZE ((size_t)64 << 10)      /* at once */
#define IN_LIMIT (((size_t)16 << 20) + 4) /* roles refuse much less */
#define OUT_ROOM 8                        /* frames; who needs more says so */

static int64_t real_now_ns(void) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  return sn_clock_now_ns(&clock);
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

static void tune(int fd) {
  const int yes = 1;
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
}

static void fail(sn__link *link, sn_status status, const char *what) {
  if (!link->is_gone) {
    (void)sn__fail(&link->failure, status, "%s", what);
    link->is_gone = true;
  }
}

static void begin_connect(sn__link *link, struct in_addr address, int port) {
  link->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = address};
  if (link->fd < 0) {
    fail(link, SN_EIO, strerror(errno));
    return;
  }
  tune(link->fd);
  link->is_connecting = true;
  if (connect(link->fd, (const struct sockaddr *)&to, sizeof to) != 0 && errno != EINPROGRESS) {
    fail(link, SN_EIO, strerror(errno));
  }
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
    begin_connect(link, address, port);
  } else if (!sn__dial_start(link, host, port)) {
    fail(link, SN_ENOMEM, "no memory");
  }
  return link;
}

bool sn__net_collect(sn__net *net, sn__remote_job *job) {
  if (!sn__dial_is_one(job)) {
    return false;
  }
  sn__dial *dial = (sn__dial *)job;
  if (dial->link != NULL) {
    dial->link->dial = NULL;
    if (dial->is_found) {
      begin_connect(dial->link, dial->address, dial->port);
    } else {
      fail(dial->link, SN_EIO, "no such host");
    }
  }
  sn__dial_end(net, dial);
  return true;
}

void sn__link_send_frame(sn__link *link, sn__frame *frame) {
  if (!link->is_gone) {
    sn__frame_queue_push(&link->out, frame);
  }
}

void sn__link_send(sn__link *link, const void *bytes, size_t size) {
  sn__frame *frame = size == 0 ? NULL : sn__frame_create(size);
  if (frame == NULL) {
    fail(link, SN_ENOMEM, "no memory");
    return;
  }
  memcpy(frame->data, bytes, size);
  sn__link_send_frame(link, frame);
  sn__frame_drop(frame);
}

void sn__link_set_queue(sn__link *link, size_t room) {
  sn__frame_queue larger;
  if (room + 1 > link->out.room && sn__frame_queue_init(&larger, room)) {
    while (link->out.count > 0) {
      sn__frame *frame = link->out.ring[link->out.first];
      sn__frame_queue_push(&larger, frame);
      sn__frame_queue_advance(&link->out, frame->size - link->out.sent);
    }
    sn__frame_queue_free(&link->out);
    link->out = larger;
  }
}

void sn__link_close(sn__link *link) {
  link->is_gone = true;
}

static void receive(sn__link *link) {
  char *room = sn__bytes_reserve(&link->in, READ_SIZE);
  if (room == NULL) {
    fail(link, SN_ELIMIT, "too many bytes wait");
    link->net->refused++;
    return;
  }
  const ssize_t size = recv(link->fd, room, READ_SIZE, MSG_DONTWAIT);
  if (size < 0) {
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      fail(link, SN_EIO, strerror(errno));
    }
    return;
  }
  link->in.used += (size_t)size;
  link->received += (uint64_t)size;
  link->has_ended = size == 0;
  sn_error err = {SN_OK, ""};
  const sn_status status = link->role->input(link, &err);
  if (status != SN_OK) {
    link->net->refused++;
    if (link->out.count > 0) { /* it is told why */
      link->failure = err;
      link->ends_after_output = true;
      link->is_paused = true;
    } else {
      fail(link, status, err.message);
    }
  } else if (link->has_ended && !link->ends_after_output) {
    fail(link, SN_EIO, "the other side has closed the connection");
  }
}

static void transmit(sn__link *link) {
  const char *bytes = NULL;
  for (size_t size = sn__frame_queue_peek(&link->out, &bytes); size > 0;
       size = sn__frame_queue_peek(&link->out, &bytes)) {
    const ssize_t sent = send(link->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        fail(link, SN_EIO, strerror(errno));
      }
      return;
    }
    link->sent += (uint64_t)sent;
    sn__frame_queue_advance(&link->out, (size_t)sent);
  }
  link->is_gone = link->is_gone || link->ends_after_output;
}

static void finish_connect(sn__link *link) {
  int problem = 0;
  socklen_t size = sizeof problem;
  if (getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &problem, &size) != 0 || problem != 0) {
    fail(link, SN_EIO, strerror(problem == 0 ? errno : problem));
    return;
  }
  link->is_connecting = false;
  link->role->connected(link);
}

static void move(sn__link *link, int events) {
  if (link->is_connecting && (events & (POLLOUT | POLLERR | POLLHUP)) != 0) {
    finish_connect(link);
  } else if (!link->is_connecting && (events & POLLIN) != 0 && !link->is_paused) {
    receive(link);
  } else if ((events & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
    fail(link, SN_EIO, "the connection is broken");
  }
  if (!link->is_gone && link->fd >= 0 && !link->is_connecting && link->out.count > 0) {
    transmit(link);
  }
  if (!link->is_gone && link->deadline_ns != 0 && link->net->now_ns > link->deadline_ns) {
    link->net->timed_out++;
    fail(link, SN_ETIMEDOUT, "no answer in time");
  }
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

/* So that a crowd that connects and says nothing keeps nobody out: if all places are taken, who has
   waited longest without having proved itself goes.
   @return whether there is a place now */
static bool make_place(sn__net *net) {
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
    fail(oldest, SN_EBUSY, "others need the place");
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
    sn__link *link = make_place(net) ? take_slot(net, fd) : NULL;
    if (link == NULL) {
      close(fd);
      continue;
    }
    tune(fd);
    link->role = listener->accept(listener->context, link);
  }
}

static void wait_for_something(sn__net *net, int64_t timeout_ns) {
  struct pollfd *polls = net->polls;
  const bool may_accept = real_now_ns() >= net->accept_ns;
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
  const struct timespec timeout = {.tv_sec = timeout_ns / S_NS, .tv_nsec = timeout_ns % S_NS};
  if (ppoll(polls, SN__LINKS_MAX + 3, &timeout, NULL) < 0) {
    for (size_t i = 0; i < SN__LINKS_MAX + 3; i++) {
      polls[i].revents = 0;
    }
  }
}

void sn__net_step(sn__net *net, int64_t timeout_ns) {
  wait_for_something(net, timeout_ns);
  net->now_ns = real_now_ns();
  eventfd_t count;
  (void)eventfd_read(net->wake_fd, &count);
  for (size_t i = 0; i < SN__LINKS_MAX; i++) {
    if (net->links[i].role != NULL && !net->links[i].is_gone) {
      move(&net->links[i], net->polls[3 + i].revents);
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
  *net = (sn__net){.pool = pool, .now_ns = real_now_ns()};
  net->listeners[0].fd = net->listeners[1].fd = -1;
  net->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return net->wake_fd >= 0 ? SN_OK : sn__fail(err, SN_EIO, "no eventfd: %s", strerror(errno));
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
  sn__dial_end_all(net);
  for (int i = 0; i < 2; i++) {
    if (net->listeners[i].fd >= 0) {
      close(net->listeners[i].fd);
    }
  }
  close(net->wake_fd);
}
