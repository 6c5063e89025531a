/* `sinew replay`: a recorded run, again, with a simulated clock: the same cycles at the same times,
   in each of them what came from outside then; and are the outputs the same, bit for bit? */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "command.h"
#include "commands.h"
#include "common/json_line.h"
#include "common/problems.h"
#include "replay/recording.h"
#include "replay/replay_compare.h"
#include "replay/replay_feed.h"
#include "replay/replay_files.h"
#include "replay/replay_journal.h"
#include "robot_tools/plan.h"
#include "sinew/recorder.h"

enum { SETTINGS_MAX = 256 };

typedef struct arguments {
  const char *path;
  const char *deployment; /* NULL: the recorded one */
  const char *settings[SETTINGS_MAX];
  plan_wishes wishes;
  bool as_json;
} arguments;

/* Entries of the journal that took effect between cycles, all of them: they are few. */
typedef struct outside {
  sn_arena arena;
  sn_journal_entry **entries;
  size_t count, capacity, next;
} outside;

typedef struct replay {
  replay_files files;
  const arguments *arguments;
  plan plan;
  bool is_simulated; /* the clock of the recording was */
  bool was_begun;    /* the recording began after the start of the components */
  int64_t begun_ns;
  outside outside;
  sn_arena arena;
  replay_journal journal;
  const sn_journal_entry *entry; /* of it, the last one */
  replay_feed feed;
  replay_compare compare;
  sn_activity *pending; /* whose cycle is to be run when all that belongs to it was read */
  int64_t pending_ns;
  uint64_t cycles;
  bool is_complete; /* the file was closed */
} replay;

static int refuse(const replay *r, const char *reason) {
  fprintf(stderr, "%s: error: %s\n", r->arguments->path, reason);
  return EXIT_NO;
}

static bool is_journal(const sn_mcap_message *message) {
  return strcmp(message->channel->topic, SN_RECORDER_JOURNAL) == 0;
}

/* ---- what the file says about itself ---- */

static bool note(recording *file, const char *key, char *out, size_t size) {
  return sn_mcap_reader_note(file->reader, "system", 0, key, out, size, NULL) == SN_OK;
}

static int read_facts(replay *r, recording *file, const char **text, size_t *size) {
  char value[64];
  sn_error err;
  if (sn_mcap_reader_attachment(file->reader, SN_RECORDER_DEPLOYMENT, &r->arena, text, size,
                                &err) != SN_OK) {
    return refuse(r, err.code == SN_ENOENT
                         ? "it does not say what ran: there is no deployment.yaml in it"
                         : err.message);
  }
  if (!note(file, "journal", value, sizeof value) || strcmp(value, "yes") != 0) {
    return refuse(r,
                  "it holds no journal of what came from outside: two recordings were made at "
                  "the same time, and the other one has it");
  }
  if (!note(file, "from_start", value, sizeof value) || strcmp(value, "yes") != 0) {
    return refuse(r,
                  "it begins in the middle of a run, whose state before it is unknown; "
                  "'sinew run --record' records from the start");
  }
  r->is_simulated = note(file, "clock", value, sizeof value) && strcmp(value, "simulated") == 0;
  r->was_begun = note(file, "begun", value, sizeof value) && strcmp(value, "later") != 0;
  if (r->was_begun) {
    r->begun_ns = strtoll(value, NULL, 10);
  }
  return EXIT_GOOD;
}

static bool keep_entry(replay *r) {
  outside *o = &r->outside;
  sn_journal_entry **entries =
      sn__list_grow(o->entries, &o->capacity, o->count + 1, sizeof *entries);
  if (entries == NULL) {
    return false;
  }
  o->entries = entries;
  sn_journal_entry *copy = replay_journal_copy(&o->arena, r->entry);
  o->entries[o->count++] = copy;
  return copy != NULL;
}

