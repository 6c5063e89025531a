/** @file
 *  Replaces a file atomically. */
#ifndef SINEW_APP_WHOLE_FILE_H
#define SINEW_APP_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct whole_file {
  FILE *out; /**< write here */
  const char *path;
  char fresh[4096]; /**< temporary file; empty: the target is not a regular file */
} whole_file;

/** Open. A device, a pipe or a link such as /dev/stdout is written to directly.
 *  @return false, with errno set, on failure */
bool whole_file_open(whole_file *file, const char *path);

/** Flush to disk and rename to the final name; on failure the old file stays.
 *  @return false, with errno set, if any write failed */
bool whole_file_close(whole_file *file);

/** Drop what was written; the old file stays. */
void whole_file_discard(whole_file *file);

#endif
