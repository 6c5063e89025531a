/** @file
 *  Internal: plugins. */
#ifndef SN_RT_COMPONENTS_PLUGIN_H
#define SN_RT_COMPONENTS_PLUGIN_H

#include "sinew/status.h"

typedef struct sn__plugin {
  void *library;
  const void *symbol; /**< the exported symbol */
} sn__plugin;

/** Open a shared library and look up a symbol. A @p path without a slash is relative to the working
 *  directory, never to the system's search path.
 *  @param who  for messages: the kind of plugin
 *  @return SN_OK; SN_EIO (cannot be opened); SN_ENOENT (no such symbol) */
sn_status sn__plugin_open(sn__plugin *plugin, const char *path, const char *symbol, const char *who,
                          sn_error *err);

/** For a rejected plugin; one that is used stays loaded until the process ends. */
void sn__plugin_close(sn__plugin *plugin);

#endif
