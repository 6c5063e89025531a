/** @file
 *  A system and its journal. */
#ifndef SN_JOURNAL_RIG_H
#define SN_JOURNAL_RIG_H

#include "rig.h"
#include "rt/journal/journal_read.h"
#include "sn_test.h"

typedef struct journal_rig {
  rig r;
  sn_journal *journal;     /**< NULL: not open */
  sn_journal_entry *entry; /**< the last one that was read */
} journal_rig;

/** @param room  for data of an entry, bytes */
static inline void journal_rig_make_room(journal_rig *j, size_t room) {
  const sn_msg_capacity capacity = {.item_count = room, .text_size = 256};
  j->entry = sn_msg_create(&j->r.arena, &sn__journal_entry_type, &capacity);
  assert_non_null(j->entry);
}

static inline void journal_rig_close(journal_rig *j) {
  sn__journal_close(j->journal);
  j->journal = NULL;
  rig_close(&j->r);
}

#endif
