/* `sinew replay`: repeats a recorded run with a simulated clock: the same cycles at the same times
 * with the recorded inputs. Compares the outputs bit for bit. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/app_system.h"
#include "common/print.h"
#include "record/recorder.h"
#include "replay/recording.h"
#include "replay/replay_compare.h"
#include "replay/replay_feed.h"
#include "replay/replay_files.h"
#include "replay/replay_journal.h"
#include "replay/replay_missing.h"

typedef struct replay_arguments {
  const char *path;
  const char *deployment; /* NULL: the recorded one */
  text_list settings;
  app_system_options options;
  bool as_json;
} replay_arguments;

typedef struct replay {
  replay_files files;
  const replay_arguments *arguments;
  app_system app;
  bool is_simulated; /* the recorded run had a simulated clock */
  bool was_begun;    /* the recording started after the components */
  int64_t begun_ns;
  replay_entries outside; /* that took effect between cycles */
  sn_arena arena;
  replay_journal journal;
  const sn_journal_entry *entry; /* the last one read */
  replay_feed feed;
  replay_compare compare;
  size_t output_count;  /* that are compared */
  sn_activity *pending; /* activity whose cycle runs when all of its inputs are read */
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

/* ---- facts in the file ---- */

static bool note(recording *file, const char *key, char *out, size_t size) {
  return sn__mcap_reader_note(file->reader, "system", 0, key, out, size, NULL) == SN_OK;
}

static int read_facts(replay *r, recording *file, const char **text, size_t *size) {
  char value[64];
  sn_error err;
  if (sn__mcap_reader_attachment(file->reader, SN_RECORDER_DEPLOYMENT, &r->arena, text, size,
                                 &err) != SN_OK) {
    return refuse(r, err.code == SN_ENOENT
                         ? "the recording lacks deployment.yaml, so the system is unknown"
                         : err.message);
  }
  if (!note(file, "journal", value, sizeof value) || strcmp(value, "yes") != 0) {
    return refuse(r,
                  "the recording has no journal of inputs: two recordings were made at "
                  "the same time, and the other one has it");
  }
  if (!note(file, "from_start", value, sizeof value) || strcmp(value, "yes") != 0) {
    return refuse(r,
                  "the recording begins in the middle of a run with unknown state; "
                  "'sinew run --record' records from the start");
  }
  r->is_simulated = note(file, "clock", value, sizeof value) && strcmp(value, "simulated") == 0;
  r->was_begun = note(file, "begun", value, sizeof value) && strcmp(value, "later") != 0;
  if (r->was_begun) {
    r->begun_ns = strtoll(value, NULL, 10);
  }
  return EXIT_GOOD;
}

/* First pass: entries between cycles, and the start of the components. */
static int read_outside(replay *r, recording *file) {
  sn_mcap_message message;
  while (recording_next(file, &message)) {
    const replay_read read =
        is_journal(&message) ? replay_journal_read(&r->journal, &message) : REPLAY_PART;
    if (read == REPLAY_NONSENSE) {
      return refuse(r, "an entry of the journal cannot be read: it is from another version");
    }
    if (read == REPLAY_PART) {
      continue;
    }
    if (r->entry->kind == SN_JOURNAL_BEGIN) {
      r->begun_ns = r->entry->stamp_ns;
    } else if (!r->entry->is_exact && !replay_entries_add(&r->outside, r->entry)) {
      return out_of_memory();
    }
  }
  r->is_complete = sn__mcap_reader_info(file->reader).is_complete;
  const bool is_refused = file->is_refused;
  file->is_quiet = true; /* its faults were printed */
  sn__mcap_reader_rewind(file->reader);
  replay_journal_rewind(&r->journal);
  return is_refused ? refuse(r, "the recording is damaged and cannot be repeated") : EXIT_GOOD;
}

/* An incomplete journal cannot be repeated. */
static int read_losses(replay *r, recording *file) {
  char lost[32];
  if (sn__mcap_reader_note(file->reader, "lost messages", 0, SN_RECORDER_JOURNAL, lost, sizeof lost,
                           NULL) == SN_OK) {
    return refuse(r, "parts of the journal are missing, so the run cannot be repeated");
  }
  r->output_count = 0;
  for (size_t i = 0; i < r->compare.topic_count; i++) {
    replay_mark_missing(file, &r->compare.topics[i]);
    r->output_count += r->compare.topics[i].is_left_out ? 0 : 1;
  }
  return r->output_count == 0
             ? refuse(r, "no output was recorded completely, so nothing can be compared")
             : EXIT_GOOD;
}

/* ---- running ---- */

static bool is_of(const sn_journal_entry *entry, const char *activity) {
  return entry->activity.count == 0 || strcmp(entry->activity.data, activity) == 0;
}

/* What happened between two cycles finds the time at which it happened, in stamps for example. */
static void advance_to(replay *r, int64_t stamp_ns, int64_t cycle_ns) {
  const int64_t until_ns = stamp_ns < cycle_ns ? stamp_ns : cycle_ns;
  const int64_t now_ns = sn_clock_now_ns(&r->app.clock);
  if (until_ns > now_ns) {
    sn_clock_advance(&r->app.clock, until_ns - now_ns);
  }
}

/* Apply entries from before the next cycle. */
static void feed_outside(replay *r, const char *activity, uint64_t cycle, int64_t cycle_ns) {
  replay_entries *o = &r->outside;
  while (o->next < o->count && o->entries[o->next]->cycle <= cycle &&
         is_of(o->entries[o->next], activity)) {
    const sn_journal_entry *entry = o->entries[o->next++];
    advance_to(r, entry->stamp_ns, cycle_ns);
    replay_feed_entry(&r->feed, entry);
  }
}

/* Open the sources that existed at the start before it: some inputs need that. */
static void feed_first_sources(replay *r) {
  replay_entries *o = &r->outside;
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
  if (sn_system_cycle(r->app.system, r->pending, r->pending_ns, &err) != SN_OK) {
    refuse(r, err.message);
    return false;
  }
  r->pending = NULL;
  r->cycles++;
  replay_compare_drain(&r->compare, r->pending_ns);
  sn_log_record record;
  while (sn_log_read(r->app.log, &record)) { /* the recording has the log */
  }
  return true;
}

static bool take_entry(replay *r) {
  if (r->entry->kind != SN_JOURNAL_CYCLE) {
    if (r->entry->is_exact) { /* the others are done */
      replay_feed_entry(&r->feed, r->entry);
    }
    return true;
  }
  if (!run_pending(r)) {
    return false;
  }
  sn_activity *activity = sn_system_find_activity(r->app.system, r->entry->activity.data);
  if (activity == NULL) {
    fprintf(stderr, "%s: error: the deployment has no activity '%s'\n", r->arguments->path,
            r->entry->activity.data);
    return false;
  }
  feed_outside(r, r->entry->activity.data, r->entry->cycle, r->entry->stamp_ns);
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
      replay_compare_recorded(&r->compare, topic, message.data, message.size, message.publish_ns);
    }
  }
  if (!run_pending(r)) {
    return EXIT_NO;
  }
  replay_compare_end(&r->compare, !r->is_simulated || !r->is_complete, !r->is_complete);
  if (r->compare.is_out_of_memory) {
    return out_of_memory();
  }
  return EXIT_GOOD;
}

