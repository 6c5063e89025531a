/* The summary at the end of a file, with the index that saves readers a search. */
#include "record/mcap_writer.h"
#include "sinew/fault.h"

/* Records of one kind are grouped, and a table at the end has their offsets. */
typedef struct group {
  uint8_t opcode;
  uint64_t start, length;
} group;

#define GROUPS_MAX 6

typedef struct summary {
  sn_mcap_writer *writer;
  sn_error *err;
  sn_status status; /* of the first failure; nothing is written afterwards */
  uint64_t start;
  group groups[GROUPS_MAX];
  size_t group_count;
} summary;

static void emit(summary *s, const void *bytes, size_t size) {
  if (s->status == SN_OK) {
    s->status = sn__mcap_emit(s->writer, bytes, size, s->err);
  }
}

/* A record in the scratch memory: it fitted before. */
static void emit_record(summary *s, const sn__mcap_out *out) {
  SN_ASSERT(sn__mcap_fits(out));
  emit(s, out->bytes, out->used);
}

static void begin_group(summary *s, uint8_t opcode) {
  SN_ASSERT(s->group_count < GROUPS_MAX);
  s->groups[s->group_count] = (group){.opcode = opcode, .start = s->writer->offset};
}

static void end_group(summary *s) {
  group *g = &s->groups[s->group_count];
  g->length = s->writer->offset - g->start;
  s->group_count += g->length > 0 ? 1 : 0;
}

static void emit_schemas_and_channels(summary *s) {
  const sn_mcap_writer *writer = s->writer;
  begin_group(s, SN__MCAP_SCHEMA);
  for (size_t i = 0; i < writer->channel_count; i++) {
    if (writer->channels[i].defines_schema) {
      sn__mcap_out out = sn__mcap_scratch(s->writer);
      sn__mcap_put_schema(&out, writer->channels[i].schema, writer->channels[i].type);
      emit_record(s, &out);
    }
  }
  end_group(s);
  begin_group(s, SN__MCAP_CHANNEL);
  for (size_t i = 0; i < writer->channel_count; i++) {
    sn__mcap_out out = sn__mcap_scratch(s->writer);
    sn__mcap_put_channel(&out, i, &writer->channels[i]);
    emit_record(s, &out);
  }
  end_group(s);
}

/* The counts of the channels are written one by one: 65535 of them may not fit into memory. */
static void emit_statistics(summary *s) {
  const sn_mcap_writer *writer = s->writer;
  begin_group(s, SN__MCAP_STATISTICS);
  sn__mcap_out out = sn__mcap_scratch(s->writer);
  sn__mcap_begin(&out, SN__MCAP_STATISTICS);
  sn__mcap_put_number(&out, writer->message_count, 8);
  sn__mcap_put_number(&out, writer->schema_count, 2);
  sn__mcap_put_number(&out, writer->channel_count, 4);
  sn__mcap_put_number(&out, writer->attachment_count, 4);
  sn__mcap_put_number(&out, writer->note_count, 4);
  sn__mcap_put_number(&out, writer->chunk_count, 4);
  sn__mcap_put_number(&out, (uint64_t)writer->span.start_ns, 8);
  sn__mcap_put_number(&out, (uint64_t)writer->span.end_ns, 8);
  sn__mcap_put_number(&out, writer->channel_count * 10, 4);
  sn__mcap_set_number(&out, 1, out.used - SN__MCAP_PREFIX + writer->channel_count * 10, 8);
  emit_record(s, &out);
  for (size_t i = 0; i < writer->channel_count; i++) {
    sn__mcap_out entry = sn__mcap_scratch(s->writer);
    sn__mcap_put_number(&entry, i, 2);
    sn__mcap_put_number(&entry, writer->channels[i].count, 8);
    emit_record(s, &entry);
  }
  end_group(s);
}

