/* What can be said about a file without reading it: its footer and statistics, and a note near its
   beginning. */
#include "base/fail.h"
#include "record/mcap_reader.h"

/* The note of the recorder is behind the attachments, at the beginning. */
enum { FIRST_RECORDS_MAX = 64 };
/* A file without a table of its summary is walked record by record, up to here. */
enum { SUMMARY_RECORDS_MAX = 4096 };
/* Longer summaries are not compared with their checksum. */
enum { CHECKED_SIZE_MAX = 1 << 18 };
/* Contents of the footer, and all bytes from its beginning. */
enum { FOOTER_SIZE = 20, TAIL_SIZE = SN__MCAP_PREFIX + FOOTER_SIZE + SN__MCAP_MAGIC_SIZE };

typedef struct footer {
  uint64_t at; /* offset of the record; 0: the file has no regular end */
  uint64_t summary, offsets;
  uint32_t crc;
} footer;

static sn_status fail_at(uint64_t at, const char *what, sn_error *err) {
  return sn__fail(err, SN_ESYNTAX, "byte %llu: %s", (unsigned long long)at, what);
}

static sn_status read_footer(sn_mcap_reader *reader, footer *out, sn_error *err) {
  *out = (footer){0};
  if (reader->source.size < reader->first + TAIL_SIZE) {
    return SN_OK;
  }
  const uint64_t at = reader->source.size - TAIL_SIZE;
  sn_status status = SN_OK;
  const uint8_t *bytes = sn__mcap_view(reader, at, TAIL_SIZE, &status, err);
  if (bytes == NULL) {
    return status;
  }
  sn__mcap_in in = {bytes, TAIL_SIZE, 0, false};
  const uint64_t opcode = sn__mcap_take_number(&in, 1);
  const uint64_t size = sn__mcap_take_number(&in, 8);
  const footer found = {at, sn__mcap_take_number(&in, 8), sn__mcap_take_number(&in, 8),
                        (uint32_t)sn__mcap_take_number(&in, 4)};
  if (memcmp(bytes + in.used, SN__MCAP_MAGIC, SN__MCAP_MAGIC_SIZE) != 0) {
    return SN_OK;
  }
  const bool is_inside =
      found.summary == 0 ||
      (found.summary >= reader->first && found.summary <= at && found.offsets <= at &&
       (found.offsets == 0 || found.offsets >= found.summary));
  if (opcode != SN__MCAP_FOOTER || size != FOOTER_SIZE || !is_inside) {
    return fail_at(at, "the footer is damaged", err);
  }
  *out = found;
  return SN_OK;
}

/* The data ends right before the summary. */
static sn_status check_data_end(sn_mcap_reader *reader, const footer *end, sn_error *err) {
  enum { SIZE = SN__MCAP_PREFIX + 4 };
  sn_status status = SN_OK;
  sn__mcap_record record = {0};
  const bool is_there =
      end->summary >= reader->first + SIZE &&
      sn__mcap_find_record(reader, end->summary - SIZE, end->summary, &record, &status, err) &&
      record.opcode == SN__MCAP_DATA_END && record.at + record.size == end->summary;
  return is_there || status != SN_OK
             ? status
             : fail_at(end->at, "the footer names a summary that is not there", err);
}

/* The checksum covers the summary and the footer up to the checksum. */
static sn_status check_summary(sn_mcap_reader *reader, const footer *end, sn_error *err) {
  const uint64_t stop = end->at + SN__MCAP_PREFIX + FOOTER_SIZE - 4;
  if (end->crc == 0 || stop - end->summary > CHECKED_SIZE_MAX) {
    return SN_OK;
  }
  uint32_t crc = 0;
  for (uint64_t at = end->summary; at < stop;) {
    const size_t size = stop - at < reader->window_size ? (size_t)(stop - at) : reader->window_size;
    sn_status status = SN_OK;
    const uint8_t *bytes = sn__mcap_view(reader, at, size, &status, err);
    if (bytes == NULL) {
      return status;
    }
    crc = sn__crc32(&reader->crc_table, crc, bytes, size);
    at += size;
  }
  return crc == end->crc ? SN_OK
                         : fail_at(end->summary, "the checksum of the summary is wrong", err);
}

