#include "model/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Read until the end or the limit. The size is not asked for beforehand: a pipe has none, and a
   file may grow while it is read. */
static sn_status read_all(FILE *stream, size_t size_max, sn__file *file) {
  size_t capacity = 64 * 1024;
  file->text = malloc(capacity + 1);
  while (file->text != NULL) {
    file->size += fread(file->text + file->size, 1, capacity - file->size, stream);
    if (file->size < capacity) {
      file->text[file->size] = '\0';
      return ferror(stream) ? SN_EIO : SN_OK;
    }
    if (capacity > size_max) {
      return SN_ELIMIT;
    }
    capacity *= 2;
    char *grown = realloc(file->text, capacity + 1);
    if (grown == NULL) {
      return SN_ENOMEM;
    }
    file->text = grown;
  }
  return SN_ENOMEM;
}

sn_status sn__file_read(const char *path, size_t size_max, sn_report *report, sn__file *file) {
  *file = (sn__file){0};
  errno = 0;
  FILE *stream = fopen(path, "rb");
  sn_status status = stream == NULL ? SN_EIO : read_all(stream, size_max, file);
  const int reason = errno;
  if (stream != NULL) {
    fclose(stream);
  }
  if (status == SN_OK && file->size > size_max) {
    status = SN_ELIMIT;
  }
  if (status == SN_OK) {
    return SN_OK;
  }
  const sn_place place = {.file = path};
  if (status == SN_ELIMIT) {
    sn_report_add(report, SN_SEVERITY_ERROR, place, NULL,
                  "the file is too large, at most %zu bytes are allowed", size_max);
  } else if (status == SN_EIO) {
    sn_report_add(report, SN_SEVERITY_ERROR, place, NULL, "cannot read the file: %s",
                  strerror(reason));
  }
  sn__file_free(file);
  return status;
}

void sn__file_free(sn__file *file) {
  free(file->text);
  *file = (sn__file){0};
}
