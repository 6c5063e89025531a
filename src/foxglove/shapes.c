#define _GNU_SOURCE /* realpath(), strdup() */

#include "foxglove/shapes.h"

#include <expat.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foxglove/files.h"
#include "remote/remote_fail.h"

enum { SHAPES_MAX = 4096, FOLDERS_ABOVE = 2 };

/* ---- where files are looked for ---- */

static bool is_there(const char *path) {
  return access(path, R_OK) == 0;
}

static bool put_path(char out[PATH_MAX], const char *folder, const char *rest) {
  const int length = snprintf(out, PATH_MAX, "%s/%s", folder, rest);
  return length > 0 && length < PATH_MAX;
}

/* Is `root/rest` a file that may be handed out? Then it is the shape's. */
static bool take(sn__shape *shape, const char *root, const char *rest) {
  char path[PATH_MAX];
  int64_t size = 0;
  const int fd = put_path(path, root, rest) ? sn__file_open_below(root, path, &size) : -1;
  if (fd < 0) {
    return false;
  }
  close(fd);
  shape->path = strdup(path);
  shape->root = strdup(root);
  return true;
}

/* Cut the last part of a path. @return false at the end: there is nothing above */
static bool go_up(char *folder) {
  char *slash = strrchr(folder, '/');
  if (slash == NULL || slash == folder) {
    return false;
  }
  *slash = '\0';
  return true;
}

static bool is_package(const char *folder) {
  char path[PATH_MAX];
  return put_path(path, folder, "package.xml") && is_there(path);
}

/* package://NAME/REST: a folder NAME that the robot lies in, or one beside those. Further above,
   one must say that it is a package: else `package://etc/…` would be one. */
static void find_in_package(sn__shape *shape, const char *folder, const char *rest) {
  char name[NAME_MAX + 1];
  const size_t length = strcspn(rest, "/");
  if (length == 0 || length >= sizeof name || rest[length] == '\0' || rest[0] == '.') {
    return;
  }
  snprintf(name, sizeof name, "%.*s", (int)length, rest);
  const char *path = rest + length + 1;
  char here[PATH_MAX];
  snprintf(here, sizeof here, "%s", folder);
  for (int above = 0;; above++) {
    const char *slash = strrchr(here, '/');
    if (slash != NULL && strcmp(slash + 1, name) == 0 && take(shape, here, path)) {
      return;
    }
    char beside[PATH_MAX];
    if (put_path(beside, here, name) && (above <= FOLDERS_ABOVE || is_package(beside)) &&
        take(shape, beside, path)) {
      return;
    }
    if (!go_up(here)) {
      return;
    }
  }
}

static bool take_below(sn__shape *shape, const char *root, const char *real) {
  const size_t length = strlen(root);
  return strncmp(real, root, length) == 0 && real[length] == '/' && length > 0 &&
         take(shape, root, real + length + 1);
}

/* A path relative to the robot's file, or below its folder, or in the package that it lies in. */
static void find_beside(sn__shape *shape, const char *folder, const char *path) {
  char whole[PATH_MAX];
  if (path[0] == '/') {
    snprintf(whole, sizeof whole, "%s", path);
  } else if (!put_path(whole, folder, path)) {
    return;
  }
  char *real = realpath(whole, NULL);
  if (real == NULL) {
    return;
  }
  char root[PATH_MAX];
  snprintf(root, sizeof root, "%s", folder);
  if (!take_below(shape, root, real)) {
    bool is_above = go_up(root);
    while (is_above && !is_package(root)) {
      is_above = go_up(root);
    }
    if (is_above) {
      (void)take_below(shape, root, real);
    }
  }
  free(real);
}

static void find_file(sn__shape *shape, const char *folder) {
  static const char package[] = "package://";
  static const char file[] = "file://";
  const char *uri = shape->uri;
  if (!sn__file_is_shape(uri)) {
    return;
  }
  if (strncmp(uri, package, sizeof package - 1) == 0) {
    find_in_package(shape, folder, uri + sizeof package - 1);
  } else {
    const char *path = strncmp(uri, file, sizeof file - 1) == 0 ? uri + sizeof file - 1 : uri;
    if (strstr(path, "://") == NULL) {
      find_beside(shape, folder, path);
    }
  }
}

