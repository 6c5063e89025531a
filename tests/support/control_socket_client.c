#define _GNU_SOURCE

#include "control_socket_client.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "run/control_path.h"
#include "sn_test.h"

client client_open(const char *socket) {
  client c = {.fd = -1};
  sn_error err;
  for (int tries = 0; tries < 1000; tries++) { /* the backlog is full */
    if (control_path_connect(socket, &c.fd, &err) == SN_OK) {
      return c;
    }
    poll(NULL, 0, 5);
  }
  fail_msg("%s", err.message);
  return c;
}

void client_close(client *c) {
  close(c->fd);
  free(c->text);
  *c = (client){.fd = -1};
}

size_t client_try_send(client *c, const char *text, size_t length) {
  const ssize_t count = send(c->fd, text, length, MSG_DONTWAIT | MSG_NOSIGNAL);
  return count < 0 ? 0 : (size_t)count;
}

bool client_read(client *c) {
  if (c->used + 65536 > c->size) {
    c->size = c->used + 131072;
    c->text = realloc(c->text, c->size);
    assert_non_null(c->text);
  }
  const ssize_t count = recv(c->fd, c->text + c->used, 65536, MSG_DONTWAIT);
  c->used += count > 0 ? (size_t)count : 0;
  return count != 0;
}

void client_send(client *c, const char *text, size_t length) {
  while (length > 0) {
    const size_t count = client_try_send(c, text, length);
    text += count;
    length -= count;
    if (length > 0) {
      struct pollfd one = {c->fd, POLLIN | POLLOUT, 0};
      assert_int_equal(poll(&one, 1, STALL_MS), 1);
      if ((one.revents & POLLIN) != 0) {
        (void)client_read(c);
      }
    }
  }
}

void client_send_line(client *c, const char *line) {
  client_send(c, line, strlen(line));
  client_send(c, "\n", 1);
}

json_t *client_receive(client *c) {
  for (;;) {
    char *end = c->used == 0 ? NULL : memchr(c->text, '\n', c->used);
    if (end != NULL) {
      json_t *json = json_loadb(c->text, (size_t)(end - c->text), 0, NULL);
      assert_non_null(json);
      const size_t length = (size_t)(end - c->text) + 1;
      memmove(c->text, c->text + length, c->used - length);
      c->used -= length;
      return json;
    }
    struct pollfd one = {c->fd, POLLIN, 0};
    assert_int_equal(poll(&one, 1, STALL_MS), 1);
    if (!client_read(c)) {
      return NULL;
    }
  }
}

void client_expect_answer(client *c, int id, bool ok) {
  json_t *json = client_receive(c);
  assert_non_null(json);
  assert_int_equal(json_integer_value(json_object_get(json, "id")), id);
  assert_int_equal(json_is_true(json_object_get(json, "ok")), ok);
  json_decref(json);
}

void client_expect_served(const char *socket) {
  client c = client_open(socket);
  client_send_line(&c, "{\"id\":1,\"verb\":\"ls\"}");
  client_expect_answer(&c, 1, true);
  client_close(&c);
}
