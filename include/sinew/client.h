/** @file
 *  Calls to a running system in another process, over its control socket (docs/control-socket.md).
 *  One connection, one call at a time. The calls of the robot model are below. */
#ifndef SINEW_CLIENT_H
#define SINEW_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/model.h"
#include "sinew/msg.h"
#include "sinew/msg_calls.h"
#include "sinew/names.h"
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

/* ---- robot client ---- */

/** Opaque; on the heap. */
typedef struct sn_robot_client sn_robot_client;

/** A client of the robot model.
 *  @param client     must outlive it
 *  @param component  the robot model; NULL: `robot_model`
 *  @return NULL: out of memory. RT: no, allocates.  Threads: owner of the client. */
SN_API sn_robot_client *sn_robot_client_create(sn_client *client, const char *component);

/** NULL is allowed. RT: no.  Threads: owner. */
SN_API void sn_robot_client_destroy(sn_robot_client *robot);

/** Why the last call failed; empty if it did not. RT: yes.  Threads: owner. */
SN_API const char *sn_robot_client_error(const sn_robot_client *robot) SN_RT;

/** Each returns what the operation of the same name does: SN_ENOTCONFIGURED before
 *  configuration, SN_ENOENT for an unknown name, SN_ENOSPC if the output is too small, which is
 * then unchanged; or a status of sn_client_call(). The last message stays valid until the next
 * call. RT: no, waits for the answer.  Threads: owner. */

SN_API sn_status sn_robot_client_is_configured(sn_robot_client *robot, bool *out);
SN_API sn_status sn_robot_client_joint_index(sn_robot_client *robot, const char *joint, int *index);
SN_API sn_status sn_robot_client_chain_index(sn_robot_client *robot, const char *chain, int *index);
SN_API sn_status sn_robot_client_list_chains(sn_robot_client *robot, sn_name_list *list);
SN_API sn_status sn_robot_client_list_joints(sn_robot_client *robot, sn_name_list *list);
SN_API sn_status sn_robot_client_list_contacts(sn_robot_client *robot, sn_name_list *list);
SN_API sn_status sn_robot_client_chain_joints(sn_robot_client *robot, const char *chain,
                                              sn_name_list *list);
SN_API sn_status sn_robot_client_joints_chains(sn_robot_client *robot, const char *const *joints,
                                               size_t joint_count, sn_name_list *list);
SN_API sn_status sn_robot_client_joint_chain(sn_robot_client *robot, const char *joint, char *text,
                                             size_t size);
SN_API sn_status sn_robot_client_chain_default_contact(sn_robot_client *robot, const char *chain,
                                                       char *text, size_t size);
SN_API sn_status sn_robot_client_chain_property(sn_robot_client *robot, const char *chain,
                                                const char *key, char *text, size_t size);
SN_API sn_status sn_robot_client_description(sn_robot_client *robot, char *text, size_t size);
SN_API sn_status sn_robot_client_add_contact_points(sn_robot_client *robot, const char *contact,
                                                    sn_point_buffer *buffer, int *appended);

/** `getTree` and `getChain`: links, joints, parents, origins.
 *  @param out  valid until the next call */
SN_API sn_status sn_robot_client_tree(sn_robot_client *robot, const sn_call_tree **out);
SN_API sn_status sn_robot_client_chain(sn_robot_client *robot, const char *chain,
                                       bool with_virtual_joints, const sn_call_tree **out);

SN_END_DECLS

#endif
