#define _POSIX_C_SOURCE 200809L

#include "ws_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "sn_test.h"

enum { TIMEOUT_MS = 60000 };

bool ws_client_read(ws_client *c, int timeout_ms) {
  struct pollfd p = {c->fd, POLLIN, 0};
  if (poll(&p, 1, timeout_ms) <= 0) {
    return true;
  }
  c->bytes = sn__list_grow(c->bytes, &c->size, c->used + 65536, 1);
  assert_non_null(c->bytes);
  const ssize_t count = recv(c->fd, c->bytes + c->used, 65536, 0);
  c->used += count > 0 ? (size_t)count : 0;
  return count > 0;
}

bool ws_client_has(const ws_client *c, const char *text) {
  const size_t length = strlen(text);
  for (size_t i = 0; i + length <= c->used; i++) {
    if (memcmp(c->bytes + i, text, length) == 0) {
      return true;
    }
  }
  return false;
}

bool ws_client_wait(ws_client *c, const char *text) {
  for (int waited_ms = 0; !ws_client_has(c, text); waited_ms += 10) {
    if (!ws_client_read(c, 10)) {
      return ws_client_has(c, text);
    }
    assert_true(waited_ms < TIMEOUT_MS);
  }
  return true;
}

void ws_client_send(ws_client *c, const void *bytes, size_t size) {
  (void)!send(c->fd, bytes, size, MSG_NOSIGNAL);
}

/* A frame with a mask of zeros. */
void ws_client_send_frame(ws_client *c, int opcode, const void *payload, size_t size) {
  unsigned char frame[1024] = {(unsigned char)(0x80 | opcode), 0x80 | 126,
                               (unsigned char)(size >> 8), (unsigned char)size};
  assert_true(size <= sizeof frame - 8);
  memcpy(frame + 8, payload, size);
  ws_client_send(c, frame, 8 + size);
}

void ws_client_send_text(ws_client *c, const char *text) {
  ws_client_send_frame(c, 1, text, strlen(text));
}

bool ws_client_open(ws_client *c, int port) {
  *c = (ws_client){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const struct sockaddr_in at = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (port == 0 || connect(c->fd, (const struct sockaddr *)&at, sizeof at) != 0) {
    return false;
  }
  char request[400];
  const int length = snprintf(
      request, sizeof request,
      "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\n"
      "Sec-WebSocket-Protocol: foxglove.websocket.v1\r\n\r\n",
      port);
  ws_client_send(c, request, (size_t)length);
  return ws_client_wait(c, "advertiseServices");
}

void ws_client_close(ws_client *c) {
  close(c->fd);
  free(c->bytes);
}

/* The id of a service, from the advertisement. */
static unsigned service_of(const ws_client *c, const char *name) {
  char text[100];
  const int length = snprintf(text, sizeof text, ",\"name\":\"%s\"", name);
  for (size_t i = 0; i + (size_t)length < c->used; i++) {
    if (memcmp(c->bytes + i, text, (size_t)length) == 0) {
      size_t at = i;
      while (c->bytes[at - 1] >= '0' && c->bytes[at - 1] <= '9') {
        at--;
      }
      return (unsigned)strtoul((const char *)c->bytes + at, NULL, 10);
    }
  }
  fail_msg("unknown service %s", name);
  return 0;
}

void ws_client_call(ws_client *c, const char *name, unsigned id) {
  unsigned char request[32] = {2};
  const unsigned service = service_of(c, name);
  memcpy(request + 1, &service, 4); /* tests run on little-endian machines */
  memcpy(request + 5, &id, 4);
  memcpy(request + 9, "\4\0\0\0json{}", 10);
  ws_client_send_frame(c, 2, request, 19);
}
