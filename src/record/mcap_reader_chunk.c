/* Chunks of a file that is being read. Plain ones stay where they are, compressed ones are
   decompressed into memory, at most config.chunk_size bytes. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/fail.h"
#include "record/mcap_reader.h"

typedef struct chunk_head {
  uint64_t uncompressed_size;
  uint32_t crc;
  sn__mcap_text compression;
  uint64_t at, size; /* of its records in the file */
  bool is_good;
} chunk_head;

static chunk_head parse_chunk(const sn__mcap_record *record, sn__mcap_in in) {
  chunk_head head = {0};
  sn__mcap_take(&in, 16); /* first and last time */
  head.uncompressed_size = sn__mcap_take_number(&in, 8);
  head.crc = (uint32_t)sn__mcap_take_number(&in, 4);
  head.compression = sn__mcap_take_text(&in);
  head.size = sn__mcap_take_number(&in, 8);
  head.at = record->at + in.used;
  head.is_good = !in.is_short && head.size <= record->size - in.used;
  return head;
}

static sn_status compare_sums(uint32_t crc, uint32_t expected, uint64_t at, sn_error *err) {
  return expected == 0 || crc == expected
             ? SN_OK
             : sn__fail(err, SN_ESYNTAX,
                        "byte %" PRIu64 ": a chunk is damaged: checksum %08" PRIx32
                        ", expected %08" PRIx32,
                        at, crc, expected);
}

/* ---- plain ---- */

static sn_status check_sum(sn_mcap_reader *reader, const chunk_head *head, uint64_t at,
                           sn_error *err) {
  sn_status status = SN_OK;
  uint32_t crc = 0;
  for (uint64_t done = 0; head->crc != 0 && done < head->size;) {
    const uint64_t left = head->size - done;
    const size_t part = left < reader->window_size ? (size_t)left : reader->window_size;
    const uint8_t *bytes = sn__mcap_view(reader, head->at + done, part, &status, err);
    if (bytes == NULL) {
      return status;
    }
    crc = sn__crc32(&reader->crc_table, crc, bytes, part);
    done += part;
  }
  return compare_sums(crc, head->crc, at, err);
}

static sn_status enter_plain(sn_mcap_reader *reader, const chunk_head *head, uint64_t at,
                             sn_error *err) {
  if (head->uncompressed_size != head->size) {
    return sn__fail(err, SN_ESYNTAX,
                    "byte %" PRIu64 ": a chunk is damaged: %" PRIu64 " bytes, expected %" PRIu64,
                    at, head->size, head->uncompressed_size);
  }
  const sn_status status = check_sum(reader, head, at, err);
  if (status == SN_OK) {
    reader->inner = head->at;
    reader->inner_end = head->at + head->size;
  }
  return status;
}

/* ---- compressed ---- */

static bool is_called(sn__mcap_text text, sn_mcap_compression compression) {
  const char *name = sn__mcap_compression_name(compression);
  return text.size == strlen(name) && memcmp(text.data, name, text.size) == 0;
}

/* At least @p size bytes; the old contents are not kept. */
static bool reserve(uint8_t **bytes, size_t *room, size_t size) {
  if (size > *room) {
    free(*bytes);
    *bytes = malloc(size);
    *room = *bytes == NULL ? 0 : size;
  }
  return *bytes != NULL;
}

static sn_status make_room(sn_mcap_reader *reader, const chunk_head *head, uint64_t at,
                           sn_error *err) {
  sn__mcap_unpacked *unpacked = &reader->unpacked;
  const size_t limit = reader->config.chunk_size;
  if (head->uncompressed_size > limit || head->size > limit) {
    return sn__fail(err, SN_ELIMIT,
                    "byte %" PRIu64 ": a chunk of %" PRIu64 " bytes, compressed %" PRIu64
                    ", expected %zu at most",
                    at, head->uncompressed_size, head->size, limit);
  }
  const sn_status status =
      unpacked->codec == NULL ? sn__mcap_codec_open(&unpacked->codec, err) : SN_OK;
  if (status != SN_OK) {
    return status;
  }
  /* One byte at least, since libraries may refuse NULL. */
  return reserve(&unpacked->packed, &unpacked->packed_room, (size_t)head->size + 1) &&
                 reserve(&unpacked->bytes, &unpacked->room, (size_t)head->uncompressed_size + 1)
             ? SN_OK
             : sn__fail(err, SN_ENOMEM,
                        "byte %" PRIu64 ": no memory for a chunk of %" PRIu64 " bytes", at,
                        head->uncompressed_size);
}

