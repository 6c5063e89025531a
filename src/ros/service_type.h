/** @file
 *  Internal: what type of service an operation is. Those of the shape of a standard service have
 *  its type; all others are `sinew_msgs/` and the name of the operation. */
#ifndef SN_ROS_SERVICE_TYPE_H
#define SN_ROS_SERVICE_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/operation.h"

/** Does the operation only want to know who asks? In a graph that is the node that calls, so the
 *  service needs no arguments, and every tool can call it. */
bool sn__service_asks_who(const sn_operation *operation);

/** What is sent, and what comes back; NULL: nothing. */
const sn_msg_type *sn__service_request(const sn_operation *operation);
const sn_msg_type *sn__service_response(const sn_operation *operation);

/** `std_srvs/SetBool`. @param out  @p size bytes, cut if there is no room */
void sn__service_type(const sn_operation *operation, char *out, size_t size);

#endif
