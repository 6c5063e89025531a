#include "record/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "rt/system_internal.h"
#include "sinew/msg_types.h"

enum { JOURNAL_DRAIN_MAX = 65536 };

/* ---- the file ---- */

static sn_status write_file(void *context, const void *bytes, size_t size, sn_error *err) {
  sn__recording *recording = context;
  return sn__recording_file_write(&recording->file, bytes, size, err);
}

static sn_status begin_chunk(void *context, sn_error *err) {
  sn__recording *recording = context;
  return sn__recording_file_begin_chunk(&recording->file, recording->writer, err);
}

static sn_status end_chunk(void *context, sn_error *err) {
  sn__recording *recording = context;
  return sn__recording_file_end_chunk(&recording->file, err);
}

sn_status sn__recording_save(sn__recording *recording, sn_error *err) {
  return sn__recording_file_save(&recording->file, recording->writer, err);
}

static sn_status find_compression(const char *name, sn_mcap_compression *out, sn_error *err) {
  *out = name == NULL || strcmp(name, "zstd") == 0 ? SN_MCAP_ZSTD
         : strcmp(name, "lz4") == 0                ? SN_MCAP_LZ4
                                                   : SN_MCAP_PLAIN;
  return *out != SN_MCAP_PLAIN || strcmp(name, "none") == 0
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "recorder: compression '%.40s', expected zstd, lz4 or none",
                        name);
}

static sn_status open_file(sn__recording *recording, const char *path,
                           const sn_recorder_config *config, sn_error *err) {
  sn_mcap_compression compression = SN_MCAP_PLAIN;
  sn_status status = find_compression(config->compression, &compression, err);
  if (status == SN_OK) {
    status = sn__recording_file_open(&recording->file, path, err);
  }
  if (status != SN_OK) {
    return status;
  }
  const sn_mcap_writer_config writer = {.sink = {write_file, recording, begin_chunk, end_chunk},
                                        .channel_max = recording->topic_count + 1,
                                        .chunk_size = config->chunk_size,
                                        .is_without_index = config->is_without_index,
                                        .compression = compression};
  return sn__mcap_writer_create(&recording->arena, &writer, &recording->writer, err);
}

/* ---- the outputs ---- */

/* `follow.smoothing.out` is `/follow/smoothing/out`. */
static const char *topic_of(sn_arena *arena, const char *path) {
  const size_t length = strlen(path);
  char *topic = SN_NEW(arena, char, length + 2);
  if (topic != NULL) {
    topic[0] = '/';
    for (size_t i = 0; i < length; i++) {
      topic[i + 1] = (char)(path[i] == '.' ? '/' : path[i]);
    }
  }
  return topic;
}

static sn_status open_topic(sn__recording *recording, sn__recording_topic *topic, const char *path,
                            sn_error *err) {
  const sn_connection connection = {.buffer = recording->buffer};
  sn_status status = sn_tap_open(recording->system, path, &connection, &topic->tap, err);
  if (status != SN_OK) {
    return status;
  }
  topic->topic = topic_of(&recording->arena, path);
  if (topic->topic == NULL) {
    return sn__fail(err, SN_ENOMEM, "recorder: no memory");
  }
  const sn_msg_type *type = sn_tap_type(topic->tap);
  return sn__mcap_writer_add(recording->writer, topic->topic, type, &topic->channel, err);
}

/* ---- for replay ---- */

static bool has_cycled(const sn_system *system) {
  const sn_activity *activity = NULL;
  for (size_t i = 0; (activity = sn_system_activity_at(system, i)) != NULL; i++) {
    if (__atomic_load_n(&sn_activity_timing_of(activity)->cycles, __ATOMIC_RELAXED) > 0) {
      return true;
    }
  }
  return false;
}

static const char *clock_name(const sn_clock *clock) {
  return clock->kind == SN_CLOCK_SIMULATED     ? "simulated"
         : clock->kind == SN_CLOCK_ACCELERATED ? "accelerated"
                                               : "real";
}

/* Does the file start with the system? Only then can it be replayed. */
static sn_status note_system(sn__recording *recording, bool has_files, sn_error *err) {
  const sn_system *system = recording->system;
  char begun[24];
  snprintf(begun, sizeof begun, "%" PRId64, sn__system_begun_ns(system));
  const char *pairs[] = {"clock",      clock_name(sn_system_clock(system)),
                         "begun",      sn__system_is_begun(system) ? begun : "later",
                         "from_start", has_cycled(system) ? "no" : "yes",
                         "journal",    recording->journal == NULL ? "no" : "yes",
                         "files",      has_files ? "yes" : "no"};
  return sn__mcap_writer_note(recording->writer, "system", pairs, 5, err);
}

