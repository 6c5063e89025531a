#include "record/mcap_reader.h"

#include <inttypes.h>

#include "base/fail.h"
#include "msg/wire/msg_ros1.h"
#include "sinew/fault.h"
#include "sinew/msg_wire.h"

#define RECORD_SIZE_MIN ((size_t)1 << 12)
#define RECORD_SIZE_MAX ((size_t)1 << 30)

/* ---- creation ---- */

static bool set_defaults(sn_mcap_reader_config *config) {
  config->channel_max = config->channel_max == 0 ? 1024 : config->channel_max;
  config->text_size = config->text_size == 0 ? (size_t)1 << 18 : config->text_size;
  config->record_size = config->record_size == 0 ? (size_t)1 << 20 : config->record_size;
  config->chunk_size = config->chunk_size == 0 ? (size_t)1 << 26 : config->chunk_size;
  return config->channel_max <= UINT16_MAX && config->record_size >= RECORD_SIZE_MIN &&
         config->record_size <= RECORD_SIZE_MAX && config->chunk_size <= RECORD_SIZE_MAX;
}

static bool take_memory(sn_mcap_reader *reader, sn_arena *arena) {
  const sn_mcap_reader_config *config = &reader->config;
  reader->window_size = config->record_size + SN__MCAP_PREFIX + SN__MCAP_MESSAGE_PREFIX;
  reader->window = SN_NEW(arena, uint8_t, reader->window_size);
  reader->channels = SN_NEW(arena, sn_mcap_channel, config->channel_max);
  reader->channel_schemas = SN_NEW(arena, uint16_t, config->channel_max);
  reader->schemas = SN_NEW(arena, sn__mcap_schema, config->channel_max);
  reader->texts = SN_NEW(arena, char, config->text_size);
  return reader->window != NULL && reader->channels != NULL && reader->channel_schemas != NULL &&
         reader->schemas != NULL && reader->texts != NULL;
}

const uint8_t *sn__mcap_view(sn_mcap_reader *reader, uint64_t at, size_t size, sn_status *status,
                             sn_error *err) {
  SN_ASSERT(size <= reader->window_size && at <= reader->source.size &&
            size <= reader->source.size - at);
  const bool is_inside = at >= reader->window_start &&
                         at - reader->window_start <= reader->window_used &&
                         size <= reader->window_used - (at - reader->window_start);
  if (!is_inside) {
    const uint64_t left = reader->source.size - at;
    const size_t wanted = left < reader->window_size ? (size_t)left : reader->window_size;
    reader->window_used = 0;
    *status = reader->source.read(reader->source.context, at, reader->window, wanted, err);
    if (*status != SN_OK) {
      reader->is_at_end = true;
      return NULL;
    }
    reader->window_start = at;
    reader->window_used = wanted;
  }
  return reader->window + (at - reader->window_start);
}

bool sn__mcap_find_record(sn_mcap_reader *reader, uint64_t at, uint64_t end,
                          sn__mcap_record *record, sn_status *status, sn_error *err) {
  if (end - at < SN__MCAP_PREFIX) {
    return false;
  }
  const uint8_t *bytes = sn__mcap_view(reader, at, SN__MCAP_PREFIX, status, err);
  if (bytes == NULL) {
    return false;
  }
  sn__mcap_in in = {bytes, SN__MCAP_PREFIX, 0, false};
  record->opcode = (uint8_t)sn__mcap_take_number(&in, 1);
  record->size = sn__mcap_take_number(&in, 8);
  record->at = at + SN__MCAP_PREFIX;
  record->bytes = NULL;
  return record->size <= end - record->at;
}

bool sn__mcap_view_record(sn_mcap_reader *reader, const sn__mcap_record *record, sn__mcap_in *in,
                          sn_status *status, sn_error *err) {
  if (record->bytes != NULL) {
    *in = (sn__mcap_in){record->bytes, (size_t)record->size, 0, false};
    return true;
  }
  const size_t size =
      record->size < reader->window_size ? (size_t)record->size : reader->window_size;
  const uint8_t *bytes = sn__mcap_view(reader, record->at, size, status, err);
  *in = (sn__mcap_in){bytes, size, 0, false};
  return bytes != NULL;
}

static void cut_text(sn__mcap_text text, char *out, size_t size) {
  const size_t length = text.size < size - 1 ? text.size : size - 1;
  memcpy(out, text.data, length);
  out[length] = '\0';
}