static sn_status enter_compressed(sn_mcap_reader *reader, const chunk_head *head,
                                  sn_mcap_compression compression, uint64_t at, sn_error *err) {
  const sn_mcap_source *source = &reader->source;
  sn__mcap_unpacked *unpacked = &reader->unpacked;
  sn_status status = make_room(reader, head, at, err);
  if (status != SN_OK) {
    return status;
  }
  status = source->read(source->context, head->at, unpacked->packed, (size_t)head->size, err);
  if (status != SN_OK) {
    reader->is_at_end = true;
    return status;
  }
  const size_t size = (size_t)head->uncompressed_size;
  if (!sn__mcap_unpack(unpacked->codec, compression, unpacked->packed, (size_t)head->size,
                       unpacked->bytes, size)) {
    return sn__fail(err, SN_ESYNTAX,
                    "byte %" PRIu64
                    ": a chunk is damaged: its %s does not decompress to %zu bytes, as it says",
                    at, sn__mcap_compression_name(compression), size);
  }
  const uint32_t crc = head->crc == 0 ? 0 : sn__crc32(&reader->crc_table, 0, unpacked->bytes, size);
  status = compare_sums(crc, head->crc, at, err);
  if (status == SN_OK) {
    unpacked->at = at;
    reader->inner = 0;
    reader->inner_end = size;
  }
  return status;
}

bool sn__mcap_find_unpacked(const sn_mcap_reader *reader, sn__mcap_record *record) {
  const uint64_t left = reader->inner_end - reader->inner;
  sn__mcap_in in = {reader->unpacked.bytes + reader->inner, (size_t)left, 0, false};
  record->opcode = (uint8_t)sn__mcap_take_number(&in, 1);
  record->size = sn__mcap_take_number(&in, 8);
  record->at = reader->unpacked.at;
  record->bytes = in.bytes + in.used;
  return !in.is_short && record->size <= left - SN__MCAP_PREFIX;
}

void sn__mcap_free_unpacked(sn__mcap_unpacked *unpacked) {
  sn__mcap_codec_close(unpacked->codec);
  free(unpacked->packed);
  free(unpacked->bytes);
  *unpacked = (sn__mcap_unpacked){0};
}

sn_status sn__mcap_enter_chunk(sn_mcap_reader *reader, const sn__mcap_record *record,
                               sn__mcap_in in, sn_error *err) {
  const chunk_head head = parse_chunk(record, in);
  reader->info.chunks++;
  reader->unpacked.at = 0;
  if (!head.is_good) {
    return sn__fail(err, SN_ESYNTAX, "byte %" PRIu64 ": a chunk is damaged: it is too short",
                    record->at);
  }
  if (is_called(head.compression, SN_MCAP_PLAIN)) {
    return enter_plain(reader, &head, record->at, err);
  }
  for (sn_mcap_compression i = SN_MCAP_ZSTD; i <= SN_MCAP_LZ4; i++) {
    if (is_called(head.compression, i)) {
      return enter_compressed(reader, &head, i, record->at, err);
    }
  }
  return sn__fail(err, SN_EUNSUPPORTED,
                  "byte %" PRIu64
                  ": a chunk is compressed by '%.*s', expected zstd or lz4; 'mcap decompress' "
                  "makes a file without compression",
                  record->at, (int)(head.compression.size < 32 ? head.compression.size : 32),
                  head.compression.data);
}
