#include "record/mcap_writer.h"

#include <stdio.h>

#include "base/fail.h"
#include "msg/wire/msg_schema.h"
#include "sinew/fault.h"
#include "sinew/msg_wire.h"

#define CHUNK_SIZE_MIN ((size_t)1 << 14)
#define CHUNK_SIZE_MAX ((size_t)1 << 26)
#define INDEX_SIZE_MAX ((size_t)1 << 30)
#define TOPIC_MAX 255
#define TOPIC_USUAL 64 /* bytes of room for each */
#define NS_PER_S INT64_C(1000000000)

/* ---- bytes to the sink ---- */

sn_status sn__mcap_check_open(const sn_mcap_writer *writer, sn_error *err) {
  if (!writer->is_stopped) {
    return SN_OK;
  }
  return sn__fail(err, SN_ESTOPPED, "the recording has ended%s%s",
                  writer->reason[0] == '\0' ? "" : ": ", writer->reason);
}

/* Nothing is written after a failure of the sink. */
sn_status sn__mcap_stop_writing(sn_mcap_writer *writer, sn_status status, const sn_error *failure,
                                sn_error *err) {
  const char *reason = failure->message[0] == '\0' ? sn_status_text(status) : failure->message;
  snprintf(writer->reason, sizeof writer->reason, "%.*s", (int)sizeof writer->reason - 1, reason);
  writer->is_stopped = true;
  return sn__fail(err, status, "%s", reason);
}

sn_status sn__mcap_emit(sn_mcap_writer *writer, const void *bytes, size_t size, sn_error *err) {
  sn_error failure = {SN_OK, ""};
  const sn_mcap_sink *sink = &writer->config.sink;
  const sn_status status = sink->write(sink->context, bytes, size, &failure);
  if (status != SN_OK) {
    return sn__mcap_stop_writing(writer, status, &failure, err);
  }
  writer->offset += size;
  writer->crc = sn__crc32(&writer->crc_table, writer->crc, bytes, size);
  return SN_OK;
}

/* ---- creation ---- */

static bool set_defaults(sn_mcap_writer_config *config) {
  config->channel_max = config->channel_max == 0 ? 256 : config->channel_max;
  config->chunk_size = config->chunk_size == 0 ? (size_t)1 << 20 : config->chunk_size;
  config->index_size = config->index_size == 0 ? (size_t)1 << 22 : config->index_size;
  config->chunk_duration_ns = config->chunk_duration_ns == 0 ? NS_PER_S : config->chunk_duration_ns;
  return config->channel_max <= UINT16_MAX && config->chunk_size >= CHUNK_SIZE_MIN &&
         config->chunk_size <= CHUNK_SIZE_MAX && config->index_size <= INDEX_SIZE_MAX &&
         config->chunk_duration_ns > 0;
}

static bool take_memory(sn_mcap_writer *writer, sn_arena *arena) {
  const sn_mcap_writer_config *config = &writer->config;
  /* Every message has at least its prefixes, so the chunk is full before the list is. */
  writer->entry_max = config->chunk_size / (SN__MCAP_PREFIX + SN__MCAP_MESSAGE_PREFIX) + 1;
  writer->text_size = config->channel_max * TOPIC_USUAL + TOPIC_MAX + 1;
  writer->channels = SN_NEW(arena, sn__mcap_out_channel, config->channel_max);
  writer->texts = SN_NEW(arena, char, writer->text_size);
  writer->chunk = (sn__mcap_out){SN_NEW(arena, uint8_t, config->chunk_size), config->chunk_size, 0};
  writer->entries = SN_NEW(arena, sn__mcap_entry, writer->entry_max);
  writer->index = (sn__mcap_out){SN_NEW(arena, uint8_t, config->index_size), config->index_size, 0};
  const size_t packed =
      writer->codec == NULL ? 0 : sn__mcap_pack_bound(config->compression, config->chunk_size);
  writer->packed = (sn__mcap_out){packed == 0 ? NULL : SN_NEW(arena, uint8_t, packed), packed, 0};
  return writer->channels != NULL && writer->texts != NULL && writer->chunk.bytes != NULL &&
         writer->entries != NULL && writer->index.bytes != NULL &&
         (packed == 0 || writer->packed.bytes != NULL);
}

/* A library without compression writes plain chunks, which every reader understands. */
static bool open_codec(sn_mcap_writer *writer) {
  if (writer->config.compression == SN_MCAP_PLAIN) {
    return true;
  }
  const sn_status status = sn__mcap_codec_open(&writer->codec, NULL);
  return status == SN_OK || status == SN_EUNSUPPORTED;
}

static sn_status write_header(sn_mcap_writer *writer, sn_error *err) {
  sn__mcap_out out = sn__mcap_scratch(writer);
  sn__mcap_put(&out, SN__MCAP_MAGIC, SN__MCAP_MAGIC_SIZE);
  const size_t record = sn__mcap_begin(&out, SN__MCAP_HEADER);
  sn__mcap_put_text(&out, "ros2");
  sn__mcap_put_text(&out, "sinew");
  sn__mcap_end(&out, record);
  return sn__mcap_emit(writer, out.bytes, out.used, err);
}

