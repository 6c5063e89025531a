#include "sinew/ik_plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

enum { PATH_SIZE = 4096 };

/* dlopen() searches the system's directories for a name without a slash; a user who names a file
   means that file. */
static sn_status complete_path(const char *path, char *full, sn_error *err) {
  const int length = snprintf(full, PATH_SIZE, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
  if (path[0] == '\0' || length < 0 || length >= PATH_SIZE) {
    return sn__fail(err, SN_EIO, "ik: '%s' is no path of a plugin", path);
  }
  return SN_OK;
}

sn_status sn_ik_load_plugin(sn_ik_registry *registry, const char *path, const sn_ik_solver **solver,
                            sn_error *err) {
  char full[PATH_SIZE];
  sn_status status = complete_path(path, full, err);
  if (status != SN_OK) {
    return status;
  }
  void *library = dlopen(full, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    return sn__fail(err, SN_EIO, "ik: plugin %s", dlerror());
  }
  const sn_ik_solver *found = dlsym(library, "sn_ik_plugin");
  if (found == NULL) {
    status = sn__fail(err, SN_ENOENT, "ik: plugin %s exports no 'sn_ik_plugin'", path);
  } else {
    status = sn_ik_registry_add(registry, found, err);
  }
  if (status != SN_OK) {
    dlclose(library);
    return status;
  }
  if (solver != NULL) {
    *solver = found;
  }
  return SN_OK;
}
