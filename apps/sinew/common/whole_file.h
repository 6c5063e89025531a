/** @file
 *  A file that is replaced as a whole, or stays as it was. */
#ifndef SINEW_APP_WHOLE_FILE_H
#define SINEW_APP_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct whole_file {
  FILE *out; /**< write here */
  const char *path;
  char fresh[4096]; /**< where it is written first; empty: what is written to is no file */
} whole_file;

/** Begin. What is no file (a device, a pipe, a link such as /dev/stdout) is written to as it is.
 *  @return false, with errno set, if that cannot be */
bool whole_file_open(whole_file *file, const char *path);

/** End: all of it is on the disk under its name, or nothing of it.
 *  @return false, with errno set, if writing failed anywhere */
bool whole_file_close(whole_file *file);

#endif