/* ---- the URDF, element by element ---- */

typedef struct rewriting {
  sn__shapes *shapes;
  const char *folder; /* of the robot; NULL: not known */
  XML_Parser parser;
  size_t copied; /* bytes of the URDF that are in the page */
  bool is_out_of_memory;
} rewriting;

/* @return its place in the list; -1: no memory, or too many */
static int add_shape(rewriting *r, const char *uri) {
  sn__shapes *shapes = r->shapes;
  for (size_t i = 0; i < shapes->count; i++) {
    if (strcmp(shapes->items[i].uri, uri) == 0) {
      return (int)i;
    }
  }
  if (shapes->count == SHAPES_MAX) {
    return -1;
  }
  sn__shape *items = realloc(shapes->items, (shapes->count + 1) * sizeof *items);
  char *copy = strdup(uri);
  shapes->items = items == NULL ? shapes->items : items;
  if (items == NULL || copy == NULL) {
    free(copy);
    r->is_out_of_memory = true;
    return -1;
  }
  items[shapes->count] = (sn__shape){.uri = copy};
  if (r->folder != NULL) {
    find_file(&items[shapes->count], r->folder);
  }
  return (int)shapes->count++;
}

/* The value of the attribute `filename` in a tag: expat has found it well-formed.
   @return NULL if there is none */
static const char *find_value(const char *tag, size_t size, size_t *length) {
  static const char name[] = "filename";
  const char *end = tag + size;
  for (const char *at = tag; at < end; at++) {
    if (*at == '"' || *at == '\'') { /* the value of another attribute */
      const char *close = memchr(at + 1, *at, (size_t)(end - at - 1));
      if (close == NULL) {
        return NULL;
      }
      at = close;
      continue;
    }
    const bool begins = strchr(" \t\r\n", at[-1 + (at == tag)]) != NULL;
    if (begins && (size_t)(end - at) > sizeof name && memcmp(at, name, sizeof name - 1) == 0) {
      const char *quote = at + sizeof name - 1;
      quote += strspn(quote, " \t\r\n");
      if (*quote == '=') {
        quote += 1 + strspn(quote + 1, " \t\r\n");
        const char *close =
            quote < end ? memchr(quote + 1, *quote, (size_t)(end - quote - 1)) : NULL;
        *length = close == NULL ? 0 : (size_t)(close - quote - 1);
        return close == NULL ? NULL : quote + 1;
      }
    }
  }
  return NULL;
}

