/** @file
 *  The gate in a system, for tests: movers, an arbiter of the test, and a judge of every pose. */
#ifndef SN_AGGREGATOR_RIG_H
#define SN_AGGREGATOR_RIG_H

#include "arbiter/owners.h"
#include "gate_rig.h"
#include "rig.h"
#include "sn_test.h"

enum { MS = 1000000 };

/* A controller that publishes what the test sets. */
typedef struct mover {
  sn_component component;
  sn_output joints, supports;
  int joint;       /* -1: publishes nothing */
  double position; /* plus velocity * time */
  double velocity;
  int burst; /* messages in a step; the last one counts */
  bool fails;
  const char *chain;
  double support;
} mover;

extern const sn_component_type aggregator_mover_type;

/* Who decides: the test does, through its table. */
typedef struct judge_part {
  sn_component component;
  sn_owners *owners;
} judge_part;

typedef struct bench {
  rig r;
  sn_component *aggregator;
  judge_part *decider;
  mover *movers[3];
  sn_tap *tap;
  gate_judge judge;
  sn_test_robot robot; /* the same one, for the judge */
  int64_t end_ns;
  size_t poses;
} bench;

void aggregator_open(bench *b, size_t movers, bool with_owners);

void aggregator_begin(bench *b);

void aggregator_close(bench *b);

void aggregator_run(bench *b, int64_t duration_ms);

void aggregator_own(bench *b, int joint, const void *owner);

double aggregator_at(const bench *b, int joint);

#endif
