#define _XOPEN_SOURCE 700 /* mkdtemp() */

#include "replay/replay_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 256 };

static bool write_copy(const char *path, const char *data, size_t size) {
  FILE *out = fopen(path, "wbx");
  if (out == NULL) {
    return false;
  }
  const bool good = fwrite(data, 1, size, out) == size;
  return fclose(out) == 0 && good;
}

/* Point the property at the copy. Without a copy the file did not exist, and does not now. */
static bool use_copy(const replay_files *files, sn_mcap_reader *reader, sn_component *component,
                     const char *property) {
  char name[128];
  char path[PATH_SIZE];
  snprintf(name, sizeof name, "%s.%s", component->name, property);
  if (snprintf(path, sizeof path, "%s/%s", files->folder, name) >= PATH_SIZE) {
    return false;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "file", 0);
  const char *data = NULL;
  size_t size = 0;
  sn_status status = sn__mcap_reader_attachment(reader, name, &arena, &data, &size, NULL);
  bool good = status == SN_ENOENT || (status == SN_OK && write_copy(path, data, size));
  sn_report *report = NULL;
  const sn_value value = {.name = "", .kind = SN_VALUE_TEXT, .text = path, .place = {.file = name}};
  good = good && sn_report_create(&arena, &report, NULL) == SN_OK &&
         sn_system_set(component->system, component, property, &value, report, NULL) == SN_OK;
  sn_arena_release(&arena);
  return good;
}

static bool is_used(const sn_component *component, const sn_property *property) {
  const char *const *path = (const void *)((const char *)component + property->offset);
  return (property->flags & SN_PROPERTY_INPUT) != 0 && **path != '\0';
}

bool replay_files_use(replay_files *files, sn_mcap_reader *reader, sn_system *system) {
  char value[8] = "";
  bool good = true;
  if (sn__mcap_reader_note(reader, "system", 0, "files", value, sizeof value, NULL) != SN_OK ||
      strcmp(value, "yes") != 0) {
    return true;
  }
  for (size_t i = 0; good && i < sn_system_component_count(system); i++) {
    sn_component *c = sn_system_component_at(system, i);
    for (const sn_property *p = c->type->properties; good && p != NULL && p->name != NULL; p++) {
      if (!is_used(c, p)) {
        continue;
      }
      if (files->folder[0] == '\0') {
        snprintf(files->folder, sizeof files->folder, "/tmp/sinew_replay_XXXXXX");
        good = mkdtemp(files->folder) != NULL;
      }
      good = good && use_copy(files, reader, c, p->name);
    }
  }
  return good;
}

void replay_files_remove(replay_files *files) {
  DIR *folder = files->folder[0] == '\0' ? NULL : opendir(files->folder);
  const struct dirent *entry = NULL;
  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", files->folder, entry->d_name);
    (void)unlink(path); /* `.` and `..` stay */
  }
  if (folder != NULL) {
    closedir(folder);
    (void)rmdir(files->folder);
  }
}
