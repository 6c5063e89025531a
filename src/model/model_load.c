/* Reading a robot from a file: the only part of the model that looks at the file system. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/file.h"
#include "sinew/model.h"

#define PATH_SIZE 4096

/* Is there a file `folder/rest`, with `folder` given by its length? Nothing is opened. */
static bool exists(const char *folder, size_t length, const char *rest) {
  char path[PATH_SIZE];
  const int written = *rest == '/'
                          ? snprintf(path, sizeof path, "%s", rest)
                          : snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, rest);
  struct stat facts;
  return written > 0 && (size_t)written < sizeof path && stat(path, &facts) == 0 &&
         S_ISREG(facts.st_mode);
}

/* `package://NAME/REST` is looked for beside the file and beside each folder above it, as packages
   lie in a workspace; other paths relative to the file. What is not on this machine (http://)
   counts as not found. */
static bool find_mesh(void *context, const char *uri) {
  const char *folder = context;
  static const char package[] = "package://";
  static const char file[] = "file://";
  const bool is_package = strncmp(uri, package, sizeof package - 1) == 0;
  const char *rest = uri + (is_package                                 ? sizeof package - 1
                            : strncmp(uri, file, sizeof file - 1) == 0 ? sizeof file - 1
                                                                       : 0);
  if (strstr(rest, "://") != NULL) {
    return false;
  }
  for (size_t length = strlen(folder) + 1; length-- > 0;) { /* cut at each slash */
    const bool is_folder = folder[length] == '\0' || folder[length] == '/';
    if (is_folder && exists(folder, length, rest)) {
      return true;
    }
    if (!is_package) {
      return false;
    }
  }
  return false;
}

/* The folder that a path lies in, as an absolute one: so the folders above it can be found. */
static void find_folder(const char *path, char *folder, size_t size) {
  char here[PATH_SIZE] = "";
  if (*path != '/' && getcwd(here, sizeof here) == NULL) {
    snprintf(here, sizeof here, ".");
  }
  const char *slash = strrchr(path, '/');
  const int length = slash == NULL ? 0 : (int)(slash - path);
  const int written = snprintf(folder, size, "%s%s%.*s", here,
                               *here == '\0' || length == 0 ? "" : "/", length, path);
  if (written < 0 || (size_t)written >= size) {
    snprintf(folder, size, "."); /* no file can have a name that long */
  }
}

sn_status sn_model_load(sn_arena *arena, const char *path, const sn_model_config *config,
                        sn_report *report, const sn_model **out, sn_error *err) {
  sn__file file;
  const sn_status status = sn__file_read(path, SN_URDF_SIZE_MAX, report, &file, err);
  if (status != SN_OK) {
    return status;
  }
  sn_model_config settings = config == NULL ? (sn_model_config){0} : *config;
  settings.file = path;
  char folder[PATH_SIZE];
  if (settings.mesh_exists == NULL) {
    find_folder(path, folder, sizeof folder);
    settings.mesh_exists = find_mesh;
    settings.mesh_context = folder;
  }
  const sn_status parsed = sn_model_parse(arena, file.text, file.size, &settings, report, out, err);
  sn__file_free(&file);
  return parsed;
}
