/** @file
 *  What the benchmark of the bridges to ROS needs: a robot of 30 joints at 1 kHz that publishes in
 *  graphs, what a write of its output costs the real-time thread, and how long a message is under
 *  way, from the begin of the cycle to a subscriber, over loopback. */
#ifndef SN_BENCH_GRAPH_H
#define SN_BENCH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_GRAPH_JOINTS = 30, BENCH_GRAPH_SAMPLES = 10000 };

/** A robot in one or more graphs. @param bridges  lines of the deployment: `ros1: {type: ros1}` */
void bench_graph_open(const char *bridges);
void bench_graph_close(void);

/** Measure and print what a write costs. @param name  of the case
 *  @param nobody_ns  median without a subscriber, to compare with; 0: this is the one
 *  @return the median */
int64_t bench_graph_writes(const char *name, int64_t nobody_ns);

/** A message came. @param count  which, as its position[0] says: the first ones are a warm-up
 *  @param stamp_ns  of the wall clock, as its header says */
void bench_graph_note(uint64_t count, int64_t stamp_ns);
/** Print how long the messages since the last time were under way, and how many were missing; in
 *  any process. */
void bench_graph_latencies(const char *name);

#endif
