/** @file
 *  A robot of 30 joints with a bridge to a ROS graph: it sends counting joint states at 1 kHz
 *  (stream.h), checks every message received at the input `judge.in_joints`, and its operation
 *  `judge.turn` returns its argument. One instance at a time. */
#ifndef SN_TEST_STREAM_RIG_H
#define SN_TEST_STREAM_RIG_H

#include "sinew/arena.h"
#include "sinew/clock.h"
#include "sinew/system.h"
#include "stream.h"

typedef struct stream_rig {
  sn_arena arena;
  sn_clock clock;
  sn_system *system; /**< begun and launched */
} stream_rig;

/** @param bridge    a line of the deployment: `ros2: {type: ros2}`
 *  @param priority  of the control thread; 0: the usual scheduler. What fails ends the program. */
void stream_rig_open(stream_rig *rig, const char *bridge, int priority);

/** Cycles since the last call. @param longest  from one to the next, ns
 *  Threads: any. */
uint64_t stream_rig_cycles(int64_t *longest);

/** Messages received at `judge.in_joints`. Threads: any. */
uint64_t stream_rig_heard(void);

/** The counter @p name in the result of the bridge's operation `getState`. Threads: any. */
uint64_t stream_rig_count(stream_rig *rig, const char *bridge, const char *name);

/** Stop the system. @return messages received at `judge.in_joints`, by sender [count]; the sender
 * of an invalid message is UINT64_MAX */
const stream_record *stream_rig_halt(stream_rig *rig, size_t *count);
/** After stream_rig_halt(). */
void stream_rig_close(stream_rig *rig);

#endif
