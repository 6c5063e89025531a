/** @file
 *  MCAP recordings, for Foxglove, PlotJuggler and the tools of ROS 2 (https://mcap.dev/spec).
 *  Messages are CDR, their definitions are in the file.
 *
 *  Writer and reader allocate at creation only, however long the recording is; buffers of
 * compressed chunks are allocated with the first one and bounded. A truncated file (the process was
 * killed, the disk was full) can be read up to the last complete record. */
#ifndef SN_RECORD_MCAP_H
#define SN_RECORD_MCAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/msg.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/* ---- writing ---- */

/** What chunks are compressed with. */
typedef enum sn_mcap_compression { SN_MCAP_PLAIN, SN_MCAP_ZSTD, SN_MCAP_LZ4 } sn_mcap_compression;

/** Where the bytes go. */
typedef struct sn_mcap_sink {
  /** Append all bytes.
   *  @return SN_OK, or a status with its reason in @p err; then it is not called again */
  sn_status (*write)(void *context, const void *bytes, size_t size, sn_error *err);
  void *context;
  /** Called before and after a chunk with the indexes of its messages is written, which begins with
   *  the header of the chunk in one call of write(); NULL: no call. The statuses are those of
   *  write(). */
  sn_status (*begin_chunk)(void *context, sn_error *err);
  sn_status (*end_chunk)(void *context, sn_error *err);
} sn_mcap_sink;

/** Zero-initialise, set the sink, then what differs. The writer's memory is about twice the chunk
 *  plus the index, and another chunk if it compresses. */
typedef struct sn_mcap_writer_config {
  sn_mcap_sink sink;
  size_t channel_max;        /**< 1 .. 65535; 0 means 256 */
  size_t chunk_size;         /**< bytes of a chunk, also the limit of a message: 2^14 .. 2^26;
                                  0 means 2^20 */
  int64_t chunk_duration_ns; /**< log time after which a chunk is written; 0 means 1 s */
  size_t index_size;     /**< bytes for the index of chunks, up to 2^30; 0 means 2^22, enough for
                              ten thousand chunks of thirty channels. A longer recording is complete
                              but has no index */
  bool is_without_index; /**< neither chunks nor messages are indexed: 16 bytes a message less, but
                              other programs read the whole file to find a time in it */
  sn_mcap_compression compression; /**< plain if Sinew was built without the libraries */
} sn_mcap_writer_config;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_mcap_writer sn_mcap_writer;

/** Counters of a writer. */
typedef struct sn_mcap_counts {
  uint64_t messages;
  uint64_t chunks;
  uint64_t bytes; /**< given to the sink */
  bool is_indexed;
} sn_mcap_counts;

/** Create a writer and write the beginning of the file. End a writer that compresses with
 *  sn__mcap_writer_close().
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EINVAL (sizes), SN_ENOMEM, or what the sink returned
 *  RT: no, allocates.  Threads: one owner of the arena. */
sn_status sn__mcap_writer_create(sn_arena *arena, const sn_mcap_writer_config *config,
                                 sn_mcap_writer **out, sn_error *err);

/** Add a channel; at any time. Its definition is written at once.
 *  @param topic    as `/plant/joints`; copied, up to 255 bytes
 *  @param channel  its number, for sn__mcap_writer_write()
 *  @return SN_OK, SN_ELIMIT (no channels left), SN_EINVAL (topic empty or too long), SN_ENOSPC (the
 *          definition does not fit into a chunk), SN_ESTOPPED (the writer failed or finished
 *          before), or what the sink returned
 *  RT: no.  Threads: owner of the writer. */
sn_status sn__mcap_writer_add(sn_mcap_writer *writer, const char *topic, const sn_msg_type *type,
                              size_t *channel, sn_error *err);

/** Write a message of the channel's type. After the first failure of the sink nothing is written
 *  any more.
 *  @param log_ns      when it is recorded, not negative; readers sort and search by it
 *  @param publish_ns  when it was sent, not negative
 *  @return SN_OK, SN_EINVAL (a time is negative), SN_ENOSPC (larger than a chunk: skipped),
 *          SN_ELIMIT (a time in it is out of the range of CDR: skipped), SN_ESTOPPED, or what the
 *          sink returned
 *  RT: no, calls the sink.  Threads: owner of the writer. */
sn_status sn__mcap_writer_write(sn_mcap_writer *writer, size_t channel, int64_t log_ns,
                                int64_t publish_ns, const void *msg, sn_error *err);

/** Write a metadata record: pairs of key and value under a name. It must fit into a chunk.
 *  @param pairs  2 * @p count texts: key, value, key, …
 *  @return SN_OK, SN_ENOSPC, SN_ELIMIT (more than 16 of them), SN_ESTOPPED, or the sink's */
sn_status sn__mcap_writer_note(sn_mcap_writer *writer, const char *name, const char *const *pairs,
                               size_t count, sn_error *err);

