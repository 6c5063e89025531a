/** @file
 *  The arbiter over messages: `ResourceRequest` in, `ResourceAssignment` (the complete owner table,
 *  to all) out.
 *
 *  The sender is known by the connection that a message came through, never by the name in it: the
 *  name of another controller is refused. So are unknown resources. */
#ifndef SN_ARBITER_ARBITER_MSG_H
#define SN_ARBITER_ARBITER_MSG_H

#include <stdint.h>

#include "arbiter/arbiter_core.h"
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

/** The owner table, and an answer if there is one.
 *  @param action  the cause: its answer and request, or why something was gained or lost; NULL:
 *  none
 *  @return SN_OK, or SN_ENOSPC if the message is too small: it is not complete then
 *  RT: yes, O(resources).  Threads: owner of the arbiter and the message. */
sn_status sn__arbiter_fill_assignment(const sn_arbiter *arbiter, const sn_arbiter_action *action,
                                      int64_t now_ns, sn_resource_assignment *assignment) SN_RT;

SN_END_DECLS

#endif
