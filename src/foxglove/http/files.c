#define _GNU_SOURCE /* O_CLOEXEC, realpath(), strcasecmp() */

#include "foxglove/http/files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool sn__file_ends_with(const char *name, const char *end) {
  const size_t length = strlen(name);
  const size_t end_length = strlen(end);
  return length > end_length && strcasecmp(name + length - end_length, end) == 0;
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
    if (sn__file_ends_with(name, types[i].end)) {
      return types[i].type;
    }
  }
  return "application/octet-stream";
}

bool sn__file_is_shape(const char *name) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (types[i].is_shape && sn__file_ends_with(name, types[i].end)) {
      return true;
    }
  }
  return false;
}
