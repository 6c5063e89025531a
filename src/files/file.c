#define _POSIX_C_SOURCE 200809L /* fdopen() */

#include "files/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/report_internal.h"
#include "files/regular_file.h"

enum { READ_SIZE = 64 * 1024 };

/* Read until the end or the limit: a file may grow while it is read, and files in /proc report a
 * size of 0. */
static sn_status read_all(FILE *stream, size_t size_max, sn__file *file) {
  sn__buffer buffer = {.max = size_max + READ_SIZE};
  char *room = NULL;
  while (buffer.used <= size_max && (room = sn__buffer_reserve(&buffer, READ_SIZE)) != NULL) {
    const size_t count = fread(room, 1, READ_SIZE - 1, stream);
    buffer.used += count;
    if (count < READ_SIZE - 1) {
      room[count] = '\0';
      break;
    }
  }
  *file = (sn__file){.text = buffer.data, .size = buffer.used};
  if (room == NULL) {
    return SN_ENOMEM;
  }
  return buffer.used > size_max ? SN_ELIMIT : ferror(stream) ? SN_EIO : SN_OK;
}

/* Report why a file could not be read, to the report and the error if given. */
static sn_status fail(const char *path, sn_status status, const char *why, sn_report *report,
                      sn_error *err) {
  if (report != NULL) {
    sn__report_add(report, SN_SEVERITY_ERROR, (sn_place){.file = path}, NULL,
                   "cannot read the file: %s", why);
  }
  return sn__fail(err, status, "%s: cannot read the file: %s", path, why);
}

/* @return SN_OK, or what went wrong with the reason in @p why */
static sn_status read_regular(const char *path, size_t size_max, sn__file *file, const char **why) {
  int64_t size = 0;
  const int handle = sn__regular_open(path, &size, why);
  if (handle < 0) {
    return SN_EIO;
  }
  FILE *stream = size > (int64_t)size_max ? NULL : fdopen(handle, "rb");
  if (stream == NULL) {
    close(handle);
    return size > (int64_t)size_max ? SN_ELIMIT : SN_ENOMEM;
  }
  errno = 0;
  const sn_status status = read_all(stream, size_max, file);
  *why = strerror(errno);
  fclose(stream);
  return status == SN_OK && file->size > size_max ? SN_ELIMIT : status;
}

sn_status sn__file_read(const char *path, size_t size_max, sn_report *report, sn__file *file,
                        sn_error *err) {
  *file = (sn__file){0};
  const char *why = "";
  const sn_status status = read_regular(path, size_max, file, &why);
  if (status != SN_OK) {
    sn__file_free(file);
    char too_large[80];
    snprintf(too_large, sizeof too_large, "it has more than the allowed %zu bytes", size_max);
    return fail(path, status,
                status == SN_ELIMIT   ? too_large
                : status == SN_ENOMEM ? sn_status_text(status)
                                      : why,
                report, err);
  }
  return SN_OK;
}

void sn__file_free(sn__file *file) {
  free(file->text);
  *file = (sn__file){0};
}

const char *sn__file_beside(sn_arena *arena, const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  const size_t folder = slash == NULL || *name == '/' ? 0 : (size_t)(slash - path) + 1;
  const size_t length = strlen(name);
  char *joined = SN_NEW(arena, char, folder + length + 1);
  if (joined != NULL) {
    memcpy(joined, path, folder);
    memcpy(joined + folder, name, length + 1);
  }
  return joined;
}

bool sn__file_has_ending(const char *path, const char *ending) {
  const size_t length = strlen(path);
  const size_t ending_length = strlen(ending);
  return length >= ending_length && strcmp(path + length - ending_length, ending) == 0;
}
