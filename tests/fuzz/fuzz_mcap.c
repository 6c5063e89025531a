/* Fuzzes the reading of MCAP files: every message is looked at, those of our types are decoded. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/mcap.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
  const uint8_t *data;
  size_t size;
} bytes;

static sn_status read_bytes(void *context, uint64_t offset, void *out, size_t size, sn_error *err) {
  (void)err;
  const bytes *all = context;
  SN_ASSERT(offset <= all->size && size <= all->size - offset); /* the reader keeps inside */
  if (size > 0) {
    memcpy(out, all->data + offset, size);
  }
  return SN_OK;
}

static void check_reason(const sn_error *err) {
  SN_ASSERT(err->message[0] != '\0');
  SN_ASSERT(!sn__text_has_control(err->message));
}

enum { CHUNK_SIZE = 1 << 14 };

static void read_all(sn_mcap_reader *reader, sn_arena *arena, size_t size) {
  for (size_t steps = 0;; steps++) {
    /* Every step takes a byte at least, of the file or of one of its decompressed chunks. */
    SN_ASSERT(steps <= size + CHUNK_SIZE * sn__mcap_reader_info(reader).chunks);
    sn_error err = {SN_OK, ""};
    sn_mcap_message message;
    const sn_status status = sn__mcap_reader_next(reader, &message, &err);
    if (status == SN_ENOENT) {
      return;
    }
    if (status != SN_OK) {
      check_reason(&err);
      continue;
    }
    uint8_t sum = 0;
    for (size_t i = 0; i < message.size; i++) {
      sum = (uint8_t)(sum + ((const uint8_t *)message.data)[i]);
    }
    SN_ASSERT(sum == sum);
    if (message.channel->type != NULL) {
      const sn_arena_mark mark = sn_arena_save(arena);
      const sn_msg_capacity capacity = {.item_count = 9, .text_size = 24};
      void *msg = sn_msg_create(arena, message.channel->type, &capacity);
      SN_ASSERT(msg != NULL);
      if (sn__mcap_decode(&message, msg, &err) != SN_OK) {
        check_reason(&err);
      }
      sn_arena_restore(arena, mark);
    }
  }
}

/* A record that is not a message: read back, or rejected with a reason. */
static void read_extras(sn_mcap_reader *reader, sn_arena *arena) {
  static const char *const names[] = {"deployment.yaml", "system", ""};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const sn_arena_mark mark = sn_arena_save(arena);
    sn_error err = {SN_OK, ""};
    const char *content = NULL;
    size_t length = 0;
    char text[32];
    if (sn__mcap_reader_attachment(reader, names[i], arena, &content, &length, &err) == SN_OK) {
      SN_ASSERT(content[length] == '\0');
    } else {
      check_reason(&err);
    }
    if (sn__mcap_reader_note(reader, names[i], i, "clock", text, sizeof text, &err) == SN_OK) {
      SN_ASSERT(strlen(text) < sizeof text);
    } else {
      check_reason(&err);
    }
    sn_arena_restore(arena, mark);
  }
}

/* What a list of files shows of this one. */
static void read_overview(sn_mcap_reader *reader) {
  sn_mcap_overview overview;
  sn_error err = {SN_OK, ""};
  if (sn__mcap_reader_overview(reader, &overview, &err) != SN_OK) {
    check_reason(&err);
  }
  SN_ASSERT(overview.start_ns >= 0 && overview.start_ns <= overview.end_ns);
  SN_ASSERT(strlen(overview.robot) < sizeof overview.robot);
}

/* Each part begins with a message that the survey has seen. */
static void read_parts(sn_mcap_reader *reader) {
  sn_mcap_parts parts = {0};
  uint64_t damaged = 0;
  sn_error err = {SN_OK, ""};
  if (sn__mcap_reader_survey(reader, &parts, &damaged, &err) != SN_OK) {
    check_reason(&err);
  }
  for (size_t i = 0; i < parts.count; i++) {
    sn_mcap_message message;
    SN_ASSERT(parts.items[i].start_ns <= parts.items[i].end_ns);
    sn__mcap_reader_seek(reader, &parts.items[i]);
    sn_status status = sn__mcap_reader_next(reader, &message, &err);
    while (status != SN_OK && status != SN_ENOENT) {
      status = sn__mcap_reader_next(reader, &message, &err); /* past damaged records */
    }
    SN_ASSERT(status == SN_OK && message.log_ns >= parts.items[i].start_ns);
  }
  free(parts.items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes all = {data, size};
  const sn_mcap_source source = {size, read_bytes, &all};
  const sn_mcap_reader_config config = {
      .channel_max = 8, .text_size = 1 << 9, .record_size = 1 << 12, .chunk_size = CHUNK_SIZE};
  sn_arena arena;
  sn_arena_init_growing(&arena, "fuzz", 0);
  sn_mcap_reader *reader = NULL;
  sn_error err = {SN_OK, ""};
  if (sn__mcap_reader_create(&arena, &source, &config, &reader, &err) == SN_OK) {
    read_overview(reader);
    read_all(reader, &arena, size);
    read_extras(reader, &arena);
    sn__mcap_reader_rewind(reader);
    read_all(reader, &arena, size);
    read_parts(reader);
  } else {
    check_reason(&err);
  }
  sn__mcap_reader_close(reader);
  sn_arena_release(&arena);
  return 0;
}
