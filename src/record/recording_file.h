/** @file
 *  Internal: the file of a recording, readable up to the last save whenever the process is killed
 *  or the disk is full. */
#ifndef SN_RECORD_RECORDING_FILE_H
#define SN_RECORD_RECORDING_FILE_H

#include "record/mcap_writer.h"

typedef struct sn__recording_file {
  int fd; /**< -1: closed */
  const char *path;
  bool is_regular; /**< others, as /dev/null, cannot be read back: nothing is saved */
  uint64_t end;    /**< of what is complete */
  size_t saved;    /**< bytes of the buffered chunk in its copy behind the gap; 0: no copy */

  bool is_in_chunk;
  uint8_t head[SN__MCAP_CHUNK_HEAD_MAX]; /**< of the chunk; kept until the rest is written */
  size_t head_size;
  uint64_t chunk_size; /**< bytes of the chunk so far, with its head */
} sn__recording_file;

/** Create or replace a file. Close it in any case.
 *  @param path  not copied
 *  @return SN_OK, SN_EIO */
sn_status sn__recording_file_open(sn__recording_file *file, const char *path, sn_error *err);
sn_status sn__recording_file_close(sn__recording_file *file, sn_error *err);

/** The operations of sn_mcap_sink. */
sn_status sn__recording_file_write(sn__recording_file *file, const void *bytes, size_t size,
                                   sn_error *err);
sn_status sn__recording_file_begin_chunk(sn__recording_file *file, const sn_mcap_writer *writer,
                                         sn_error *err);
sn_status sn__recording_file_end_chunk(sn__recording_file *file, sn_error *err);

/** Copy the buffered chunk into the file.
 *  @return SN_OK, SN_EIO: the disk may be full; what was saved before can still be read */
sn_status sn__recording_file_save(sn__recording_file *file, const sn_mcap_writer *writer,
                                  sn_error *err);

#endif
