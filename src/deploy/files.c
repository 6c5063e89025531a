/* The files of a deployment. A file overrides those that it includes. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <sys/stat.h>

#include "deploy/deployment.h"
#include "deploy/merge.h"
#include "files/file.h"
#include "files/value_read.h"
#include "servo/servo_library.h"

typedef struct visited {
  const sn_deployment_file *embedded; /* NULL: on the disk */
  dev_t device;
  ino_t node;
  bool is_open; /* in the chain of includes */
} visited;

typedef struct includer {
  sn__reading *reading;
  visited files[SN_DEPLOYMENT_INCLUDES_MAX + 1];
  size_t count;
} includer;

const char *sn__named_file(sn__reading *reading, const sn_value *prop) {
  if (!reading->may_read) {
    sn__report_error(reading, prop->place, NULL,
                     "'%.80s' is another file, which may not be read here", prop->text);
    return NULL;
  }
  const char *path = sn__file_beside(reading->arena, prop->place.file, prop->text);
  return path == NULL ? sn__reading_out_of_memory(reading) : path;
}

static const sn_value *open_servo(void *context, const sn_value *name) {
  sn__reading *reading = context;
  const char *path = sn__named_file(reading, name);
  const sn_value *root = NULL;
  if (path != NULL &&
      sn__value_load_for(reading->arena, path, name->place, reading->report, &root) == SN_ENOMEM) {
    return sn__reading_out_of_memory(reading);
  }
  return root;
}

const sn_value *sn__name_servos(sn__reading *reading, const sn_value *bag) {
  const sn_value *named =
      sn__servo_name_models(reading->arena, bag, reading->report, open_servo, reading);
  return named == NULL ? sn__reading_out_of_memory(reading) : named;
}

const sn_deployment_file *sn__embedded_file(const sn__reading *reading, const sn_value *name) {
  const sn_deployment_config *config = reading->config;
  for (size_t i = 0; i < config->file_count; i++) {
    if (strcmp(config->files[i].name, name->text) == 0) {
      return &config->files[i];
    }
  }
  return NULL;
}

/* Files are identified by their canonical path. @return NULL: no such file, which is reported
   when it is read */
static visited *find_visited(includer *in, const sn_deployment_file *embedded, const char *path,
                             visited *fresh) {
  struct stat facts;
  *fresh = (visited){.is_open = true, .embedded = embedded};
  if (embedded == NULL && stat(path, &facts) == 0) {
    fresh->device = facts.st_dev;
    fresh->node = facts.st_ino;
  }
  for (size_t i = 0; i < in->count; i++) {
    const visited *v = &in->files[i];
    if (v->embedded == embedded && v->device == fresh->device && v->node == fresh->node) {
      return &in->files[i];
    }
  }
  return NULL;
}

/* Only connections are concatenated. */
static const sn_value * override(sn__reading *reading, const sn_value *under,
                                 const sn_value *over) {
  const sn_value *below = sn_value_find(under, "connections");
  const sn_value *above = sn_value_find(over, "connections");
  const sn_value *merged = sn__value_merge(reading->arena, under, over);
  if (below != NULL && above != NULL && below->kind == SN_VALUE_LIST &&
      above->kind == SN_VALUE_LIST) {
    const sn_value *both = sn__value_append(reading->arena, below, above);
    const sn_value *bag =
        both == NULL ? NULL : sn__value_make_bag(reading->arena, "", both, over->place);
    merged = sn__value_merge(reading->arena, merged, bag);
  }
  return merged == NULL ? sn__reading_out_of_memory(reading) : merged;
}

static const sn_value *merge_includes(includer *in, const sn_value *root);

/* A file on disk overrides one in memory, so that users can replace it. @return the text to
   parse; NULL: the file at `*path`, or nothing if that is NULL, too */
static const sn_deployment_file *find_file(includer *in, const sn_value *name, const char **path) {
  sn__reading *reading = in->reading;
  const sn_deployment_file *embedded = sn__embedded_file(reading, name);
  struct stat facts;
  *path = embedded != NULL && !reading->may_read ? NULL : sn__named_file(reading, name);
  return *path != NULL && (embedded == NULL || stat(*path, &facts) == 0) ? NULL : embedded;
}

static sn_status read_included(includer *in, const sn_deployment_file *embedded, const char *path,
                               const sn_value *name, const sn_value **root) {
  sn__reading *reading = in->reading;
  return embedded == NULL
             ? sn__value_load_for(reading->arena, path, name->place, reading->report, root)
             : sn_value_parse_yaml(reading->arena, embedded->text, embedded->size, embedded->name,
                                   reading->report, root);
}

static const sn_value *include_file(includer *in, const sn_value *name) {
  sn__reading *reading = in->reading;
  const char *path = NULL;
  const sn_deployment_file *embedded = find_file(in, name, &path);
  if (embedded == NULL && path == NULL) {
    return NULL;
  }
  visited fresh;
  const visited *known = find_visited(in, embedded, path, &fresh);
  if (known != NULL && known->is_open) {
    sn__report_error(reading, name->place, NULL, "'%.80s' includes itself, directly or indirectly",
                     name->text);
  }
  if (known != NULL) {
    return NULL; /* included before */
  }
  if (in->count == sizeof in->files / sizeof *in->files) {
    sn__report_error(reading, name->place, NULL, "more than %d files are included",
                     SN_DEPLOYMENT_INCLUDES_MAX);
    return NULL;
  }
  const size_t mine = in->count++;
  in->files[mine] = fresh;
  const sn_value *root = NULL;
  const sn_status status = read_included(in, embedded, path, name, &root);
  if (status == SN_ENOMEM) {
    sn__reading_out_of_memory(reading);
  }
  root = status == SN_OK ? merge_includes(in, root) : NULL;
  in->files[mine].is_open = false;
  return root;
}

/* Recursion is bounded: no file is opened twice, and there are few. */
static const sn_value *merge_includes(includer *in, const sn_value *root) {
  sn__reading *reading = in->reading;
  const sn_value *names = sn_value_find(root, "include");
  if (names == NULL || names->kind != SN_VALUE_LIST) {
    return root; /* another kind is reported with all other keys */
  }
  const sn_value *under = NULL;
  for (size_t i = 0; i < names->item_count && reading->status == SN_OK; i++) {
    if (names->items[i]->kind == SN_VALUE_TEXT) {
      const sn_value *file = include_file(in, names->items[i]);
      under = under == NULL || file == NULL ? (file == NULL ? under : file)
                                            : override(reading, under, file);
    }
  }
  return under == NULL || reading->status != SN_OK ? root : override(reading, under, root);
}

const sn_value *sn__merge_includes(sn__reading *reading, const sn_value *root) {
  includer in = {.reading = reading};
  visited fresh;
  if (reading->is_file) {
    find_visited(&in, NULL, root->place.file, &fresh);
    in.files[in.count++] = fresh;
  }
  return merge_includes(&in, root);
}

const sn_value *sn__read_files(sn__reading *reading, const char *path) {
  const sn_value *root = NULL;
  const sn_status status = sn_value_load(reading->arena, path, reading->report, &root);
  if (status == SN_ENOMEM) {
    return sn__reading_out_of_memory(reading);
  }
  return status == SN_OK ? sn__merge_includes(reading, root) : NULL;
}
