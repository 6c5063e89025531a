#define _GNU_SOURCE /* PATH_MAX, AT_SYMLINK_NOFOLLOW */

#include "foxglove/http/recordings.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "foxglove/http/files.h"
#include "record/mcap.h"

enum { RECORDINGS_MAX = 1000 };

static bool is_recording(const char *name) {
  static const char allowed[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+";
  return name[0] != '.' && name[strspn(name, allowed)] == '\0' && strlen(name) <= 200 &&
         sn__file_ends_with(name, ".mcap");
}

static bool join(char out[PATH_MAX], const char *folder, const char *name) {
  const int length = snprintf(out, PATH_MAX, "%s/%s", folder, name);
  return length > 0 && length < PATH_MAX;
}

int sn__recordings_open(const char *folder, const char *name, int64_t *size) {
  char path[PATH_MAX];
  return is_recording(name) && join(path, folder, name) ? sn__file_open_below(folder, path, size)
                                                        : -1;
}

/* ---- the list ---- */

typedef struct recording {
  char name[256];
  int64_t size, modified;
} recording;

static int compare(const void *a, const void *b) {
  const recording *x = a;
  const recording *y = b;
  return x->modified != y->modified ? (x->modified < y->modified) - (x->modified > y->modified)
                                    : strcmp(x->name, y->name);
}

static size_t list_recordings(const char *folder, recording *list) {
  size_t count = 0;
  DIR *directory = opendir(folder);
  const struct dirent *entry = NULL;
  while (directory != NULL && count < RECORDINGS_MAX && (entry = readdir(directory)) != NULL) {
    struct stat info;
    if (is_recording(entry->d_name) &&
        fstatat(dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(info.st_mode)) {
      recording *r = &list[count++];
      snprintf(r->name, sizeof r->name, "%s", entry->d_name);
      r->size = info.st_size;
      r->modified = info.st_mtime;
    }
  }
  if (directory != NULL) {
    closedir(directory);
  }
  qsort(list, count, sizeof *list, compare);
  return count;
}

void sn__recordings_list(sn__buffer *reply, const char *folder) {
  recording *list = calloc(RECORDINGS_MAX, sizeof *list);
  const size_t count = list == NULL ? 0 : list_recordings(folder, list);
  sn__json_open(reply, NULL, '[');
  for (size_t i = 0; i < count; i++) {
    sn__json_open(reply, NULL, '{');
    sn__json_text(reply, "name", list[i].name);
    sn__json_int(reply, "size", list[i].size);
    sn__json_int(reply, "modified", list[i].modified);
    sn__json_close(reply, '}');
  }
  sn__json_close(reply, ']');
  free(list);
}

/* ---- one recording ---- */

static const double NS = 1e-9;

static void write_overview(sn__buffer *reply, const sn_mcap_overview *overview) {
  if (overview->has_statistics) {
    sn__json_real(reply, "length", (double)(overview->end_ns - overview->start_ns) * NS);
    sn__json_count(reply, "messages", overview->messages);
  }
  if (overview->robot[0] != '\0') {
    sn__json_text(reply, "robot", overview->robot);
  }
}

/* @return what is wrong; empty: nothing */
static sn_error look_into(int fd, int64_t size, sn_mcap_overview *overview) {
  static const sn_mcap_reader_config small = {
      .channel_max = 1, .text_size = 1, .record_size = 1 << 12};
  sn_error err = {SN_OK, ""};
  sn_mcap_reader *reader = NULL;
  sn_arena arena;
  sn_arena_init_growing(&arena, "recordings", 1 << 15);
  if (sn__mcap_reader_open(&arena, fd, (uint64_t)size, &small, &reader, &err) == SN_OK &&
      sn__mcap_reader_overview(reader, overview, &err) == SN_OK && !overview->is_closed) {
    snprintf(err.message, sizeof err.message, "its end is missing");
  }
  sn__mcap_reader_close(reader);
  sn_arena_release(&arena);
  return err;
}

bool sn__recordings_describe(sn__buffer *reply, const char *folder, const char *name) {
  int64_t size = 0;
  const int fd = sn__recordings_open(folder, name, &size);
  if (fd < 0) {
    return false;
  }
  sn_mcap_overview overview = {0};
  const sn_error err = look_into(fd, size, &overview);
  sn__json_open(reply, NULL, '{');
  write_overview(reply, &overview);
  if (err.message[0] != '\0') {
    sn__json_text(reply, "problem", err.message);
  }
  sn__json_close(reply, '}');
  return true;
}
