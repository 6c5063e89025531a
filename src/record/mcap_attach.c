/* Attachments and metadata records ("notes") of a recording. */
#include "base/fail.h"
#include "record/mcap_reader.h"
#include "record/mcap_writer.h"

/* ---- writing ---- */

sn_status sn__mcap_writer_attach(sn_mcap_writer *writer, const char *name, const char *media_type,
                                 const void *bytes, size_t size, sn_error *err) {
  sn_status status = sn__mcap_writer_flush(writer, err); /* the header must fit into the chunk */
  if (status != SN_OK) {
    return status;
  }
  if (writer->attachment_count == SN__MCAP_ATTACHMENTS_MAX ||
      strlen(name) > SN__MCAP_NOTE_NAME_MAX || strlen(media_type) > SN__MCAP_NOTE_NAME_MAX) {
    return sn__fail(err, SN_ELIMIT, "attachment %s: there are %d already, or its name is long",
                    name, SN__MCAP_ATTACHMENTS_MAX);
  }
  sn__mcap_out out = sn__mcap_scratch(writer);
  const size_t record = sn__mcap_begin(&out, SN__MCAP_ATTACHMENT);
  sn__mcap_put_number(&out, 0, 8); /* log time and creation time: no clock is read here */
  sn__mcap_put_number(&out, 0, 8);
  sn__mcap_put_text(&out, name);
  sn__mcap_put_text(&out, media_type);
  sn__mcap_put_number(&out, size, 8);
  const size_t length = out.used - SN__MCAP_PREFIX + size + 4;
  sn__mcap_set_number(&out, record + 1, length, 8);
  uint32_t crc =
      sn__crc32(&writer->crc_table, 0, out.bytes + SN__MCAP_PREFIX, out.used - SN__MCAP_PREFIX);
  crc = sn__crc32(&writer->crc_table, crc, bytes, size);
  sn__mcap_attachment *attachment = &writer->attachments[writer->attachment_count];
  *attachment = (sn__mcap_attachment){
      .offset = writer->offset, .length = SN__MCAP_PREFIX + length, .data_size = size};
  memcpy(attachment->name, name, strlen(name) + 1);
  memcpy(attachment->media_type, media_type, strlen(media_type) + 1);
  uint8_t end[4];
  sn__mcap_out last = {end, sizeof end, 0};
  sn__mcap_put_number(&last, crc, 4);
  status = sn__mcap_emit(writer, out.bytes, out.used, err);
  if (status == SN_OK && size > 0) {
    status = sn__mcap_emit(writer, bytes, size, err);
  }
  if (status == SN_OK) {
    status = sn__mcap_emit(writer, end, sizeof end, err);
  }
  writer->attachment_count += status == SN_OK ? 1 : 0;
  return status;
}

sn_status sn__mcap_writer_note(sn_mcap_writer *writer, const char *name, const char *const *pairs,
                               size_t count, sn_error *err) {
  sn_status status = sn__mcap_writer_flush(writer, err); /* the whole chunk is scratch memory */
  if (status != SN_OK) {
    return status;
  }
  if (writer->note_count == SN__MCAP_NOTES_MAX) {
    return sn__fail(err, SN_ELIMIT, "note %s: there are %d already", name, SN__MCAP_NOTES_MAX);
  }
  sn__mcap_out out = sn__mcap_scratch(writer);
  const size_t record = sn__mcap_begin(&out, SN__MCAP_METADATA);
  sn__mcap_put_text(&out, name);
  const size_t map = out.used;
  sn__mcap_put_number(&out, 0, 4);
  for (size_t i = 0; i < 2 * count; i++) {
    sn__mcap_put_text(&out, pairs[i]);
  }
  sn__mcap_set_number(&out, map, out.used - map - 4, 4);
  sn__mcap_end(&out, record);
  if (!sn__mcap_fits(&out) || strlen(name) > SN__MCAP_NOTE_NAME_MAX) {
    return sn__fail(err, SN_ENOSPC, "note %s: does not fit into a chunk, or its name is long",
                    name);
  }
  sn__mcap_note *note = &writer->notes[writer->note_count];
  *note = (sn__mcap_note){.offset = writer->offset, .length = out.used};
  memcpy(note->name, name, strlen(name) + 1);
  status = sn__mcap_emit(writer, out.bytes, out.used, err);
  writer->note_count += status == SN_OK ? 1 : 0;
  return status;
}

/* ---- reading ---- */

bool sn__mcap_text_is(sn__mcap_text text, const char *name) {
  return text.size == strlen(name) && memcmp(text.data, name, text.size) == 0;
}

