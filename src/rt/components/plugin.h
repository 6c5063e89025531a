/** @file
 *  Internal: shared libraries that bring something along. */
#ifndef SN_RT_COMPONENTS_PLUGIN_H
#define SN_RT_COMPONENTS_PLUGIN_H

#include "sinew/status.h"

typedef struct sn__plugin {
  void *library;
  const void *symbol; /**< what the library exports under the name asked for */
} sn__plugin;

/** Open a shared library and look a symbol up.
 *  @param path  a name without a slash is taken from the present directory, never from the system's
 *               search path
 *  @param who   for messages: whose plugin it is
 *  @return SN_OK; SN_EIO (cannot be opened); SN_ENOENT (has no such symbol) */
sn_status sn__plugin_open(sn__plugin *plugin, const char *path, const char *symbol, const char *who,
                          sn_error *err);

/** For a plugin that was refused; one that is used stays until the process ends. */
void sn__plugin_close(sn__plugin *plugin);

#endif
