#define _GNU_SOURCE /* struct ucred, SOCK_CLOEXEC */

#include "client/client_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "sinew/clock.h"

#define LINE_SIZE_MAX ((size_t)4 << 20) /* a server sends less */

static int64_t now_ns(void) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  return sn_clock_now_ns(&clock);
}

int64_t sn__client_deadline_ns(double timeout_s) {
  return now_ns() + (int64_t)(1e9 * timeout_s);
}

/* ---- connecting ---- */

static bool is_name(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return name[0] != '\0' && name[0] != '.' && name[strspn(name, letters)] == '\0';
}

static sn_status find_path(const sn_client_config *config, struct sockaddr_un *address,
                           sn_error *err) {
  char *out = address->sun_path;
  const size_t size = sizeof address->sun_path;
  const char *name = config->name == NULL ? "default" : config->name;
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  int length = 0;
  if (config->socket != NULL) {
    length = snprintf(out, size, "%s", config->socket);
  } else if (!is_name(name)) {
    return sn__fail(err, SN_EINVAL,
                    "'%.60s' is not the name of a system: expected letters, digits, _, - and .",
                    name);
  } else if (runtime != NULL && runtime[0] == '/') {
    length = snprintf(out, size, "%s/sinew/%s.sock", runtime, name);
  } else {
    length = snprintf(out, size, "/tmp/sinew-%ld/%s.sock", (long)geteuid(), name);
  }
  return length > 0 && (size_t)length < size
             ? SN_OK
             : sn__fail(err, SN_ELIMIT, "the path of a socket has 1 to %zu bytes, this one %d",
                        size - 1, length);
}

/* In a folder that everyone can write to, any user can listen. */
static sn_status check_peer(int fd, const char *path, sn_error *err) {
  struct ucred peer = {.pid = 0};
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return sn__fail(err, SN_EIO, "%s: %s", path, strerror(errno));
  }
  return peer.uid == geteuid() || peer.uid == 0
             ? SN_OK
             : sn__fail(err, SN_EIO, "%s: belongs to a process of another user (uid %ld)", path,
                        (long)peer.uid);
}

sn_status sn__client_connect(const sn_client_config *config, sn__client_socket *out,
                             sn_error *err) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  sn_status status = find_path(config, &address, err);
  if (status != SN_OK) {
    return status;
  }
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) {
    return sn__fail(err, SN_EIO, "no socket: %s", strerror(errno));
  }
  if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
    status = sn__fail(err, SN_EIO, "no system answers at %s: %s; start one with 'sinew run FILE'",
                      address.sun_path, strerror(errno));
  } else {
    status = check_peer(fd, address.sun_path, err);
  }
  if (status != SN_OK) {
    close(fd);
    return status;
  }
  *out = (sn__client_socket){.fd = fd};
  return SN_OK;
}

void sn__client_disconnect(sn__client_socket *socket) {
  if (socket->fd >= 0) {
    close(socket->fd);
  }
  free(socket->in);
  *socket = (sn__client_socket){.fd = -1};
}

/* ---- lines ---- */

/* Wait until the socket is ready. After a timeout the answer may still come, so the connection is
   closed. */
static sn_status wait_for(sn__client_socket *socket, short events, int64_t deadline_ns,
                          sn_error *err) {
  for (;;) {
    const int64_t left_ms = (deadline_ns - now_ns()) / 1000000 + 1;
    struct pollfd one = {socket->fd, events, 0};
    const int count = left_ms <= 0 ? 0 : poll(&one, 1, left_ms > 60000 ? 60000 : (int)left_ms);
    if (count > 0) {
      return SN_OK;
    }
    if (count == 0 && left_ms <= 60000) {
      sn__client_disconnect(socket);
      return sn__fail(err, SN_ETIMEDOUT, "no answer in time");
    }
    if (count < 0 && errno != EINTR) {
      return sn__fail(err, SN_EIO, "the connection failed: %s", strerror(errno));
    }
  }
}

static sn_status end(sn__client_socket *socket, const char *why, sn_error *err) {
  sn__client_disconnect(socket);
  return sn__fail(err, SN_EIO, "the connection has ended%s%s", *why == '\0' ? "" : ": ", why);
}

sn_status sn__client_send(sn__client_socket *socket, const char *text, size_t size,
                          int64_t deadline_ns, sn_error *err) {
  if (socket->fd < 0) {
    return end(socket, "", err);
  }
  for (size_t sent = 0; sent < size;) {
    const ssize_t count = send(socket->fd, text + sent, size - sent, MSG_NOSIGNAL);
    if (count >= 0) {
      sent += (size_t)count;
    } else if (errno == EAGAIN) {
      const sn_status status = wait_for(socket, POLLOUT, deadline_ns, err);
      if (status != SN_OK) {
        return status;
      }
    } else if (errno != EINTR) {
      return end(socket, strerror(errno), err);
    }
  }
  return SN_OK;
}

static sn_status grow(sn__client_socket *socket, sn_error *err) {
  if (socket->in_size >= LINE_SIZE_MAX) {
    sn__client_disconnect(socket);
    return sn__fail(err, SN_ELIMIT, "the answer is longer than %zu bytes", LINE_SIZE_MAX);
  }
  const size_t wanted = socket->in_size == 0 ? 4096 : socket->in_size + 1;
  char *in = sn__list_grow(socket->in, &socket->in_size, wanted, 1);
  if (in == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the answer");
  }
  socket->in = in;
  return SN_OK;
}

static sn_status receive_more(sn__client_socket *socket, int64_t deadline_ns, sn_error *err) {
  sn_status status = socket->in_used == socket->in_size ? grow(socket, err) : SN_OK;
  if (status == SN_OK) {
    status = wait_for(socket, POLLIN, deadline_ns, err);
  }
  if (status != SN_OK) {
    return status;
  }
  const ssize_t count =
      recv(socket->fd, socket->in + socket->in_used, socket->in_size - socket->in_used, 0);
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
    return end(socket, count == 0 ? "" : strerror(errno), err);
  }
  socket->in_used += count < 0 ? 0 : (size_t)count;
  return SN_OK;
}

sn_status sn__client_receive(sn__client_socket *socket, int64_t deadline_ns, const char **line,
                             size_t *length, sn_error *err) {
  if (socket->fd < 0) {
    return end(socket, "", err);
  }
  socket->in_used -= socket->line_length;
  if (socket->line_length > 0) {
    memmove(socket->in, socket->in + socket->line_length, socket->in_used);
  }
  socket->line_length = 0;
  const char *found = NULL;
  while ((found = socket->in_used == 0 ? NULL : memchr(socket->in, '\n', socket->in_used)) ==
         NULL) {
    const sn_status status = receive_more(socket, deadline_ns, err);
    if (status != SN_OK) {
      return status;
    }
  }
  *line = socket->in;
  *length = (size_t)(found - socket->in);
  socket->line_length = *length + 1;
  return SN_OK;
}
