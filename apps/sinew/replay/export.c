#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "commands.h"
#include "common/print.h"
#include "common/whole_file.h"
#include "msg/wire/msg_csv.h"
#include "record/recorder.h"
#include "replay/recording.h"
#include "replay/spool.h"
#include "sinew/msg_types.h"

/* Messages grow until those of the file fit, up to this size. */
#define ITEMS_MAX 8192
#define TEXT_MAX 8192

/* What is printed of a topic: names of columns and rows, again if the type of its messages changes.
 */
typedef struct section {
  char *topic;
  spool_text text;
  const sn_msg_type *type; /* of the last message; NULL: there was none */
  sn_arena arena;          /* of msg */
  sn_msg_capacity capacity;
  void *msg;
  bool is_refused; /* something could not be exported */
} section;

typedef struct exporter {
  const char *path;
  const char *topic; /* the only one; NULL: all but the journal */
  spool spool;
  sn_arena arena;     /* of the sections */
  section **sections; /* in the order of their first messages */
  size_t count, room;
  size_t last; /* section of the last message */
  char *line;
  size_t line_size;
  bool has_printed; /* a section */
} exporter;

/* ---- rows ---- */

static void put_text(exporter *e, section *s, const char *text) {
  spool_put(&e->spool, &s->text, text, strlen(text));
}

/* Call a formatter with a growing buffer. @return NULL: out of memory */
static const char *row_text(exporter *e, const section *s, size_t row, bool is_names) {
  for (;;) {
    const size_t needed = is_names ? sn__msg_csv_names(s->type, e->line, e->line_size)
                                   : sn__msg_csv_row(s->type, s->msg, row, e->line, e->line_size);
    if (needed < e->line_size) {
      return e->line;
    }
    char *line = sn__list_grow(e->line, &e->line_size, needed + 1, 1);
    if (line == NULL) {
      return NULL;
    }
    e->line = line;
  }
}

static bool put_names(exporter *e, section *s) {
  const char *names = row_text(e, s, 0, true);
  if (names == NULL) {
    return false;
  }
  put_text(e, s, s->text.used + s->text.block_count > 0 ? "\ntime," : "time,");
  put_text(e, s, e->topic == NULL ? "topic," : "");
  put_text(e, s, names);
  put_text(e, s, "\n");
  return true;
}

static bool put_rows(exporter *e, section *s, const sn_mcap_message *message) {
  const int64_t stamp_ns = sn_msg_stamp_ns(s->type, s->msg);
  char time[64];
  char topic[1024] = "";
  sn__msg_csv_time(stamp_ns > 0 ? stamp_ns : message->log_ns, time, sizeof time);
  if (e->topic == NULL) {
    sn__msg_csv_text(s->topic, topic, sizeof topic);
  }
  const size_t rows = sn__msg_csv_row_count(s->type, s->msg);
  for (size_t row = 0; row < rows; row++) {
    const char *text = row_text(e, s, row, false);
    if (text == NULL) {
      return false;
    }
    put_text(e, s, time);
    put_text(e, s, ",");
    put_text(e, s, topic);
    put_text(e, s, e->topic == NULL ? "," : "");
    put_text(e, s, text);
    put_text(e, s, "\n");
  }
  return true;
}

/* ---- messages ---- */

static bool make_msg(section *s, const sn_msg_type *type) {
  sn_arena_release(&s->arena);
  s->type = type;
  s->msg = sn_msg_create(&s->arena, type, &s->capacity);
  return s->msg != NULL;
}

/* Decode; grow the message if it is too small. */
static sn_status decode(section *s, const sn_mcap_message *message, sn_error *err) {
  sn_status status = sn__mcap_decode(message, s->msg, err);
  while (status == SN_ENOSPC && s->capacity.item_count < ITEMS_MAX) {
    s->capacity.item_count *= 2;
    s->capacity.text_size *= s->capacity.text_size < TEXT_MAX ? 2 : 1;
    if (!make_msg(s, s->type)) {
      return SN_ENOMEM;
    }
    status = sn__mcap_decode(message, s->msg, err);
  }
  return status;
}

