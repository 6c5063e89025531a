/* A ROS 2 subscriber: another DDS participant in its own process. */
#define _GNU_SOURCE

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_graph.h"
#include "graph_peers.h"
#include "ros/ros2/node.h"
#include "sinew/arena.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"

enum { DOMAIN = 96 };

static void ignore(void *context, sn_log_level level, const char *text, const char *about) {
  (void)context, (void)level, (void)text, (void)about;
}

static void take(void *context, const char *caller, const void *bytes, size_t size) {
  sn_joint_state *msg = context;
  sn_error err = {SN_OK, ""};
  (void)caller;
  if (sn_cdr_read(&sn_joint_state_type, bytes, size, msg, &err) != SN_OK) {
    fprintf(stderr, "bench_ros: %s\n", err.message);
    exit(1);
  }
  bench_graph_note((uint64_t)msg->position.data[0], msg->header.stamp_ns);
}

/* The parent sends the name of the case when it has enough messages, or exits. */
static bool is_stopped(char *name, size_t size) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  if (poll(&in, 1, 0) <= 0) {
    return false;
  }
  if (fgets(name, (int)size, stdin) == NULL) {
    exit(1);
  }
  return true;
}

int graph_ros2_child(void) {
  const sn__ros2_config config = {.name_space = "/",
                                  .name = "listener",
                                  .domain = DOMAIN,
                                  .discovery = {.range = SN__ROS2_LOCALHOST},
                                  .depth = 100,
                                  .input_depth = 1000,
                                  .gid_size = 16,
                                  .log = ignore};
  sn_arena arena;
  sn__ros2_node *node = NULL;
  sn_error err = {SN_OK, ""};
  char name[64] = "";
  sn_arena_init_growing(&arena, "listener", 0);
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  if (msg == NULL || sn__ros2_node_create(&config, &node, &err) != SN_OK ||
      sn__ros2_transport.subscribe(node, "/joint_states", &sn_joint_state_type, false, take, msg) ==
          NULL ||
      sn__ros2_transport.announce(node, &err) != SN_OK) {
    fprintf(stderr, "bench_ros: %s\n", err.message);
    return 1;
  }
  while (!is_stopped(name, sizeof name)) {
    sn__ros2_transport.step(node, INT64_C(100000000));
  }
  name[strcspn(name, "\n")] = '\0';
  bench_graph_latencies(name);
  sn__ros2_transport.destroy(node, 0);
  sn_arena_release(&arena);
  return 0;
}

void graph_ros2_open(char *line, size_t size) {
  snprintf(line, size,
           "ros2: {type: ros2, properties: {domain: %d, localhost_only: true, rate: 0, tf: false}}",
           DOMAIN);
}

static pid_t child;
static int child_fd;

void graph_ros2_listen(void) {
  int ends[2];
  fflush(stdout);
  if (pipe(ends) != 0) {
    perror("bench_ros");
    exit(1);
  }
  child = fork();
  if (child == 0) {
    dup2(ends[0], STDIN_FILENO);
    close(ends[1]);
    execl("/proc/self/exe", "bench_ros", "listen", (char *)NULL);
    _exit(1);
  }
  close(ends[0]);
  child_fd = ends[1];
  sleep(1); /* discovery */
}

void graph_ros2_leave(const char *name) {
  int status = 1;
  dprintf(child_fd, "%s\n", name);
  close(child_fd);
  waitpid(child, &status, 0);
  if (status != 0) {
    exit(1);
  }
}
