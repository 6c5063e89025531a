#include "replay/replay_journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "sinew/msg_wire.h"

enum { NAME_SIZE = sizeof((replay_journal *)NULL)->name };

bool replay_journal_init(replay_journal *j) {
  const sn_msg_capacity capacity = {.item_count = SN_JOURNAL_ENTRY_MAX, .text_size = NAME_SIZE};
  *j = (replay_journal){.data = NULL};
  sn_arena_init_growing(&j->arena, "entry", 0);
  j->piece = sn_msg_create(&j->arena, &sn__journal_entry_type, &capacity);
  return j->piece != NULL;
}

void replay_journal_free(replay_journal *j) {
  free(j->data);
  sn_arena_release(&j->arena);
}

void replay_journal_rewind(replay_journal *j) {
  j->size = 0;
}

/* @return false: another entry has begun, or out of memory */
static bool append(replay_journal *j) {
  const sn_seq_u8 *data = &j->piece->data;
  if (j->size == 0) {
    snprintf(j->name, sizeof j->name, "%s", j->piece->name.data);
    j->cycle = j->piece->cycle;
  } else if (strcmp(j->name, j->piece->name.data) != 0 || j->cycle != j->piece->cycle) {
    return false;
  }
  uint8_t *larger = sn__list_grow(j->data, &j->room, j->size + data->count, 1);
  if (larger == NULL) {
    return false;
  }
  j->data = larger;
  if (data->count > 0) {
    memcpy(j->data + j->size, data->data, data->count);
  }
  j->size += data->count;
  return true;
}

replay_read replay_journal_read(replay_journal *j, const sn_mcap_message *message) {
  if (strcmp(message->channel->schema, sn__journal_entry_type.ros2_name) != 0 ||
      sn_cdr_read(&sn__journal_entry_type, message->data, message->size, j->piece, NULL) != SN_OK) {
    return REPLAY_NONSENSE;
  }
  const bool is_part = j->piece->kind == SN_JOURNAL_PART;
  if ((is_part || j->size > 0) && !append(j)) {
    return REPLAY_NONSENSE;
  }
  if (is_part) {
    return REPLAY_PART;
  }
  j->entry = *j->piece;
  if (j->size > 0) {
    j->entry.data = (sn_seq_u8){.data = j->data, .count = j->size, .capacity = j->room};
    j->size = 0;
  }
  return REPLAY_ENTRY;
}

/* Data can be longer than that of a message. */
sn_journal_entry *replay_journal_copy(sn_arena *arena, const sn_journal_entry *entry) {
  const sn_msg_capacity capacity = {.item_count = 1, .text_size = NAME_SIZE};
  const size_t size = entry->data.count;
  sn_journal_entry *copy = sn_msg_create(arena, &sn__journal_entry_type, &capacity);
  uint8_t *data = SN_NEW(arena, uint8_t, size + 1);
  sn_journal_entry rest = *entry;
  rest.data.count = 0;
  if (copy == NULL || data == NULL || sn_msg_copy(&sn__journal_entry_type, copy, &rest) != SN_OK) {
    return NULL;
  }
  if (size > 0) {
    memcpy(data, entry->data.data, size);
  }
  copy->data = (sn_seq_u8){.data = data, .count = size, .capacity = size + 1};
  return copy;
}

bool replay_entries_add(replay_entries *list, const sn_journal_entry *entry) {
  sn_journal_entry **entries =
      sn__list_grow(list->entries, &list->capacity, list->count + 1, sizeof *entries);
  if (entries == NULL) {
    return false;
  }
  list->entries = entries;
  entries[list->count++] = replay_journal_copy(&list->arena, entry);
  return entries[list->count - 1] != NULL;
}