static int begin(replay *r) {
  sn_error err = {SN_OK, ""};
  sn_system *system = r->app.system;
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

/* ---- results ---- */

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

static void print_difference(const replay *r) {
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

static int print_result(const replay *r) {
  const replay_compare *c = &r->compare;
  if (r->cycles == 0) {
    return refuse(r, "it has no cycle that could be repeated; the file may have been cut");
  }
  if (r->feed.refused > 0) {
    fprintf(stderr, "%s: warning: %" PRIu64 " inputs were rejected; the first: %s\n",
            r->arguments->path, r->feed.refused, r->feed.reason);
  }
  if (c->has_first && !r->is_simulated && sn_deployment_activity_count(r->app.deployment) > 1) {
    fprintf(stderr,
            "%s: note: with real time the order between several activities is not recorded\n",
            r->arguments->path);
  }
  const int code = c->has_first ? EXIT_NO : EXIT_GOOD;
  if (r->arguments->as_json) {
    return json_line_print(result_json(r)) == EXIT_FAULT ? EXIT_FAULT : code;
  }
  if (c->has_first) {
    print_difference(r);
  } else {
    printf("%s: equal: %" PRIu64 " messages of %zu outputs in %" PRIu64 " cycles, %" PRIu64
           " inputs\n",
           r->arguments->path, c->compared, r->output_count, r->cycles, r->feed.fed);
  }
  return code;
}

/* ---- the command ---- */

static int load(replay *r, const char *text, size_t size) {
  const replay_arguments *a = r->arguments;
  sn_clock_init_simulated(&r->app.clock, r->begun_ns);
  const bool has_memory =
      a->deployment != NULL
          ? app_system_load(&r->app, a->deployment, &a->options)
          : app_system_parse(&r->app, text, size, SN_RECORDER_DEPLOYMENT, &a->options);
  if (!has_memory) {
    return out_of_memory();
  }
  if (r->app.system != NULL) {
    return EXIT_GOOD;
  }
  problems_print(r->app.report);
  return EXIT_NO;
}

static int replay_file(replay *r, recording *file) {
  const char *text = NULL;
  size_t size = 0;
  int code = read_facts(r, file, &text, &size);
  code = code == EXIT_GOOD ? read_outside(r, file) : code;
  code = code == EXIT_GOOD ? load(r, text, size) : code;
  if (code == EXIT_GOOD && !replay_files_use(&r->files, file->reader, r->app.system)) {
    code = refuse(r, "the files of the recording cannot be copied to /tmp");
  }
  code = code == EXIT_GOOD ? begin(r) : code;
  code = code == EXIT_GOOD ? read_losses(r, file) : code;
  code = code == EXIT_GOOD ? run_file(r, file) : code;
  return code == EXIT_GOOD ? print_result(r) : code;
}

static int run_replay(void *arguments) {
  replay_arguments *a = arguments;
  a->options.settings = a->settings.items;
  a->options.setting_count = a->settings.count;
  replay r = {.arguments = a};
  recording file;
  if (!recording_open(&file, a->path, NULL)) {
    return EXIT_NO;
  }
  sn_arena_init_growing(&r.arena, "replay", 0);
  sn_arena_init_growing(&r.outside.arena, "journal", 0);
  sn_clock_init_simulated(&r.app.clock, 0);
  r.entry = &r.journal.entry;
  const int code = replay_journal_init(&r.journal) ? replay_file(&r, &file) : EXIT_FAULT;
  replay_journal_free(&r.journal);
  replay_feed_close(&r.feed);
  replay_compare_close(&r.compare);
  app_system_free(&r.app);
  replay_files_remove(&r.files);
  free(r.outside.entries);
  sn_arena_release(&r.outside.arena);
  sn_arena_release(&r.arena);
  recording_close(&file);
  return code;
}

#define AT(member) offsetof(replay_arguments, member)
static const command_argument replay_argument_table[] = {
    {"FILE.mcap", ARGUMENT_ONE, AT(path), "The recording", WORD_FILE, NULL}, {0}};
static const command_option options[] = {
    {"--deployment", "FILE", OPTION_TEXT, AT(deployment),
     .help = "Run this deployment, not the recorded one", .word = WORD_FILE},
    {"--set", "COMPONENT.PROPERTY=VALUE", OPTION_LIST, AT(settings),
     .help = "Set a property of the deployment; may be repeated"},
    {"--plugins", NULL, OPTION_FLAG, AT(options.has_plugins),
     .help = "Load the plugins that the deployment names, which runs their code"},
    {"--json", NULL, OPTION_FLAG, AT(as_json), .help = "Print JSON"},
    {0}};
static const replay_arguments initial = {.options = {.is_alone = true}};

const command command_replay = {
    .name = "replay",
    .purpose =
        "Repeat a recorded run with its recorded inputs and compare all outputs bit for bit.",
    .arguments = replay_argument_table,
    .options = {options},
    .size = sizeof initial,
    .initial = &initial,
    .run = run_replay};
