#define _GNU_SOURCE /* accept4(), memmem() */

#include "ros1_peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ros/ros1/http.h"
#include "ros/ros1/rpc.h"
#include "ros/ros1/tcpros.h"
#include "sn_test.h"

#define STEP_NS 2000000
#define PATIENCE 5000 /* steps */

/* ---- sockets ---- */

int ros1_connect(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const struct sockaddr_in to = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr = {htonl(INADDR_LOOPBACK)}};
  assert_true(fd >= 0);
  assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
  return fd;
}

static int listen_at(int *port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct sockaddr_in at = {.sin_family = AF_INET,
                           .sin_port = htons((uint16_t)*port),
                           .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof at;
  const int yes = 1;
  assert_true(fd >= 0);
  (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
  assert_int_equal(listen(fd, 16), 0);
  assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
  *port = ntohs(at.sin_port);
  return fd;
}

int ros1_listen(int *port) {
  *port = 0;
  return listen_at(port);
}

void ros1_send(int fd, const void *bytes, size_t size) {
  assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), size);
}

void ros1_send_header(int fd, const char *const *fields) {
  sn__bytes text = {0};
  const size_t start = sn__tcpros_begin(&text);
  for (; *fields != NULL; fields++) {
    sn__bytes_u32(&text, (uint32_t)strlen(*fields));
    sn__bytes_text(&text, *fields);
  }
  sn__tcpros_end(&text, start);
  ros1_send(fd, text.data, text.used);
  sn__bytes_free(&text);
}

/* @return 0: closed; -1: no data */
static ssize_t receive_some(int fd, sn__bytes *bytes) {
  char *room = sn__bytes_reserve(bytes, 65536);
  assert_non_null(room);
  const ssize_t size = recv(fd, room, 65536, MSG_DONTWAIT);
  bytes->used += size > 0 ? (size_t)size : 0;
  return size < 0 && errno != EAGAIN ? 0 : size; /* a reset counts as closed */
}

bool ros1_receive(ros1_rig *rig, int fd, sn__bytes *bytes, size_t size) {
  const size_t wanted = bytes->used + size;
  for (int i = 0; i < PATIENCE && bytes->used < wanted; i++) {
    ros1_rig_run(rig, 1);
    if (receive_some(fd, bytes) == 0) {
      return bytes->used >= wanted;
    }
  }
  return bytes->used >= wanted;
}

size_t ros1_receive_frame(ros1_rig *rig, int fd, sn__bytes *bytes) {
  while (bytes->used < 4) {
    assert_true(ros1_receive(rig, fd, bytes, 1));
  }
  const size_t size = 4 + (size_t)sn__u32_at(bytes->data);
  while (bytes->used < size) {
    assert_true(ros1_receive(rig, fd, bytes, 1));
  }
  return size;
}

const char *ros1_receive_all(ros1_rig *rig, int fd, sn__bytes *bytes) {
  while (ros1_receive(rig, fd, bytes, 1)) {
  }
  char byte = 0;
  assert_int_not_equal(recv(fd, &byte, 1, MSG_DONTWAIT), 1);
  assert_true(errno != EAGAIN || recv(fd, &byte, 1, MSG_DONTWAIT) == 0);
  sn__bytes_put(bytes, "", 1);
  return bytes->data;
}

/* ---- the master ---- */

static void copy_text(char *out, size_t size, const sn__rpc_message *call, size_t index) {
  const char *text = index < call->count ? sn__rpc_text(call->values[index]) : NULL;
  snprintf(out, size, "%s", text == NULL ? "" : text);
}

static void answer(ros1_rig *rig, const sn__rpc_message *call, sn__bytes *body) {
  char what[96];
  copy_text(what, sizeof what, call, 1);
  if (strcmp(call->method, "lookupNode") != 0 && rig->call_count < ROS1_RIG_CALLS) {
    snprintf(rig->calls[rig->call_count][0], 96, "%s", call->method);
    snprintf(rig->calls[rig->call_count++][1], 96, "%s", what);
  }
  if (strcmp(call->method, "registerPublisher") == 0 ||
      strcmp(call->method, "registerSubscriber") == 0) {
    copy_text(rig->api, sizeof rig->api, call, 3);
  } else if (strcmp(call->method, "registerService") == 0) {
    copy_text(rig->service_uri, sizeof rig->service_uri, call, 2);
  }
  const bool is_unknown = rig->forgets && strcmp(call->method, "lookupNode") == 0;
  rig->forgets = rig->forgets && !is_unknown;
  sn__rpc_writer w;
  sn__rpc_begin_response(&w, body);
  sn__rpc_begin_array(&w);
  sn__rpc_put_int(&w, is_unknown ? -1 : 1);
  sn__rpc_put_text(&w, is_unknown ? "unknown node" : "");
  if (strcmp(call->method, "lookupNode") == 0) {
    sn__rpc_put_text(&w, rig->api);
  } else {
    sn__rpc_begin_array(&w);
    if (strcmp(call->method, "registerSubscriber") == 0 && rig->publishers[0] != '\0') {
      sn__rpc_put_text(&w, rig->publishers);
    }
    sn__rpc_end_array(&w);
  }
  sn__rpc_end_array(&w);
  sn__rpc_end(&w);
}

