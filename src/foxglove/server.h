/** @file
 *  The cockpit's server: HTTP and the Foxglove WebSocket protocol over one running system
 *  (docs/foxglove.md).
 *
 *  One thread, that of libwebsockets, owns clients, streams and sources, and never waits. What may
 *  wait for the system is a task for the pool (pool_task.h). */
#ifndef SN_FOXGLOVE_SERVER_H
#define SN_FOXGLOVE_SERVER_H

#include "foxglove/http/access.h"
#include "foxglove/playback.h"
#include "remote/remote_log.h"
#include "sinew/component.h"
#include "sinew/system.h"

typedef struct sn__fox_server sn__fox_server;

/** The component's properties. Texts must outlive the server. */
typedef struct sn__fox_config {
  const sn_component *component; /**< the server's own */
  const char *address;
  int port;          /**< 0: any free one; -1: 8080, or the next free one */
  const char *token; /**< empty: only the same user may change anything, over loopback */
  const char *certificate, *key; /**< files for TLS; empty: none */
  sn_texts hosts, origins;
  const char *recordings;
  size_t clients_max;
  sn__remote_log *log;
  const sn__playback *playback; /**< a recording is played; NULL: the system runs */
} sn__fox_config;

/** @return SN_OK, SN_EBUSY (the port is taken), SN_EINVAL (certificate or key), SN_EIO (address,
 *  threads), SN_ENOMEM */
sn_status sn__fox_server_start(const sn__fox_config *config, sn__fox_server **out, sn_error *err);

/** Close all connections and end the threads. Waits for operations that are running. */
void sn__fox_server_stop(sn__fox_server *server);

/** `http://127.0.0.1:8080/` */
const char *sn__fox_server_address(const sn__fox_server *server);

#endif