/* Offset of the statistics by the table of the summary; 0: it names none. */
static sn_status look_up(sn_mcap_reader *reader, const footer *end, uint64_t *found,
                         sn_error *err) {
  sn_status status = SN_OK;
  sn__mcap_record record;
  sn__mcap_in in;
  *found = 0;
  for (uint64_t at = end->offsets; at < end->at; at = record.at + record.size) {
    if (!sn__mcap_find_record(reader, at, end->at, &record, &status, err) ||
        !sn__mcap_view_record(reader, &record, &in, &status, err)) {
      return status != SN_OK ? status : fail_at(at, "the table of the summary is damaged", err);
    }
    const uint64_t opcode = sn__mcap_take_number(&in, 1);
    const uint64_t start = sn__mcap_take_number(&in, 8);
    if (record.opcode == SN__MCAP_SUMMARY_OFFSET && opcode == SN__MCAP_STATISTICS) {
      if (in.is_short || start < end->summary || start >= end->offsets) {
        return fail_at(at, "the table of the summary is damaged", err);
      }
      *found = start;
      return SN_OK;
    }
  }
  return SN_OK;
}

static sn_status read_statistics(sn_mcap_reader *reader, const sn__mcap_record *record,
                                 sn_mcap_overview *out, sn_error *err) {
  sn_status status = SN_OK;
  sn__mcap_in in;
  if (!sn__mcap_view_record(reader, record, &in, &status, err)) {
    return status;
  }
  out->messages = sn__mcap_take_number(&in, 8);
  sn__mcap_take(&in, 2 + 4 + 4 + 4 + 4);
  const uint64_t start = sn__mcap_take_number(&in, 8);
  const uint64_t end = sn__mcap_take_number(&in, 8);
  if (in.is_short || end < start || end > INT64_MAX) {
    return fail_at(record->at, "the statistics are damaged", err);
  }
  out->has_statistics = true;
  out->start_ns = (int64_t)start;
  out->end_ns = (int64_t)end;
  return SN_OK;
}

static sn_status find_statistics(sn_mcap_reader *reader, const footer *end, sn_mcap_overview *out,
                                 sn_error *err) {
  uint64_t at = end->summary;
  sn_status status = SN_OK;
  if (end->offsets != 0) {
    status = look_up(reader, end, &at, err);
  }
  sn__mcap_record record;
  for (size_t i = 0; status == SN_OK && at != 0 && at < end->at && i < SUMMARY_RECORDS_MAX; i++) {
    if (!sn__mcap_find_record(reader, at, end->at, &record, &status, err)) {
      return status != SN_OK ? status : fail_at(at, "the summary is damaged", err);
    }
    if (record.opcode == SN__MCAP_STATISTICS) {
      return read_statistics(reader, &record, out, err);
    }
    at = record.at + record.size;
  }
  return status;
}

/* The robot, by the note of the recorder. */
static sn_status find_robot(sn_mcap_reader *reader, sn_mcap_overview *out, sn_error *err) {
  sn_status status = SN_OK;
  sn__mcap_record record;
  sn__mcap_in in;
  uint64_t at = reader->first;
  for (size_t i = 0; i < FIRST_RECORDS_MAX; i++) {
    if (!sn__mcap_find_record(reader, at, reader->source.size, &record, &status, err) ||
        record.opcode == SN__MCAP_DATA_END) {
      break;
    }
    if (record.opcode == SN__MCAP_METADATA) {
      if (!sn__mcap_view_record(reader, &record, &in, &status, err)) {
        break;
      }
      if (sn__mcap_text_is(sn__mcap_take_text(&in), SN__MCAP_SYSTEM_NOTE)) {
        (void)sn__mcap_note_value(in, SN__MCAP_ROBOT_KEY, out->robot, sizeof out->robot);
        break;
      }
    }
    at = record.at + record.size;
  }
  return status;
}

sn_status sn__mcap_reader_overview(sn_mcap_reader *reader, sn_mcap_overview *out, sn_error *err) {
  footer end;
  *out = (sn_mcap_overview){0};
  sn_status status = find_robot(reader, out, err);
  if (status == SN_OK) {
    status = read_footer(reader, &end, err);
  }
  out->is_closed = status == SN_OK && end.at != 0;
  if (!out->is_closed || end.summary == 0) {
    return status;
  }
  status = check_data_end(reader, &end, err);
  if (status == SN_OK) {
    status = check_summary(reader, &end, err);
  }
  return status == SN_OK ? find_statistics(reader, &end, out, err) : status;
}
