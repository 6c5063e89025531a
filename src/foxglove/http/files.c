#define _GNU_SOURCE /* O_CLOEXEC, realpath(), strcasecmp() */

#include "foxglove/http/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORDINGS_MAX = 1000 };

/* The path of an open file, from the kernel. */
static bool find_place(int fd, char place[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, place, PATH_MAX);
  if (length <= 0 || length >= PATH_MAX) {
    return false;
  }
  place[length] = '\0';
  return true;
}

static bool lies_below(int fd, const char *root) {
  char place[PATH_MAX];
  char *top = realpath(root, NULL);
  const size_t length = top == NULL ? 0 : strlen(top);
  const bool is_below =
      length > 0 && find_place(fd, place) && strncmp(place, top, length) == 0 &&
      (place[length] == '/' || (length == 1 && place[0] == '/')); /* "/" ends with one */
  free(top);
  return is_below;
}

int sn__file_open_below(const char *root, const char *path, int64_t *size) {
  /* O_NONBLOCK: opening a FIFO must not block. */
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat info;
  if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || !lies_below(fd, root))) {
    close(fd);
    return -1;
  }
  if (fd >= 0) {
    *size = info.st_size;
  }
  return fd;
}

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name);
  const size_t end_length = strlen(end);
  return length > end_length && strcasecmp(name + length - end_length, end) == 0;
}

static bool is_recording(const char *name) {
  static const char allowed[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+";
  return name[0] != '.' && name[strspn(name, allowed)] == '\0' && strlen(name) <= 200 &&
         ends_with(name, ".mcap");
}

static bool join(char out[PATH_MAX], const char *folder, const char *name) {
  const int length = snprintf(out, PATH_MAX, "%s/%s", folder, name);
  return length > 0 && length < PATH_MAX;
}

int sn__file_open_recording(const char *folder, const char *name, int64_t *size) {
  char path[PATH_MAX];
  return is_recording(name) && join(path, folder, name) ? sn__file_open_below(folder, path, size)
                                                        : -1;
}

/* ---- the list of recordings ---- */

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

void sn__file_write_recordings(sn__buffer *reply, const char *folder) {
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

/* ---- types ---- */

static const struct {
  const char *end, *type;
  bool is_shape;
} types[] = {
    {".html", "text/html; charset=utf-8", false},
    {".js", "text/javascript; charset=utf-8", false},
    {".css", "text/css; charset=utf-8", false},
    {".json", "application/json", false},
    {".svg", "image/svg+xml", false},
    {".ico", "image/x-icon", false},
    {".txt", "text/plain; charset=utf-8", false},
    {".woff2", "font/woff2", false},
    {".wasm", "application/wasm", false},
    {".webmanifest", "application/manifest+json", false},
    {".map", "application/json", false},
    {".urdf", "application/xml", false},
    {".stl", "model/stl", true},
    {".obj", "model/obj", true},
    {".dae", "model/vnd.collada+xml", true},
    {".glb", "model/gltf-binary", true},
    {".gltf", "model/gltf+json", true},
    {".ply", "model/x-ply", true},
    {".mtl", "model/mtl", true},
    {".bin", "application/octet-stream", true},
    {".png", "image/png", true},
    {".jpg", "image/jpeg", true},
    {".jpeg", "image/jpeg", true},
    {".tga", "image/x-tga", true},
    {".bmp", "image/bmp", true},
    {".webp", "image/webp", true},
};

const char *sn__file_type(const char *name) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (ends_with(name, types[i].end)) {
      return types[i].type;
    }
  }
  return "application/octet-stream";
}

bool sn__file_is_shape(const char *name) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (types[i].is_shape && ends_with(name, types[i].end)) {
      return true;
    }
  }
  return false;
}
