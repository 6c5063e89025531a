/** @file
 *  Inputs that one client writes to: opened by its first message to them, closed with the client.
 */
#ifndef SN_REMOTE_REMOTE_SOURCE_H
#define SN_REMOTE_REMOTE_SOURCE_H

#include "sinew/tap.h"

#define SN__REMOTE_SOURCES_MAX 8
#define SN__REMOTE_PORT_SIZE 256 /**< of `component.port`, with its NUL */

/** All zero is none. */
typedef struct sn__remote_sources {
  struct {
    sn_source *source; /**< NULL: free */
    char port[SN__REMOTE_PORT_SIZE];
  } items[SN__REMOTE_SOURCES_MAX];
} sn__remote_sources;

/** Open an input, or find it among those that are open.
 *  @return as sn_source_open(), or SN_ELIMIT (the client has SN__REMOTE_SOURCES_MAX open).
 *  Threads: one at a time. */
sn_status sn__remote_source_open(sn__remote_sources *sources, sn_system *system, const char *port,
                                 sn_source **out, sn_error *err);

/** Close all. Threads: as above. */
void sn__remote_sources_close(sn__remote_sources *sources);

#endif
