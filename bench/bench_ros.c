/* What it costs to publish 30 joints at 1 kHz in graphs of ROS, and how long a message is under way
   (bench_graph.h): without a subscriber, with a subscriber in either graph, and with one in
   each. usage: bench_ros [rounds]   all cases, so many times in turn; 1 if it is not said bench_ros
   listen     the subscriber of ROS 2, which the first one starts */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_graph.h"
#include "graph_peers.h"

static int64_t measure(const char *name, bool ros1, bool ros2, int64_t unheard_ns) {
  if (ros1) {
    graph_ros1_listen();
  }
#ifdef BENCH_ROS2
  if (ros2) {
    graph_ros2_listen();
  }
#endif
  const int64_t median_ns = bench_graph_writes(name, unheard_ns);
  char way[64];
  if (ros1) {
    snprintf(way, sizeof way, "cycle to subscriber, %s", ros2 ? "ROS 1 of both" : "ROS 1");
    graph_ros1_leave(way);
  }
#ifdef BENCH_ROS2
  if (ros2) {
    snprintf(way, sizeof way, "cycle to subscriber, %s", ros1 ? "ROS 2 of both" : "ROS 2");
    graph_ros2_leave(way);
  }
#endif
  return median_ns;
}

int main(int argc, char **argv) {
  char lines[512] = "";
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
#ifdef BENCH_ROS2
  if (argc > 1 && strcmp(argv[1], "listen") == 0) {
    return graph_ros2_child();
  }
#endif
  if (rounds < 1) {
    fputs("usage: bench_ros [rounds]\n", stderr);
    return 2;
  }
  graph_ros1_open(lines, sizeof lines);
#ifdef BENCH_ROS2
  const size_t used = strlen(lines);
  snprintf(lines + used, sizeof lines - used, "\n  ");
  graph_ros2_open(lines + used + 3, sizeof lines - used - 3);
#endif
  bench_graph_open(lines);
  for (int i = 0; i < rounds; i++) {
    const int64_t unheard_ns = measure("write, no subscriber", false, false, 0);
    measure("write, ROS 1", true, false, unheard_ns);
#ifdef BENCH_ROS2
    measure("write, ROS 2", false, true, unheard_ns);
    measure("write, both", true, true, unheard_ns);
#endif
  }
  bench_graph_close();
  return 0;
}
