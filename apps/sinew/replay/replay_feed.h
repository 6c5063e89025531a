/** @file
 *  What came from outside, given to a system again. */
#ifndef SINEW_APP_REPLAY_FEED_H
#define SINEW_APP_REPLAY_FEED_H

#include <stdbool.h>

#include "sinew/journal.h"
#include "sinew/tap.h"

/** A source that was open in the recorded system. */
typedef struct replay_source {
  uint64_t number;
  sn_source *source;
} replay_source;

typedef struct replay_feed {
  sn_system *system;
  replay_source *sources;
  size_t source_count, source_capacity;
  sn_arena arena;   /**< of requests that are being made */
  uint64_t fed;     /**< entries that were given to the system */
  uint64_t refused; /**< entries that it did not take */
  char reason[400]; /**< of the first of them */
} replay_feed;

void replay_feed_init(replay_feed *f, sn_system *system);
void replay_feed_close(replay_feed *f);

/** Give one entry, which is no cycle, to the system. */
void replay_feed_entry(replay_feed *f, const sn_journal_entry *entry);

#endif
