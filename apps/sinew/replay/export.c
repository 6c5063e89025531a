#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "commands.h"
#include "common/print.h"
#include "msg/wire/msg_csv.h"
#include "record/recorder.h"
#include "replay/recording.h"
#include "sinew/msg_types.h"

/* Messages grow until those of the file fit, up to this size. */
#define ITEMS_MAX 8192
#define TEXT_MAX 8192

/* The topics of a file, in the order of their channels. */
typedef struct topic_list {
  sn_arena arena;
  char **names;
  size_t count;
} topic_list;

typedef struct exporter {
  FILE *out;
  bool has_topic_column;
  bool has_section;        /* the next one needs an empty line before it */
  bool is_refused;         /* something could not be exported */
  const sn_msg_type *type; /* of the section; NULL: none has begun */
  sn_arena arena;          /* of msg */
  sn_msg_capacity capacity;
  void *msg;
  char *line;
  size_t line_size;
} exporter;

/* ---- rows ---- */

/* Call a formatter with a growing buffer. @return NULL: out of memory */
static const char *row_text(exporter *e, size_t row, bool is_names) {
  for (;;) {
    const size_t needed = is_names ? sn__msg_csv_names(e->type, e->line, e->line_size)
                                   : sn__msg_csv_row(e->type, e->msg, row, e->line, e->line_size);
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

static bool begin_section(exporter *e) {
  const char *names = row_text(e, 0, true);
  if (names == NULL) {
    return false;
  }
  fprintf(e->out, "%stime,%s%s\n", e->has_section ? "\n" : "", e->has_topic_column ? "topic," : "",
          names);
  e->has_section = true;
  return true;
}

static bool put_rows(exporter *e, const sn_mcap_message *message) {
  const int64_t stamp_ns = sn_msg_stamp_ns(e->type, e->msg);
  char time[64];
  char topic[1024];
  sn__msg_csv_time(stamp_ns > 0 ? stamp_ns : message->log_ns, time, sizeof time);
  sn__msg_csv_text(message->channel->topic, topic, sizeof topic);
  const size_t rows = sn__msg_csv_row_count(e->type, e->msg);
  for (size_t row = 0; row < rows; row++) {
    const char *text = row_text(e, row, false);
    if (text == NULL) {
      return false;
    }
    fprintf(e->out, "%s,%s%s%s\n", time, e->has_topic_column ? topic : "",
            e->has_topic_column ? "," : "", text);
  }
  return true;
}

/* ---- messages ---- */

static bool make_msg(exporter *e, const sn_msg_type *type) {
  sn_arena_release(&e->arena);
  e->type = type;
  e->msg = sn_msg_create(&e->arena, type, &e->capacity);
  return e->msg != NULL;
}

/* Decode; grow the message if it is too small. */
static sn_status decode(exporter *e, const sn_mcap_message *message, sn_error *err) {
  sn_status status = sn__mcap_decode(message, e->msg, err);
  while (status == SN_ENOSPC && e->capacity.item_count < ITEMS_MAX) {
    e->capacity.item_count *= 2;
    e->capacity.text_size *= e->capacity.text_size < TEXT_MAX ? 2 : 1;
    if (!make_msg(e, e->type)) {
      return SN_ENOMEM;
    }
    status = sn__mcap_decode(message, e->msg, err);
  }
  return status;
}

/* @return false: out of memory */
static bool export_message(exporter *e, recording *r, const sn_mcap_message *message) {
  const sn_msg_type *type = message->channel->type;
  sn_error err = {SN_OK, ""};
  if (type == NULL) {
    if (!e->is_refused) {
      sn__mcap_decode(message, NULL, &err);
      fprintf(stderr, "%s: error: %s cannot be exported\n", r->path, err.message);
    }
    e->is_refused = true;
    return true;
  }
  if (type != e->type && !(make_msg(e, type) && begin_section(e))) {
    return false;
  }
  const sn_status status = decode(e, message, &err);
  if (status != SN_OK) {
    if (!e->is_refused) { /* once per topic */
      fprintf(stderr, "%s: error: a message of type %s: %s\n", r->path, type->name, err.message);
    }
    e->is_refused = true;
    return status != SN_ENOMEM;
  }
  return put_rows(e, message);
}

static int export_topic(exporter *e, const char *path, const char *topic, bool is_quiet) {
  recording r;
  if (!recording_open(&r, path, topic)) {
    return EXIT_NO;
  }
  r.is_quiet = is_quiet;
  e->type = NULL;
  e->is_refused = false;
  e->capacity = (sn_msg_capacity){64, 64};
  sn_mcap_message message;
  bool has_memory = true;
  while (has_memory && recording_next(&r, &message)) {
    has_memory = export_message(e, &r, &message);
  }
  const bool is_refused = r.is_refused || e->is_refused;
  recording_close(&r);
  if (!has_memory) {
    return out_of_memory();
  }
  return is_refused ? EXIT_NO : EXIT_GOOD;
}

/* ---- topics ---- */

static bool add_topic(topic_list *list, const char *topic) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->names[i], topic) == 0) {
      return true;
    }
  }
  list->names[list->count] = sn_arena_text(&list->arena, topic, strlen(topic));
  return list->names[list->count++] != NULL;
}