/* Once through the file: what took effect between cycles, and when the components were started. */
static int read_outside(replay *r, recording *file) {
  sn_mcap_message message;
  while (recording_next(file, &message)) {
    const replay_read read =
        is_journal(&message) ? replay_journal_read(&r->journal, &message) : REPLAY_PART;
    if (read == REPLAY_NONSENSE) {
      return refuse(r, "an entry of the journal cannot be read: it was made by another version");
    }
    if (read == REPLAY_PART) {
      continue;
    }
    if (r->entry->kind == SN_JOURNAL_BEGIN) {
      r->begun_ns = r->entry->stamp_ns;
    } else if (!r->entry->is_exact && !keep_entry(r)) {
      fputs("sinew: out of memory\n", stderr);
      return EXIT_FAULT;
    }
  }
  r->is_complete = sn_mcap_reader_info(file->reader).is_complete;
  const bool is_refused = file->is_refused;
  file->is_quiet = true; /* its faults were told */
  sn_mcap_reader_rewind(file->reader);
  replay_journal_rewind(&r->journal);
  return is_refused ? refuse(r, "it is damaged, and cannot be repeated") : EXIT_GOOD;
}

/* Topics of which messages are missing are not compared; without all of the journal nothing is. */
static int read_losses(replay *r, recording *file) {
  char lost[32];
  if (sn_mcap_reader_note(file->reader, "lost messages", 0, SN_RECORDER_JOURNAL, lost, sizeof lost,
                          NULL) == SN_OK) {
    return refuse(r, "parts of its journal are missing, so it cannot be repeated");
  }
  for (size_t i = 0; i < r->compare.topic_count; i++) {
    replay_topic *topic = &r->compare.topics[i];
    topic->is_left_out = sn_mcap_reader_note(file->reader, "lost messages", 0, topic->topic, lost,
                                             sizeof lost, NULL) == SN_OK;
    if (topic->is_left_out) {
      fprintf(stderr, "%s: warning: %s messages of %s are missing: it is not compared\n",
              r->arguments->path, lost, topic->topic);
    }
  }
  return EXIT_GOOD;
}

/* ---- running ---- */

static bool is_of(const sn_journal_entry *entry, const char *activity) {
  return entry->activity.count == 0 || strcmp(entry->activity.data, activity) == 0;
}

/* What took effect before the cycle that comes next. */
static void feed_outside(replay *r, const char *activity, uint64_t cycle) {
  outside *o = &r->outside;
  while (o->next < o->count && o->entries[o->next]->cycle <= cycle &&
         is_of(o->entries[o->next], activity)) {
    replay_feed_entry(&r->feed, o->entries[o->next++]);
  }
}

/* Sources that were there from the beginning come before the start, as some inputs want it. */
static void feed_first_sources(replay *r) {
  outside *o = &r->outside;
  while (o->next < o->count && o->entries[o->next]->cycle <= 1 &&
         o->entries[o->next]->kind == SN_JOURNAL_OPEN) {
    replay_feed_entry(&r->feed, o->entries[o->next++]);
  }
}

static bool run_pending(replay *r) {
  sn_error err = {SN_OK, ""};
  if (r->pending == NULL) {
    return true;
  }
  if (sn_system_cycle(r->plan.system, r->pending, r->pending_ns, &err) != SN_OK) {
    refuse(r, err.message);
    return false;
  }
  r->pending = NULL;
  r->cycles++;
  replay_compare_drain(&r->compare, r->pending_ns);
  sn_log_record record;
  while (sn_log_read(r->plan.log, &record)) { /* who wants the log has the recorded one */
  }
  return true;
}

static bool take_entry(replay *r) {
  if (r->entry->kind != SN_JOURNAL_CYCLE) {
    if (r->entry->is_exact) { /* the others had their turn */
      replay_feed_entry(&r->feed, r->entry);
    }
    return true;
  }
  if (!run_pending(r)) {
    return false;
  }
  sn_activity *activity = sn_system_find_activity(r->plan.system, r->entry->activity.data);
  if (activity == NULL) {
    fprintf(stderr, "%s: error: there is no activity '%s' in this deployment\n", r->arguments->path,
            r->entry->activity.data);
    return false;
  }
  feed_outside(r, r->entry->activity.data, r->entry->cycle);
  r->pending = activity;
  r->pending_ns = r->entry->stamp_ns;
  return true;
}

