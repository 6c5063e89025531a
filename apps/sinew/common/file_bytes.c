#define _POSIX_C_SOURCE 200809L

#include "common/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"

static bool read_stream(int handle, file_bytes *file) {
  size_t capacity = 0;
  char *text = NULL;
  while ((text = sn__list_grow(file->text, &capacity, file->size + (1 << 16), 1)) != NULL) {
    file->text = text;
    const ssize_t got = read(handle, text + file->size, capacity - file->size);
    if (got <= 0) {
      return got == 0;
    }
    file->size += (size_t)got;
  }
  return false;
}

bool file_bytes_open(const char *path, file_bytes *file) {
  *file = (file_bytes){0};
  const int handle = open(path, O_RDONLY | O_CLOEXEC);
  if (handle < 0) {
    return false;
  }
  struct stat facts;
  bool good = fstat(handle, &facts) == 0;
  if (good && S_ISDIR(facts.st_mode)) {
    errno = EISDIR;
    good = false;
  } else if (good && S_ISREG(facts.st_mode) && facts.st_size > 0) {
    file->size = (size_t)facts.st_size;
    void *map = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, handle, 0);
    good = map != MAP_FAILED;
    file->text = good ? map : NULL;
    file->is_mapped = good;
  } else if (good) {
    good = read_stream(handle, file);
  }
  const int reason = errno;
  close(handle);
  errno = reason;
  return good;
}

void file_bytes_close(file_bytes *file) {
  if (file->is_mapped) {
    munmap(file->text, file->size);
  } else {
    free(file->text);
  }
}
