#include "record/recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "rt/system_internal.h"
#include "sinew/msg_types.h"

enum { JOURNAL_DRAIN_MAX = 65536, MESSAGE_SIZE = 1 << 16 };

static const double RATE_MIN = 1e-3;
static const double RATE_MAX = 1e6;

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

static sn_status open_topic(sn__recording *recording, size_t index, const char *path,
                            sn_error *err) {
  sn__recording_topic *topic = &recording->topics[index];
  sn_arena_init_growing(&topic->held_arena, "held", 0);
  sn_status status = sn__tap_open_packed(recording->system, path, recording->stream,
                                         (uint16_t)index, &topic->tap, err);
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

/* All definitions precede all messages, however long it takes to open many outputs: the stream
   holds what is sent meanwhile. */
static sn_status open_topics(sn__recording *recording, const sn_recorder_config *config,
                             const char *const *paths, sn_error *err) {
  const size_t size = config->memory_max == 0 ? SN_RECORDER_MEMORY : config->memory_max;
  recording->stream = sn__stream_create(size);
  sn_arena_init_growing(&recording->message, "message", MESSAGE_SIZE);
  /* The first block stays when a message is released. */
  if (recording->stream == NULL || sn_arena_alloc(&recording->message, 1, 1) == NULL) {
    return sn__fail(err, SN_ENOMEM, "recorder: no memory for %.1f MB of messages",
                    1e-6 * (double)size);
  }
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < recording->topic_count; i++) {
    status = open_topic(recording, i, paths[i], err);
  }
  return status;
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

/* Does the file start with the system? Only then can it be replayed. And which robot is it? */
static sn_status note_system(sn__recording *recording, bool has_files, sn_error *err) {
  sn_system *system = recording->system;
  char begun[24], robot[128];
  snprintf(begun, sizeof begun, "%" PRId64, sn__system_begun_ns(system));
  sn__recording_find_robot(system, robot, sizeof robot);
  const char *pairs[] = {"clock",
                         clock_name(sn_system_clock(system)),
                         "begun",
                         sn__system_is_begun(system) ? begun : "later",
                         "from_start",
                         has_cycled(system) ? "no" : "yes",
                         "journal",
                         recording->journal == NULL ? "no" : "yes",
                         "files",
                         has_files ? "yes" : "no",
                         SN__MCAP_ROBOT_KEY,
                         robot};
  return sn__mcap_writer_note(recording->writer, SN__MCAP_SYSTEM_NOTE, pairs, 6, err);
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

/* ---- messages ---- */

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
      atomic_fetch_add_explicit(&recording->journal_lost, 1, memory_order_relaxed);
    }
    if (result == SN_OK && (status == SN_EIO || status == SN_ESTOPPED)) {
      result = sn__fail(err, status, "%s", failure.message);
    }
  }
  return result;
}

sn_status sn__recording_drain(sn__recording *recording, sn_error *err) {
  const int64_t now_ns = sn_clock_now_ns(sn_system_clock(recording->system));
  sn_status result = drain_journal(recording, err);
  const sn_status status = sn__recording_drain_messages(recording, result == SN_OK ? err : NULL);
  result = result == SN_OK ? status : result;
  recording->drained_ns = now_ns;
  atomic_store_explicit(&recording->bytes, sn__mcap_writer_counts(recording->writer).bytes,
                        memory_order_relaxed);
  return result;
}

uint64_t sn__recording_lost(const sn__recording_topic *topic) {
  return sn_tap_counts(topic->tap).lost +
         atomic_load_explicit(&topic->unwritten, memory_order_relaxed);
}

typedef struct count_text {
  char text[24];
} count_text;

/* Numbers of messages by topic, for a note in the file. */
typedef struct count_note {
  const char **pairs; /* topic, number, … */
  count_text *numbers;
  size_t count;
  uint64_t sum;
} count_note;

static sn_status open_note(sn__recording *recording, count_note *note, sn_error *err) {
  const size_t room = recording->topic_count + 2;
  *note = (count_note){.pairs = SN_NEW(&recording->arena, const char *, 2 * room),
                       .numbers = SN_NEW(&recording->arena, count_text, room)};
  return note->pairs == NULL || note->numbers == NULL
             ? sn__fail(err, SN_ENOMEM, "recorder: no memory")
             : SN_OK;
}

static void add_count(count_note *note, const char *topic, uint64_t number) {
  if (number > 0) {
    char *text = note->numbers[note->count].text;
    snprintf(text, sizeof note->numbers->text, "%" PRIu64, number);
    note->pairs[2 * note->count] = topic;
    note->pairs[2 * note->count + 1] = text;
    note->count++;
    note->sum += number;
  }
}

