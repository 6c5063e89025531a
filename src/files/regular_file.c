#define _POSIX_C_SOURCE 200809L

#include "files/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *what_it_is(mode_t mode) {
  return S_ISDIR(mode)    ? strerror(EISDIR)
         : S_ISFIFO(mode) ? "it is a pipe, expected a regular file: write it to a file first"
                          : "it is a device or a socket, expected a regular file";
}

int sn__regular_open(const char *path, int64_t *size, const char **why) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) {
    *why = errno == ENXIO ? what_it_is(S_IFSOCK) : strerror(errno);
    return -1;
  }
  struct stat facts;
  if (fstat(file, &facts) != 0) {
    *why = strerror(errno);
  } else if (!S_ISREG(facts.st_mode)) {
    *why = what_it_is(facts.st_mode);
  } else {
    *size = (int64_t)facts.st_size;
    return file;
  }
  close(file);
  return -1;
}

int sn__regular_create(const char *path, unsigned mode) {
  (void)unlink(path); /* left by an interrupted save; open() fails if it is still there */
  return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, (mode_t)mode);
}
