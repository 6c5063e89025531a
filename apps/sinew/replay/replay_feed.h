/** @file
 *  Feeds recorded inputs to a system. */
#ifndef SINEW_APP_REPLAY_FEED_H
#define SINEW_APP_REPLAY_FEED_H

#include <stdbool.h>

#include "rt/journal/journal_read.h"
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
  sn_arena arena;   /**< of requests under construction */
  uint64_t fed;     /**< entries fed to the system */
  uint64_t refused; /**< entries that it rejected */
  char reason[400]; /**< of the first rejected one */
} replay_feed;

void replay_feed_init(replay_feed *f, sn_system *system);
void replay_feed_close(replay_feed *f);

/** Feed one entry, other than a cycle, to the system. */
void replay_feed_entry(replay_feed *f, const sn_journal_entry *entry);

#endif
