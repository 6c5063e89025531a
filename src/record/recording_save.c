/* Saves the buffered chunk to the file: a process that is killed loses only what it has not
   drained. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <unistd.h>

#include "record/mcap_writer.h"
#include "record/recording.h"

static bool write_at(int file, const uint8_t *bytes, size_t size, uint64_t at) {
  for (size_t done = 0; done < size;) {
    const ssize_t got = pwrite(file, bytes + done, size - done, (off_t)(at + done));
    if (got < 0 && errno != EINTR) {
      return false; /* the next chunk reports it */
    }
    done += got > 0 ? (size_t)got : 0;
  }
  return true;
}

/* First the new messages, then the header with their size: the file always has a complete chunk,
   whenever the process is killed. */
void sn__recording_save(sn__recording *recording) {
  const sn_mcap_writer *writer = recording->writer;
  const size_t used = writer->chunk.used;
  if (writer->is_stopped || writer->entry_count == 0 ||
      (recording->saved_at == writer->offset && recording->saved == used)) {
    return;
  }
  uint8_t head[SN__MCAP_CHUNK_HEAD_MAX];
  const size_t size = sn__mcap_chunk_head(writer, 0, head);
  const uint64_t done = recording->saved_at == writer->offset ? recording->saved : 0;
  if (write_at(recording->file, writer->chunk.bytes + done, used - done,
               writer->offset + size + done) &&
      write_at(recording->file, head, size, writer->offset)) {
    recording->saved_at = writer->offset;
    recording->saved = used;
  }
}
