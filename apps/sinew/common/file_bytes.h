/** @file
 *  The bytes of a file: mapped, or read if it is a pipe. */
#ifndef SINEW_APP_FILE_BYTES_H
#define SINEW_APP_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct file_bytes {
  char *text;
  size_t size;
  bool is_mapped;
} file_bytes;

/** @return false, with errno set, if it cannot be read; close it in any case */
bool file_bytes_open(const char *path, file_bytes *file);
void file_bytes_close(file_bytes *file);

#endif
