/* Files as sources. They are read by position instead of mapped, so that truncation by another
   process is an error and not a signal. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <unistd.h>

#include "base/fail.h"
#include "files/regular_file.h"
#include "record/mcap_reader.h"

typedef struct file_source {
  int file;
} file_source;

static sn_status read_file(void *context, uint64_t offset, void *bytes, size_t size,
                           sn_error *err) {
  const file_source *source = context;
  for (size_t done = 0; done < size;) {
    const ssize_t got =
        pread(source->file, (char *)bytes + done, size - done, (off_t)(offset + done));
    if (got == 0) {
      return sn__fail(err, SN_EIO, "cannot read the file: it became shorter");
    }
    if (got < 0 && errno != EINTR) {
      return sn__fail(err, SN_EIO, "cannot read the file: %s", strerror(errno));
    }
    done += got > 0 ? (size_t)got : 0;
  }
  return SN_OK;
}

static sn_status open_file(const char *path, int *file, uint64_t *size, sn_error *err) {
  int64_t bytes = 0;
  const char *why = NULL;
  *file = sn__regular_open(path, &bytes, &why);
  *size = (uint64_t)bytes;
  return *file < 0 ? sn__fail(err, SN_EIO, "cannot read the file: %s", why) : SN_OK;
}

sn_status sn__mcap_reader_open(sn_arena *arena, int file, uint64_t size,
                               const sn_mcap_reader_config *config, sn_mcap_reader **out,
                               sn_error *err) {
  const sn_arena_mark mark = sn_arena_save(arena);
  file_source *context = SN_NEW(arena, file_source, 1);
  if (context == NULL) {
    close(file);
    return sn__fail(err, SN_ENOMEM, "MCAP reader: no room in arena '%s'", sn_arena_name(arena));
  }
  context->file = file;
  const sn_mcap_source source = {size, read_file, context};
  const sn_status status = sn__mcap_reader_create(arena, &source, config, out, err);
  if (status == SN_OK) {
    (*out)->file = file;
  } else {
    close(file);
    sn_arena_restore(arena, mark);
  }
  return status;
}

sn_status sn__mcap_reader_load(sn_arena *arena, const char *path,
                               const sn_mcap_reader_config *config, sn_mcap_reader **out,
                               sn_error *err) {
  int file = -1;
  uint64_t size = 0;
  const sn_status status = open_file(path, &file, &size, err);
  return status == SN_OK ? sn__mcap_reader_open(arena, file, size, config, out, err) : status;
}

void sn__mcap_reader_close(sn_mcap_reader *reader) {
  if (reader == NULL) {
    return;
  }
  if (reader->file >= 0) {
    close(reader->file);
    reader->file = -1;
  }
  sn__mcap_free_unpacked(&reader->unpacked);
  reader->is_at_end = true;
}
