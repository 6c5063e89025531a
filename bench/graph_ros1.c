/* A minimal ROS 1 graph: a master that accepts everything, and one subscriber. */
#define _GNU_SOURCE

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench_graph.h"
#include "graph_peers.h"
#include "ros/bytes.h"

/* ---- the graph ---- */

static char api[128]; /* of the node, as registered */
static atomic_bool has_api;

static size_t read_http(int fd, char *text, size_t size) {
  size_t used = 0;
  for (ssize_t n = 1; n > 0 && used < size - 1;) {
    n = recv(fd, text + used, size - 1 - used, 0);
    used += n > 0 ? (size_t)n : 0;
    text[used] = '\0';
    const char *body = strstr(text, "\r\n\r\n");
    const char *length = strstr(text, "Content-Length: ");
    if (body != NULL && length != NULL &&
        used - (size_t)(body + 4 - text) >= (size_t)atol(length + 16)) {
      break;
    }
  }
  return used;
}

static void *be_master(void *context) {
  static char text[1 << 20];
  const int listener = *(const int *)context;
  for (;;) {
    const int fd = accept(listener, NULL, NULL);
    read_http(fd, text, sizeof text);
    const char *uri = strstr(text, ">registerPublisher<") ? strstr(text, "http://") : NULL;
    if (uri != NULL && !atomic_load(&has_api)) {
      snprintf(api, sizeof api, "%.*s", (int)strcspn(uri, "<"), uri);
      atomic_store(&has_api, true);
    }
    char body[512];
    char out[1024];
    snprintf(body, sizeof body,
             "<methodResponse><params><param><value><array><data><value><int>1</int></value>"
             "<value></value><value>%s</value></data></array></value></param></params>"
             "</methodResponse>",
             strstr(text, ">lookupNode<") != NULL ? api : "<array><data></data></array>");
    snprintf(out, sizeof out, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(body),
             body);
    (void)!send(fd, out, strlen(out), MSG_NOSIGNAL);
    close(fd);
  }
  return NULL;
}

static int listen_anywhere(int *port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof at;
  if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 64) != 0 ||
      getsockname(fd, (struct sockaddr *)&at, &size) != 0) {
    perror("bench_ros");
    exit(1);
  }
  *port = ntohs(at.sin_port);
  return fd;
}

static int call_port(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const struct sockaddr_in to = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
    perror("bench_ros");
    exit(1);
  }
  return fd;
}

/* ---- subscriber ---- */

static int subscribe(void) {
  static const char call[] =
      "<methodCall><methodName>requestTopic</methodName><params><param><value>/b</value></param>"
      "<param><value>/joint_states</value></param><param><value><array><data><value><array><data>"
      "<value>TCPROS</value></data></array></value></data></array></value></param></params>"
      "</methodCall>";
  char text[2048];
  int fd = call_port(atoi(strrchr(api, ':') + 1));
  snprintf(text, sizeof text, "POST / HTTP/1.0\r\nContent-Length: %zu\r\n\r\n%s", sizeof call - 1,
           call);
  (void)!send(fd, text, strlen(text), 0);
  read_http(fd, text, sizeof text);
  close(fd);
  const char *port = strstr(text, "127.0.0.1");
  port = port == NULL ? NULL : strstr(port, "<int>");
  if (port == NULL) {
    fprintf(stderr, "bench_ros: no port in %s\n", text);
    exit(1);
  }
  fd = call_port(atoi(port + 5));
  static const char *const fields[] = {"callerid=/b", "topic=/joint_states", "type=*", "md5sum=*"};
  sn__bytes header = {0};
  sn__bytes_u32(&header, 0);
  for (size_t i = 0; i < 4; i++) {
    sn__bytes_u32(&header, (uint32_t)strlen(fields[i]));
    sn__bytes_text(&header, fields[i]);
  }
  sn__u32_set(header.data, (uint32_t)header.used - 4);
  (void)!send(fd, header.data, header.used, 0);
  sn__bytes_free(&header);
  return fd;
}

static char frame[1 << 16];

static size_t read_frame(int fd) {
  if (recv(fd, frame, 4, MSG_WAITALL) != 4) {
    return 0;
  }
  const size_t size = sn__u32_at(frame);
  return size < sizeof frame && recv(fd, frame, size, MSG_WAITALL) == (ssize_t)size ? size : 0;
}

/* The message starts with its header: seq, which counts from 1 as the position does, and stamp. */
static void *listen_alone(void *context) {
  const int fd = *(const int *)context;
  read_frame(fd);               /* connection header */
  while (read_frame(fd) != 0) { /* until either side closes */
    bench_graph_note(sn__u32_at(frame),
                     INT64_C(1000000000) * sn__u32_at(frame + 4) + sn__u32_at(frame + 8));
  }
  return NULL;
}

void graph_ros1_open(char *line, size_t size) {
  static int master_fd;
  int port = 0;
  pthread_t master;
  master_fd = listen_anywhere(&port);
  pthread_create(&master, NULL, be_master, &master_fd);
  snprintf(line, size,
           "ros1: {type: ros1, properties: {master_uri: 'http://127.0.0.1:%d', rate: 0, "
           "tf: false}}",
           port);
}

static int listener_fd;
static pthread_t listener;

void graph_ros1_listen(void) {
  while (!atomic_load(&has_api)) {
    usleep(1000);
  }
  listener_fd = subscribe();
  pthread_create(&listener, NULL, listen_alone, &listener_fd);
}

void graph_ros1_leave(const char *name) {
  shutdown(listener_fd, SHUT_RDWR);
  pthread_join(listener, NULL);
  close(listener_fd);
  bench_graph_latencies(name);
}
