#define _POSIX_C_SOURCE 200809L

#include "movements/library.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "files/file.h"

sn_status sn__library_check_name(const char *name, sn_error *err) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  const size_t length = strlen(name);
  if (length == 0 || length > SN__LIBRARY_NAME_MAX || name[0] == '.' ||
      strspn(name, letters) != length) {
    return sn__fail(err, SN_EINVAL,
                    "'%.64s' cannot be the name of a movement: 1 to %d letters, digits, '_', '-' "
                    "and '.'",
                    name, SN__LIBRARY_NAME_MAX);
  }
  return SN_OK;
}

sn_status sn__library_path(const char *folder, const char *name, const char *ending, char *out,
                           sn_error *err) {
  const sn_status status = sn__library_check_name(name, err);
  if (status != SN_OK) {
    return status;
  }
  const int length = snprintf(out, SN__LIBRARY_PATH_SIZE, "%s/%s%s", folder, name, ending);
  return length < SN__LIBRARY_PATH_SIZE
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "the folder '%.100s' has too long a name", folder);
}

bool sn__library_has(const char *folder, const char *name, const char *ending) {
  char path[SN__LIBRARY_PATH_SIZE];
  struct stat facts;
  return sn__library_path(folder, name, ending, path, NULL) == SN_OK && stat(path, &facts) == 0 &&
         S_ISREG(facts.st_mode);
}

sn_status sn__library_make(const char *folder, sn_error *err) {
  struct stat facts;
  if (mkdir(folder, 0777) == 0 || (stat(folder, &facts) == 0 && S_ISDIR(facts.st_mode))) {
    return SN_OK;
  }
  return sn__fail(err, SN_EIO, "cannot create the folder '%.150s': %s", folder, strerror(errno));
}

static int compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* @return NULL: not a file of this kind, or no memory, then *status is set */
static const char *name_of(const char *file, const char *ending, sn_arena *arena,
                           sn_status *status) {
  const size_t length = strlen(file);
  if (file[0] == '.' || length <= strlen(ending) || length > SN__LIBRARY_NAME_MAX + 8 ||
      !sn__file_has_ending(file, ending)) {
    return NULL;
  }
  const char *name = sn_arena_text(arena, file, length - strlen(ending));
  *status = name == NULL ? SN_ENOMEM : *status;
  return name != NULL && sn__library_check_name(name, NULL) == SN_OK ? name : NULL;
}

static sn_status read_folder(DIR *open, const char *ending, sn_arena *arena, const char **names,
                             size_t *count, sn_error *err) {
  sn_status status = SN_OK;
  const struct dirent *entry = NULL;
  while (status == SN_OK && (entry = readdir(open)) != NULL) {
    const char *name = name_of(entry->d_name, ending, arena, &status);
    if (name != NULL && *count == SN__LIBRARY_MAX) {
      return sn__fail(err, SN_ELIMIT, "the folder has more than %d movements", SN__LIBRARY_MAX);
    }
    if (name != NULL) {
      names[(*count)++] = name;
    }
  }
  return status;
}

sn_status sn__library_list(const char *folder, const char *ending, sn_arena *arena,
                           const char ***names, size_t *count, sn_error *err) {
  *count = 0;
  *names = SN_NEW(arena, const char *, SN__LIBRARY_MAX);
  DIR *open = *names == NULL ? NULL : opendir(folder);
  if (open == NULL) {
    const bool is_missing = *names != NULL && errno == ENOENT;
    return is_missing       ? SN_OK
           : *names == NULL ? sn__fail(err, SN_ENOMEM, "no memory for the list of movements")
                            : sn__fail(err, SN_EIO, "cannot read the folder '%.150s': %s", folder,
                                       strerror(errno));
  }
  const sn_status status = read_folder(open, ending, arena, *names, count, err);
  closedir(open);
  qsort(*names, *count, sizeof **names, compare);
  return status;
}

double sn__movement_duration(const sn__movement *movement) {
  if (movement->kind == SN__MOVEMENT_STEP_SEQUENCE) {
    const sn_seq_f64 *times = &movement->steps->time_from_start;
    return times->count == 0 ? 0.0 : times->data[times->count - 1];
  }
  if (movement->kind == SN__MOVEMENT_JOINT_TRAJECTORY) {
    const sn_joint_trajectory *t = &movement->trajectory->trajectory;
    return t->points.count == 0
               ? 0.0
               : 1e-9 * (double)t->points.data[t->points.count - 1].time_from_start_ns;
  }
  return movement->kind == SN__MOVEMENT_MOVE_BASE ? movement->move_base->duration : 0.0;
}
