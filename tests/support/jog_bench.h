/** @file
 *  CartesianServo (`jog`) in the standard deployment with an arm, in simulated time. */
#ifndef SN_JOG_BENCH_H
#define SN_JOG_BENCH_H

#include "deployed.h"
#include "msg/arm/msg_jog.h"
#include "robot.h"
#include "sinew/kin.h"
#include "sinew/msg_types.h"

enum { JOG_BENCH_JOINTS = 7 };

typedef struct jog_bench {
  sn_deployed d;
  sn_test_robot robot;
  const sn_chain *chain;
  char folder[64];
  sn_tap *pose, *measured, *state;
  sn_source *twist, *jog, *goal;
  double q[JOG_BENCH_JOINTS], real[JOG_BENCH_JOINTS]; /**< commanded, and where the plant is */
} jog_bench;

/** arm6 with a simple plant, settled. */
void jog_bench_open_arm6(jog_bench *b);
/** An arm with servos that have friction of their own, whose models are identified, and that of the
 *  URDF; settled. Links may touch: collisions are not what is measured.
 *  @param q  [joints] where it begins */
void jog_bench_open_identified(jog_bench *b, const char *robot, const double *q);
void jog_bench_close(jog_bench *b);

void jog_cycles(jog_bench *b, int count);

/** Send a twist, once. */
void jog_want(jog_bench *b, const char *frame, sn_spatial twist);
/** Repeat a twist for some cycles, as a client does. */
void jog_hold(jog_bench *b, const char *frame, sn_spatial twist, int cycles);

const sn_jog_state *jog_state(jog_bench *b);
/** The commanded tool. */
sn_pose jog_tool(const jog_bench *b);

#endif
