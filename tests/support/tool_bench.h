/** @file
 *  `MoveTool` with the gate and its guard, on arm6, in simulated time. */
#ifndef SN_TEST_TOOL_BENCH_H
#define SN_TEST_TOOL_BENCH_H

#include "controllers/cartesian/tool_preview.h"
#include "model_rig.h"
#include "sinew/msg_calls.h"

enum { TOOL_BENCH_JOINTS = 6 };

typedef struct tool_bench {
  model_rig m;
  const sn_chain *chain;
  sn_tap *pose;
  sn_tool_goal *goal;
  sn_trajectory_answer *answer;
  sn_trajectory_state *state;
  sn__tool_preview *preview;
  double q[TOOL_BENCH_JOINTS];
} tool_bench;

/** Where tests begin. */
extern const double TOOL_BENCH_READY[TOOL_BENCH_JOINTS];

void tool_bench_open(tool_bench *b);
void tool_bench_close(tool_bench *b);

/** A millisecond; b->q is the commanded pose after it. */
void tool_bench_cycle(tool_bench *b);

/** Call an operation, which must succeed. */
void tool_bench_call(tool_bench *b, const char *operation, const void *request, void *response);

/** A goal without targets in b->goal; then one target after the other. */
void tool_bench_begin(tool_bench *b);
sn_tool_target *tool_bench_target(tool_bench *b, const char *kind);
void tool_bench_joints(tool_bench *b, const double *q);

/** Send b->goal; the answer is in b->answer. @return its number; 0: rejected */
uint64_t tool_bench_send(tool_bench *b);
int tool_bench_state(tool_bench *b, uint64_t id);

/** Until the goal has ended. @return the greatest distance of the tool from a line, m */
double tool_bench_run(tool_bench *b, uint64_t id, sn_vec3 from, sn_vec3 to);

/** Move to TOOL_BENCH_READY. */
void tool_bench_go_to_ready(tool_bench *b);

/** b->goal is rejected, with this in the message. */
void tool_bench_rejected(tool_bench *b, const char *part);

/** The last pose of b->preview. */
const double *tool_bench_last(const tool_bench *b);

#endif
