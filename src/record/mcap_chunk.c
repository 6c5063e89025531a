/* Chunks of an MCAP file: buffered records, written with the index of their messages. */
#include "record/mcap_writer.h"

void sn__mcap_widen(sn__mcap_span *span, bool is_first, int64_t start_ns, int64_t end_ns) {
  span->start_ns = is_first || start_ns < span->start_ns ? start_ns : span->start_ns;
  span->end_ns = is_first || end_ns > span->end_ns ? end_ns : span->end_ns;
}

const char *sn__mcap_compression_name(sn_mcap_compression compression) {
  return compression == SN_MCAP_ZSTD ? "zstd" : compression == SN_MCAP_LZ4 ? "lz4" : "";
}

size_t sn__mcap_chunk_head(const sn_mcap_writer *writer, const sn__mcap_body *body,
                           uint8_t head[SN__MCAP_CHUNK_HEAD_MAX]) {
  sn__mcap_out out = {head, SN__MCAP_CHUNK_HEAD_MAX, 0};
  sn__mcap_begin(&out, SN__MCAP_CHUNK);
  sn__mcap_put_number(&out, (uint64_t)writer->chunk_span.start_ns, 8);
  sn__mcap_put_number(&out, (uint64_t)writer->chunk_span.end_ns, 8);
  sn__mcap_put_number(&out, writer->chunk.used, 8);
  sn__mcap_put_number(&out, body->crc, 4);
  sn__mcap_put_text(&out, sn__mcap_compression_name(body->compression));
  sn__mcap_put_number(&out, body->size, 8);
  sn__mcap_set_number(&out, 1, out.used - SN__MCAP_PREFIX + body->size, 8);
  return out.used;
}

uint64_t sn__mcap_chunk_bound(const sn_mcap_writer *writer) {
  const size_t body =
      writer->packed.size > writer->chunk.size ? writer->packed.size : writer->chunk.size;
  const size_t index_head = SN__MCAP_PREFIX + 2 + 4;
  return SN__MCAP_CHUNK_HEAD_MAX + (uint64_t)body + index_head * writer->config.channel_max +
         16 * (uint64_t)writer->entry_max;
}

/* A chunk that does not become smaller stays as it is: there is nothing to gain for readers. */
static sn__mcap_body pack(sn_mcap_writer *writer) {
  const sn__mcap_out *chunk = &writer->chunk;
  sn__mcap_body body = {
      .compression = SN_MCAP_PLAIN,
      .bytes = chunk->bytes,
      .size = chunk->used,
      .crc = sn__crc32(&writer->crc_table, 0, chunk->bytes, chunk->used),
  };
  if (writer->codec != NULL) {
    const size_t size = sn__mcap_pack(writer->codec, writer->config.compression, chunk->bytes,
                                      chunk->used, writer->packed.bytes, writer->packed.size);
    if (size > 0 && size < chunk->used) {
      body.compression = writer->config.compression;
      body.bytes = writer->packed.bytes;
      body.size = size;
    }
  }
  return body;
}

static sn_status emit_chunk(sn_mcap_writer *writer, const sn__mcap_body *body, sn_error *err) {
  uint8_t head[SN__MCAP_CHUNK_HEAD_MAX];
  const size_t size = sn__mcap_chunk_head(writer, body, head);
  const sn_status status = sn__mcap_emit(writer, head, size, err);
  return status != SN_OK ? status : sn__mcap_emit(writer, body->bytes, body->size, err);
}

static sn_status notify(sn_mcap_writer *writer, sn_status (*hook)(void *, sn_error *),
                        sn_error *err) {
  sn_error failure = {SN_OK, ""};
  const sn_status status = hook == NULL ? SN_OK : hook(writer->config.sink.context, &failure);
  return status == SN_OK ? SN_OK : sn__mcap_stop_writing(writer, status, &failure, err);
}

