/** @file
 *  Entries of a recorded journal: parts of long ones are put together. */
#ifndef SINEW_APP_REPLAY_JOURNAL_H
#define SINEW_APP_REPLAY_JOURNAL_H

#include "sinew/journal.h"
#include "sinew/mcap.h"

typedef struct replay_journal {
  sn_arena arena;
  sn_journal_entry *piece; /* room for one */
  uint8_t *data;           /* by malloc(); parts that have come */
  size_t size, room;
  char name[256]; /* of the entry that they are of */
  uint64_t cycle;
  sn_journal_entry entry; /* the last whole one: valid until the next */
} replay_journal;

typedef enum replay_read {
  REPLAY_ENTRY,   /* here it is */
  REPLAY_PART,    /* there is more of it */
  REPLAY_NONSENSE /* it is no entry, or there is no memory */
} replay_read;

/** @return false: no memory */
bool replay_journal_init(replay_journal *j);
void replay_journal_free(replay_journal *j);

replay_read replay_journal_read(replay_journal *j, const sn_mcap_message *message);
/** Forget parts whose entry has not come: it is read from the beginning. */
void replay_journal_rewind(replay_journal *j);

/** A copy in an arena. @return NULL: no memory */
sn_journal_entry *replay_journal_copy(sn_arena *arena, const sn_journal_entry *entry);

#endif