static int run_file(replay *r, recording *file) {
  sn_mcap_message message;
  while (recording_next(file, &message)) {
    if (is_journal(&message)) {
      const replay_read read = replay_journal_read(&r->journal, &message);
      if (read == REPLAY_NONSENSE || (read == REPLAY_ENTRY && !take_entry(r))) {
        return EXIT_NO;
      }
      continue;
    }
    replay_topic *topic = replay_compare_find(&r->compare, message.channel->topic);
    if (topic != NULL) {
      replay_compare_recorded(&r->compare, topic, message.data, message.size);
    }
  }
  if (!run_pending(r)) {
    return EXIT_NO;
  }
  replay_compare_end(&r->compare, !r->is_simulated || !r->is_complete, !r->is_complete);
  if (r->compare.is_out_of_memory) {
    fputs("sinew: out of memory\n", stderr);
    return EXIT_FAULT;
  }
  return EXIT_GOOD;
}

static int begin(replay *r) {
  sn_error err = {SN_OK, ""};
  sn_system *system = r->plan.system;
  replay_feed_init(&r->feed, system);
  feed_first_sources(r);
  if (!r->was_begun && !replay_compare_open(&r->compare, system)) {
    return EXIT_FAULT;
  }
  if (sn_system_begin(system, &err) != SN_OK) {
    return refuse(r, err.message);
  }
  if (r->was_begun && !replay_compare_open(&r->compare, system)) {
    return EXIT_FAULT;
  }
  return EXIT_GOOD;
}

/* ---- telling ---- */

static json_t *result_json(const replay *r) {
  const replay_compare *c = &r->compare;
  const replay_difference *d = &c->first;
  json_t *json = json_pack("{s:b, s:I, s:I, s:I, s:I, s:I}", "ok", !c->has_first, "cycles",
                           (json_int_t)r->cycles, "inputs", (json_int_t)r->feed.fed, "refused",
                           (json_int_t)r->feed.refused, "messages", (json_int_t)c->compared,
                           "different", (json_int_t)c->different);
  if (c->has_first) {
    json_object_set_new(
        json, "first",
        json_pack("{s:s, s:I, s:f, s:s, s:s, s:s}", "topic", d->topic, "number",
                  (json_int_t)d->number, "time", 1e-9 * (double)(d->stamp_ns - r->begun_ns),
                  "field", d->field, "recorded", d->recorded, "replayed", d->replayed));
  }
  return json;
}

static void tell_difference(const replay *r) {
  const replay_difference *d = &r->compare.first;
  printf("%s: different: %" PRIu64 " of %" PRIu64 " messages, in %" PRIu64 " cycles\n",
         r->arguments->path, r->compare.different, r->compare.compared, r->cycles);
  if (d->field[0] == '\0') {
    printf("  first   %s, message %" PRIu64 ": recorded %s, replayed %s\n", d->topic, d->number,
           d->recorded, d->replayed);
  } else {
    printf("  first   %s, message %" PRIu64 ", %.6f s after the start: %s\n", d->topic, d->number,
           1e-9 * (double)(d->stamp_ns - r->begun_ns), d->field);
    printf("          recorded %s\n          replayed %s\n", d->recorded, d->replayed);
  }
  for (size_t i = 0; i < r->compare.topic_count; i++) {
    const replay_topic *t = &r->compare.topics[i];
    if (t->different > 0) {
      printf("  topic   %-32s %" PRIu64 " of %" PRIu64 "\n", t->topic, t->different,
             t->recorded.count);
    }
  }
}