static sn_status open_journal(sn__recording *recording, sn_error *err) {
  const sn_msg_capacity capacity = {.item_count = SN_JOURNAL_ENTRY_MAX, .text_size = 256};
  if (sn__journal_open(recording->system, &recording->journal, NULL) != SN_OK) {
    return SN_OK; /* still a valid recording, which states that it has no journal */
  }
  recording->entry = sn_msg_create(&recording->arena, &sn__journal_entry_type, &capacity);
  return recording->entry == NULL
             ? sn__fail(err, SN_ENOMEM, "recorder: no memory")
             : sn__mcap_writer_add(recording->writer, SN_RECORDER_JOURNAL, &sn__journal_entry_type,
                                   &recording->journal_channel, err);
}

static sn_status open_facts(sn__recording *recording, sn_error *err) {
  const char *text = sn__system_description(recording->system);
  sn_status status = open_journal(recording, err);
  if (status == SN_OK && text != NULL) {
    status = sn__mcap_writer_attach(recording->writer, SN_RECORDER_DEPLOYMENT, "application/yaml",
                                    text, strlen(text), err);
  }
  return status == SN_OK ? note_system(recording, sn__recording_attach_files(recording), err)
                         : status;
}

static sn_status open_all(sn__recording *recording, const sn_recorder_config *config,
                          sn_error *err) {
  const char *const *paths = NULL;
  sn_status status = sn__recording_choose(recording, config, &paths, err);
  if (status != SN_OK) {
    return status;
  }
  const char *path = sn_arena_text(&recording->arena, config->path, strlen(config->path));
  recording->topics = SN_NEW(&recording->arena, sn__recording_topic, recording->topic_count);
  if (path == NULL || recording->topics == NULL) {
    return sn__fail(err, SN_ENOMEM, "recorder: no memory");
  }
  status = open_file(recording, path, config, err);
  if (status == SN_OK) {
    status = open_facts(recording, err);
  }
  for (size_t i = 0; status == SN_OK && i < recording->topic_count; i++) {
    status = open_topic(recording, &recording->topics[i], paths[i], err);
    if (status == SN_OK) { /* allocating many outputs takes time: the first must not overflow */
      status = sn__recording_drain(recording, err);
    }
  }
  return status;
}

sn_status sn__recording_open(sn__recording *recording, sn_system *system,
                             const sn_recorder_config *config, sn_error *err) {
  *recording = (sn__recording){
      .system = system, .buffer = config->buffer == 0 ? 256 : config->buffer, .file.fd = -1};
  sn_arena_init_growing(&recording->arena, "recorder", 0);
  const sn_status status = open_all(recording, config, err);
  if (status != SN_OK) {
    sn__recording_close(recording, NULL);
  }
  return status;
}

/* ---- messages ---- */

