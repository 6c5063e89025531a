#define _POSIX_C_SOURCE 200809L

#include "common/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool whole_file_open(whole_file *file, const char *path) {
  struct stat facts;
  const bool is_there = lstat(path, &facts) == 0;
  const bool is_other = is_there && !S_ISREG(facts.st_mode);
  file->path = path;
  file->fresh[0] = '\0';
  if (!is_other &&
      snprintf(file->fresh, sizeof file->fresh, "%s.new", path) >= (int)sizeof file->fresh) {
    errno = ENAMETOOLONG;
    return false;
  }
  if (is_other) {
    file->out = fopen(path, "w");
    return file->out != NULL;
  }
  (void)unlink(file->fresh); /* from an interrupted save; links are not followed */
  const int handle = open(file->fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                          is_there ? facts.st_mode & 07777u : 0666u);
  file->out = handle < 0 ? NULL : fdopen(handle, "w");
  return file->out != NULL;
}

bool whole_file_close(whole_file *file) {
  const bool is_file = file->fresh[0] != '\0';
  bool good =
      fflush(file->out) == 0 && !ferror(file->out) && (!is_file || fsync(fileno(file->out)) == 0);
  int reason = errno;
  good = fclose(file->out) == 0 && good;
  if (good && is_file) {
    good = rename(file->fresh, file->path) == 0;
    reason = errno;
  }
  if (!good && is_file) {
    unlink(file->fresh);
  }
  errno = reason;
  return good;
}

void whole_file_discard(whole_file *file) {
  (void)fclose(file->out);
  if (file->fresh[0] != '\0') {
    (void)unlink(file->fresh);
  }
}
