/* What it costs to publish 30 joints at 1 kHz in a graph of ROS 2, and how long a message is under
   way (bench_graph.h). The subscriber is another participant of DDS, in a process of its own.
   usage: bench_ros2           the robot; it starts the other one
          bench_ros2 listen    the subscriber; it prints how long the messages took */
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_graph.h"
#include "ros2/node.h"
#include "sinew/arena.h"
#include "sinew/msg_cdr.h"
#include "sinew/msg_types.h"

enum { DOMAIN = 96 };

typedef struct listener {
  sn_joint_state *msg;
  bool is_content;
} listener;

static void ignore(void *context, sn_log_level level, const char *text, const char *about) {
  (void)context, (void)level, (void)text, (void)about;
}

static void take(void *context, const char *caller, const void *bytes, size_t size) {
  listener *l = context;
  sn_error err = {SN_OK, ""};
  (void)caller;
  if (l->is_content) {
    return;
  }
  if (sn_cdr_read(&sn_joint_state_type, bytes, size, l->msg, &err) != SN_OK) {
    fprintf(stderr, "bench_ros2: %s\n", err.message);
    exit(1);
  }
  l->is_content =
      bench_graph_note((uint64_t)l->msg->position.data[0], l->msg->header.stamp_ns) == 0;
}

static int listen_alone(void) {
  const sn__ros2_config config = {.space = "/",
                                  .name = "listener",
                                  .domain = DOMAIN,
                                  .is_local = true,
                                  .depth = 100,
                                  .input_depth = 1000,
                                  .gid_size = 16,
                                  .log = ignore};
  sn_arena arena;
  sn__ros2_node *node = NULL;
  sn_error err = {SN_OK, ""};
  sn_arena_init_growing(&arena, "listener", 0);
  listener l = {.msg = sn_msg_create(&arena, &sn_joint_state_type, NULL)};
  if (l.msg == NULL || sn__ros2_node_create(&config, &node, &err) != SN_OK ||
      sn__ros2_face.subscribe(node, "/joint_states", &sn_joint_state_type, take, &l) == NULL ||
      sn__ros2_face.announce(node, &err) != SN_OK) {
    fprintf(stderr, "bench_ros2: %s\n", err.message);
    return 1;
  }
  while (!l.is_content) {
    sn__ros2_face.step(node, INT64_C(1000000000));
  }
  bench_graph_latencies("ros2");
  sn__ros2_face.destroy(node, 0);
  sn_arena_release(&arena);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) {
    return strcmp(argv[1], "listen") == 0 ? listen_alone() : 2;
  }
  char bridge[128];
  snprintf(bridge, sizeof bridge,
           "ros2: {type: ros2, properties: {domain: %d, localhost_only: true, rate: 0, tf: false}}",
           DOMAIN);
  bench_graph_open("ros2", bridge);
  bench_graph_writes("write, nobody listens");
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", argv[0], "listen", (char *)NULL);
    _exit(1);
  }
  sleep(1); /* they find each other */
  bench_graph_writes("write, one subscriber");
  int status = 1;
  waitpid(child, &status, 0);
  bench_graph_close();
  return status == 0 ? 0 : 1;
}
