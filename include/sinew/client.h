/** @file
 *  Calls to a running system in another process, over its control socket (docs/control-socket.md).
 *  One connection, one call at a time. robot_client.h adds the calls of the robot model. */
#ifndef SINEW_CLIENT_H
#define SINEW_CLIENT_H

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Opaque; on the heap. */
typedef struct sn_client sn_client;

/** Zero-initialise, then set what differs. */
typedef struct sn_client_config {
  const char *socket; /**< path of the socket; NULL: that of the system `name` */
  const char *name;   /**< as in `sinew run --name`; NULL: `default` */
  double timeout_s;   /**< of a whole call; 0 means 2 */
} sn_client_config;

/** Connect. The other end must be a process of this user or of root.
 *  @param config  NULL: the default system
 *  @param out     set on success, untouched on failure; close it
 *  @param err     receives the reason on failure; may be NULL
 *  @return SN_OK; SN_EIO: no system answers there, or one of another user; SN_EINVAL: invalid name
 *          or timeout; SN_ELIMIT: the path is too long; SN_ENOMEM; SN_EUNSUPPORTED: built without
 *          JSON
 *  RT: no, connects.  Threads: any. */
SN_API sn_status sn_client_open(const sn_client_config *config, sn_client **out, sn_error *err);

/** Close the connection. NULL is allowed. RT: no.  Threads: owner. */
SN_API void sn_client_close(sn_client *client);

/** Call an operation and wait for its answer.
 *  @param operation      `component.operation`
 *  @param request_type   of @p request; NULL: the operation takes no arguments
 *  @param response_type  of @p response; NULL: ignore the answer
 *  @param response       unchanged if the call fails
 *  @param err            receives the reason on failure; may be NULL
 *  @return the status of the operation; SN_ENOENT: unknown operation; SN_ETIMEDOUT; SN_EIO: the
 *          connection has ended, now or in an earlier call; SN_ENOSPC: the answer does not fit into
 *          @p response; SN_ELIMIT: longer than the socket allows
 *  RT: no, waits.  Threads: owner. */
SN_API sn_status sn_client_call(sn_client *client, const char *operation,
                                const sn_msg_type *request_type, const void *request,
                                const sn_msg_type *response_type, void *response, sn_error *err);

SN_END_DECLS

#endif