sn_status sn__mcap_writer_create(sn_arena *arena, const sn_mcap_writer_config *config,
                                 sn_mcap_writer **out, sn_error *err) {
  sn_mcap_writer_config full = *config;
  if (!set_defaults(&full)) {
    return sn__fail(err, SN_EINVAL,
                    "MCAP writer: a size is out of range: channels up to 65535, chunk 2^14 .. 2^26 "
                    "bytes, index up to 2^30 bytes");
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_mcap_writer *writer = SN_NEW(arena, sn_mcap_writer, 1);
  if (writer != NULL) {
    writer->config = full;
  }
  if (writer == NULL || !open_codec(writer) || !take_memory(writer, arena)) {
    sn__mcap_writer_close(writer);
    sn_arena_restore(arena, mark); /* all or nothing */
    return sn__fail(err, SN_ENOMEM, "MCAP writer: no room in arena '%s'", sn_arena_name(arena));
  }
  sn__crc32_init(&writer->crc_table);
  writer->is_indexed = !full.is_without_index;
  const sn_status status = write_header(writer, err);
  if (status != SN_OK) {
    sn__mcap_writer_close(writer);
    sn_arena_restore(arena, mark);
    return status;
  }
  *out = writer;
  return SN_OK;
}

void sn__mcap_writer_close(sn_mcap_writer *writer) {
  if (writer != NULL) {
    sn__mcap_codec_close(writer->codec);
    writer->codec = NULL;
  }
}

/* ---- channels ---- */

void sn__mcap_put_schema(sn__mcap_out *out, uint16_t id, const sn_msg_type *type) {
  const size_t record = sn__mcap_begin(out, SN__MCAP_SCHEMA);
  sn__mcap_put_number(out, id, 2);
  sn__mcap_put_text(out, type->ros2_name);
  sn__mcap_put_text(out, "ros2msg");
  const size_t length = out->used;
  sn__mcap_put_number(out, 0, 4);
  /* The text ends with a NUL, which is not part of the record but needs memory. */
  const size_t room = sn__mcap_fits(out) ? out->size - out->used : 0;
  const size_t needed =
      sn__msg_schema_ros2(type, room == 0 ? NULL : (char *)out->bytes + out->used, room);
  out->used += needed < room ? needed : needed + 1;
  sn__mcap_set_number(out, length, needed, 4);
  sn__mcap_end(out, record);
}

void sn__mcap_put_channel(sn__mcap_out *out, size_t id, const sn__mcap_out_channel *channel) {
  const size_t record = sn__mcap_begin(out, SN__MCAP_CHANNEL);
  sn__mcap_put_number(out, id, 2);
  sn__mcap_put_number(out, channel->schema, 2);
  sn__mcap_put_text(out, channel->topic);
  sn__mcap_put_text(out, "cdr");
  const size_t map = out->used;
  sn__mcap_put_number(out, 0, 4);
  sn__mcap_put_text(out, "offered_qos_profiles"); /* required by the profile of ROS 2 */
  sn__mcap_put_text(out, "");
  sn__mcap_set_number(out, map, out->used - map - 4, 4);
  sn__mcap_end(out, record);
}

/* The schema of the same type of another channel, or a new one. */
static void choose_schema(const sn_mcap_writer *writer, sn__mcap_out_channel *channel) {
  for (size_t i = 0; i < writer->channel_count; i++) {
    if (writer->channels[i].type == channel->type) {
      channel->schema = writer->channels[i].schema;
      return;
    }
  }
  channel->schema = (uint16_t)(writer->schema_count + 1);
  channel->defines_schema = true;
}

static sn_status emit_channel(sn_mcap_writer *writer, const sn__mcap_out_channel *channel,
                              sn_error *err) {
  for (int attempt = 0; attempt < 2; attempt++) {
    sn__mcap_out out = sn__mcap_scratch(writer);
    if (channel->defines_schema) {
      sn__mcap_put_schema(&out, channel->schema, channel->type);
    }
    sn__mcap_put_channel(&out, writer->channel_count, channel);
    if (sn__mcap_fits(&out)) {
      return sn__mcap_emit(writer, out.bytes, out.used, err);
    }
    const sn_status status = sn__mcap_writer_flush(writer, err);
    if (status != SN_OK) {
      return status;
    }
  }
  return sn__fail(err, SN_ENOSPC, "topic %s: the definition of %s does not fit into a chunk",
                  channel->topic, channel->type->ros2_name);
}

sn_status sn__mcap_writer_add(sn_mcap_writer *writer, const char *topic, const sn_msg_type *type,
                              size_t *channel, sn_error *err) {
  sn_status status = sn__mcap_check_open(writer, err);
  if (status != SN_OK) {
    return status;
  }
  const size_t length = strlen(topic);
  if (length == 0 || length > TOPIC_MAX) {
    return sn__fail(err, SN_EINVAL, "topic of %zu bytes, expected 1 .. %d", length, TOPIC_MAX);
  }
  if (writer->channel_count == writer->config.channel_max ||
      length + 1 > writer->text_size - writer->text_used) {
    return sn__fail(err, SN_ELIMIT, "topic %s: no room for more than %zu topics", topic,
                    writer->channel_count);
  }
  char *text = writer->texts + writer->text_used;
  memcpy(text, topic, length + 1);
  sn__mcap_out_channel added = {
      .type = type, .topic = text, .first = SN__MCAP_NONE, .last = SN__MCAP_NONE};
  choose_schema(writer, &added);
  status = emit_channel(writer, &added, err);
  if (status == SN_OK) {
    writer->text_used += length + 1;
    writer->schema_count = (uint16_t)(writer->schema_count + (added.defines_schema ? 1 : 0));
    *channel = writer->channel_count;
    writer->channels[writer->channel_count++] = added;
  }
  return status;
}

/* ---- messages ---- */

/* Append the record to the chunk. @return SN_OK, or SN_ENOSPC or SN_ELIMIT with an unchanged
   chunk */
static sn_status append(sn_mcap_writer *writer, size_t id, int64_t log_ns, int64_t publish_ns,
                        const void *msg, size_t *size) {
  const sn__mcap_out_channel *channel = &writer->channels[id];
  sn__mcap_out out = writer->chunk;
  const size_t record = sn__mcap_begin(&out, SN__MCAP_MESSAGE);
  sn__mcap_put_number(&out, id, 2);
  sn__mcap_put_number(&out, channel->sequence, 4);
  sn__mcap_put_number(&out, (uint64_t)log_ns, 8);
  sn__mcap_put_number(&out, (uint64_t)publish_ns, 8);
  const bool fits = sn__mcap_fits(&out);
  const sn_status status = sn_cdr_write(channel->type, msg, fits ? out.bytes + out.used : NULL,
                                        fits ? out.size - out.used : 0, size);
  if (status != SN_OK || !fits) {
    return status == SN_OK ? SN_ENOSPC : status;
  }
  out.used += *size;
  sn__mcap_end(&out, record);
  writer->chunk = out;
  return SN_OK;
}

static void list_message(sn_mcap_writer *writer, size_t id, int64_t log_ns, size_t offset) {
  SN_ASSERT(writer->entry_count < writer->entry_max);
  sn__mcap_out_channel *channel = &writer->channels[id];
  const uint32_t entry = (uint32_t)writer->entry_count;
  writer->entries[entry] = (sn__mcap_entry){log_ns, (uint32_t)offset, SN__MCAP_NONE};
  if (channel->first == SN__MCAP_NONE) {
    channel->first = entry;
  } else {
    writer->entries[channel->last].next = entry;
  }
  channel->last = entry;
  sn__mcap_widen(&writer->chunk_span, writer->entry_count == 0, log_ns, log_ns);
  writer->entry_count++;
  writer->message_count++;
  channel->count++;
  channel->sequence++;
}

sn_status sn__mcap_writer_write(sn_mcap_writer *writer, size_t channel, int64_t log_ns,
                                int64_t publish_ns, const void *msg, sn_error *err) {
  sn_status status = sn__mcap_check_open(writer, err);
  if (status != SN_OK) {
    return status;
  }
  SN_ASSERT(channel < writer->channel_count);
  if (log_ns < 0 || publish_ns < 0) {
    return sn__fail(err, SN_EINVAL, "topic %s: a time is negative",
                    writer->channels[channel].topic);
  }
  if (writer->entry_count > 0 &&
      log_ns - writer->entries[0].log_ns >= writer->config.chunk_duration_ns) {
    status = sn__mcap_writer_flush(writer, err);
  }
  size_t size = 0;
  size_t offset = writer->chunk.used;
  sn_status appended =
      status == SN_OK ? append(writer, channel, log_ns, publish_ns, msg, &size) : SN_OK;
  if (appended == SN_ENOSPC && writer->entry_count > 0) {
    status = sn__mcap_writer_flush(writer, err);
    offset = 0;
    appended = status == SN_OK ? append(writer, channel, log_ns, publish_ns, msg, &size) : SN_OK;
  }
  if (status != SN_OK) {
    return status;
  }
  if (appended == SN_OK) {
    list_message(writer, channel, log_ns, offset);
    return SN_OK;
  }
  return appended == SN_ENOSPC
             ? sn__fail(err, SN_ENOSPC, "topic %s: a message of %zu bytes is larger than a chunk",
                        writer->channels[channel].topic, size)
             : sn__fail(err, appended, "topic %s: a time is out of the range of CDR",
                        writer->channels[channel].topic);
}

sn_mcap_counts sn__mcap_writer_counts(const sn_mcap_writer *writer) {
  return (sn_mcap_counts){writer->message_count, writer->chunk_count, writer->offset,
                          writer->is_indexed};
}
