/* The file of a recording. A process can be killed at any moment, and the file must still have
   everything that was saved, so the messages that are buffered are in it twice while a chunk is
   being completed:

     complete chunks | gap of `room` bytes: one record that readers skip | copy of the buffered
   chunk

   The copy is plain and grows with every save. The complete chunk, usually compressed, is written
   into the gap with its header last; then the file ends behind it, and the copy is gone. */
#define _POSIX_C_SOURCE 200809L

#include "record/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

/* MCAP leaves these opcodes to applications; readers skip such records. */
enum { GAP_OPCODE = 0x80 };

/* A record that goes beyond the end of any file, which readers take for the end. */
#define ENDLESS (UINT64_C(1) << 62)

static sn_status fail(const sn__recording_file *file, sn_error *err) {
  return sn__fail(err, SN_EIO, "cannot write %s: %s", file->path, strerror(errno));
}

sn_status sn__recording_file_open(sn__recording_file *file, const char *path, sn_error *err) {
  struct stat facts;
  *file = (sn__recording_file){.path = path};
  /* Opening a pipe must not block. */
  file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file->fd < 0 || fstat(file->fd, &facts) != 0) {
    return fail(file, err);
  }
  if (S_ISFIFO(facts.st_mode)) {
    return sn__fail(err, SN_EIO, "cannot write %s: it is a pipe, expected a file", path);
  }
  file->is_regular = S_ISREG(facts.st_mode);
  return SN_OK;
}

sn_status sn__recording_file_close(sn__recording_file *file, sn_error *err) {
  const bool is_good = file->fd < 0 || close(file->fd) == 0 || errno == EINTR;
  file->fd = -1;
  return is_good ? SN_OK : fail(file, err);
}

/* ---- bytes at a place ---- */

static sn_status write_at(const sn__recording_file *file, const void *bytes, size_t size,
                          uint64_t at, sn_error *err) {
  for (size_t done = 0; done < size;) {
    const char *from = (const char *)bytes + done;
    const ssize_t got = file->is_regular ? pwrite(file->fd, from, size - done, (off_t)(at + done))
                                         : write(file->fd, from, size - done);
    if (got < 0 && errno != EINTR) {
      return fail(file, err);
    }
    done += got > 0 ? (size_t)got : 0;
  }
  return SN_OK;
}

static sn_status write_skipped(const sn__recording_file *file, uint64_t length, uint64_t at,
                               sn_error *err) {
  uint8_t bytes[SN__MCAP_PREFIX];
  sn__mcap_out out = {bytes, sizeof bytes, 0};
  sn__mcap_begin(&out, GAP_OPCODE);
  sn__mcap_set_number(&out, 1, length, 8);
  return write_at(file, bytes, sizeof bytes, at, err);
}

static sn_status cut(const sn__recording_file *file, uint64_t size, sn_error *err) {
  return ftruncate(file->fd, (off_t)size) == 0 ? SN_OK : fail(file, err);
}

/* ---- the copy of the buffered chunk ---- */

/* The first time the header comes first: until its messages are there, the file just ends in the
   middle of a record. Later the new messages come first: until the header includes them, they are
   messages outside of chunks. */
sn_status sn__recording_file_save(sn__recording_file *file, const sn_mcap_writer *writer,
                                  sn_error *err) {
  const size_t used = writer->chunk.used;
  if (!file->is_regular || writer->is_stopped || writer->entry_count == 0 || file->saved == used) {
    return SN_OK;
  }
  const bool is_first = file->saved == 0;
  const uint64_t room = sn__mcap_chunk_bound(writer) + SN__MCAP_PREFIX;
  const uint64_t copy = file->end + room;
  const sn__mcap_body body = {SN_MCAP_PLAIN, writer->chunk.bytes, used, 0};
  uint8_t head[SN__MCAP_CHUNK_HEAD_MAX];
  const size_t size = sn__mcap_chunk_head(writer, &body, head);
  sn_status status = SN_OK;
  if (is_first) {
    status = write_skipped(file, room - SN__MCAP_PREFIX, file->end, err);
    status = status == SN_OK ? write_at(file, head, size, copy, err) : status;
  }
  if (status == SN_OK) {
    status = write_at(file, writer->chunk.bytes + file->saved, used - file->saved,
                      copy + size + file->saved, err);
  }
  if (status == SN_OK && !is_first) {
    status = write_at(file, head, size, copy, err);
  }
  if (status == SN_OK) {
    file->saved = used;
  } else if (is_first) {
    (void)cut(file, file->end, NULL); /* the file ends where it did */
  }
  return status;
}

/* ---- the sink of the writer ---- */

sn_status sn__recording_file_write(sn__recording_file *file, const void *bytes, size_t size,
                                   sn_error *err) {
  if (file->is_in_chunk && file->head_size == 0) {
    memcpy(file->head, bytes, size);
    file->head_size = size;
    file->chunk_size = size;
    return SN_OK;
  }
  if (file->is_in_chunk) {
    const sn_status status = write_at(file, bytes, size, file->end + file->chunk_size, err);
    file->chunk_size += status == SN_OK ? size : 0;
    return status;
  }
  if (file->saved > 0) { /* a definition between the messages of a chunk: it is saved again */
    const sn_status status = cut(file, file->end, err);
    if (status != SN_OK) {
      return status;
    }
    file->saved = 0;
  }
  const sn_status status = write_at(file, bytes, size, file->end, err);
  file->end += status == SN_OK ? size : 0;
  return status;
}

sn_status sn__recording_file_begin_chunk(sn__recording_file *file, const sn_mcap_writer *writer,
                                         sn_error *err) {
  file->is_in_chunk = file->is_regular;
  file->head_size = 0;
  return sn__recording_file_save(file, writer, err);
}

sn_status sn__recording_file_end_chunk(sn__recording_file *file, sn_error *err) {
  const uint64_t end = file->end + file->chunk_size;
  if (!file->is_regular) {
    return SN_OK;
  }
  sn_status status = write_skipped(file, ENDLESS, end, err);
  if (status == SN_OK) {
    status = write_at(file, file->head, file->head_size, file->end, err);
  }
  if (status == SN_OK) {
    status = cut(file, end, err);
  }
  if (status == SN_OK) {
    file->end = end;
    file->saved = 0;
    file->is_in_chunk = false;
  }
  return status;
}