/* One writer: no need for an indivisible step. */
static void increase(_Atomic uint64_t *number) {
  atomic_store_explicit(number, atomic_load_explicit(number, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}

/* @return the first failure of the file; a message that cannot be encoded is only counted */
static sn_status drain_topic(sn__recording *recording, sn__recording_topic *topic, sn_error *err) {
  const sn_clock *clock = sn_system_clock(recording->system);
  sn_status result = SN_OK;
  for (size_t i = 0; i < recording->buffer; i++) {
    sn_flow flow = SN_NO_DATA;
    const void *msg = sn_tap_read(topic->tap, &flow);
    if (flow != SN_NEW_DATA) {
      break;
    }
    /* After the publish time: a message is not logged before it was sent. */
    const int64_t now_ns = sn_clock_now_ns(clock);
    const int64_t log_ns = now_ns < 0 ? 0 : now_ns;
    const int64_t stamp_ns = sn_msg_stamp_ns(sn_tap_type(topic->tap), msg);
    sn_error failure = {SN_OK, ""};
    const sn_status status = sn__mcap_writer_write(recording->writer, topic->channel, log_ns,
                                                   stamp_ns > 0 ? stamp_ns : log_ns, msg, &failure);
    increase(status == SN_OK ? &topic->recorded : &topic->unwritten);
    if (result == SN_OK && (status == SN_EIO || status == SN_ESTOPPED)) {
      result = sn__fail(err, status, "%s", failure.message);
    }
  }
  return result;
}

/* At most what the rings hold: writers may be faster than the disk. */
static sn_status drain_journal(sn__recording *recording, sn_error *err) {
  sn_status result = SN_OK;
  for (size_t i = 0; i < JOURNAL_DRAIN_MAX && recording->journal != NULL; i++) {
    if (!sn__journal_read(recording->journal, recording->entry)) {
      break;
    }
    const int64_t now_ns = sn_clock_now_ns(sn_system_clock(recording->system));
    sn_error failure = {SN_OK, ""};
    const sn_status status = sn__mcap_writer_write(
        recording->writer, recording->journal_channel, now_ns < 0 ? 0 : now_ns,
        recording->entry->stamp_ns, recording->entry, &failure);
    if (status != SN_OK) {
      increase(&recording->journal_lost);
    }
    if (result == SN_OK && (status == SN_EIO || status == SN_ESTOPPED)) {
      result = sn__fail(err, status, "%s", failure.message);
    }
  }
  return result;
}

sn_status sn__recording_drain(sn__recording *recording, sn_error *err) {
  sn_status result = drain_journal(recording, err);
  for (size_t i = 0; i < recording->topic_count && recording->topics[i].tap != NULL; i++) {
    sn_error failure = {SN_OK, ""};
    const sn_status status = drain_topic(recording, &recording->topics[i], &failure);
    if (result == SN_OK && status != SN_OK) {
      result = sn__fail(err, status, "%s", failure.message);
    }
  }
  atomic_store_explicit(&recording->bytes, sn__mcap_writer_counts(recording->writer).bytes,
                        memory_order_relaxed);
  return result;
}

uint64_t sn__recording_lost(const sn__recording_topic *topic) {
  return sn_tap_counts(topic->tap).lost +
         atomic_load_explicit(&topic->unwritten, memory_order_relaxed);
}

typedef struct loss_number {
  char text[24];
} loss_number;

typedef struct loss_note {
  const char **pairs; /* topic, number, … */
  loss_number *numbers;
  size_t count;
} loss_note;

static void add_loss(loss_note *note, const char *topic, uint64_t lost) {
  if (lost > 0) {
    char *text = note->numbers[note->count].text;
    snprintf(text, sizeof note->numbers->text, "%" PRIu64, lost);
    note->pairs[2 * note->count] = topic;
    note->pairs[2 * note->count + 1] = text;
    note->count++;
  }
}

/* Note the number of lost messages in the file, for each topic and in total. */
static sn_status note_losses(sn__recording *recording, sn_error *err) {
  const size_t room = recording->topic_count + 2;
  loss_note note = {.pairs = SN_NEW(&recording->arena, const char *, 2 * room),
                    .numbers = SN_NEW(&recording->arena, loss_number, room)};
  if (note.pairs == NULL || note.numbers == NULL) {
    return sn__fail(err, SN_ENOMEM, "recorder: no memory");
  }
  uint64_t sum = 0;
  for (size_t i = 0; i < recording->topic_count; i++) {
    const uint64_t lost = sn__recording_lost(&recording->topics[i]);
    add_loss(&note, recording->topics[i].topic, lost);
    sum += lost;
  }
  if (recording->journal != NULL) {
    add_loss(&note, SN_RECORDER_JOURNAL,
             sn__journal_lost(recording->journal) + atomic_load(&recording->journal_lost));
  }
  add_loss(&note, "all", sum);
  return note.count == 0 ? SN_OK
                         : sn__mcap_writer_note(recording->writer, "lost messages", note.pairs,
                                                note.count, err);
}

/* The system keeps running. Cycles may have started after the journal was read and before their
   messages were read: read the journal again. A journal beyond the last message is harmless. */
sn_status sn__recording_finish(sn__recording *recording, sn_error *err) {
  (void)drain_journal(recording, err); /* a failure is reported below */
  sn_status status = note_losses(recording, err);
  if (status == SN_OK) {
    status = sn__mcap_writer_finish(recording->writer, err);
  }
  atomic_store_explicit(&recording->bytes, sn__mcap_writer_counts(recording->writer).bytes,
                        memory_order_relaxed);
  return status;
}

sn_status sn__recording_close(sn__recording *recording, sn_error *err) {
  sn__journal_close(recording->journal);
  for (size_t i = 0; recording->topics != NULL && i < recording->topic_count; i++) {
    sn_tap_close(recording->topics[i].tap);
  }
  const sn_status status = sn__recording_file_close(&recording->file, err);
  sn__mcap_writer_close(recording->writer);
  sn_arena_release(&recording->arena);
  return status;
}