static sn_status read_header(sn_mcap_reader *reader, sn_error *err) {
  sn_status status = SN_OK;
  sn__mcap_record record;
  sn__mcap_in in;
  const uint8_t *magic = reader->source.size < SN__MCAP_MAGIC_SIZE
                             ? NULL
                             : sn__mcap_view(reader, 0, SN__MCAP_MAGIC_SIZE, &status, err);
  if (status != SN_OK) {
    return status;
  }
  if (magic == NULL || memcmp(magic, SN__MCAP_MAGIC, SN__MCAP_MAGIC_SIZE) != 0) {
    return sn__fail(err, SN_ESYNTAX, "not an MCAP file: wrong first bytes");
  }
  const bool has_record = sn__mcap_find_record(reader, SN__MCAP_MAGIC_SIZE, reader->source.size,
                                               &record, &status, err) &&
                          record.opcode == SN__MCAP_HEADER &&
                          sn__mcap_view_record(reader, &record, &in, &status, err);
  if (status != SN_OK) {
    return status;
  }
  if (has_record) {
    cut_text(sn__mcap_take_text(&in), reader->profile, sizeof reader->profile);
    cut_text(sn__mcap_take_text(&in), reader->library, sizeof reader->library);
  }
  if (!has_record || in.is_short) {
    return sn__fail(err, SN_ESYNTAX, "byte %d: the file has no complete header",
                    SN__MCAP_MAGIC_SIZE);
  }
  reader->first = record.at + record.size;
  sn__mcap_reader_rewind(reader);
  return SN_OK;
}

sn_status sn__mcap_reader_create(sn_arena *arena, const sn_mcap_source *source,
                                 const sn_mcap_reader_config *config, sn_mcap_reader **out,
                                 sn_error *err) {
  sn_mcap_reader_config full = {0};
  if (config != NULL) {
    full = *config;
  }
  if (!set_defaults(&full)) {
    return sn__fail(err, SN_EINVAL,
                    "MCAP reader: a size is out of range: channels up to 65535, record 2^12 .. "
                    "2^30 bytes, chunk up to 2^30 bytes");
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_mcap_reader *reader = SN_NEW(arena, sn_mcap_reader, 1);
  if (reader != NULL) {
    reader->config = full;
    reader->source = *source;
    reader->file = -1;
  }
  if (reader == NULL || !take_memory(reader, arena)) {
    sn_arena_restore(arena, mark); /* all or nothing */
    return sn__fail(err, SN_ENOMEM, "MCAP reader: no room in arena '%s'", sn_arena_name(arena));
  }
  sn__crc32_init(&reader->crc_table);
  const sn_status status = read_header(reader, err);
  if (status != SN_OK) {
    sn_arena_restore(arena, mark);
    return status;
  }
  *out = reader;
  return SN_OK;
}

void sn__mcap_reader_rewind(sn_mcap_reader *reader) {
  reader->next = reader->first;
  reader->inner = reader->inner_end = 0;
  reader->unpacked.at = 0;
  reader->is_at_end = false;
  reader->info = (sn_mcap_file_info){.profile = reader->profile, .library = reader->library};
  for (size_t i = 0; i < reader->channel_count; i++) {
    reader->channels[i].count = 0;
    reader->channels[i].first_ns = reader->channels[i].last_ns = 0;
  }
}

/* ---- messages ---- */

static int64_t time_of(uint64_t value) {
  return value > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)value;
}

static void count_message(sn_mcap_channel *channel, int64_t log_ns) {
  if (channel->count == 0 || log_ns < channel->first_ns) {
    channel->first_ns = log_ns;
  }
  if (channel->count == 0 || log_ns > channel->last_ns) {
    channel->last_ns = log_ns;
  }
  channel->count++;
}

/* Sets message->channel to NULL if the message is filtered out. */
static sn_status parse_message(sn_mcap_reader *reader, const sn__mcap_record *record,
                               sn__mcap_in in, sn_mcap_message *message, sn_error *err) {
  const uint16_t id = (uint16_t)sn__mcap_take_number(&in, 2);
  const uint32_t sequence = (uint32_t)sn__mcap_take_number(&in, 4);
  const int64_t log_ns = time_of(sn__mcap_take_number(&in, 8));
  const int64_t publish_ns = time_of(sn__mcap_take_number(&in, 8));
  message->channel = NULL;
  if (in.is_short) {
    return sn__fail(err, SN_ESYNTAX, "byte %" PRIu64 ": a message is too short", record->at);
  }
  sn_mcap_channel *channel = sn__mcap_channel_find(reader, id);
  if (channel == NULL) {
    return sn__fail(err, SN_ESYNTAX,
                    "byte %" PRIu64 ": a message of channel %u, which has no definition",
                    record->at, (unsigned)id);
  }
  count_message(channel, log_ns);
  if (reader->config.topic != NULL && strcmp(reader->config.topic, channel->topic) != 0) {
    return SN_OK;
  }
  const uint64_t size = record->size - SN__MCAP_MESSAGE_PREFIX;
  if (size > reader->config.record_size) {
    return sn__fail(err, SN_ELIMIT,
                    "byte %" PRIu64 ": a message of %" PRIu64 " bytes, expected %zu at most",
                    record->at, size, reader->config.record_size);
  }
  *message = (sn_mcap_message){.channel = channel,
                               .sequence = sequence,
                               .log_ns = log_ns,
                               .publish_ns = publish_ns,
                               .data = in.bytes + in.used,
                               .size = (size_t)size};
  return SN_OK;
}

/* ---- records, one after the other ---- */

