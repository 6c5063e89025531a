#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/print.h"
#include "msg/wire/msg_csv.h"
#include "replay/recording.h"
#include "robot_tools/msgs_list.h"

typedef struct totals {
  uint64_t messages;
  int64_t start_ns, end_ns;
} totals;

static totals sum_up(const sn_mcap_reader *reader) {
  totals sum = {0, INT64_MAX, 0};
  for (size_t i = 0; i < sn__mcap_reader_channel_count(reader); i++) {
    const sn_mcap_channel *channel = sn__mcap_reader_channel_at(reader, i);
    if (channel->count > 0) {
      sum.messages += channel->count;
      sum.start_ns = channel->first_ns < sum.start_ns ? channel->first_ns : sum.start_ns;
      sum.end_ns = channel->last_ns > sum.end_ns ? channel->last_ns : sum.end_ns;
    }
  }
  sum.start_ns = sum.messages == 0 ? 0 : sum.start_ns;
  return sum;
}

/* Is the type one of Sinew's? Types of single components are in the tables of these. */
static bool is_ours(const sn_mcap_channel *channel) {
  static msgs_list list;
  static bool is_collected;
  is_collected = is_collected || msgs_collect(&list);
  bool found = channel->type != NULL;
  for (size_t i = 0; i < list.type_count && !found; i++) {
    const sn_msg_type *type = list.types[i];
    found = strcmp(channel->schema, type->name) == 0 ||
            strcmp(channel->schema, type->ros1_name) == 0 ||
            strcmp(channel->schema, type->ros2_name) == 0;
  }
  return found;
}

/* Make texts of the file safe for terminals and JSON. */
static const char *clean(const char *text, char out[512]) {
  sn__msg_csv_text(text, out, 512);
  return out;
}

static json_t *topics_json(const sn_mcap_reader *reader) {
  json_t *list = json_array();
  for (size_t i = 0; i < sn__mcap_reader_channel_count(reader); i++) {
    const sn_mcap_channel *channel = sn__mcap_reader_channel_at(reader, i);
    char topic[512];
    char type[512];
    char encoding[512];
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s, s:b, s:I, s:I, s:I}", "topic",
                        clean(channel->topic, topic), "type", clean(channel->schema, type),
                        "encoding", clean(channel->encoding, encoding), "known", is_ours(channel),
                        "messages", (json_int_t)channel->count, "first_ns",
                        (json_int_t)channel->first_ns, "last_ns", (json_int_t)channel->last_ns));
  }
  return list;
}

static int print_json(const recording *r) {
  const sn_mcap_file_info info = sn__mcap_reader_info(r->reader);
  const totals sum = sum_up(r->reader);
  char profile[512];
  char library[512];
  json_t *json = json_pack(
      "{s:b, s:b, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "ok", !r->is_refused, "complete",
      info.is_complete, "profile", clean(info.profile, profile), "library",
      clean(info.library, library), "chunks", (json_int_t)info.chunks, "damaged",
      (json_int_t)info.damaged, "messages", (json_int_t)sum.messages, "start_ns",
      (json_int_t)sum.start_ns, "end_ns", (json_int_t)sum.end_ns, "topics", topics_json(r->reader));
  return json_line_print(json);
}

static int print_lines(const recording *r) {
  const sn_mcap_file_info info = sn__mcap_reader_info(r->reader);
  const totals sum = sum_up(r->reader);
  char library[512];
  printf("%s: %" PRIu64 " message%s in %.3f s, %" PRIu64 " chunk%s, by '%s'%s\n", r->path,
         sum.messages, sum.messages == 1 ? "" : "s", (double)(sum.end_ns - sum.start_ns) * 1e-9,
         info.chunks, info.chunks == 1 ? "" : "s", clean(info.library, library),
         info.is_complete || r->is_refused ? "" : ", not closed");
  for (size_t i = 0; i < sn__mcap_reader_channel_count(r->reader); i++) {
    const sn_mcap_channel *channel = sn__mcap_reader_channel_at(r->reader, i);
    const double duration_s = (double)(channel->last_ns - channel->first_ns) * 1e-9;
    char topic[512];
    char type[512];
    printf("  %-32s %-36s %10" PRIu64, clean(channel->topic, topic), clean(channel->schema, type),
           channel->count);
    if (channel->count > 1 && duration_s > 0.0) {
      printf(" %9.1f Hz", (double)(channel->count - 1) / duration_s);
    }
    puts(is_ours(channel) ? "" : "  (unknown type)");
  }
  return EXIT_GOOD;
}

typedef struct info_arguments {
  const char *path;
  bool as_json;
} info_arguments;

static int run_info(void *arguments) {
  const info_arguments *a = arguments;
  recording r;
  if (!recording_open(&r, a->path, NULL)) {
    return EXIT_NO;
  }
  sn_mcap_message message;
  while (recording_next(&r, &message)) {
    /* the reader counts */
  }
  const int code = a->as_json ? print_json(&r) : print_lines(&r);
  const bool is_refused = r.is_refused;
  recording_close(&r);
  return code != EXIT_GOOD ? code : is_refused ? EXIT_NO : EXIT_GOOD;
}

static const command_argument info_argument_table[] = {
    {"FILE.mcap", ARGUMENT_ONE, offsetof(info_arguments, path), "The recording", WORD_FILE, NULL},
    {0}};
static const command_option options[] = {
    {"--json", NULL, OPTION_FLAG, offsetof(info_arguments, as_json), .help = "Print JSON"}, {0}};

const command command_info = {
    .name = "info",
    .purpose = "List the topics of a recording: types, numbers of messages, rates.",
    .arguments = info_argument_table,
    .options = {options},
    .size = sizeof(info_arguments),
    .run = run_info};
