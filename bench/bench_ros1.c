/* What it costs to publish 30 joints at 1 kHz in a graph of ROS 1, and how long a message is under
   way: on the real-time thread the write of the output, without a subscriber and with one; then
   from the begin of the cycle to the subscriber, over loopback. The graph is made here: a master
   that agrees to everything, and one subscriber. */
#define _GNU_SOURCE

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "graph/bytes.h"
#include "graph/wall_clock.h"
#include "sinew/bridges.h"
#include "sinew/components.h"
#include "sinew/deployment.h"
#include "sinew/msg_types.h"

enum { JOINTS = 30, SAMPLES = 10000, WARM_UP = 500 };

/* ---- who publishes: a component that looks at its watch ---- */

typedef struct source {
  sn_component component;
  sn_output joints_measured;
} source;

static int64_t writes_ns[SAMPLES];
static atomic_size_t write_count; /* counted from the end of the warm-up */
static sn_clock watch;
static const sn_names *joint_names;

static sn_status step(sn_component *component, int64_t now_ns) {
  sn_output *out = &((source *)component)->joints_measured;
  sn_joint_state *msg = out->msg;
  sn_msg_names_share(&msg->name, joint_names);
  msg->header.stamp_ns = now_ns;
  msg->position.count = msg->velocity.count = msg->effort.count = JOINTS;
  msg->position.data[0] = 1e-9 * (double)now_ns;
  const int64_t begin_ns = sn_clock_now_ns(&watch);
  const sn_status status = sn_output_write(out);
  const int64_t took_ns = sn_clock_now_ns(&watch) - begin_ns;
  const size_t count = atomic_load(&write_count);
  if (count < SAMPLES) {
    writes_ns[count] = took_ns;
    atomic_store(&write_count, count + 1);
  }
  return status;
}

static const sn_port ports[] = {
    SN_OUTPUT(source, "joints_measured", joints_measured, &sn_joint_state_type, .doc = ""), {0}};
static const sn_component_type source_type = {.abi = SN_COMPONENT_ABI,
                                              .name = "bench_source",
                                              .size = sizeof(source),
                                              .ports = ports,
                                              .step = step};

/* ---- the graph ---- */

static char api[128]; /* of the node, as it told the master */
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
    perror("bench_ros1");
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
    perror("bench_ros1");
    exit(1);
  }
  return fd;
}

/* ---- who listens ---- */

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
    fprintf(stderr, "bench_ros1: no port in %s\n", text);
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

static int64_t latency_ns[SAMPLES];

static size_t listen_to(int fd, size_t *lost) {
  uint32_t last = 0;
  size_t count = 0;
  read_frame(fd); /* its header */
  for (size_t i = 0; i < SAMPLES + WARM_UP && read_frame(fd) > 0; i++) {
    const int64_t stamp_ns = INT64_C(1000000000) * sn__u32_at(frame + 4) + sn__u32_at(frame + 8);
    const uint32_t seq = sn__u32_at(frame);
    *lost += i == 0 ? 0 : seq - last - 1;
    last = seq;
    if (i >= WARM_UP) {
      latency_ns[count++] = sn__wall_now_ns() - stamp_ns;
    }
  }
  return count;
}

/* ---- the whole ---- */

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a;
  const int64_t y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void print(const char *name, int64_t *times, size_t count, size_t lost) {
  qsort(times, count, sizeof *times, compare);
  printf(
      "{\"bench\":\"ros1\",\"case\":\"%s\",\"joints\":%d,\"samples\":%zu,\"lost\":%zu,"
      "\"median_ns\":%lld,\"p99_ns\":%lld,\"max_ns\":%lld}\n",
      name, JOINTS, count, lost, (long long)times[count / 2],
      (long long)times[count - 1 - count / 100], (long long)times[count - 1]);
}

static void measure_writes(const char *name) {
  atomic_store(&write_count, SAMPLES);
  const struct timespec nap = {.tv_nsec = 10000000};
  for (int i = 0; i < 50; i++) {
    nanosleep(&nap, NULL);
  }
  atomic_store(&write_count, 0);
  while (atomic_load(&write_count) < SAMPLES) {
    nanosleep(&nap, NULL);
  }
  print(name, writes_ns, SAMPLES, 0);
}

static sn_system *build(sn_arena *arena, sn_clock *clock, int master_port) {
  char text[512];
  snprintf(text, sizeof text,
           "robot: %s\nactivities: {control: {period: 0.001}}\n"
           "components:\n  source: {type: bench_source}\n"
           "  ros1: {type: ros1, properties: {master_uri: 'http://127.0.0.1:%d', rate: 0, tf: "
           "false}}\n",
           BENCH_ROBOTS "/quadruped.urdf", master_port);
  sn_error err = {SN_OK, ""};
  sn_report *report = sn_report_create(arena);
  sn_component_registry *registry = sn_component_registry_create(arena);
  const sn_deployment *deployment = NULL;
  const sn_system_config system_config = {.clock = clock};
  sn_system *system = sn_system_create(&system_config);
  const sn_deployment_config config = {.registry = registry, .may_read = true};
  if (system == NULL || sn_components_add(registry, &err) != SN_OK ||
      sn_bridges_add(registry, &err) != SN_OK ||
      sn_component_registry_add(registry, &source_type, &err) != SN_OK ||
      sn_deployment_parse(arena, sn_arena_text(arena, text, strlen(text)), strlen(text), "bench",
                          &config, report, &deployment) != SN_OK ||
      sn_deployment_build(deployment, system, report) != SN_OK ||
      sn_system_begin(system, &err) != SN_OK || sn_system_launch(system, &err) != SN_OK) {
    fprintf(stderr, "bench_ros1: %s %s\n", err.message,
            sn_report_count(report) > 0 ? sn_report_at(report, 0)->message : "");
    exit(1);
  }
  return system;
}

static void *listen_alone(void *context) {
  size_t lost = 0;
  const size_t count = listen_to(*(const int *)context, &lost);
  print("cycle to subscriber", latency_ns, count, lost);
  return NULL;
}

int main(void) {
  static char names[JOINTS][16];
  const char *list[JOINTS];
  sn_arena arena;
  sn_arena_init_growing(&arena, "bench", 0);
  for (size_t i = 0; i < JOINTS; i++) {
    snprintf(names[i], sizeof names[i], "joint_%zu", i);
    list[i] = names[i];
  }
  if (sn_names_create(&arena, list, JOINTS, &joint_names, NULL) != SN_OK) {
    return 1;
  }
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  sn_clock_init_monotonic(&watch);
  int port = 0;
  pthread_t master;
  pthread_t listener;
  const int master_fd = listen_anywhere(&port);
  pthread_create(&master, NULL, be_master, (void *)&master_fd);
  sn_system *system = build(&arena, &clock, port);
  while (!atomic_load(&has_api)) {
    usleep(1000);
  }
  measure_writes("write, nobody listens");
  const int fd = subscribe();
  pthread_create(&listener, NULL, listen_alone, (void *)&fd);
  measure_writes("write, one subscriber");
  pthread_join(listener, NULL);
  close(fd);
  sn_system_halt(system);
  sn_system_destroy(system);
  sn_arena_release(&arena);
  return 0;
}
