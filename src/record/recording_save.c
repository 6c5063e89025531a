/* Saves the buffered chunk to the file: a process that is killed loses only what it has not
   drained. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "record/mcap_writer.h"
#include "record/recording.h"

static sn_status write_at(const sn__recording *recording, const uint8_t *bytes, size_t size,
                          uint64_t at, sn_error *err) {
  for (size_t done = 0; done < size;) {
    const ssize_t got = pwrite(recording->file, bytes + done, size - done, (off_t)(at + done));
    if (got < 0 && errno == ESPIPE) {
      return SN_OK; /* not a file: nothing can be read back either */
    }
    if (got < 0 && errno != EINTR) {
      return sn__fail(err, SN_EIO, "cannot write %s: %s", recording->path, strerror(errno));
    }
    done += got > 0 ? (size_t)got : 0;
  }
  return SN_OK;
}

/* First the new messages, then the header with their size: the file always has a complete chunk,
   whenever the process is killed or the disk is full. */
sn_status sn__recording_save(sn__recording *recording, sn_error *err) {
  const sn_mcap_writer *writer = recording->writer;
  const size_t used = writer->chunk.used;
  if (writer->is_stopped || writer->entry_count == 0 ||
      (recording->saved_at == writer->offset && recording->saved == used)) {
    return SN_OK;
  }
  uint8_t head[SN__MCAP_CHUNK_HEAD_MAX];
  const size_t size = sn__mcap_chunk_head(writer, 0, head);
  const uint64_t done = recording->saved_at == writer->offset ? recording->saved : 0;
  sn_status status = write_at(recording, writer->chunk.bytes + done, used - done,
                              writer->offset + size + done, err);
  if (status == SN_OK) {
    status = write_at(recording, head, size, writer->offset, err);
  }
  if (status == SN_OK) {
    recording->saved_at = writer->offset;
    recording->saved = used;
  }
  return status;
}