/** Attach a file. It need not fit into a chunk.
 *  @param name, media_type  up to 63 bytes each: `deployment.yaml`, `application/yaml`
 *  @return SN_OK, SN_ELIMIT (more than 16, or a long name), SN_ESTOPPED, or the sink's */
sn_status sn__mcap_writer_attach(sn_mcap_writer *writer, const char *name, const char *media_type,
                                 const void *bytes, size_t size, sn_error *err);

/** Write what is buffered to the sink.
 *  @return SN_OK, SN_ESTOPPED, or what the sink returned */
sn_status sn__mcap_writer_flush(sn_mcap_writer *writer, sn_error *err);

/** Write what is buffered, the summary and the end of the file. Nothing can be written afterwards.
 *  @return SN_OK, SN_ESTOPPED, or what the sink returned */
sn_status sn__mcap_writer_finish(sn_mcap_writer *writer, sn_error *err);

/** Free what the compression has allocated; before the arena is released. NULL is allowed. */
void sn__mcap_writer_close(sn_mcap_writer *writer);

/** RT: yes.  Threads: owner. */
sn_mcap_counts sn__mcap_writer_counts(const sn_mcap_writer *writer) SN_RT;

/* ---- reading ---- */

/** Source of the bytes. */
typedef struct sn_mcap_source {
  uint64_t size; /**< of all, bytes */
  /** Read exactly @p size bytes from @p offset; both are within the file.
   *  @return SN_OK, or a status with its reason in @p err */
  sn_status (*read)(void *context, uint64_t offset, void *bytes, size_t size, sn_error *err);
  void *context;
} sn_mcap_source;

/** Zero-initialise, then set what differs. */
typedef struct sn_mcap_reader_config {
  const char *topic;  /**< read only messages of this topic; NULL: all. Not copied */
  size_t channel_max; /**< 1 .. 65535; 0 means 1024 */
  size_t text_size;   /**< bytes for all names of topics and types; 0 means 2^18 */
  size_t record_size; /**< bytes of the largest message; 2^12 .. 2^30; 0 means 2^20 */
  size_t chunk_size;  /**< bytes of the largest compressed chunk, before and after decompression,
                           which takes as much memory; up to 2^30; 0 means 2^26 */
} sn_mcap_reader_config;

/** A channel of a file. Texts are as in the file: sanitise them before printing to a terminal. */
typedef struct sn_mcap_channel {
  uint16_t id;
  const char *topic;
  const char *encoding;        /**< of messages: `cdr`, `ros1`, `json`, … */
  const char *schema;          /**< name of the type; may be empty */
  const char *schema_encoding; /**< `ros2msg`, …; may be empty */
  const sn_msg_type *type;     /**< Sinew's type of that name if it can be decoded, or NULL */
  uint64_t count;              /**< messages seen so far */
  int64_t first_ns, last_ns;   /**< earliest and latest log time seen so far */
} sn_mcap_channel;

/** One message of a file. */
typedef struct sn_mcap_message {
  const sn_mcap_channel *channel;
  uint32_t sequence;
  int64_t log_ns, publish_ns; /**< INT64_MAX if the file has a larger value */
  const void *data;           /**< valid until the next call of the reader */
  size_t size;
} sn_mcap_message;

/** Facts about a file. */
typedef struct sn_mcap_file_info {
  const char *profile, *library; /**< texts as in the file; cut to 63 bytes */
  uint64_t chunks;               /**< seen so far */
  uint64_t damaged;              /**< invalid records so far */
  bool is_complete;              /**< the reader has reached the regular end of the file */
} sn_mcap_file_info;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_mcap_reader sn_mcap_reader;

/** Create a reader and read the beginning of the file. End with sn__mcap_reader_close().
 *  @return SN_OK, SN_EINVAL (sizes), SN_ENOMEM, SN_ESYNTAX (not an MCAP file), or what the source
 *  returned
 *  RT: no, allocates.  Threads: one owner of the arena. */
sn_status sn__mcap_reader_create(sn_arena *arena, const sn_mcap_source *source,
                                 const sn_mcap_reader_config *config, sn_mcap_reader **out,
                                 sn_error *err);

/** The same for a file, which is read up to the size that it has now.
 *  @param config  NULL means all defaults
 *  @return as sn__mcap_reader_create(), or SN_EIO: the file cannot be read */
SN_API sn_status sn__mcap_reader_load(sn_arena *arena, const char *path,
                                      const sn_mcap_reader_config *config, sn_mcap_reader **out,
                                      sn_error *err);

/** The same for an open file of @p size bytes. The descriptor is closed with the reader; at once if
 *  the call fails. */
SN_API sn_status sn__mcap_reader_open(sn_arena *arena, int file, uint64_t size,
                                      const sn_mcap_reader_config *config, sn_mcap_reader **out,
                                      sn_error *err);

/** Close the file and free the memory of compressed chunks. NULL is allowed. RT: no.  Threads:
 * owner.
 */
