/** @file
 *  Internal: the service type of an operation: a standard type if request and response match,
 *  otherwise `sinew_msgs/` and the name of the operation. */
#ifndef SN_ROS_SERVICE_TYPE_H
#define SN_ROS_SERVICE_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/component.h"

/** Whether the only argument of an operation is the caller's name. The bridge fills it in with the
 *  calling node, so the service has no arguments. */
bool sn__service_asks_who(const sn_operation *operation);

/** Whether an operation is a service. One that takes the goal of an action is not, if the goal
 *  belongs to a package that not every ROS installation has: nodes use the action. */
bool sn__service_is_offered(const sn_operation *operation);

/** Types of request and response; NULL: empty. */
const sn_msg_type *sn__service_request(const sn_operation *operation);
const sn_msg_type *sn__service_response(const sn_operation *operation);

/** For example `std_srvs/SetBool`. @param out  @p size bytes; truncated if too long */
void sn__service_type(const sn_operation *operation, char *out, size_t size);

#endif
