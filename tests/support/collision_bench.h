/** @file
 *  A system with a gate that guards a robot of two arms, each with a ball at its end, in simulated
 *  time. The mover `anna` commands one of them. */
#ifndef SN_TEST_COLLISION_BENCH_H
#define SN_TEST_COLLISION_BENCH_H

#include "aggregator_rig.h"
#include "msg/types/msg_collision.h"
#include "sinew/msg_calls.h"

typedef struct collision_bench {
  rig r;
  void *aggregator;
  mover *mover;
  sn_tap *tap; /**< of the output `collision` */
} collision_bench;

/** A system that has not begun, with one property of the gate. */
void collision_bench_open(collision_bench *b, const char *property, const char *value);
void collision_bench_begin(collision_bench *b);
void collision_bench_close(collision_bench *b);

/** Call an operation; the reason is in b->r.err. */
sn_status collision_bench_call(collision_bench *b, const char *path, const void *request,
                               void *response);

/** The newest message of the output `collision`. */
const sn_collision_state *collision_bench_state(collision_bench *b);

sn_world_object *collision_bench_object(collision_bench *b, const char *name, const char *shape);
void collision_bench_sizes(sn_world_object *object, size_t count, double x, double y, double z);

/** How many lines of the log, since the last call, contain a text. */
size_t collision_bench_lines(collision_bench *b, const char *text);

#endif
