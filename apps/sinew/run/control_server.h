/** @file
 *  The control socket of a running system, a Unix domain socket (docs/control-socket.md).
 *
 *  One thread reads and writes, a pool executes requests; none of them is on the real-time path.
 * Each client has at most one request in execution. */
#ifndef SINEW_APP_CONTROL_SERVER_H
#define SINEW_APP_CONTROL_SERVER_H

#include "sinew/log.h"
#include "sinew/system.h"

#define CONTROL_CLIENTS_MAX 96
#define CONTROL_STOP_ONLY_MAX 8 /**< clients beyond those, which can only stop the robot */

typedef struct control_server control_server;

/** Serve @p system, which must outlive the server, at @p path (control_path()).
 *  @return SN_OK, SN_EBUSY (another system answers there), SN_EIO, SN_ENOMEM */
sn_status control_server_start(sn_system *system, const char *path, control_server **out,
                               sn_error *err);

/** Close all connections and remove the socket. Waits for operations that are running. NULL is
 *  allowed. */
void control_server_stop(control_server *server);

/** Keep a line of the log for clients: the reader of the system's log calls it for each record.
 *  Threads: any. */
void control_server_log(control_server *server, const sn_log_record *record);

#endif