/* Read a whole record into new memory. */
static sn_status copy_record(sn_mcap_reader *reader, const sn__mcap_record *record, sn_arena *arena,
                             uint8_t **out, sn_error *err) {
  if (record->size > SN__MCAP_ATTACHMENT_SIZE_MAX) {
    return sn__fail(err, SN_ELIMIT, "byte %llu: an attachment of %llu bytes, at most %u are read",
                    (unsigned long long)record->at, (unsigned long long)record->size,
                    SN__MCAP_ATTACHMENT_SIZE_MAX);
  }
  uint8_t *bytes = SN_NEW(arena, uint8_t, (size_t)record->size + 1);
  if (bytes == NULL) {
    return sn__fail(err, SN_ENOMEM, "no room in arena '%s'", sn_arena_name(arena));
  }
  *out = bytes;
  return reader->source.read(reader->source.context, record->at, bytes, (size_t)record->size, err);
}

static sn_status open_attachment(sn_mcap_reader *reader, const sn__mcap_record *record,
                                 sn_arena *arena, const char **data, size_t *size, sn_error *err) {
  uint8_t *bytes = NULL;
  const sn_status status = copy_record(reader, record, arena, &bytes, err);
  if (status != SN_OK) {
    return status;
  }
  sn__mcap_in in = {bytes, (size_t)record->size, 0, false};
  sn__mcap_take(&in, 16);
  sn__mcap_take_text(&in);
  sn__mcap_take_text(&in);
  const uint64_t length = sn__mcap_take_number(&in, 8);
  const uint8_t *content = sn__mcap_take(&in, length);
  const size_t covered = in.used;
  const uint32_t crc = (uint32_t)sn__mcap_take_number(&in, 4);
  if (in.is_short) {
    return sn__fail(err, SN_ESYNTAX, "byte %llu: the attachment is damaged",
                    (unsigned long long)record->at);
  }
  if (crc != 0 && crc != sn__crc32(&reader->crc_table, 0, bytes, covered)) {
    return sn__fail(err, SN_ESYNTAX, "byte %llu: the checksum of the attachment is wrong",
                    (unsigned long long)record->at);
  }
  *data = (const char *)content;
  *size = (size_t)length;
  bytes[covered] = '\0'; /* over the checksum: the contents end with a NUL */
  return SN_OK;
}

/* The record of this kind and name with number @p index, counted from 0. */
static sn_status find_named(sn_mcap_reader *reader, uint8_t opcode, const char *name, size_t index,
                            sn__mcap_record *record, sn__mcap_in *in, sn_error *err) {
  sn_status status = SN_OK;
  uint64_t at = reader->first;
  while (sn__mcap_find_record(reader, at, reader->source.size, record, &status, err) &&
         record->opcode != SN__MCAP_DATA_END) {
    if (record->opcode == opcode) {
      if (!sn__mcap_view_record(reader, record, in, &status, err)) {
        break;
      }
      if (opcode == SN__MCAP_ATTACHMENT) {
        sn__mcap_take(in, 16);
      }
      if (sn__mcap_text_is(sn__mcap_take_text(in), name) && !in->is_short && index-- == 0) {
        return SN_OK;
      }
    }
    at = record->at + record->size;
  }
  return status != SN_OK ? status : sn__fail(err, SN_ENOENT, "the file holds no '%s'", name);
}

sn_status sn__mcap_reader_attachment(sn_mcap_reader *reader, const char *name, sn_arena *arena,
                                     const char **data, size_t *size, sn_error *err) {
  sn__mcap_record record;
  sn__mcap_in in;
  const sn_status status = find_named(reader, SN__MCAP_ATTACHMENT, name, 0, &record, &in, err);
  return status == SN_OK ? open_attachment(reader, &record, arena, data, size, err) : status;
}

bool sn__mcap_note_value(sn__mcap_in in, const char *key, char *out, size_t size) {
  sn__mcap_take_number(&in, 4);
  while (!in.is_short && in.used < in.size) {
    const sn__mcap_text found = sn__mcap_take_text(&in);
    const sn__mcap_text value = sn__mcap_take_text(&in);
    if (!in.is_short && sn__mcap_text_is(found, key)) {
      const size_t length = value.size < size - 1 ? value.size : size - 1;
      memcpy(out, value.data, length);
      out[length] = '\0';
      return true;
    }
  }
  return false;
}

sn_status sn__mcap_reader_note(sn_mcap_reader *reader, const char *name, size_t index,
                               const char *key, char *out, size_t size, sn_error *err) {
  sn__mcap_record record;
  sn__mcap_in in;
  const sn_status status = find_named(reader, SN__MCAP_METADATA, name, index, &record, &in, err);
  if (status != SN_OK) {
    return status;
  }
  return sn__mcap_note_value(in, key, out, size)
             ? SN_OK
             : sn__fail(err, SN_ENOENT, "the note '%s' has no key '%s'", name, key);
}
