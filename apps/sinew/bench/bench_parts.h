/** @file
 *  Components and systems for the benchmarks of the runtime. */
#ifndef SINEW_APP_BENCH_PARTS_H
#define SINEW_APP_BENCH_PARTS_H

#include "bench/bench.h"
#include "sinew/msg_types.h"
#include "sinew/system.h"
#include "sinew/tap.h"

enum { BENCH_JOINTS = 30 };

/** Copies a joint state from its input, an event port, to its output; generates one if the input is
 *  not connected. Its operation `echo` returns its request in the component's thread, `here` in the
 *  caller's. */
typedef struct bench_part {
  sn_component component;
  sn_input in;
  sn_inputs more;
  sn_output out;
  uint64_t steps;
  int64_t *times; /**< [time_count] for types that measure */
  size_t time_count;
} bench_part;
extern const sn_component_type bench_part_type;

/** The same, stepped in every cycle. */
extern const sn_component_type bench_ticker_type;

/** Does nothing: the cost of an empty cycle. */
extern const sn_component_type bench_idle_type;

/** Measures the time from the stamp of an event message to its step. */
extern const sn_component_type bench_receiver_type;

/** Measures the time from the start of the cycle to its step. */
extern const sn_component_type bench_stopwatch_type;

/** A system and the memory of a benchmark. Exits if out of memory. */
typedef struct bench_rig {
  sn_arena arena;
  sn_clock clock;
  sn_system *system;
} bench_rig;

void bench_rig_open(bench_rig *rig, sn_clock_kind kind);
void bench_rig_close(bench_rig *rig);
sn_activity *bench_rig_activity(bench_rig *rig, const char *name, int64_t period_ns, int cpu);
void *bench_rig_add(bench_rig *rig, const sn_component_type *type, const char *name,
                    sn_activity *activity);
void bench_rig_connect(bench_rig *rig, const char *from, const char *to, size_t buffer);
void bench_rig_begin(bench_rig *rig);
/** Name i of a series, `part_i`, in @p text. */
const char *bench_name(char text[32], const char *stem, size_t index);

/** Fill thirty joints of a message. */
void bench_fill(sn_joint_state *msg);

/** Time @p run in @p count batches and print the case. */
void bench_batches(const bench_request *request, const char *bench, const char *name, size_t count,
                   size_t batch, void (*run)(void *context, size_t batch), void *context);

/** Pin this thread to a processor, counted from 1; 0: any. */
void bench_stay_on(int cpu);

#endif
