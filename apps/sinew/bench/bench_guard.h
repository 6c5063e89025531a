/** @file
 *  The part of `sinew bench collision` that measures the guard of the gate, and motions for it. */
#ifndef SINEW_APP_BENCH_GUARD_H
#define SINEW_APP_BENCH_GUARD_H

#include "bench/bench.h"
#include "sinew/random.h"

enum { BENCH_GUARD_CALLS = 10000 };

/** Any pose. */
void bench_draw_pose(const sn_model *model, sn_random *random, double *q);

/** Every joint swings by 0.2 rad, or a tenth of its range, about once a second; a cycle is 1 ms. */
void bench_swing(const sn_model *model, size_t cycle, double *q);

/** A robot that is free, one with objects around it, and one whose links are sent through each
 *  other.
 *  @param times  room for BENCH_GUARD_CALLS */
int bench_guard(const bench_request *request, robot *r, const char *name, int64_t *times);

#endif
