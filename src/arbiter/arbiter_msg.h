/** @file
 *  The arbiter and its controllers over messages: `ResourceRequest` in, `ResourceAssignment` (the
 *  complete owner table, to all) out, `ControllerState` as what a controller has and wants.
 *
 *  The sender is known by the connection that a message came through, never by the name in it: the
 *  name of another controller is refused. So are unknown resources. */
#ifndef SN_ARBITER_ARBITER_MSG_H
#define SN_ARBITER_ARBITER_MSG_H

#include <stdint.h>

#include "arbiter/arbiter_core.h"
#include "arbiter/consumer.h"
#include "arbiter/resource_set.h"
#include "sinew/api.h"
#include "sinew/msg_types.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** The set that the names of a message mean; one that appears twice counts once.
 *  @param set  out; untouched on failure
 *  @return SN_OK, or SN_ENOENT an unknown resource, named in the error
 *  RT: yes, but for the error's text.  Threads: owner of the message. */
sn_status sn__resource_set_from_msg(const sn_names *resources, const sn_msg_names *names,
                                    sn_resource_set *set, sn_error *err);

/** The names of a set, in the order of the table.
 *  @return SN_OK, or SN_ENOSPC: the list is empty then. RT: yes.  Threads: owner of the message. */
sn_status sn__resource_set_to_msg(const sn_names *resources, const sn_resource_set *set,
                                  sn_msg_names *names) SN_RT;

/** Handle a request.
 *  @param controller  whose connection it came through
 *  @param wait_ns     how long a request with `wait` waits
 *  @param answer      out, also on failure: SN_ARBITER_INVALID then
 *  @return SN_OK (see the answer), SN_EINVAL (the name in it is that of another controller) or
 *  SN_ENOENT (no such resource); on failure nothing has changed RT: yes, but for the error's text.
 *  Threads: owner of the arbiter. */
sn_status sn__arbiter_handle_request(sn_arbiter *arbiter, int controller,
                                     const sn_resource_request *request, int64_t wait_ns,
                                     int64_t now_ns, sn_arbiter_action *answer, sn_error *err);

/** Handle the state of a controller: what it was asked to release and no longer has counts as
 *  acknowledged. To give up something else it sends a request.
 *  @return as sn__arbiter_handle_request(). RT: likewise.  Threads: owner of the arbiter. */
sn_status sn__arbiter_handle_state(sn_arbiter *arbiter, int controller,
                                   const sn_controller_state *state, int64_t now_ns, sn_error *err);

/** The owner table, and an answer if there is one.
 *  @param action  the cause: its answer and request, or why something was gained or lost; NULL:
 *  none
 *  @return SN_OK, or SN_ENOSPC if the message is too small: it is not complete then
 *  RT: yes, O(resources).  Threads: owner of the arbiter and the message. */
sn_status sn__arbiter_fill_assignment(const sn_arbiter *arbiter, const sn_arbiter_action *action,
                                      int64_t now_ns, sn_resource_assignment *assignment) SN_RT;

/** A claim as a message: for a link that sends. @return SN_OK, or SN_ENOSPC. RT: yes. */
sn_status sn__consumer_fill_request(const sn_consumer *consumer, const sn_arbiter_claim *claim,
                                    int64_t now_ns, sn_resource_request *request) SN_RT;

/** What the controller has and wants. @return SN_OK, or SN_ENOSPC. RT: yes. */
sn_status sn__consumer_fill_state(const sn_consumer *consumer, int64_t now_ns,
                                  sn_controller_state *state) SN_RT;

/** Handle the owner table. The hooks are called only if the set of this controller changes, or if
 *  it answers the waiting request.
 *  @return SN_OK; SN_EINVAL (as many owners as resources are expected) or SN_ENOENT (no such
 *          resource): ignored
 *  RT: as link and hooks.  Threads: owner of the consumer. */
sn_status sn__consumer_handle_assignment(sn_consumer *consumer,
                                         const sn_resource_assignment *assignment, sn_error *err);

/** The operation `releaseResources`: others take these.
 *  @return SN_OK, or SN_ENOENT (no such resource): ignored. RT: as the hooks. */
sn_status sn__consumer_handle_release(sn_consumer *consumer, const sn_resource_request *request,
                                      sn_error *err);

SN_END_DECLS

#endif
