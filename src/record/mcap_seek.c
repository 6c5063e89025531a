/* Where the times of a file are, so that a player can go to any of them. */
#include "base/buffer.h"
#include "base/fail.h"
#include "record/mcap_reader.h"

/* Records outside of chunks form parts of at least this size. */
#define PART_SIZE_MIN ((uint64_t)1 << 16)

static bool add_part(sn_mcap_parts *parts, uint64_t at, int64_t log_ns) {
  sn_mcap_part *items =
      sn__list_grow(parts->items, &parts->capacity, parts->count + 1, sizeof *items);
  if (items == NULL) {
    return false;
  }
  parts->items = items;
  parts->items[parts->count++] = (sn_mcap_part){at, log_ns, log_ns};
  return true;
}

/* Does the record at @p at begin a part? Those of a chunk have the same offset. */
static bool is_next_part(const sn_mcap_parts *parts, uint64_t at) {
  return parts->count == 0 || at >= parts->items[parts->count - 1].at + PART_SIZE_MIN;
}

static void widen(sn_mcap_part *part, int64_t log_ns) {
  part->start_ns = log_ns < part->start_ns ? log_ns : part->start_ns;
  part->end_ns = log_ns > part->end_ns ? log_ns : part->end_ns;
}

sn_status sn__mcap_reader_survey(sn_mcap_reader *reader, sn_mcap_parts *parts, uint64_t *damaged,
                                 sn_error *err) {
  sn_mcap_message message;
  sn_status status = SN_OK;
  sn__mcap_reader_rewind(reader);
  uint64_t at = reader->next; /* of the record that the next message is in */
  while (status != SN_ENOENT) {
    const uint64_t next = reader->next;
    status = sn__mcap_reader_next(reader, &message, err);
    if (status == SN_EIO || status == SN_ENOMEM) {
      return status;
    }
    at = reader->next == next ? at : reader->record_at;
    if (status != SN_OK) {
      continue; /* damaged: counted by the reader */
    }
    if (is_next_part(parts, at) && !add_part(parts, at, message.log_ns)) {
      return sn__fail(err, SN_ENOMEM, "no memory for the index of the recording");
    }
    widen(&parts->items[parts->count - 1], message.log_ns);
  }
  *damaged = reader->info.damaged;
  reader->next = reader->first;
  reader->is_at_end = false;
  reader->inner = reader->inner_end = 0;
  reader->unpacked.at = 0;
  return SN_OK;
}

void sn__mcap_reader_seek(sn_mcap_reader *reader, const sn_mcap_part *part) {
  reader->next = part->at;
  reader->inner = reader->inner_end = 0;
  reader->unpacked.at = 0;
  reader->is_at_end = false;
}