/* Does the file have a regular end? */
static bool is_closed(sn_mcap_reader *reader) {
  const size_t tail = SN__MCAP_PREFIX + 20 + SN__MCAP_MAGIC_SIZE;
  sn_status status = SN_OK;
  sn__mcap_record record;
  if (reader->source.size < tail) {
    return false;
  }
  const uint64_t footer = reader->source.size - tail;
  const uint64_t end = reader->source.size - SN__MCAP_MAGIC_SIZE;
  if (!sn__mcap_find_record(reader, footer, end, &record, &status, NULL) ||
      record.opcode != SN__MCAP_FOOTER) {
    return false;
  }
  const uint8_t *magic = sn__mcap_view(reader, end, SN__MCAP_MAGIC_SIZE, &status, NULL);
  return magic != NULL && memcmp(magic, SN__MCAP_MAGIC, SN__MCAP_MAGIC_SIZE) == 0;
}

static sn_status take_record(sn_mcap_reader *reader, const sn__mcap_record *record, bool is_inner,
                             sn_mcap_message *message, sn_error *err) {
  sn_status status = SN_OK;
  sn__mcap_in in;
  const bool is_wanted = record->opcode == SN__MCAP_SCHEMA || record->opcode == SN__MCAP_CHANNEL ||
                         record->opcode == SN__MCAP_MESSAGE ||
                         (record->opcode == SN__MCAP_CHUNK && !is_inner);
  if (!is_wanted || !sn__mcap_view_record(reader, record, &in, &status, err)) {
    return status;
  }
  switch (record->opcode) {
    case SN__MCAP_SCHEMA:
      return sn__mcap_learn_schema(reader, in, record->at, err);
    case SN__MCAP_CHANNEL:
      return sn__mcap_learn_channel(reader, in, record->at, err);
    case SN__MCAP_CHUNK:
      return sn__mcap_enter_chunk(reader, record, in, err);
    default:
      return parse_message(reader, record, in, message, err);
  }
}

static sn_status step_inner(sn_mcap_reader *reader, sn_mcap_message *message, sn_error *err) {
  sn_status status = SN_OK;
  sn__mcap_record record;
  const bool is_unpacked = reader->unpacked.at != 0;
  const uint64_t at = is_unpacked ? reader->unpacked.at : reader->inner;
  const bool is_there = is_unpacked ? sn__mcap_find_unpacked(reader, &record)
                                    : sn__mcap_find_record(reader, reader->inner, reader->inner_end,
                                                           &record, &status, err);
  if (!is_there) {
    reader->inner = reader->inner_end;
    return status != SN_OK
               ? status
               : sn__fail(err, SN_ESYNTAX,
                          "byte %" PRIu64 ": a record goes beyond the end of its chunk", at);
  }
  reader->inner += SN__MCAP_PREFIX + record.size;
  return take_record(reader, &record, true, message, err);
}

static sn_status step_outer(sn_mcap_reader *reader, sn_mcap_message *message, sn_error *err) {
  sn_status status = SN_OK;
  sn__mcap_record record;
  if (!sn__mcap_find_record(reader, reader->next, reader->source.size, &record, &status, err)) {
    reader->is_at_end = true; /* truncated */
    return status;
  }
  reader->record_at = reader->next;
  reader->next = record.at + record.size;
  if (record.opcode == SN__MCAP_DATA_END || record.opcode == SN__MCAP_FOOTER) {
    reader->is_at_end = true;
    reader->info.is_complete = is_closed(reader);
    return SN_OK;
  }
  return take_record(reader, &record, false, message, err);
}

sn_status sn__mcap_reader_next(sn_mcap_reader *reader, sn_mcap_message *message, sn_error *err) {
  message->channel = NULL;
  while (!reader->is_at_end) {
    const sn_status status = reader->inner < reader->inner_end ? step_inner(reader, message, err)
                                                               : step_outer(reader, message, err);
    if (status != SN_OK) {
      reader->info.damaged++;
      message->channel = NULL;
      return status;
    }
    if (message->channel != NULL) {
      return SN_OK;
    }
  }
  return SN_ENOENT;
}

sn_mcap_file_info sn__mcap_reader_info(const sn_mcap_reader *reader) {
  return reader->info;
}

sn_status sn__mcap_decode(const sn_mcap_message *message, void *msg, sn_error *err) {
  const sn_mcap_channel *channel = message->channel;
  if (channel->type == NULL) {
    return sn__fail(err, SN_EUNSUPPORTED, "topic %s: messages of type '%s' in encoding '%s'",
                    channel->topic, channel->schema, channel->encoding);
  }
  if (strcmp(channel->encoding, "cdr") == 0) {
    return sn_cdr_read(channel->type, message->data, message->size, msg, err);
  }
  if (strcmp(channel->encoding, "ros1") == 0) {
    return sn__ros1_read(channel->type, message->data, message->size, msg, err);
  }
  return sn_msg_from_json(channel->type, message->data, message->size, msg, err);
}
