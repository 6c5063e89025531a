/** @file
 *  What a replay sends, beside what was recorded: equal bit for bit, or where not. */
#ifndef SINEW_APP_REPLAY_COMPARE_H
#define SINEW_APP_REPLAY_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/tap.h"

/** Bytes of messages that wait for their counterpart. */
typedef struct replay_queue {
  unsigned char *bytes;
  size_t first, end, room;
  uint64_t count; /**< messages ever */
} replay_queue;

typedef struct replay_topic {
  char *topic; /**< `/component/port` */
  sn_tap *tap;
  bool is_left_out; /**< messages of it are missing in the recording */
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

/** Listen to all outputs of the system. @return false: it was said why */
bool replay_compare_open(replay_compare *c, sn_system *system);
void replay_compare_close(replay_compare *c);

/** The topic; NULL: the system has none of that name. */
replay_topic *replay_compare_find(replay_compare *c, const char *topic);

/** A message of the recording. */
void replay_compare_recorded(replay_compare *c, replay_topic *topic, const void *bytes,
                             size_t size);

/** Take what the system has sent since the last call. */
void replay_compare_drain(replay_compare *c, int64_t now_ns);

/** All is over: what has no counterpart is a difference.
 *  @param may_lack_replayed, may_lack_recorded  true: not on this side, the recording was cut */
void replay_compare_end(replay_compare *c, bool may_lack_recorded, bool may_lack_replayed);

#endif