static int tell(const replay *r) {
  const replay_compare *c = &r->compare;
  if (r->feed.refused > 0) {
    fprintf(stderr, "%s: warning: %" PRIu64 " inputs were not taken again; the first: %s\n",
            r->arguments->path, r->feed.refused, r->feed.reason);
  }
  if (c->has_first && !r->is_simulated && sn_deployment_activity_count(r->plan.deployment) > 1) {
    fprintf(stderr,
            "%s: note: with real time the order between several activities is not recorded\n",
            r->arguments->path);
  }
  const int code = c->has_first ? EXIT_NO : EXIT_GOOD;
  if (r->arguments->as_json) {
    return json_line_print(result_json(r)) == EXIT_FAULT ? EXIT_FAULT : code;
  }
  if (c->has_first) {
    tell_difference(r);
  } else {
    printf("%s: equal: %" PRIu64 " messages of %zu outputs in %" PRIu64 " cycles, %" PRIu64
           " inputs\n",
           r->arguments->path, c->compared, c->topic_count, r->cycles, r->feed.fed);
  }
  return code;
}

/* ---- all of it ---- */

static int load(replay *r, const char *text, size_t size) {
  const arguments *a = r->arguments;
  sn_clock_init_simulated(&r->plan.clock, r->begun_ns);
  const bool has_memory =
      a->deployment != NULL ? plan_load(&r->plan, a->deployment, &a->wishes)
                            : plan_parse(&r->plan, text, size, SN_RECORDER_DEPLOYMENT, &a->wishes);
  if (!has_memory) {
    fputs("sinew: out of memory\n", stderr);
    return EXIT_FAULT;
  }
  if (r->plan.system == NULL) {
    problems_print(r->plan.report);
  }
  return r->plan.system == NULL ? EXIT_NO : EXIT_GOOD;
}

static int replay_file(replay *r, recording *file) {
  const char *text = NULL;
  size_t size = 0;
  int code = read_facts(r, file, &text, &size);
  code = code == EXIT_GOOD ? read_outside(r, file) : code;
  code = code == EXIT_GOOD ? load(r, text, size) : code;
  if (code == EXIT_GOOD && !replay_files_use(&r->files, file->reader, r->plan.system)) {
    code = refuse(r, "its files cannot be copied to /tmp");
  }
  code = code == EXIT_GOOD ? begin(r) : code;
  code = code == EXIT_GOOD ? read_losses(r, file) : code;
  code = code == EXIT_GOOD ? run_file(r, file) : code;
  return code == EXIT_GOOD ? tell(r) : code;
}

static int replay_run(const arguments *a) {
  replay r = {.arguments = a};
  recording file;
  if (!recording_open(&file, a->path, NULL)) {
    return EXIT_NO;
  }
  sn_arena_init_growing(&r.arena, "replay", 0);
  sn_arena_init_growing(&r.outside.arena, "journal", 0);
  sn_clock_init_simulated(&r.plan.clock, 0);
  r.entry = &r.journal.entry;
  const int code = replay_journal_init(&r.journal) ? replay_file(&r, &file) : EXIT_FAULT;
  replay_journal_free(&r.journal);
  replay_feed_close(&r.feed);
  replay_compare_close(&r.compare);
  plan_free(&r.plan);
  replay_files_remove(&r.files);
  free(r.outside.entries);
  sn_arena_release(&r.outside.arena);
  sn_arena_release(&r.arena);
  recording_close(&file);
  return code;
}

int command_replay(int argc, char **argv) {
  arguments a = {.wishes = {.is_alone = true, .settings = a.settings}};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--json") == 0) {
      a.as_json = true;
    } else if (strcmp(argv[i], "--plugins") == 0) {
      a.wishes.has_plugins = true;
    } else if (strcmp(argv[i], "--deployment") == 0 && i + 1 < argc) {
      a.deployment = argv[++i];
    } else if (strcmp(argv[i], "--set") == 0 && i + 1 < argc &&
               a.wishes.setting_count < SETTINGS_MAX) {
      a.settings[a.wishes.setting_count++] = argv[++i];
    } else if (argv[i][0] != '-' && a.path == NULL) {
      a.path = argv[i];
    } else {
      return command_misused(argv[0], argv[i]);
    }
  }
  return a.path == NULL ? command_misused(argv[0], NULL) : replay_run(&a);
}
