#define _GNU_SOURCE /* realpath() */

#include "model/urdf/xacro_load.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/report_internal.h"
#include "files/file.h"
#include "model/urdf/package_file.h"
#include "xacro/xacro.h"

bool sn__xacro_is_meant(const char *path) {
  return sn__file_has_ending(path, ".xacro");
}

static bool find_package(void *context, const char *name, char *folder, size_t size,
                         sn_error *why) {
  char found[SN_PACKAGES_PATH_SIZE], uri[300], text[240];
  const bool is_found = sn__packages_folder(context, name, found);
  /* A folder of the command line may be relative; names in the document are not relative to it. */
  char *real = is_found && *found != '/' ? realpath(found, NULL) : NULL;
  const char *whole = real == NULL ? found : real;
  const bool fits = is_found && strlen(whole) < size;
  if (fits) {
    memcpy(folder, whole, strlen(whole) + 1);
  }
  free(real);
  if (fits) {
    return true;
  }
  snprintf(uri, sizeof uri, "package://%.200s/", name);
  sn__packages_explain(context, uri, text, sizeof text);
  (void)sn__fail(why, SN_EIO, "%s", text);
  return false;
}

static int by_bytes(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The order is that of the bytes, whatever the locale. */
static bool match(void *context, sn_arena *arena, const char *pattern, const char ***paths,
                  size_t *count) {
  (void)context;
  glob_t found;
  *count = 0;
  const int result = glob(pattern, GLOB_NOSORT, NULL, &found);
  if (result != 0) {
    return result != GLOB_NOSPACE;
  }
  *paths = SN_NEW(arena, const char *, found.gl_pathc);
  bool good = *paths != NULL;
  for (size_t i = 0; good && i < found.gl_pathc; i++) {
    (*paths)[i] = sn_arena_text(arena, found.gl_pathv[i], strlen(found.gl_pathv[i]));
    good = (*paths)[i] != NULL;
  }
  *count = good ? found.gl_pathc : 0;
  if (*count > 1) {
    qsort(*paths, *count, sizeof **paths, by_bytes);
  }
  globfree(&found);
  return good;
}

static const char *join_argument(sn_arena *arena, const sn_value *item) {
  const size_t size = strlen(item->name) + strlen(item->text) + sizeof ":=";
  char *text = SN_NEW(arena, char, size);
  if (text != NULL) {
    snprintf(text, size, "%s:=%s", item->name, item->text);
  }
  return text;
}

const char *const *sn__xacro_arguments(sn_arena *arena, const sn_value *properties,
                                       const char *const *more, sn_report *report) {
  const sn_value *given =
      properties == NULL ? NULL : sn_value_find(properties, SN__XACRO_ARGUMENTS_KEY);
  const size_t given_count = given == NULL ? 0 : given->item_count;
  size_t more_count = 0, count = 0;
  while (more != NULL && more[more_count] != NULL) {
    more_count++;
  }
  const char **all = SN_NEW(arena, const char *, given_count + more_count + 1);
  if (given != NULL && given->kind != SN_VALUE_BAG) {
    sn__report_add(report, SN_SEVERITY_ERROR, given->place, SN__XACRO_ARGUMENTS_KEY ": {prefix: a}",
                   "the arguments of the robot are not a bag of names and values");
  }
  for (size_t i = 0; all != NULL && i < given_count && given->kind == SN_VALUE_BAG; i++) {
    const sn_value *item = given->items[i];
    if (item->kind != SN_VALUE_TEXT) {
      sn__report_add(report, SN_SEVERITY_ERROR, item->place, NULL,
                     "argument '%.80s' of the robot is not a text or a number", item->name);
    } else if ((all[count++] = join_argument(arena, item)) == NULL) {
      return NULL;
    }
  }
  if (all != NULL && more_count > 0) {
    memcpy(all + count, more, more_count * sizeof *all);
  }
  return all;
}

sn_status sn__xacro_load(sn_arena *arena, const char *path, sn_packages *packages,
                         const char *const *arguments, sn_report *report, sn_xacro_result *out) {
  const sn__xacro_config config = {.file = path,
                                   .arguments = arguments,
                                   .files = {.context = packages,
                                             .find_package = find_package,
                                             .read = sn__package_file_read,
                                             .match = match}};
  sn__file file;
  sn_status status = sn__file_read(path, SN__XACRO_FILE_MAX, report, &file, NULL);
  if (status != SN_OK) {
    return status;
  }
  status = sn__xacro_expand(arena, file.text, file.size, &config, report, &out->root);
  sn__file_free(&file);
  if (status == SN_OK) {
    out->text = sn__xml_write(arena, out->root, SN__XACRO_BYTES_MAX, &out->size);
    status = out->text == NULL ? SN_ENOMEM : SN_OK;
  }
  return status;
}
