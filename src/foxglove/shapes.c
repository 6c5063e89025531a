#define _GNU_SOURCE /* strdup() */

#include "foxglove/shapes.h"

#include <expat.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "foxglove/http/files.h"
#include "model/urdf/packages.h"

enum { SHAPES_MAX = 4096 };

/* ---- files ---- */

/* Find the file of a shape, or the reason why it is missing. @return false: out of memory */
static bool find_file(sn__shape *shape, sn_packages *packages) {
  char why[400] = "not the name of a mesh or an image";
  sn_packages_file file;
  if (sn__file_is_shape(shape->uri)) {
    if (sn__packages_find(packages, shape->uri, &file)) {
      shape->path = strdup(file.path);
      shape->root = strdup(file.root);
      return shape->path != NULL && shape->root != NULL;
    }
    sn__packages_explain(packages, shape->uri, why, sizeof why);
  }
  shape->missing = strdup(why);
  return shape->missing != NULL;
}

/* ---- the URDF, element by element ---- */

typedef struct rewriting {
  sn__shapes *shapes;
  sn_packages *packages;
  XML_Parser parser;
  size_t copied; /* bytes of the URDF that are in the page already */
  bool is_out_of_memory;
} rewriting;

/* @return its place in the list; -1: out of memory, or too many */
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
  sn__shape *items =
      sn__list_grow(shapes->items, &shapes->capacity, shapes->count + 1, sizeof *items);
  char *copy = strdup(uri);
  shapes->items = items == NULL ? shapes->items : items;
  if (items == NULL || copy == NULL) {
    free(copy);
    r->is_out_of_memory = true;
    return -1;
  }
  items[shapes->count] = (sn__shape){.uri = copy};
  r->is_out_of_memory = !find_file(&items[shapes->count], r->packages) || r->is_out_of_memory;
  return (int)shapes->count++;
}

/* The value of the attribute `filename` in a tag that expat has found well-formed.
   @return NULL: missing */
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

/* The path of a shape in its URL: relative to its root, so that names relative to the mesh resolve.
   Of a missing one, its name. */
static const char *reference_of(const sn__shape *shape) {
  if (shape->path != NULL && shape->root != NULL) {
    return shape->path + strlen(shape->root);
  }
  const char *slash = strrchr(shape->uri, '/');
  return slash == NULL ? shape->uri : slash;
}

static void put_reference(sn__buffer *page, const sn__shapes *shapes, int index) {
  if (index < 0) {
    return;
  }
  const char *name = reference_of(&shapes->items[index]);
  char head[32];
  const int length = snprintf(head, sizeof head, "/mesh/%d%s", index, name[0] == '/' ? "" : "/");
  sn__buffer_append(page, head, (size_t)length);
  for (const char *c = name; *c != '\0';
       c++) { /* percent-encode what a URL or XML may not contain */
    const bool is_plain = strchr("/-_.~", *c) != NULL || (*c >= '0' && *c <= '9') ||
                          (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
    char code[4];
    snprintf(code, sizeof code, "%%%02X", (unsigned)(unsigned char)*c);
    sn__buffer_append(page, is_plain ? c : code, is_plain ? 1 : 3);
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
    sn__buffer *page = &r->shapes->page;
    const size_t at = (size_t)(value - r->shapes->urdf);
    sn__buffer_append(page, r->shapes->urdf + r->copied, at - r->copied);
    put_reference(page, r->shapes, add_shape(r, uri));
    r->copied = at + length;
  }
}

/* Entities could expand to a long text; the model refuses them, too. */
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
  sn__buffer_append(&r->shapes->page, r->shapes->urdf + r->copied, size - r->copied);
}

sn_status sn__shapes_init(sn__shapes *shapes, const char *urdf, const char *file,
                          const char *package_path, sn_error *err) {
  *shapes = (sn__shapes){.urdf = strdup(urdf), .page = {.max = (size_t)64 << 20}};
  sn_arena arena;
  sn_arena_init_growing(&arena, "packages", 4096);
  const sn_packages_config config = {.robot_file = file, .path = package_path};
  rewriting r = {.shapes = shapes, .parser = XML_ParserCreate(NULL)};
  const bool is_ready = shapes->urdf != NULL && r.parser != NULL &&
                        sn__packages_create(&arena, &config, &r.packages, NULL) == SN_OK;
  if (is_ready) {
    rewrite(&r);
  }
  XML_ParserFree(r.parser);
  sn_arena_release(&arena);
  if (!is_ready || r.is_out_of_memory || shapes->page.failed) {
    sn__shapes_free(shapes);
    return sn__fail(err, SN_ENOMEM, "no memory for the robot's description");
  }
  return SN_OK;
}

void sn__shapes_free(sn__shapes *shapes) {
  for (size_t i = 0; i < shapes->count; i++) {
    free(shapes->items[i].uri);
    free(shapes->items[i].path);
    free(shapes->items[i].root);
    free(shapes->items[i].missing);
  }
  free(shapes->items);
  free(shapes->urdf);
  sn__buffer_free(&shapes->page);
  *shapes = (sn__shapes){0};
}

static int open_shape(const sn__shape *shape, int64_t *size) {
  return shape->path == NULL || shape->root == NULL
             ? -1
             : sn__file_open_below(shape->root, shape->path, size);
}

/* The shape of `N/…`, and what follows it. @return NULL: there is none */
static const sn__shape *find_place(const sn__shapes *shapes, const char *place, const char **rest) {
  const size_t digits = strspn(place, "0123456789");
  if (digits == 0 || digits > 6 || place[digits] != '/') {
    return NULL;
  }
  const size_t index = (size_t)strtoul(place, NULL, 10);
  *rest = place + digits;
  return index < shapes->count ? &shapes->items[index] : NULL;
}

static bool is_package(const char *folder) {
  char path[SN_PACKAGES_PATH_SIZE];
  const int length = snprintf(path, sizeof path, "%s/package.xml", folder);
  return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

int sn__shapes_open(const sn__shapes *shapes, const char *place, int64_t *size) {
  const char *rest = NULL;
  const sn__shape *shape = find_place(shapes, place, &rest);
  if (shape == NULL || shape->path == NULL || shape->root == NULL || !sn__file_is_shape(rest)) {
    return -1;
  }
  char path[SN_PACKAGES_PATH_SIZE], folder[SN_PACKAGES_PATH_SIZE];
  const int length = snprintf(path, sizeof path, "%s%s", shape->root, rest);
  if (length < 0 || (size_t)length >= sizeof path) {
    return -1;
  }
  snprintf(folder, sizeof folder, "%s", shape->root);
  if (strcmp(path, shape->path) != 0 && !is_package(shape->root)) {
    snprintf(folder, sizeof folder, "%s", shape->path); /* do not serve a home folder */
    *strrchr(folder, '/') = '\0';
  }
  return sn__file_open_below(folder, path, size);
}

bool sn__shapes_explain(const sn__shapes *shapes, const char *place, char *text, size_t size) {
  const char *rest = NULL;
  const sn__shape *shape = find_place(shapes, place, &rest);
  if (shape == NULL) {
    return false;
  }
  if (shape->missing != NULL) {
    snprintf(text, size, "%s: %s", shape->uri, shape->missing);
  } else {
    snprintf(text, size, "%s: not in %s", rest + 1, shape->root);
  }
  return true;
}

int sn__shapes_open_uri(const sn__shapes *shapes, const char *uri, int64_t *size) {
  for (size_t i = 0; i < shapes->count; i++) {
    if (strcmp(shapes->items[i].uri, uri) == 0) {
      return open_shape(&shapes->items[i], size);
    }
  }
  return -1;
}
