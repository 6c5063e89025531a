/** @file
 *  Compares the outputs of a replay with the recorded ones, bit for bit. */
#ifndef SINEW_APP_REPLAY_COMPARE_H
#define SINEW_APP_REPLAY_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/tap.h"

/** Bytes of messages that wait for the other side. */
typedef struct replay_queue {
  unsigned char *bytes;
  size_t first, end, room;
  uint64_t count; /**< messages ever */
  uint64_t taken; /**< of them, compared or skipped */
} replay_queue;

typedef struct replay_topic {
  char *topic; /**< `/component/port` */
  sn_tap *tap;
  bool is_left_out; /**< it is not compared */
  bool is_thinned;  /**< the recording has some of its messages, in their order */
  replay_queue recorded, replayed;
  uint64_t different;
} replay_topic;

/** The first difference, for people. */
typedef struct replay_difference {
  char topic[256];
  char field[256]; /**< `position[3]`; empty: a message is missing */
  char recorded[128], replayed[128];
  int64_t stamp_ns; /**< of the recorded message, or of the clock */
  uint64_t number;  /**< of the message in its topic, from 1 */
} replay_difference;

typedef struct replay_compare {
  replay_topic *topics;
  size_t topic_count, topic_capacity;
  bool is_out_of_memory;
  uint64_t compared, different;
  bool has_first;
  replay_difference first;
  unsigned char *bytes; /**< scratch */
  size_t byte_count;
} replay_compare;

/** Tap all outputs of the system. @return false: a message was printed */
bool replay_compare_open(replay_compare *c, sn_system *system);
void replay_compare_close(replay_compare *c);

/** The topic; NULL: unknown name. */
replay_topic *replay_compare_find(replay_compare *c, const char *topic);

/** A message of the recording. @param stamp_ns  its publish time */
void replay_compare_recorded(replay_compare *c, replay_topic *topic, const void *bytes, size_t size,
                             int64_t stamp_ns);

/** Take the messages of the system since the last call. */
void replay_compare_drain(replay_compare *c, int64_t now_ns);

/** End: messages without a counterpart are differences.
 *  @param may_lack_replayed, may_lack_recorded  true: not on this side, the recording is truncated
 */
void replay_compare_end(replay_compare *c, bool may_lack_recorded, bool may_lack_replayed);

#endif