/* Read the file once to find topics with messages. Prints its faults. */
static int find_topics(topic_list *list, const char *path) {
  recording r;
  if (!recording_open(&r, path, NULL)) {
    return EXIT_NO;
  }
  sn_mcap_message message;
  while (recording_next(&r, &message)) {
    /* the reader counts */
  }
  const size_t channels = sn__mcap_reader_channel_count(r.reader);
  list->names = SN_NEW(&list->arena, char *, channels);
  bool is_good = list->names != NULL;
  for (size_t i = 0; is_good && i < channels; i++) {
    const sn_mcap_channel *channel = sn__mcap_reader_channel_at(r.reader, i);
    is_good = channel->count == 0 || add_topic(list, channel->topic);
  }
  const bool is_refused = r.is_refused;
  recording_close(&r);
  return !is_good ? EXIT_FAULT : is_refused ? EXIT_NO : EXIT_GOOD;
}

static int export_all(exporter *e, const char *path, const topic_list *list, int code) {
  e->has_topic_column = true;
  for (size_t i = 0; i < list->count && code != EXIT_FAULT; i++) {
    if (strcmp(list->names[i], SN_RECORDER_JOURNAL) == 0) {
      continue; /* for replay only */
    }
    const int topic_code = export_topic(e, path, list->names[i], true);
    code = topic_code != EXIT_GOOD ? topic_code : code;
  }
  return code;
}

static int export_one(exporter *e, const char *path, const topic_list *list, const char *topic,
                      int code) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->names[i], topic) == 0) {
      const int topic_code = export_topic(e, path, topic, true);
      return topic_code != EXIT_GOOD ? topic_code : code;
    }
  }
  char name[512];
  sn__msg_csv_text(topic, name, sizeof name);
  fprintf(stderr, "%s: error: no messages of topic '%s', expected one of:", path, name);
  for (size_t i = 0; i < list->count; i++) {
    sn__msg_csv_text(list->names[i], name, sizeof name);
    fprintf(stderr, " %s", name);
  }
  fputs("\n", stderr);
  return EXIT_NO;
}

static int export_file(const char *path, const char *topic, FILE *out) {
  topic_list list = {0};
  sn_arena_init_growing(&list.arena, "topics", 0);
  exporter e = {.out = out};
  sn_arena_init_growing(&e.arena, "message", 0);
  int code = find_topics(&list, path);
  if (code != EXIT_FAULT && list.names != NULL) {
    code = topic == NULL ? export_all(&e, path, &list, code)
                         : export_one(&e, path, &list, topic, code);
  }
  free(e.line);
  sn_arena_release(&e.arena);
  sn_arena_release(&list.arena);
  return code;
}

typedef struct export_arguments {
  const char *path, *topic, *target;
  bool as_csv;
} export_arguments;

static int run_export(void *arguments) {
  const export_arguments *a = arguments;
  if (a->target == NULL) {
    return export_file(a->path, a->topic, stdout);
  }
  FILE *out = fopen(a->target, "w");
  if (out == NULL) {
    fprintf(stderr, "sinew export: cannot write %s: %s\n", a->target, strerror(errno));
    return EXIT_FAULT;
  }
  const int code = export_file(a->path, a->topic, out);
  const bool is_written = ferror(out) == 0;
  if (fclose(out) != 0 || !is_written) {
    fprintf(stderr, "sinew export: cannot write %s\n", a->target);
    return EXIT_FAULT;
  }
  return code;
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
