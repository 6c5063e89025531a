/** @file
 *  What the benchmarks of the bridges to ROS share: a robot of 30 joints at 1 kHz that publishes in
 * a graph, what a write of its output costs the real-time thread, without a subscriber and with
 * one, and how long a message is under way, from the begin of the cycle to the subscriber, over
 *  loopback. */
#ifndef SN_BENCH_GRAPH_H
#define SN_BENCH_GRAPH_H

#include <stddef.h>
#include <stdint.h>

enum { BENCH_GRAPH_JOINTS = 30, BENCH_GRAPH_SAMPLES = 10000 };

/** A robot in a graph. @param bridge  a line of the deployment: `ros1: {type: ros1}` */
void bench_graph_open(const char *bench, const char *bridge);
void bench_graph_close(void);

/** Measure and print what a write costs. @param name  of the case */
void bench_graph_writes(const char *name);

/** A message came. @param count  which, as its position[0] says: the first ones are a warm-up
 *  @param stamp_ns  of the wall clock, as its header says
 *  @return 0 once there are enough */
int bench_graph_note(uint64_t count, int64_t stamp_ns);
/** Print how long the messages were under way, and how many were missing; in any process. */
void bench_graph_latencies(const char *bench);

#endif