/* Say once for each topic what cannot be exported of it. */
static void refuse(const exporter *e, section *s, const char *type, const char *why) {
  if (!s->is_refused && type != NULL) {
    fprintf(stderr, "%s: error: a message of type %s: %s\n", e->path, type, why);
  } else if (!s->is_refused) {
    fprintf(stderr, "%s: error: %s cannot be exported\n", e->path, why);
  }
  s->is_refused = true;
}

/* @return false: out of memory */
static bool export_message(exporter *e, section *s, const sn_mcap_message *message) {
  const sn_msg_type *type = message->channel->type;
  sn_error err = {SN_OK, ""};
  if (type == NULL) {
    sn__mcap_decode(message, NULL, &err);
    refuse(e, s, NULL, err.message);
    return true;
  }
  if (type != s->type && !(make_msg(s, type) && put_names(e, s))) {
    return false;
  }
  const sn_status status = decode(s, message, &err);
  if (status != SN_OK) {
    refuse(e, s, type->name, err.message);
    return status != SN_ENOMEM;
  }
  return put_rows(e, s, message);
}

/* ---- sections ---- */

/* Messages of all topics come in turns, so the next one often belongs to the next section.
   @return NULL: out of memory */
static section *section_of(exporter *e, const char *topic) {
  for (size_t i = 0; i < e->count; i++) {
    const size_t at = (e->last + 1 + i) % e->count;
    if (strcmp(e->sections[at]->topic, topic) == 0) {
      e->last = at;
      return e->sections[at];
    }
  }
  section **sections = sn__list_grow(e->sections, &e->room, e->count + 1, sizeof *e->sections);
  section *s = SN_NEW(&e->arena, section, 1);
  char *copy = sn_arena_text(&e->arena, topic, strlen(topic));
  e->sections = sections == NULL ? e->sections : sections;
  if (sections == NULL || s == NULL || copy == NULL) {
    return NULL;
  }
  *s = (section){.topic = copy, .capacity = {64, 64}};
  sn_arena_init_growing(&s->arena, "message", 0);
  e->last = e->count;
  e->sections[e->count++] = s;
  return s;
}

static bool is_wanted(const exporter *e, const char *topic) {
  return e->topic == NULL ? strcmp(topic, SN_RECORDER_JOURNAL) != 0 /* for replay only */
                          : strcmp(topic, e->topic) == 0;
}

/* Read the file, once. @return false: out of memory */
static bool read_all(exporter *e, recording *r) {
  sn_mcap_message message;
  while (recording_next(r, &message)) {
    const char *topic = message.channel->topic;
    section *s = is_wanted(e, topic) ? section_of(e, topic) : NULL;
    if (is_wanted(e, topic) && (s == NULL || !export_message(e, s, &message))) {
      return false;
    }
  }
  return true;
}

static section *find_section(const exporter *e, const char *topic) {
  for (size_t i = 0; i < e->count; i++) {
    if (strcmp(e->sections[i]->topic, topic) == 0) {
      return e->sections[i];
    }
  }
  return NULL;
}

/* Print sections in the order of the file's channels; of a topic with several, at the first. */
static bool print_sections(exporter *e, const recording *r, FILE *out) {
  bool is_first = true;
  bool is_good = true;
  const size_t channels = sn__mcap_reader_channel_count(r->reader);
  for (size_t i = 0; is_good && i < channels; i++) {
    section *s = find_section(e, sn__mcap_reader_channel_at(r->reader, i)->topic);
    if (s == NULL || s->type == NULL) {
      continue;
    }
    fputs(is_first ? "" : "\n", out);
    is_good = spool_copy(&e->spool, &s->text, out);
    is_first = false;
    e->has_printed = true;
    s->type = NULL; /* printed */
  }
  return is_good;
}

