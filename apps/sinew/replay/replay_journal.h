/** @file
 *  Entries of a recorded journal; joins the parts of long ones. */
#ifndef SINEW_APP_REPLAY_JOURNAL_H
#define SINEW_APP_REPLAY_JOURNAL_H

#include "record/mcap.h"
#include "rt/journal/journal_read.h"

typedef struct replay_journal {
  sn_arena arena;
  sn_journal_entry *piece; /* buffer for one */
  uint8_t *data;           /* by malloc(); the parts so far */
  size_t size, room;
  char name[256]; /* of their entry */
  uint64_t cycle;
  sn_journal_entry entry; /* the last complete one; valid until the next */
} replay_journal;

typedef enum replay_read {
  REPLAY_ENTRY,   /* complete */
  REPLAY_PART,    /* more parts follow */
  REPLAY_NONSENSE /* not an entry, or out of memory */
} replay_read;

/** @return false: no memory */
bool replay_journal_init(replay_journal *j);
void replay_journal_free(replay_journal *j);

replay_read replay_journal_read(replay_journal *j, const sn_mcap_message *message);
/** Drop incomplete entries, to read from the beginning. */
void replay_journal_rewind(replay_journal *j);

/** A copy in an arena. @return NULL: no memory */
sn_journal_entry *replay_journal_copy(sn_arena *arena, const sn_journal_entry *entry);

/** Copies of entries, in their order. Zero-initialise, and the arena. */
typedef struct replay_entries {
  sn_arena arena;
  sn_journal_entry **entries; /* by malloc() */
  size_t count, capacity, next;
} replay_entries;

/** Append a copy. @return false: out of memory */
bool replay_entries_add(replay_entries *list, const sn_journal_entry *entry);

#endif
