/** @file
 *  A robot of 30 joints with a bridge to a graph of ROS, made to be watched: its joint states count
 *  at 1 kHz (stream.h), what is sent to the input `judge.in_joints` is looked at, every message of
 *  it, and the operation `judge.turn` answers with what it is asked. One at a time. */
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

/** How many cycles there were since the last call. @param longest  from one to the next, ns
 *  Threads: any. */
uint64_t stream_rig_cycles(int64_t *longest);

/** How many messages came to `judge.in_joints`. Threads: any. */
uint64_t stream_rig_heard(void);

/** What the operation `getState` of the bridge says of the field @p name, a count. Threads: any. */
uint64_t stream_rig_count(stream_rig *rig, const char *bridge, const char *name);

/** Stop the system. @return what came to `judge.in_joints`, from [count] senders; its sender is
 *  UINT64_MAX if the message was none of stream.h */
const stream_record *stream_rig_halt(stream_rig *rig, size_t *count);
/** After stream_rig_halt(). */
void stream_rig_close(stream_rig *rig);

#endif