static void serve(ros1_rig *rig, size_t index) {
  sn__bytes *heard = &rig->heard[index];
  sn__http_message http;
  sn__rpc_message call;
  sn_error err = {SN_OK, ""};
  if (receive_some(rig->clients[index], heard) == 0) {
    close(rig->clients[index]);
    rig->clients[index] = -1;
    sn__bytes_free(heard);
    return;
  }
  if (sn__http_parse(heard->data, heard->used, 1 << 20, &http, &err) != SN_OK ||
      heard->used - http.body_start < http.body_size) {
    return;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "master", 0);
  assert_int_equal(
      sn__rpc_parse(&arena, heard->data + http.body_start, http.body_size, &call, &err), SN_OK);
  sn__bytes body = {0};
  sn__bytes out = {0};
  answer(rig, &call, &body);
  sn__http_put_response(&out, 200, false, body.used);
  sn__bytes_put(&out, body.data, body.used);
  ros1_send(rig->clients[index], out.data, out.used);
  sn__bytes_free(&body);
  sn__bytes_free(&out);
  sn_arena_release(&arena);
  close(rig->clients[index]);
  rig->clients[index] = -1;
  sn__bytes_free(heard);
}

static void step_master(ros1_rig *rig) {
  if (rig->master_fd < 0) {
    return;
  }
  for (size_t i = 0; i < 16; i++) {
    if (rig->clients[i] < 0) {
      rig->clients[i] = accept4(rig->master_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    } else {
      serve(rig, i);
    }
  }
}

/* ---- the rig ---- */

static void note(void *context, sn_log_level level, const char *text, const char *about) {
  ros1_rig *rig = context;
  if (level >= SN_LOG_WARNING) {
    rig->warnings++;
    snprintf(rig->last_warning, sizeof rig->last_warning, "%s (%s)", text, about);
  }
}

void ros1_rig_start_master(ros1_rig *rig) {
  rig->master_fd = listen_at(&rig->master_port);
}

void ros1_rig_stop_master(ros1_rig *rig) {
  if (rig->master_fd >= 0) {
    close(rig->master_fd);
    rig->master_fd = -1;
  }
  for (size_t i = 0; i < 16; i++) {
    if (rig->clients[i] >= 0) {
      close(rig->clients[i]);
      rig->clients[i] = -1;
    }
    sn__bytes_free(&rig->heard[i]);
  }
}

void ros1_rig_open(ros1_rig *rig, bool has_master) {
  *rig = (ros1_rig){.master_fd = -1};
  for (size_t i = 0; i < 16; i++) {
    rig->clients[i] = -1;
  }
  ros1_rig_start_master(rig); /* finds a port */
  if (!has_master) {
    ros1_rig_stop_master(rig);
  }
  snprintf(rig->master_uri, sizeof rig->master_uri, "http://127.0.0.1:%d", rig->master_port);
  const sn__ros1_config config = {.name = "/tested",
                                  .master_uri = rig->master_uri,
                                  .host = "127.0.0.1",
                                  .queue = 10,
                                  .log = note,
                                  .context = rig};
  sn_error err = {SN_OK, ""};
  assert_int_equal(sn__ros1_node_create(&config, &rig->node, &err), SN_OK);
}

void ros1_rig_close(ros1_rig *rig) {
  sn__ros1_node_destroy(rig->node, 0); /* the master runs in this thread and cannot answer */
  ros1_rig_stop_master(rig);
}

void ros1_rig_run(ros1_rig *rig, int steps) {
  for (int i = 0; i < steps; i++) {
    sn__ros1_node_step(rig->node, STEP_NS);
    step_master(rig);
  }
}

size_t ros1_rig_hear(ros1_rig *rig, const char *method, const char *what, size_t from) {
  for (int step = 0; step < PATIENCE; step++) {
    for (size_t i = from; i < rig->call_count; i++) {
      if (strcmp(rig->calls[i][0], method) == 0 && strcmp(rig->calls[i][1], what) == 0) {
        return i;
      }
    }
    ros1_rig_run(rig, 1);
  }
  fail_msg("the master did not receive %s %s", method, what);
  return 0;
}

static int port_of(const char *uri, const char *scheme) {
  char host[64];
  int port = 0;
  assert_true(sn__http_split_uri(uri, scheme, host, sizeof host, &port));
  return port;
}

int ros1_rig_api_port(const ros1_rig *rig) {
  return port_of(rig->api, "http");
}

int ros1_rig_tcpros_port(ros1_rig *rig) {
  return port_of(rig->service_uri, "rosrpc");
}
