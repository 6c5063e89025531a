/* Attaches the files that components read when they are configured, so that a replay does not
   depend on their later contents. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "files/regular_file.h"
#include "record/recording.h"
#include "sinew/value.h"

/* @return the number of bytes read, -1 if the file cannot be read completely */
static int64_t read_file(const char *path, char **bytes) {
  const char *why = NULL;
  int64_t size = 0;
  const int file = sn__regular_open(path, &size, &why);
  if (file < 0) {
    return -1;
  }
  int64_t done = size > (int64_t)SN_VALUE_SIZE_MAX ? -1 : 0;
  *bytes = done < 0 ? NULL : malloc((size_t)size + 1);
  while (*bytes != NULL && done >= 0 && done < size) {
    const ssize_t got = read(file, *bytes + done, (size_t)(size - done));
    done = got <= 0 ? -1 : done + (int64_t)got;
  }
  close(file);
  return *bytes == NULL ? -1 : done;
}

/* @return whether the file is attached, or does not exist */
static bool attach(sn__recording *recording, const char *component, const char *property,
                   const char *path) {
  char name[64];
  char *bytes = NULL;
  if (*path == '\0' || access(path, F_OK) != 0) {
    return true;
  }
  const int64_t size = read_file(path, &bytes);
  const int length = snprintf(name, sizeof name, "%s.%s", component, property);
  const bool good = size >= 0 && length < (int)sizeof name &&
                    sn__mcap_writer_attach(recording->writer, name, "application/yaml", bytes,
                                           (size_t)size, NULL) == SN_OK;
  free(bytes);
  return good;
}

bool sn__recording_attach_files(sn__recording *recording) {
  bool has_all = true;
  sn_system_hold(recording->system); /* keeps properties from changing */
  for (size_t i = 0; i < sn_system_component_count(recording->system); i++) {
    const sn_component *c = sn_system_component_at(recording->system, i);
    for (const sn_property *p = c->type->properties; p != NULL && p->name != NULL; p++) {
      if ((p->flags & SN_PROPERTY_INPUT) != 0) {
        const char *const *path = (const void *)((const char *)c + p->offset);
        has_all = attach(recording, c->name, p->name, *path) && has_all;
      }
    }
  }
  sn_system_release(recording->system);
  return has_all;
}