static int report_no_messages(const exporter *e, const recording *r) {
  char name[512];
  sn__msg_csv_text(e->topic, name, sizeof name);
  fprintf(stderr, "%s: error: no messages of topic '%s', expected one of:", e->path, name);
  for (size_t i = 0; i < sn__mcap_reader_channel_count(r->reader); i++) {
    const sn_mcap_channel *channel = sn__mcap_reader_channel_at(r->reader, i);
    if (channel->count > 0) {
      sn__msg_csv_text(channel->topic, name, sizeof name);
      fprintf(stderr, " %s", name);
    }
  }
  fputs("\n", stderr);
  return EXIT_NO;
}

static bool has_refused(const exporter *e) {
  bool is_refused = false;
  for (size_t i = 0; i < e->count; i++) {
    is_refused = is_refused || e->sections[i]->is_refused;
  }
  return is_refused;
}

static int export_recording(exporter *e, recording *r, FILE *out) {
  if (!read_all(e, r)) {
    return out_of_memory();
  }
  if (e->topic != NULL && e->count == 0) {
    return report_no_messages(e, r);
  }
  if (!print_sections(e, r, out)) {
    fprintf(stderr, "sinew export: cannot write the tables: %s\n", strerror(errno));
    return EXIT_FAULT;
  }
  return r->is_refused || has_refused(e) ? EXIT_NO : EXIT_GOOD;
}

/* @param has_printed  set if there is something worth to be kept */
static int export_file(const char *path, const char *topic, FILE *out, bool *has_printed) {
  exporter e = {.path = path, .topic = topic};
  recording r;
  if (!spool_open(&e.spool)) {
    fprintf(stderr, "sinew export: cannot make a temporary file: %s\n", strerror(errno));
    return EXIT_FAULT;
  }
  sn_arena_init_growing(&e.arena, "sections", 0);
  int code = EXIT_NO;
  if (recording_open(&r, path, NULL)) {
    code = export_recording(&e, &r, out);
    recording_close(&r);
  }
  for (size_t i = 0; i < e.count; i++) {
    section *s = e.sections[i];
    spool_text_free(&s->text);
    sn_arena_release(&s->arena);
  }
  free(e.sections);
  free(e.line);
  sn_arena_release(&e.arena);
  spool_close(&e.spool);
  *has_printed = e.has_printed;
  return code;
}

typedef struct export_arguments {
  const char *path, *topic, *target;
  bool as_csv;
} export_arguments;

/* A file is replaced when its contents are complete: a failure leaves no empty one behind. What can
   be read of a damaged recording is kept. */
static int export_to_file(const export_arguments *a) {
  whole_file file;
  bool has_printed = false;
  if (!whole_file_open(&file, a->target)) {
    fprintf(stderr, "sinew export: cannot write %s: %s\n", a->target, strerror(errno));
    return EXIT_FAULT;
  }
  const int code = export_file(a->path, a->topic, file.out, &has_printed);
  if (code != EXIT_GOOD && (code == EXIT_FAULT || !has_printed)) {
    whole_file_discard(&file);
    return code;
  }
  if (!whole_file_close(&file)) {
    fprintf(stderr, "sinew export: cannot write %s: %s\n", a->target, strerror(errno));
    return EXIT_FAULT;
  }
  return code;
}

static int run_export(void *arguments) {
  const export_arguments *a = arguments;
  bool has_printed = false;
  return a->target != NULL ? export_to_file(a)
                           : export_file(a->path, a->topic, stdout, &has_printed);
}

#define AT(member) offsetof(export_arguments, member)
static const command_argument export_argument_table[] = {
    {"FILE.mcap", ARGUMENT_ONE, AT(path), "The recording", WORD_FILE, NULL}, {0}};
static const command_option options[] = {
    {"--csv", NULL, OPTION_FLAG, AT(as_csv), .help = "Write CSV, the only format so far",
     .is_required = true},
    {"--topic", "TOPIC", OPTION_TEXT, AT(topic), .help = "Export this topic only"},
    {"-o", "FILE", OPTION_TEXT, AT(target), .help = "Write to a file, not to standard output",
     .word = WORD_FILE},
    {0}};

const command command_export = {
    .name = "export",
    .purpose =
        "Print a recording as tables, one section per topic; joint states have a row per "
        "joint.",
    .arguments = export_argument_table,
    .options = {options},
    .size = sizeof(export_arguments),
    .run = run_export};