static void put_reference(sn__reply *page, const sn__shapes *shapes, int index) {
  if (index < 0 || shapes->items[index].path == NULL) {
    return;
  }
  const char *slash = strrchr(shapes->items[index].path, '/');
  char head[32];
  const int length = snprintf(head, sizeof head, "/mesh/%d", index);
  sn__reply_bytes(page, head, (size_t)length);
  for (const char *c = slash; *c != '\0'; c++) { /* what a name may hold and a URL or XML may not */
    const bool is_plain = strchr("/-_.~", *c) != NULL || (*c >= '0' && *c <= '9') ||
                          (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
    char code[4];
    snprintf(code, sizeof code, "%%%02X", (unsigned)(unsigned char)*c);
    sn__reply_bytes(page, is_plain ? c : code, is_plain ? 1 : 3);
  }
}

static void begin_element(void *context, const XML_Char *name, const XML_Char **attributes) {
  rewriting *r = context;
  if (strcmp(name, "mesh") != 0 && strcmp(name, "texture") != 0) {
    return;
  }
  const XML_Char *uri = NULL;
  for (size_t i = 0; attributes[i] != NULL; i += 2) {
    uri = strcmp(attributes[i], "filename") == 0 ? attributes[i + 1] : uri;
  }
  const size_t begin = (size_t)XML_GetCurrentByteIndex(r->parser);
  const size_t size = (size_t)XML_GetCurrentByteCount(r->parser);
  size_t length = 0;
  const char *value = uri == NULL ? NULL : find_value(r->shapes->urdf + begin, size, &length);
  if (value != NULL) {
    sn__reply *page = &r->shapes->page;
    const size_t at = (size_t)(value - r->shapes->urdf);
    sn__reply_bytes(page, r->shapes->urdf + r->copied, at - r->copied);
    put_reference(page, r->shapes, add_shape(r, uri));
    r->copied = at + length;
  }
}

/* Entities would make more of the text than stands there; the model refuses them, too. */
static void refuse_doctype(void *context, const XML_Char *name, const XML_Char *system_id,
                           const XML_Char *public_id, int has_subset) {
  (void)name, (void)system_id, (void)public_id, (void)has_subset;
  XML_StopParser(((rewriting *)context)->parser, XML_FALSE);
}

static void rewrite(rewriting *r) {
  const size_t size = strlen(r->shapes->urdf);
  XML_SetUserData(r->parser, r);
  XML_SetStartElementHandler(r->parser, begin_element);
  XML_SetStartDoctypeDeclHandler(r->parser, refuse_doctype);
  if (size <= INT_MAX) {
    (void)XML_Parse(r->parser, r->shapes->urdf, (int)size, XML_TRUE);
  }
  sn__reply_bytes(&r->shapes->page, r->shapes->urdf + r->copied, size - r->copied);
}

/* The folder that a file lies in, with every link followed; NULL if there is none. */
static char *find_folder(const char *file) {
  char *real = file == NULL || file[0] == '\0' ? NULL : realpath(file, NULL);
  if (real != NULL) {
    *strrchr(real, '/') = '\0';
  }
  return real;
}

sn_status sn__shapes_make(sn__shapes *shapes, const char *urdf, const char *file, sn_error *err) {
  *shapes = (sn__shapes){.urdf = strdup(urdf), .page = {.max = (size_t)64 << 20}};
  char *folder = find_folder(file);
  rewriting r = {.shapes = shapes, .folder = folder, .parser = XML_ParserCreate(NULL)};
  if (shapes->urdf != NULL && r.parser != NULL) {
    rewrite(&r);
  }
  const bool failed =
      shapes->urdf == NULL || r.parser == NULL || r.is_out_of_memory || shapes->page.failed;
  XML_ParserFree(r.parser);
  free(folder);
  if (failed) {
    sn__shapes_free(shapes);
    return sn__remote_fail(err, SN_ENOMEM, "no memory for the robot's description");
  }
  return SN_OK;
}

void sn__shapes_free(sn__shapes *shapes) {
  for (size_t i = 0; i < shapes->count; i++) {
    free(shapes->items[i].uri);
    free(shapes->items[i].path);
    free(shapes->items[i].root);
  }
  free(shapes->items);
  free(shapes->urdf);
  sn__reply_free(&shapes->page);
  *shapes = (sn__shapes){0};
}

static int open_shape(const sn__shape *shape, int64_t *size) {
  return shape->path == NULL || shape->root == NULL
             ? -1
             : sn__file_open_below(shape->root, shape->path, size);
}

int sn__shapes_open(const sn__shapes *shapes, const char *place, int64_t *size) {
  const size_t digits = strspn(place, "0123456789");
  if (digits == 0 || digits > 6 || place[digits] != '/') {
    return -1;
  }
  const size_t index = (size_t)strtoul(place, NULL, 10);
  if (index >= shapes->count || shapes->items[index].path == NULL ||
      strcmp(strrchr(shapes->items[index].path, '/'), place + digits) != 0) {
    return -1;
  }
  return open_shape(&shapes->items[index], size);
}

int sn__shapes_open_uri(const sn__shapes *shapes, const char *uri, int64_t *size) {
  for (size_t i = 0; i < shapes->count; i++) {
    if (strcmp(shapes->items[i].uri, uri) == 0) {
      return open_shape(&shapes->items[i], size);
    }
  }
  return -1;
}
