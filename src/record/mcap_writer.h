/** @file
 *  Internal: the writer of MCAP files: chunks, channels, attachments and the summary. */
#ifndef SN_RECORD_MCAP_WRITER_H
#define SN_RECORD_MCAP_WRITER_H

#include "record/coding/crc32.h"
#include "record/coding/mcap_codec.h"
#include "record/mcap.h"
#include "record/mcap_format.h"

#define SN__MCAP_NOTES_MAX 16
#define SN__MCAP_NOTE_NAME_MAX 63

#define SN__MCAP_ATTACHMENTS_MAX 16

/** The end of a list of messages. */
#define SN__MCAP_NONE UINT32_MAX

typedef struct sn__mcap_out_channel {
  const sn_msg_type *type;
  const char *topic;
  uint16_t schema;      /**< id, from 1 */
  bool defines_schema;  /**< the first channel of its type */
  uint32_t sequence;    /**< of the next message */
  uint64_t count;       /**< messages in the file */
  uint32_t first, last; /**< messages in the chunk: a list of sn__mcap_entry */
} sn__mcap_out_channel;

/** One message of the chunk. */
typedef struct sn__mcap_entry {
  int64_t log_ns;
  uint32_t offset; /**< of its record in the chunk */
  uint32_t next;   /**< of the same channel */
} sn__mcap_entry;

typedef struct sn__mcap_note {
  uint64_t offset, length;
  char name[SN__MCAP_NOTE_NAME_MAX + 1];
} sn__mcap_note;

typedef struct sn__mcap_attachment {
  uint64_t offset, length, data_size;
  char name[SN__MCAP_NOTE_NAME_MAX + 1];
  char media_type[SN__MCAP_NOTE_NAME_MAX + 1];
} sn__mcap_attachment;

/** Earliest and latest log time; zeros without messages. */
typedef struct sn__mcap_span {
  int64_t start_ns, end_ns;
} sn__mcap_span;

struct sn_mcap_writer {
  sn_mcap_writer_config config;
  bool is_stopped;  /**< finished, or the sink failed */
  char reason[200]; /**< why it failed */
  uint64_t offset;  /**< bytes given to the sink */
  uint32_t crc;     /**< of the section that is being written */
  sn__crc32_table crc_table;

  sn__mcap_out_channel *channels; /**< [channel_max] ids are positions */
  size_t channel_count;
  uint16_t schema_count;
  char *texts; /**< topics */
  size_t text_size, text_used;

  sn__mcap_out chunk; /**< buffered records */
  sn__mcap_entry *entries;
  size_t entry_count, entry_max;
  sn__mcap_span chunk_span, span;
  sn__mcap_codec *codec; /**< NULL: chunks are plain */
  sn__mcap_out packed;   /**< the compressed chunk */

  sn__mcap_out index; /**< records of type chunk index, for the summary */
  bool is_indexed;    /**< it contains all chunks */
  uint64_t message_count, chunk_count;
  sn__mcap_note notes[SN__MCAP_NOTES_MAX];
  size_t note_count;
  sn__mcap_attachment attachments[SN__MCAP_ATTACHMENTS_MAX];
  size_t attachment_count;
};

/** Write bytes to the sink and add them to the checksum of the section. */
sn_status sn__mcap_emit(sn_mcap_writer *writer, const void *bytes, size_t size, sn_error *err);

/** Memory for a record that is written at once: the free part of the chunk, or all of it after a
 *  flush. */
sn__mcap_out sn__mcap_scratch(sn_mcap_writer *writer);

/** The records of a channel: the definition of its type, and its own. */
void sn__mcap_put_schema(sn__mcap_out *out, uint16_t id, const sn_msg_type *type);
void sn__mcap_put_channel(sn__mcap_out *out, size_t id, const sn__mcap_out_channel *channel);

#define SN__MCAP_CHUNK_HEAD_MAX 64

/** The records of a chunk as they are in the file. */
typedef struct sn__mcap_body {
  sn_mcap_compression compression;
  const uint8_t *bytes;
  size_t size;
  uint32_t crc; /**< of the uncompressed records; 0: unknown */
} sn__mcap_body;

/** Write the header of the current chunk.
 *  @return its size in bytes */
size_t sn__mcap_chunk_head(const sn_mcap_writer *writer, const sn__mcap_body *body,
                           uint8_t head[SN__MCAP_CHUNK_HEAD_MAX]);

/** Largest number of bytes of a chunk with its indexes. */
uint64_t sn__mcap_chunk_bound(const sn_mcap_writer *writer);

/** Start an empty chunk. */
void sn__mcap_begin_chunk(sn_mcap_writer *writer);

/** Extend a span, or set it if it @p is_first. */
void sn__mcap_widen(sn__mcap_span *span, bool is_first, int64_t start_ns, int64_t end_ns);

/** The sink failed: nothing is written any more. @return @p status, with the reason in @p err */
sn_status sn__mcap_stop_writing(sn_mcap_writer *writer, sn_status status, const sn_error *failure,
                                sn_error *err);

/** Fail if the writer has failed or finished before. */
sn_status sn__mcap_check_open(const sn_mcap_writer *writer, sn_error *err);

#endif
