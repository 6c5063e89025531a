/* One connection: its output queue, reading and writing. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fail.h"
#include "ros/ros1/net.h"

#define READ_SIZE ((size_t)64 << 10) /* per call */

/* ---- frames ---- */

sn__frame *sn__frame_create(size_t size) {
  sn__frame *frame = malloc(sizeof *frame + size);
  if (frame != NULL) {
    frame->users = 1;
    frame->size = size;
  }
  return frame;
}

void sn__frame_drop(sn__frame *frame) {
  if (frame != NULL && --frame->users == 0) {
    free(frame);
  }
}

bool sn__frame_queue_init(sn__frame_queue *queue, size_t capacity) {
  *queue = (sn__frame_queue){.ring = calloc(capacity + 1, sizeof *queue->ring),
                             .capacity = capacity + 1};
  return queue->ring != NULL;
}

static sn__frame **at(const sn__frame_queue *queue, size_t index) {
  return &queue->ring[(queue->first + index) % queue->capacity];
}

static void drop_oldest(sn__frame_queue *queue) {
  if (queue->sent == 0) {
    queue->bytes -= (*at(queue, 0))->size;
    sn__frame_drop(*at(queue, 0));
    queue->first = (queue->first + 1) % queue->capacity;
  } else { /* the first is partly sent: drop the second and move the first up */
    queue->bytes -= (*at(queue, 1))->size;
    sn__frame_drop(*at(queue, 1));
    *at(queue, 1) = *at(queue, 0);
    queue->first = (queue->first + 1) % queue->capacity;
  }
  queue->count--;
  queue->dropped++;
}

void sn__frame_queue_push(sn__frame_queue *queue, sn__frame *frame) {
  const size_t keep = queue->sent > 0 ? 1 : 0;
  while (queue->count > keep &&
         (queue->count == queue->capacity || queue->bytes + frame->size > SN__FRAME_QUEUE_BYTES)) {
    drop_oldest(queue);
  }
  frame->users++;
  *at(queue, queue->count++) = frame;
  queue->bytes += frame->size;
}

size_t sn__frame_queue_peek(const sn__frame_queue *queue, const char **bytes) {
  if (queue->count == 0) {
    return 0;
  }
  const sn__frame *frame = *at(queue, 0);
  *bytes = frame->data + queue->sent;
  return frame->size - queue->sent;
}

void sn__frame_queue_advance(sn__frame_queue *queue, size_t size) {
  sn__frame *frame = *at(queue, 0);
  queue->sent += size;
  if (queue->sent == frame->size) {
    queue->bytes -= frame->size;
    queue->sent = 0;
    queue->first = (queue->first + 1) % queue->capacity;
    queue->count--;
    sn__frame_drop(frame);
  }
}

void sn__frame_queue_free(sn__frame_queue *queue) {
  for (size_t i = 0; i < queue->count; i++) {
    sn__frame_drop(*at(queue, i));
  }
  free(queue->ring);
  *queue = (sn__frame_queue){0};
}

/* ---- links ---- */

void sn__socket_set_options(int fd) {
  const int yes = 1;
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
}

void sn__link_fail(sn__link *link, sn_status status, const char *what) {
  if (!link->is_gone) {
    (void)sn__fail(&link->failure, status, "%s", what);
    link->is_gone = true;
  }
}

void sn__link_connect(sn__link *link, struct in_addr address, int port) {
  link->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = address};
  if (link->fd < 0) {
    sn__link_fail(link, SN_EIO, strerror(errno));
    return;
  }
  sn__socket_set_options(link->fd);
  link->is_connecting = true;
  if (connect(link->fd, (const struct sockaddr *)&to, sizeof to) != 0 && errno != EINPROGRESS) {
    sn__link_fail(link, SN_EIO, strerror(errno));
  }
}

void sn__link_send_frame(sn__link *link, sn__frame *frame) {
  if (!link->is_gone) {
    sn__frame_queue_push(&link->out, frame);
  }
}

void sn__link_send(sn__link *link, const void *bytes, size_t size) {
  sn__frame *frame = size == 0 ? NULL : sn__frame_create(size);
  if (frame == NULL) {
    sn__link_fail(link, SN_ENOMEM, "out of memory");
    return;
  }
  memcpy(frame->data, bytes, size);
  sn__link_send_frame(link, frame);
  sn__frame_drop(frame);
}

void sn__link_set_queue(sn__link *link, size_t capacity) {
  sn__frame_queue larger;
  if (capacity + 1 > link->out.capacity && sn__frame_queue_init(&larger, capacity)) {
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
    sn__link_fail(link, SN_ELIMIT, "input buffer is full");
    link->net->refused++;
    return;
  }
  const ssize_t size = recv(link->fd, room, READ_SIZE, MSG_DONTWAIT);
  if (size < 0) {
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      sn__link_fail(link, SN_EIO, strerror(errno));
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
    if (link->out.count > 0) { /* send the reason first */
      link->failure = err;
      link->ends_after_output = true;
      link->is_paused = true;
    } else {
      sn__link_fail(link, status, err.message);
    }
  } else if (link->has_ended && !link->ends_after_output) {
    sn__link_fail(link, SN_EIO, "connection closed by peer");
  }
}

static void transmit(sn__link *link) {
  const char *bytes = NULL;
  for (size_t size = sn__frame_queue_peek(&link->out, &bytes); size > 0;
       size = sn__frame_queue_peek(&link->out, &bytes)) {
    const ssize_t sent = send(link->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        sn__link_fail(link, SN_EIO, strerror(errno));
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
    sn__link_fail(link, SN_EIO, strerror(problem == 0 ? errno : problem));
    return;
  }
  link->is_connecting = false;
  link->role->connected(link);
}

void sn__link_handle_events(sn__link *link, int events) {
  if (link->is_connecting && (events & (POLLOUT | POLLERR | POLLHUP)) != 0) {
    finish_connect(link);
  } else if (!link->is_connecting && (events & POLLIN) != 0 && !link->is_paused) {
    receive(link);
  } else if ((events & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
    sn__link_fail(link, SN_EIO, "connection failed");
  }
  if (!link->is_gone && link->fd >= 0 && !link->is_connecting && link->out.count > 0) {
    transmit(link);
  }
  if (!link->is_gone && link->deadline_ns != 0 && link->net->now_ns > link->deadline_ns) {
    link->net->timed_out++;
    sn__link_fail(link, SN_ETIMEDOUT, "timed out");
  }
}
