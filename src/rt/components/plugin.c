#include "rt/components/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

enum { PATH_SIZE = 4096 };

/* dlopen() searches the system directories for a name without a slash; a user who names a file
   means that file. */
static sn_status complete_path(const char *path, char *full, const char *who, sn_error *err) {
  const int length = snprintf(full, PATH_SIZE, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
  if (path[0] == '\0' || length < 0 || length >= PATH_SIZE) {
    return sn__fail(err, SN_EIO, "%s: '%s' is not the path of a plugin", who, path);
  }
  return SN_OK;
}

sn_status sn__plugin_open(sn__plugin *plugin, const char *path, const char *symbol, const char *who,
                          sn_error *err) {
  char full[PATH_SIZE];
  const sn_status status = complete_path(path, full, who, err);
  if (status != SN_OK) {
    return status;
  }
  plugin->library = dlopen(full, RTLD_NOW | RTLD_LOCAL);
  if (plugin->library == NULL) {
    return sn__fail(err, SN_EIO, "%s: plugin %s", who, dlerror());
  }
  plugin->symbol = dlsym(plugin->library, symbol);
  if (plugin->symbol == NULL) {
    sn__plugin_close(plugin);
    return sn__fail(err, SN_ENOENT, "%s: plugin %s exports no '%s'", who, path, symbol);
  }
  return SN_OK;
}

void sn__plugin_close(sn__plugin *plugin) {
  dlclose(plugin->library);
  *plugin = (sn__plugin){0};
}
