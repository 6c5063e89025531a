/* Writes an MCAP file with random messages of every type, or reads one, and prints a line of JSON
   for each message; mcap_compare.mjs compares them with its peer.
   usage: mcap_vectors write|read FILE [COUNT]     messages of each type */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_msg.h"
#include "record/mcap.h"
#include "sinew/fault.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"

#define OUT_SIZE 65536
#define TYPES_MAX 64

static const sn_msg_capacity capacity = {.item_count = 9, .text_size = 24};

/* Topic and type names need no escaping. */
static void print_message(const sn_mcap_message *message, const void *msg) {
  static char json[OUT_SIZE];
  const sn_mcap_channel *channel = message->channel;
  SN_ASSERT(sn_msg_to_json(channel->type, msg, json, sizeof json) < sizeof json);
  printf("{\"topic\":\"%s\",\"schema\":\"%s\",\"sequence\":%" PRIu32 ",\"log\":\"%" PRId64
         "\",\"publish\":\"%" PRId64 "\",\"json\":%s,\"data\":\"",
         channel->topic, channel->schema, message->sequence, message->log_ns, message->publish_ns,
         json);
  for (size_t i = 0; i < message->size; i++) {
    printf("%02x", (unsigned)((const uint8_t *)message->data)[i]);
  }
  puts("\"}");
}

static sn_status write_file(void *context, const void *bytes, size_t size, sn_error *err) {
  (void)err;
  return fwrite(bytes, 1, size, context) == size ? SN_OK : SN_EIO;
}

static void write_message(sn_mcap_writer *writer, size_t t, uint32_t sequence, int64_t log_ns,
                          const void *msg) {
  static uint8_t bytes[OUT_SIZE];
  const sn_mcap_channel channel = {.topic = sn_msg_type_at(t)->name,
                                   .schema = sn_msg_type_at(t)->ros2_name,
                                   .type = sn_msg_type_at(t)};
  sn_mcap_message message = {.channel = &channel,
                             .sequence = sequence,
                             .log_ns = log_ns,
                             .publish_ns = log_ns / 2,
                             .data = bytes};
  SN_ASSERT(sn__mcap_writer_write(writer, t, log_ns, log_ns / 2, msg, NULL) == SN_OK);
  SN_ASSERT(sn_cdr_write(channel.type, msg, bytes, sizeof bytes, &message.size) == SN_OK);
  print_message(&message, msg);
}

/* Messages of each type. */
enum { MESSAGE_COUNT = 50 };

static int write_all(FILE *file, sn_mcap_compression compression) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "vectors", 0);
  sn_random random;
  sn_random_init(&random, 43);
  const sn_mcap_writer_config config = {.sink = {.write = write_file, .context = file},
                                        .chunk_size = 1 << 14,
                                        .compression = compression};
  sn_mcap_writer *writer = NULL;
  SN_ASSERT(sn__mcap_writer_create(&arena, &config, &writer, NULL) == SN_OK);
  const size_t types = sn_msg_type_count();
  void *msgs[TYPES_MAX];
  SN_ASSERT(types <= TYPES_MAX);
  for (size_t t = 0; t < types; t++) {
    size_t channel = 0;
    msgs[t] = sn_msg_create(&arena, sn_msg_type_at(t), &capacity);
    SN_ASSERT(sn__mcap_writer_add(writer, sn_msg_type_at(t)->name, sn_msg_type_at(t), &channel,
                                  NULL) == SN_OK);
  }
  const sn_random_msg_config values = {.is_valid_time = true, .is_json = true};
  for (size_t i = 0; i < MESSAGE_COUNT * types; i++) {
    const size_t t = i % types;
    /* Each time once, in random order. */
    const int64_t log_ns = (int64_t)(i ^ 5) * 1000000;
    sn_random_msg_fill(sn_msg_type_at(t), msgs[t], &values, &random);
    write_message(writer, t, (uint32_t)(i / types), log_ns, msgs[t]);
  }
  const char *const pairs[] = {"first", "1", "second", ""};
  SN_ASSERT(sn__mcap_writer_note(writer, "note", pairs, 2, NULL) == SN_OK);
  const sn_status status = sn__mcap_writer_finish(writer, NULL);
  sn__mcap_writer_close(writer);
  sn_arena_release(&arena);
  return status == SN_OK && fclose(file) == 0 ? 0 : 1;
}

static int read_all(const char *path) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "vectors", 0);
  sn_error err = {SN_OK, ""};
  sn_mcap_reader *reader = NULL;
  sn_status status = sn__mcap_reader_load(&arena, path, NULL, &reader, &err);
  while (status == SN_OK) {
    sn_mcap_message message;
    status = sn__mcap_reader_next(reader, &message, &err);
    if (status == SN_OK) {
      const sn_arena_mark mark = sn_arena_save(&arena);
      SN_ASSERT(message.channel->type != NULL);
      void *msg = sn_msg_create(&arena, message.channel->type, &capacity);
      status = sn__mcap_decode(&message, msg, &err);
      if (status == SN_OK) {
        print_message(&message, msg);
      }
      sn_arena_restore(&arena, mark);
    }
  }
  const bool is_good =
      status == SN_ENOENT && reader != NULL && sn__mcap_reader_info(reader).is_complete;
  if (!is_good) {
    fprintf(stderr, "%s\n", err.message);
  }
  sn__mcap_reader_close(reader);
  sn_arena_release(&arena);
  return is_good ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc >= 3 && strcmp(argv[1], "read") == 0) {
    return read_all(argv[2]);
  }
  FILE *file = argc >= 3 && strcmp(argv[1], "write") == 0 ? fopen(argv[2], "wb") : NULL;
  if (file == NULL) {
    fputs("usage: mcap_vectors write|read FILE [zstd|lz4]\n", stderr);
    return 2;
  }
  return write_all(file, argc < 4                       ? SN_MCAP_PLAIN
                         : strcmp(argv[3], "zstd") == 0 ? SN_MCAP_ZSTD
                                                        : SN_MCAP_LZ4);
}