/* The message index of one channel in the preceding chunk. */
static sn_status emit_message_index(sn_mcap_writer *writer, size_t id, sn_error *err) {
  uint8_t bytes[1024];
  sn__mcap_out out = {bytes, sizeof bytes, 0};
  size_t count = 0;
  for (uint32_t i = writer->channels[id].first; i != SN__MCAP_NONE; i = writer->entries[i].next) {
    count++;
  }
  sn__mcap_begin(&out, SN__MCAP_MESSAGE_INDEX);
  sn__mcap_put_number(&out, id, 2);
  sn__mcap_put_number(&out, count * 16, 4);
  sn__mcap_set_number(&out, 1, 2 + 4 + count * 16, 8);
  for (uint32_t i = writer->channels[id].first; i != SN__MCAP_NONE; i = writer->entries[i].next) {
    if (out.used + 16 > out.size) {
      const sn_status status = sn__mcap_emit(writer, out.bytes, out.used, err);
      if (status != SN_OK) {
        return status;
      }
      out.used = 0;
    }
    sn__mcap_put_number(&out, (uint64_t)writer->entries[i].log_ns, 8);
    sn__mcap_put_number(&out, writer->entries[i].offset, 8);
  }
  return sn__mcap_emit(writer, out.bytes, out.used, err);
}

/* Write all message indexes, and add the chunk to the index of the summary. If one chunk does
   not fit there the whole index is dropped: readers take it as complete. */
static sn_status emit_indexes(sn_mcap_writer *writer, const sn__mcap_body *body,
                              uint64_t chunk_start, sn_error *err) {
  sn__mcap_out *index = &writer->index;
  const uint64_t chunk_length = writer->offset - chunk_start;
  const uint64_t indexes_start = writer->offset;
  const size_t record = sn__mcap_begin(index, SN__MCAP_CHUNK_INDEX);
  sn__mcap_put_number(index, (uint64_t)writer->chunk_span.start_ns, 8);
  sn__mcap_put_number(index, (uint64_t)writer->chunk_span.end_ns, 8);
  sn__mcap_put_number(index, chunk_start, 8);
  sn__mcap_put_number(index, chunk_length, 8);
  const size_t map = index->used;
  sn__mcap_put_number(index, 0, 4);
  for (size_t id = 0; id < writer->channel_count; id++) {
    if (writer->channels[id].first == SN__MCAP_NONE) {
      continue;
    }
    sn__mcap_put_number(index, id, 2);
    sn__mcap_put_number(index, writer->offset, 8);
    const sn_status status = emit_message_index(writer, id, err);
    if (status != SN_OK) {
      return status;
    }
  }
  sn__mcap_set_number(index, map, index->used - map - 4, 4);
  sn__mcap_put_number(index, writer->offset - indexes_start, 8);
  sn__mcap_put_text(index, sn__mcap_compression_name(body->compression));
  sn__mcap_put_number(index, body->size, 8);
  sn__mcap_put_number(index, writer->chunk.used, 8);
  sn__mcap_end(index, record);
  writer->is_indexed = sn__mcap_fits(index);
  return SN_OK;
}

void sn__mcap_begin_chunk(sn_mcap_writer *writer) {
  writer->chunk.used = 0;
  writer->entry_count = 0;
  writer->chunk_span = (sn__mcap_span){0, 0};
  for (size_t id = 0; id < writer->channel_count; id++) {
    writer->channels[id].first = SN__MCAP_NONE;
  }
}

sn_status sn__mcap_writer_flush(sn_mcap_writer *writer, sn_error *err) {
  sn_status status = sn__mcap_check_open(writer, err);
  if (status != SN_OK || writer->entry_count == 0) {
    return status;
  }
  const sn_mcap_sink *sink = &writer->config.sink;
  const sn__mcap_body body = pack(writer);
  const uint64_t start = writer->offset;
  status = notify(writer, sink->begin_chunk, err);
  if (status == SN_OK) {
    status = emit_chunk(writer, &body, err);
  }
  if (status == SN_OK && !writer->config.is_without_index) {
    status = emit_indexes(writer, &body, start, err);
  }
  if (status == SN_OK) {
    status = notify(writer, sink->end_chunk, err);
  }
  if (status == SN_OK) {
    sn__mcap_widen(&writer->span, writer->chunk_count == 0, writer->chunk_span.start_ns,
                   writer->chunk_span.end_ns);
    writer->chunk_count++;
    sn__mcap_begin_chunk(writer);
  }
  return status;
}

sn__mcap_out sn__mcap_scratch(sn_mcap_writer *writer) {
  const sn__mcap_out *chunk = &writer->chunk;
  return (sn__mcap_out){chunk->bytes + chunk->used, chunk->size - chunk->used, 0};
}
