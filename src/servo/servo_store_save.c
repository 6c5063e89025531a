/* Saves servo models. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "files/regular_file.h"
#include "servo/servo_store.h"
#include "servo/servo_text.h"

enum { PATH_SIZE = 4096 };

/* Write and sync the whole text. @return false with errno set */
static bool write_all(const char *path, unsigned mode, const sn_servo_list *list) {
  const int handle = sn__regular_create(path, mode);
  FILE *out = handle < 0 ? NULL : fdopen(handle, "w");
  if (out == NULL) {
    if (handle >= 0) {
      close(handle);
    }
    return false;
  }
  sn__servo_text_write(out, list);
  bool good = fflush(out) == 0 && !ferror(out) && fsync(handle) == 0;
  const int reason = errno;
  good = fclose(out) == 0 && good;
  errno = reason;
  return good;
}

/* Keep the current file under a second name. Skipped on file systems without hard links. */
static void keep_previous(const char *path, const char *kept, const char *scratch) {
  unlink(scratch);
  if (link(path, scratch) == 0) {
    rename(scratch, kept);
  }
}

/* Sync the folder, so that the new name is on the disk. */
static bool sync_folder(const char *path) {
  char folder[PATH_SIZE];
  const char *slash = strrchr(path, '/');
  const size_t length = slash == NULL ? 0 : (size_t)(slash - path);
  snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(length == 0 ? 1 : length),
           slash == NULL ? "." : path);
  const int handle = open(folder, O_RDONLY | O_CLOEXEC);
  if (handle < 0) {
    return false;
  }
  const bool good = fsync(handle) == 0;
  close(handle);
  return good;
}

static sn_status check(const sn_servo_list *list, sn_error *err) {
  for (size_t i = 0; i < list->count; i++) {
    sn_error why;
    if (sn_servo_params_check(&list->entries[i].params, &why) != SN_OK) {
      return sn__fail(err, SN_EINVAL, "servo '%.80s': %s", list->entries[i].name, why.message);
    }
  }
  return SN_OK;
}

/* Resolve a link to the file: the link and the permissions must stay. */
static sn_status find_file(const char *path, char *out, unsigned *mode, sn_error *err) {
  struct stat facts = {.st_mode = 0666};
  const bool is_there = stat(path, &facts) == 0;
  if (is_there && !S_ISREG(facts.st_mode)) {
    return sn__fail(err, SN_EIO, "%s: cannot save: it exists and is not a regular file", path);
  }
  *mode = (unsigned)facts.st_mode & 0777u;
  char *real = is_there ? realpath(path, NULL) : NULL;
  const int length = snprintf(out, PATH_SIZE, "%s", real == NULL ? path : real);
  free(real);
  return length < PATH_SIZE ? SN_OK : sn__fail(err, SN_EIO, "the path of the models is too long");
}

sn_status sn__servo_store_save(const char *given, const sn_servo_list *list, sn_error *err) {
  char path[PATH_SIZE];
  unsigned mode = 0;
  sn_status status = check(list, err);
  if (status == SN_OK) {
    status = find_file(given, path, &mode, err);
  }
  if (status != SN_OK) {
    return status;
  }
  char fresh[PATH_SIZE];
  char kept[PATH_SIZE];
  char scratch[PATH_SIZE];
  if (snprintf(fresh, sizeof fresh, "%s.new", path) >= PATH_SIZE ||
      snprintf(kept, sizeof kept, "%s.previous", path) >= PATH_SIZE ||
      snprintf(scratch, sizeof scratch, "%s.link", path) >= PATH_SIZE) {
    return sn__fail(err, SN_EIO, "the path of the models is too long");
  }
  if (!write_all(fresh, mode, list)) {
    const int reason = errno;
    unlink(fresh);
    return sn__fail(err, SN_EIO, "%s: cannot save: %s; the old file is intact", path,
                    strerror(reason));
  }
  keep_previous(path, kept, scratch);
  if (rename(fresh, path) != 0) {
    const int reason = errno;
    unlink(fresh);
    return sn__fail(err, SN_EIO, "%s: cannot save: %s; the old file is intact", path,
                    strerror(reason));
  }
  if (!sync_folder(path)) {
    return sn__fail(err, SN_EIO, "%s: saved, but its folder could not be synchronised: %s", path,
                    strerror(errno));
  }
  return SN_OK;
}