SN_API void sn__mcap_reader_close(sn_mcap_reader *reader);

/** Read the next message, in file order. Unknown records are skipped; the checksum of a chunk is
 *  verified before its first message. An incomplete record at the end counts as the end; see
 *  sn__mcap_reader_info().
 *  @return SN_OK; SN_ENOENT: no more messages; what the source returned; or for an invalid record,
 *          after which the next call continues: SN_ESYNTAX (damaged), SN_EUNSUPPORTED (an unknown
 *          compression), SN_ELIMIT (larger than the configuration allows), SN_ENOMEM, with its
 * place in @p err; for records in compressed chunks, that of the chunk RT: no, calls the source.
 * Threads: owner of the reader. */
SN_API sn_status sn__mcap_reader_next(sn_mcap_reader *reader, sn_mcap_message *message,
                                      sn_error *err);

/** Start again at the first message. Known channels are kept, their counts are reset. */
SN_API void sn__mcap_reader_rewind(sn_mcap_reader *reader);

/** A part of a file that can be read on its own: a chunk, or some records outside of chunks. */
typedef struct sn_mcap_part {
  uint64_t at;              /**< offset in the file */
  int64_t start_ns, end_ns; /**< earliest and latest log time of its messages */
} sn_mcap_part;

/** The parts of a file in file order. All zero is an empty list. */
typedef struct sn_mcap_parts {
  sn_mcap_part *items; /**< free() */
  size_t count, capacity;
} sn_mcap_parts;

/** Read the whole file once: afterwards all channels are known with their counts and times, and the
 *  reader is at the first message again. Times are those of the messages, since those in the
 * headers and the index of a file may be wrong. Damaged records are skipped and counted.
 *  @param parts  receives the parts with messages; 64 kB of the file at least for each
 *  @return SN_OK, SN_ENOMEM, or what the source returned; then @p err has the reason
 *  RT: no.  Threads: owner of the reader. */
SN_API sn_status sn__mcap_reader_survey(sn_mcap_reader *reader, sn_mcap_parts *parts,
                                        uint64_t *damaged, sn_error *err);

/** Go to the first message of a part. Counts of channels go on. */
SN_API void sn__mcap_reader_seek(sn_mcap_reader *reader, const sn_mcap_part *part);

/** Decode a message into one of the type of its channel: CDR, ROS 1 or JSON.
 *  @param msg  of type `message->channel->type`; unchanged if the call fails
 *  @return as sn_cdr_read(), sn__ros1_read() and sn_msg_from_json(); SN_EUNSUPPORTED: the channel
 *          has no known type */
SN_API sn_status sn__mcap_decode(const sn_mcap_message *message, void *msg, sn_error *err);

/** The first attachment with this name, of at most 64 MB. Does not change the position of
 *  sn__mcap_reader_next().
 *  @param arena  of the contents, which end with a NUL
 *  @return SN_OK; SN_ENOENT: no such attachment; SN_ESYNTAX: it is damaged; SN_ELIMIT, SN_ENOMEM,
 *          or what the source returned.  RT: no.  Threads: owner of the reader. */
SN_API sn_status sn__mcap_reader_attachment(sn_mcap_reader *reader, const char *name,
                                            sn_arena *arena, const char **data, size_t *size,
                                            sn_error *err);

/** The value of @p key in the metadata record @p name; @p index counts records of that name. A long
 *  text is cut.
 *  @return SN_OK; SN_ENOENT: no such record or key; or what the source returned */
SN_API sn_status sn__mcap_reader_note(sn_mcap_reader *reader, const char *name, size_t index,
                                      const char *key, char *out, size_t size, sn_error *err);

/** What a file says about itself at its beginning and its end. */
typedef struct sn_mcap_overview {
  bool is_closed;           /**< it has a regular end: it is not being written, or was cut off */
  bool has_statistics;      /**< the following are known */
  uint64_t messages;        /**< their number */
  int64_t start_ns, end_ns; /**< earliest and latest log time; 0 without messages */
  char robot[64];           /**< as the recorder has noted; empty: unknown. A long name is cut */
} sn_mcap_overview;

/** The overview of a file of any length, by reading about 300 kB at most. Chunks are neither read
 *  nor checked. Does not change the position of sn__mcap_reader_next().
 *  @return SN_OK; SN_ESYNTAX: its end is damaged, as @p err says; or what the source returned */
SN_API sn_status sn__mcap_reader_overview(sn_mcap_reader *reader, sn_mcap_overview *out,
                                          sn_error *err);

/** Channels seen so far, by ascending id. Pointers change with the next call of the reader. */
SN_API size_t sn__mcap_reader_channel_count(const sn_mcap_reader *reader);
SN_API const sn_mcap_channel *sn__mcap_reader_channel_at(const sn_mcap_reader *reader,
                                                         size_t index);

SN_API sn_mcap_file_info sn__mcap_reader_info(const sn_mcap_reader *reader);

SN_END_DECLS

#endif
