#define _XOPEN_SOURCE 700 /* realpath(), fsync() */

#include "files/file_replace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "files/regular_file.h"

enum { PATH_SIZE = 4096 };

/* @return false with errno set */
static bool write_all(const char *path, unsigned mode, const char *text, size_t size) {
  const int handle = sn__regular_create(path, mode);
  if (handle < 0) {
    return false;
  }
  size_t done = 0;
  while (done < size) {
    const ssize_t count = write(handle, text + done, size - done);
    if (count < 0 && errno != EINTR) {
      break;
    }
    done += count < 0 ? 0 : (size_t)count;
  }
  const bool is_good = done == size && fsync(handle) == 0;
  const int reason = errno;
  close(handle);
  errno = reason;
  return is_good;
}

/* The file behind a link, and its permissions. */
static bool find_target(const char *path, char target[PATH_SIZE], unsigned *mode) {
  struct stat facts;
  const bool is_there = stat(path, &facts) == 0;
  char *real = is_there ? realpath(path, NULL) : NULL;
  const int length = snprintf(target, PATH_SIZE, "%s", real == NULL ? path : real);
  free(real);
  *mode = is_there ? (unsigned)facts.st_mode & 0777u : 0666u;
  return length < PATH_SIZE;
}

sn_status sn__file_replace(const char *path, const char *text, size_t size, sn_error *err) {
  char target[PATH_SIZE];
  char fresh[PATH_SIZE];
  unsigned mode = 0;
  if (!find_target(path, target, &mode) ||
      snprintf(fresh, sizeof fresh, "%s.new", target) >= PATH_SIZE) {
    return sn__fail(err, SN_EIO, "%.100s...: cannot save: the path is too long", path);
  }
  if (write_all(fresh, mode, text, size) && rename(fresh, target) == 0) {
    return SN_OK;
  }
  const int reason = errno;
  unlink(fresh);
  return sn__fail(err, SN_EIO, "%s: cannot save: %s; the old file is intact", path,
                  strerror(reason));
}
