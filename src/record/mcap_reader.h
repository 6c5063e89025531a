/** @file
 *  Internal: the reader of MCAP files. A window slides over the source; records are read in place.
 */
#ifndef SN_RECORD_MCAP_READER_H
#define SN_RECORD_MCAP_READER_H

#include "record/coding/crc32.h"
#include "record/coding/mcap_codec.h"
#include "record/mcap.h"
#include "record/mcap_format.h"

typedef struct sn__mcap_schema {
  uint16_t id;
  const char *name, *encoding;
} sn__mcap_schema;

/** A record of the file, or of a chunk in it. */
typedef struct sn__mcap_record {
  uint8_t opcode;
  uint64_t at;          /**< offset of its contents in the file, or of its compressed chunk */
  uint64_t size;        /**< of its contents */
  const uint8_t *bytes; /**< of its contents, if they were compressed; NULL: they are in the file */
} sn__mcap_record;

/** The compressed chunk that is being read. The memory stays for the next one. */
typedef struct sn__mcap_unpacked {
  sn__mcap_codec *codec; /**< NULL: no compressed chunk so far */
  uint64_t at;           /**< offset of the chunk in the file; 0: none is being read */
  uint8_t *packed, *bytes;
  size_t packed_room, room;
} sn__mcap_unpacked;

struct sn_mcap_reader {
  sn_mcap_source source;
  sn_mcap_reader_config config;
  sn__crc32_table crc_table;

  uint8_t *window;
  size_t window_size;    /**< room */
  uint64_t window_start; /**< offset in the file */
  size_t window_used;    /**< bytes of the file in it */

  uint64_t first;     /**< offset of the record after the header */
  uint64_t next;      /**< offset of the next record of the file */
  uint64_t record_at; /**< offset of the record before it, with its prefix */
  uint64_t inner;     /**< offset of the next record of the chunk, in the file or in unpacked */
  uint64_t inner_end; /**< end of the chunk; equal to inner: no chunk */
  sn__mcap_unpacked unpacked;
  bool is_at_end;

  sn_mcap_channel *channels; /**< [channel_max], by id */
  uint16_t *channel_schemas; /**< [channel_max], parallel to the channels */
  size_t channel_count;
  sn__mcap_schema *schemas; /**< [channel_max], by id */
  size_t schema_count;
  char *texts; /**< all names */
  size_t text_used;

  char profile[64], library[64];
  sn_mcap_file_info info;
  int file; /**< descriptor, or -1 */
};

/** @p size bytes of the file, at most the size of the window.
 *  @return NULL if the source failed, with the status and the reason */
const uint8_t *sn__mcap_view(sn_mcap_reader *reader, uint64_t at, size_t size, sn_status *status,
                             sn_error *err);

/** Largest attachment that is read. */
#define SN__MCAP_ATTACHMENT_SIZE_MAX (64u << 20)

/** Is it this name? */
bool sn__mcap_text_is(sn__mcap_text text, const char *name);

/** The value of a key in a metadata record, cut to @p size.
 *  @param in  behind the name of the record
 *  @return false: it has no such key */
bool sn__mcap_note_value(sn__mcap_in in, const char *key, char *out, size_t size);

/** The record at an offset.
 *  @return false: no complete record before @p end, or the source failed */
bool sn__mcap_find_record(sn_mcap_reader *reader, uint64_t at, uint64_t end,
                          sn__mcap_record *record, sn_status *status, sn_error *err);

/** The contents of a record, truncated to the window. */
bool sn__mcap_view_record(sn_mcap_reader *reader, const sn__mcap_record *record, sn__mcap_in *in,
                          sn_status *status, sn_error *err);

/** Begin to read the records of a chunk, once it is known to be undamaged.
 *  @return as sn__mcap_reader_next() */
sn_status sn__mcap_enter_chunk(sn_mcap_reader *reader, const sn__mcap_record *record,
                               sn__mcap_in in, sn_error *err);

/** The next record of a compressed chunk. @return false: no complete record */
bool sn__mcap_find_unpacked(const sn_mcap_reader *reader, sn__mcap_record *record);

/** Free the memory of compressed chunks. */
void sn__mcap_free_unpacked(sn__mcap_unpacked *unpacked);

/** Store a schema or channel record. @return SN_OK, SN_ESYNTAX or SN_ELIMIT */
sn_status sn__mcap_learn_schema(sn_mcap_reader *reader, sn__mcap_in in, uint64_t at, sn_error *err);
sn_status sn__mcap_learn_channel(sn_mcap_reader *reader, sn__mcap_in in, uint64_t at,
                                 sn_error *err);

/** @return NULL if it is not defined yet */
sn_mcap_channel *sn__mcap_channel_find(sn_mcap_reader *reader, uint16_t id);

#endif
