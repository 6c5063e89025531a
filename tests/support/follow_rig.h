/** @file
 *  What the tests of follow share. */
#ifndef SN_FOLLOW_RIG_H
#define SN_FOLLOW_RIG_H

#include "controllers/follow.h"
#include "robot.h"
#include "sn_test.h"

enum { MS = 1000000, JOINTS_MAX = 64 };
static const double PERIOD_S = 1e-3;
static const sn_otg_limits LIMITS = {.velocity = 6.0, .acceleration = 24.0, .jerk = 240.0};

typedef struct bench {
  sn_test_robot robot;
  sn_arena arena;
  size_t n;
  sn_follow *follow;
  sn_joint_state *ref;
  double pose[JOINTS_MAX];
  bool owned[JOINTS_MAX];
  double q[JOINTS_MAX], qd[JOINTS_MAX];
} bench;

void follow_rig_open_joining(bench *b, double delay_s, const char *filter,
                             double source_interval_s);

void follow_rig_open(bench *b, double delay_s, const char *filter);

void follow_rig_close(bench *b);

void follow_rig_own(bench *b, size_t first, size_t count, int64_t now_ns);

/** The same, and the cycle in which it happens. */
void follow_rig_own_and_step(bench *b, size_t first, size_t count, int64_t now_ns);

void follow_rig_mention(bench *b, size_t j, double q);

sn_follow_fault follow_rig_take(bench *b, int64_t now_ns);

#endif