static sn_status write_note(sn__recording *recording, count_note *note, const char *name,
                            sn_error *err) {
  add_count(note, "all", note->sum);
  return note->count == 0
             ? SN_OK
             : sn__mcap_writer_note(recording->writer, name, note->pairs, note->count, err);
}

/* Note the number of lost messages in the file, for each topic and in total. */
static sn_status note_losses(sn__recording *recording, sn_error *err) {
  count_note note;
  const sn_status status = open_note(recording, &note, err);
  if (status != SN_OK) {
    return status;
  }
  for (size_t i = 0; i < recording->topic_count; i++) {
    add_count(&note, recording->topics[i].topic, sn__recording_lost(&recording->topics[i]));
  }
  const uint64_t sum = note.sum; /* of messages */
  if (recording->journal != NULL) {
    add_count(&note, SN_RECORDER_JOURNAL,
              sn__journal_lost(recording->journal) + atomic_load(&recording->journal_lost));
  }
  note.sum = sum;
  return write_note(recording, &note, "lost messages", err);
}

/* At the beginning, since the end may be missing: of which outputs the file has some messages only.
 */
static sn_status note_intervals(sn__recording *recording, sn_error *err) {
  count_note note;
  const sn_status status = open_note(recording, &note, err);
  if (status != SN_OK) {
    return status;
  }
  for (size_t i = 0; i < recording->topic_count; i++) {
    add_count(&note, recording->topics[i].topic, (uint64_t)recording->topics[i].interval_ns);
  }
  return note.count == 0 ? SN_OK
                         : sn__mcap_writer_note(recording->writer, SN_RECORDER_INTERVALS,
                                                note.pairs, note.count, err);
}

/* Likewise of those that the rate left out: a replay does not miss them. */
static sn_status note_thinned(sn__recording *recording, sn_error *err) {
  count_note note;
  const sn_status status = open_note(recording, &note, err);
  if (status != SN_OK) {
    return status;
  }
  for (size_t i = 0; i < recording->topic_count; i++) {
    add_count(&note, recording->topics[i].topic, atomic_load(&recording->topics[i].thinned));
  }
  return write_note(recording, &note, SN_RECORDER_THINNED, err);
}

/* ---- beginning and end ---- */

static sn_status open_all(sn__recording *recording, const sn_recorder_config *config,
                          sn_error *err) {
  const char *const *paths = NULL;
  sn_status status = sn__recording_choose(recording, config, &paths, err);
  if (status != SN_OK) {
    return status;
  }
  const char *path = sn_arena_text(&recording->arena, config->path, strlen(config->path));
  if (path == NULL) {
    return sn__fail(err, SN_ENOMEM, "recorder: no memory");
  }
  status = open_file(recording, path, config, err);
  if (status == SN_OK) {
    status = open_facts(recording, err);
  }
  if (status == SN_OK) {
    status = open_topics(recording, config, paths, err);
  }
  return status == SN_OK ? note_intervals(recording, err) : status;
}

sn_status sn__recording_open(sn__recording *recording, sn_system *system,
                             const sn_recorder_config *config, sn_error *err) {
  *recording = (sn__recording){.system = system, .file.fd = -1};
  if (!(config->rate_Hz == 0.0 || (config->rate_Hz >= RATE_MIN && config->rate_Hz <= RATE_MAX))) {
    return sn__fail(err, SN_EINVAL, "recorder: a rate of %g Hz, expected 0 or %g to %g",
                    config->rate_Hz, RATE_MIN, RATE_MAX);
  }
  recording->interval_ns = config->rate_Hz == 0.0 ? 0 : llround(1e9 / config->rate_Hz);
  sn_arena_init_growing(&recording->arena, "recorder", 0);
  const sn_status status = open_all(recording, config, err);
  if (status != SN_OK) {
    sn__recording_close(recording, NULL);
  }
  return status;
}

static sn_status release_all(sn__recording *recording, sn_error *err) {
  sn_status status = SN_OK;
  for (size_t i = 0; i < recording->topic_count && status == SN_OK; i++) {
    status = sn__recording_release(recording, &recording->topics[i], err);
  }
  return status;
}

/* The system keeps running. Cycles may have started after the journal was read and before their
   messages were read: read the journal again. A journal beyond the last message is harmless. */
sn_status sn__recording_finish(sn__recording *recording, sn_error *err) {
  (void)drain_journal(recording, err); /* a failure is reported below */
  sn_status status = release_all(recording, err);
  if (status == SN_OK) {
    status = note_losses(recording, err);
  }
  if (status == SN_OK) {
    status = note_thinned(recording, err);
  }
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
    sn_arena_release(&recording->topics[i].held_arena);
  }
  sn__tap_close_stream(recording->system, recording->stream);
  sn_arena_release(&recording->message);
  const sn_status status = sn__recording_file_close(&recording->file, err);
  sn__mcap_writer_close(recording->writer);
  sn_arena_release(&recording->arena);
  return status;
}