static void emit_indexes(summary *s) {
  const sn_mcap_writer *writer = s->writer;
  begin_group(s, SN__MCAP_CHUNK_INDEX);
  if (writer->is_indexed && writer->index.used > 0) {
    emit(s, writer->index.bytes, writer->index.used);
  }
  end_group(s);
  begin_group(s, SN__MCAP_METADATA_INDEX);
  for (size_t i = 0; i < writer->note_count; i++) {
    sn__mcap_out out = sn__mcap_scratch(s->writer);
    const size_t record = sn__mcap_begin(&out, SN__MCAP_METADATA_INDEX);
    sn__mcap_put_number(&out, writer->notes[i].offset, 8);
    sn__mcap_put_number(&out, writer->notes[i].length, 8);
    sn__mcap_put_text(&out, writer->notes[i].name);
    sn__mcap_end(&out, record);
    emit_record(s, &out);
  }
  end_group(s);
}

static void emit_attachment_indexes(summary *s) {
  const sn_mcap_writer *writer = s->writer;
  begin_group(s, SN__MCAP_ATTACHMENT_INDEX);
  for (size_t i = 0; i < writer->attachment_count; i++) {
    const sn__mcap_attachment *attachment = &writer->attachments[i];
    sn__mcap_out out = sn__mcap_scratch(s->writer);
    const size_t record = sn__mcap_begin(&out, SN__MCAP_ATTACHMENT_INDEX);
    sn__mcap_put_number(&out, attachment->offset, 8);
    sn__mcap_put_number(&out, attachment->length, 8);
    sn__mcap_put_number(&out, 0, 8);
    sn__mcap_put_number(&out, 0, 8);
    sn__mcap_put_number(&out, attachment->data_size, 8);
    sn__mcap_put_text(&out, attachment->name);
    sn__mcap_put_text(&out, attachment->media_type);
    sn__mcap_end(&out, record);
    emit_record(s, &out);
  }
  end_group(s);
}

static void emit_offsets(summary *s) {
  for (size_t i = 0; i < s->group_count; i++) {
    sn__mcap_out out = sn__mcap_scratch(s->writer);
    const size_t record = sn__mcap_begin(&out, SN__MCAP_SUMMARY_OFFSET);
    sn__mcap_put_number(&out, s->groups[i].opcode, 1);
    sn__mcap_put_number(&out, s->groups[i].start, 8);
    sn__mcap_put_number(&out, s->groups[i].length, 8);
    sn__mcap_end(&out, record);
    emit_record(s, &out);
  }
}

static void emit_data_end(summary *s) {
  sn__mcap_out out = sn__mcap_scratch(s->writer);
  const size_t record = sn__mcap_begin(&out, SN__MCAP_DATA_END);
  sn__mcap_put_number(&out, s->writer->crc, 4);
  sn__mcap_end(&out, record);
  emit_record(s, &out);
}

/* Its checksum covers the summary and the footer up to the checksum. */
static void emit_footer(summary *s, uint64_t offsets_start) {
  sn__mcap_out out = sn__mcap_scratch(s->writer);
  sn__mcap_begin(&out, SN__MCAP_FOOTER);
  sn__mcap_put_number(&out, s->start, 8);
  sn__mcap_put_number(&out, offsets_start, 8);
  sn__mcap_set_number(&out, 1, 20, 8);
  emit_record(s, &out);
  out = sn__mcap_scratch(s->writer);
  sn__mcap_put_number(&out, s->writer->crc, 4);
  sn__mcap_put(&out, SN__MCAP_MAGIC, SN__MCAP_MAGIC_SIZE);
  emit_record(s, &out);
}

sn_status sn__mcap_writer_finish(sn_mcap_writer *writer, sn_error *err) {
  summary s = {.writer = writer, .err = err, .status = sn__mcap_writer_flush(writer, err)};
  if (s.status != SN_OK) {
    return s.status;
  }
  emit_data_end(&s);
  writer->crc = 0;
  s.start = writer->offset;
  emit_schemas_and_channels(&s);
  emit_statistics(&s);
  emit_indexes(&s);
  emit_attachment_indexes(&s);
  const uint64_t offsets_start = writer->offset;
  emit_offsets(&s);
  emit_footer(&s, offsets_start);
  writer->is_stopped = true;
  return s.status;
}
